"""What is wrong in a settings file is said once, with its place, and the status tells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.shell import simt_lsp, write

KERNEL = "__global__ void k(float *out) { out[threadIdx.x] = 0; }\n"
BROKEN = '[rules]\nDIV401 = "off"\nDIV999 = "off"\n'
COMPLAINT = ".simt.toml:3:1: settings: rules.DIV999"


def test_a_settings_file_of_many_sources_is_complained_of_once(tmp_path: Path) -> None:
    write(tmp_path, {".simt.toml": BROKEN, **{f"k{index}.cu": KERNEL for index in range(4)}})
    for arguments in (["check", "."], ["check", ".", "--jobs", "2"], ["check", ".", "--diff"]):
        done = simt_lsp(*arguments, cwd=tmp_path)
        assert done.returncode == 2, "what was checked is not what was asked for"
        assert done.stderr.count("settings:") == 1
        assert done.stderr.count(COMPLAINT) == 1
        assert "settings:" not in done.stdout
    assert "no findings in 4 files" in simt_lsp("check", ".", cwd=tmp_path).stdout, "the rest counts"


def test_reports_for_machines_hold_it_as_well(tmp_path: Path) -> None:
    write(tmp_path, {".simt.toml": BROKEN, "k.cu": KERNEL})
    done = simt_lsp("check", "k.cu", "--format", "json", cwd=tmp_path)
    assert done.returncode == 2
    (note,) = json.loads(done.stdout)["files"][0]["notes"]
    assert (note["kind"], note["path"], note["line"], note["column"]) == ("settings", ".simt.toml", 3, 1)
    done = simt_lsp("check", "k.cu", "--format", "sarif", cwd=tmp_path)
    (run,) = json.loads(done.stdout)["runs"]
    (told,) = run["invocations"][0]["toolConfigurationNotifications"]
    assert told["locations"][0]["physicalLocation"]["region"]["startLine"] == 3


@pytest.mark.parametrize("command", [["facts", "k.cu"], ["explain", "k.cu:1"], ["ir", "k.cu"], ["cfg", "k.cu:k"]])
def test_every_command_says_it(command: list[str], tmp_path: Path) -> None:
    write(tmp_path, {".simt.toml": BROKEN, "k.cu": KERNEL})
    done = simt_lsp(*command, cwd=tmp_path)
    assert (done.returncode, done.stderr.count(COMPLAINT)) == (0, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = 1\nb 2\n", ".simt.toml:2:3: settings: cannot be read: expected '=' after a key"),
        ("rules = {", ".simt.toml:1:10: settings: cannot be read: "),
        ("ä = 1", ".simt.toml:1:1: settings: cannot be read: invalid statement"),
        (b"a = '\xff'", ".simt.toml:1:6: settings: cannot be read: invalid start byte: the file is not UTF-8"),
        ("x = 1\nwarp-size = 33", ".simt.toml:2:1: settings: warpSize = 33 is not allowed: use 4, 8,"),
    ],
)
def test_the_place_is_the_line_and_column(text: str | bytes, said: str, tmp_path: Path) -> None:
    write(tmp_path, {".simt.toml": text, "k.cu": KERNEL})
    done = simt_lsp("check", "k.cu", cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_named_file_is_refused_with_the_place(tmp_path: Path) -> None:
    write(tmp_path, {"other.toml": BROKEN, "k.cu": KERNEL})
    done = simt_lsp("check", "k.cu", "--config", "other.toml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "other.toml:3:1: rules.DIV999" in done.stderr
