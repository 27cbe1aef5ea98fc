"""Emacs with eglot and what docs/editors.md says: findings, a hover behind wide characters, typing."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.editors.debian import command, unpacked
from tests.editors.others.snippets import FINDING, HALO, home_environment, snippet

SESSION = Path(__file__).with_name("emacs_session.el")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the session saw, step by step."""
    home = tmp_path_factory.mktemp("emacs")
    root = unpacked("emacs-30")
    (home / "init.el").write_text(snippet("Emacs", "elisp"))
    (home / ".simt.toml").write_text('inlayHints = "varying"\n')
    (home / "halo.cu").write_text(HALO)
    # Emacs looks for its own files below /usr: there they are, for this process alone.
    seen = ""
    for folder in ("share", "lib", "libexec"):
        layer = home / "usr" / folder
        layer.mkdir(parents=True)
        (layer / "emacs").symlink_to(root / "usr" / folder / "emacs")
        seen += f"mount -t overlay overlay -o lowerdir={layer}:/usr/{folder} /usr/{folder} && "
    emacs = [*command(root, "emacs-nox"), "-Q", "--batch", "-l", "init.el", "-l", str(SESSION)]
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", f'{seen}exec "$@"', "sh", *emacs],
        cwd=home, env=home_environment(home), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_server_is_found(session: dict[str, Any]) -> None:
    assert session["mode"] == "cuda-mode"
    assert session["managed"] is True


def test_findings(session: dict[str, Any]) -> None:
    assert [text for text in session["opened"] if FINDING in text]
    assert not [text for text in session["mended"] if "this barrier" in text]
    assert [text for text in session["typed"] if "Threads 0-8 of the block arrive" in text]


def test_hover_behind_wide_characters(session: dict[str, Any]) -> None:
    assert "threadIdx.x" in session["hover"]


def test_hints(session: dict[str, Any]) -> None:
    assert session["hints"] > 0
