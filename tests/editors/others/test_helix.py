"""Helix with what docs/editors.md says: findings, a hover behind wide characters, typing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editors.debian import command, unpacked
from tests.editors.folders import results_folder
from tests.editors.others.snippets import FINDING, HALO, home_environment, snippet
from tests.editors.terminal import Terminal


@pytest.fixture
def helix(tmp_path: Path) -> Iterator[Terminal]:
    root = unpacked("helix")
    (tmp_path / ".config" / "helix").mkdir(parents=True)
    (tmp_path / ".config" / "helix" / "languages.toml").write_text(snippet("Helix", "toml"))
    (tmp_path / ".config" / "helix" / "config.toml").write_text("[editor.lsp]\ndisplay-inlay-hints = true\n")
    (tmp_path / "halo.cu").write_text(HALO)
    environment = home_environment(tmp_path) | {"HELIX_RUNTIME": str(root / "usr" / "lib" / "hx" / "runtime")}
    terminal = Terminal([*command(root, "hx"), "halo.cu"], environment, tmp_path)
    yield terminal
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
