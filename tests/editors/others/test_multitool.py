"""Microsoft's multitool has neither an error nor a warning for the SARIF logs of `check` and `sanitize`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.shell import simt_lsp, write
from tests.cli.test_sarif_logs import FILES
from tests.editors.others.multitool import validated


@pytest.mark.parametrize("command", [("check", "."), ("sanitize", ".", "--jobs", "1")], ids=lambda one: one[0])
def test_nothing_is_wrong_with_a_log(command: tuple[str, ...], tmp_path: Path) -> None:
    tree = write(tmp_path / "tree", FILES)
    log = tmp_path / "log.sarif"
    simt_lsp(*command, "--format", "sarif", "--output", log, cwd=tree)
    assert [one for one in validated(log, tmp_path) if one[0] in ("error", "warning")] == []


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    tree = write(tmp_path / "tree", FILES)
    log = json.loads(simt_lsp("check", ".", "--format", "sarif", cwd=tree).stdout)
    del log["runs"][0]["tool"]["driver"]["rules"][0]["fullDescription"]
    place = tmp_path / "log.sarif"
    place.write_text(json.dumps(log))
    assert [(level, rule) for level, rule, _ in validated(place, tmp_path) if level == "error"] == [("error", "GH2012")]
