"""Helix with what docs/editors.md says: findings, a hover behind wide characters, typing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editors.debian import command, unpacked
from tests.editors.folders import results_folder
from tests.editors.others.snippets import FINDING, HALO, home_environment, snippet
from tests.editors.outcome import FAILED
from tests.editors.terminal import Terminal


@pytest.fixture
def helix(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    root = unpacked("helix")
    (tmp_path / ".config" / "helix").mkdir(parents=True)
    (tmp_path / ".config" / "helix" / "languages.toml").write_text(snippet("Helix", "toml"))
    (tmp_path / ".config" / "helix" / "config.toml").write_text("[editor.lsp]\ndisplay-inlay-hints = true\n")
    (tmp_path / ".simt.toml").write_text('inlayHints = "varying"\n')
    (tmp_path / "halo.cu").write_text(HALO)
    environment = home_environment(tmp_path) | {"HELIX_RUNTIME": str(root / "usr" / "lib" / "hx" / "runtime")}
    terminal = Terminal([*command(root, "hx"), "-v", "halo.cu"], environment, tmp_path)
    yield terminal
    if request.node.stash.get(FAILED, False):
        terminal.picture(results_folder() / "others" / "helix-failed.png")
        print((tmp_path / ".cache" / "helix" / "helix.log").read_text()[-20_000:])  # what was said to the server
    terminal.close()


def test_a_session(helix: Terminal) -> None:
    helix.wait_for("●")
    helix.keys("3Gf_")
    helix.wait_for(FINDING)
    helix.wait_for("lane: varying")
    helix.picture(results_folder() / "others" / "helix-finding.png")
    helix.keys("4Gf[l k")
    helix.wait_for("differs in every thread")
    helix.picture(results_folder() / "others" / "helix-hover.png")
    helix.keys("\x1b")  # alone: an escape and a digit at once would be one key
    helix.wait_for("differs in every thread", gone=True)
    helix.keys("3Gxd")
    helix.wait_for("●", gone=True)
    helix.type("O  if (lane < 9) { __syncthreads(); }\x1b", seconds_per_key=0.03)
    helix.wait_for("●")
