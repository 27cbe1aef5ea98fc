"""The pages for users show what the commands really print; `python -m tests.cli.test_readme` writes them anew."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.shell import simt_lsp

ROOT = Path(__file__).parent.parent.parent
PAGES = (ROOT / "README.md", ROOT / "docs" / "tour.md", ROOT / "docs" / "exact-convergence.md")
BLOCK = re.compile(r"```console\n\$ simt-lsp ([^\n]*)\n(.*?)```", re.DOTALL)
SHOWN = [shown for page in PAGES for shown in BLOCK.findall(page.read_text("utf-8"))]


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command for command, _ in SHOWN])
def test_a_shown_command_prints_what_is_shown(command: str, output: str) -> None:
    done = simt_lsp(*shlex.split(command), cwd=ROOT)
    assert without_time(done.stdout) == without_time(output)


def test_there_is_something_shown() -> None:
    commands = [command.split()[0] for command, _ in SHOWN]
    assert commands == ["check", "explain", "meld", "explain", "meld", "meld", "check", "check", "explain"]


def without_time(text: str) -> str:
    return re.sub(r"\d+\.\d s\)", "s)", text)


def rewritten(block: re.Match[str]) -> str:
    """A block with what its command prints now."""
    output = simt_lsp(*shlex.split(block[1]), cwd=ROOT).stdout
    return f"```console\n$ simt-lsp {block[1]}\n{output}```"


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(BLOCK.sub(rewritten, page.read_text("utf-8")), "utf-8")
