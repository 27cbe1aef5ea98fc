from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cli.kernels import BROKEN, CLEAN, DIVERGENT
from tests.cli.shell import simt_lsp, write


def facts(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    done = simt_lsp("facts", *arguments, "--json", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_path_yields_one_line_in_order(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": DIVERGENT, "b.cu": CLEAN, "sub/c.cu": CLEAN, "sub/d.cu": BROKEN})
    lines = facts(tmp_path, "b.cu", "gone.cu", "sub", "a.cu", "b.cu")
    paths = [Path(line["path"]).as_posix() for line in lines]
    assert paths == ["b.cu", "gone.cu", "sub/c.cu", "sub/d.cu", "a.cu", "b.cu"]
    assert [("error" in line) for line in lines] == [False, True, False, False, False, False]


def test_an_unreadable_file_says_why(tmp_path: Path) -> None:
    assert facts(tmp_path, "gone.cu") == [{"path": "gone.cu", "error": "no such file or folder"}]
    assert facts(tmp_path, ".") == [{"path": ".", "error": "no CUDA files in this folder"}]


def test_what_is_known_of_a_barrier(tmp_path: Path) -> None:
    write(tmp_path, {"halo.cu": DIVERGENT})
    [line] = facts(tmp_path, "halo.cu")
    [function] = line["functions"]
    [branch] = function["branches"]
    [barrier] = function["barriers"]
    assert (function["name"], function["kind"], function["line"], function["end_line"]) == ("halo", "kernel", 1, 6)
    assert (branch["line"], branch["column"], branch["kind"], branch["level"]) == (2, 3, "if", "varying")
    assert barrier == {"line": 3, "scope": "block", "verdict": "divergent"}
    assert [item["code"] for item in line["diagnostics"]] == ["SYN101"]


def test_processes_do_not_change_the_order(tmp_path: Path) -> None:
    names = [f"k{number}.cu" for number in range(6)]
    write(tmp_path, dict.fromkeys(names, CLEAN))
    assert facts(tmp_path, *names, "--jobs", "3") == facts(tmp_path, *names, "--jobs", "1")


def test_a_run_over_bad_files_goes_on(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": bytes(range(256)), "b.cu": "\0" * 100, "c.cu": DIVERGENT})
    lines = facts(tmp_path, "a.cu", "b.cu", "c.cu")
    assert [line["path"] for line in lines] == ["a.cu", "b.cu", "c.cu"]
    assert lines[2]["functions"][0]["name"] == "halo"
