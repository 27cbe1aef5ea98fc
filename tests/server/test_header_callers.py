"""An open header is judged by what the files that include it pass now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.raw_client import PUSHED, server

HEADER = "__device__ void meet(float *p, int n) {\n  for (int i = 0; i < n; ++i) p[i] *= 2;\n}\n"
MAIN = '#include "meet.cuh"\n__global__ void k(float *p, int n) { meet(p, n); }\n'


def test_a_header_follows_its_callers(tmp_path: Path) -> None:
    header, main, other = tmp_path / "meet.cuh", tmp_path / "main.cu", tmp_path / "other.cu"
    header.write_text(HEADER)
    main.write_text(MAIN)
    other.write_text(MAIN.replace("void k", "void other"))
    with server() as client:
        client.initialize(PUSHED, tmp_path)
        client.open(header.as_uri(), HEADER)
        client.open(main.as_uri(), MAIN)
        client.change(main.as_uri(), 2, {"text": MAIN.replace("meet(p, n)", "meet(p, threadIdx.x)")})
        client.wait_for_codes(header.as_uri(), ["DIV402"])
        client.change(header.as_uri(), 2, {"text": "// a line\n" + HEADER})
        client.wait_for_codes(header.as_uri(), ["DIV402"])
        client.change(main.as_uri(), 3, {"text": MAIN})
        client.wait_for_codes(header.as_uri(), [])
        other.write_text(MAIN.replace("meet(p, n)", "meet(p, threadIdx.x)").replace("void k", "void other"))
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": other.as_uri(), "type": 2}]})
        client.wait_for_codes(header.as_uri(), ["DIV402"])


def test_all_of_many_includers_count(tmp_path: Path) -> None:
    header, last = tmp_path / "meet.cuh", tmp_path / "k39.cu"
    header.write_text(HEADER)
    for number in range(40):
        (tmp_path / f"k{number}.cu").write_text(MAIN.replace("void k", f"void k{number}"))
    with server() as client:
        client.initialize(PUSHED, tmp_path)
        client.open(header.as_uri(), HEADER)
        for number, (argument, codes) in enumerate(
            [("threadIdx.x", ["DIV402"]), ("n", []), ("threadIdx.x", ["DIV402"])]
        ):
            last.write_text(MAIN.replace("meet(p, n)", f"meet(p, {argument})").replace("void k", "void k39"))
            client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": last.as_uri(), "type": 2}]})
            client.change(header.as_uri(), number + 2, {"text": f"// {number}\n{HEADER}"})
            client.wait_for_codes(header.as_uri(), codes)


def test_what_callers_pass_is_known_from_the_last_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    header, main = tree / "meet.cuh", tree / "main.cu"
    header.write_text(HEADER)
    main.write_text(MAIN.replace("meet(p, n)", "meet(p, threadIdx.x)"))
    (tree / "other.cu").write_text(MAIN.replace("void k", "void other"))
    monkeypatch.setenv("SIMT_LSP_CACHE", str(tmp_path / "cache"))
    written: list[dict[str, int]] = []
    for _ in range(2):
        with server() as client:
            client.initialize(PUSHED, tree)
            client.open(header.as_uri(), HEADER)
            client.wait_for_codes(header.as_uri(), ["DIV402"])
        kept = (tmp_path / "cache" / "callers").iterdir()
        written.append({path.name: path.stat().st_mtime_ns for path in kept})
    assert len(written[0]) == 2
    assert written[1] == written[0]  # what is found anew is written anew
    main.write_text(MAIN)
    with server() as client:
        client.initialize(PUSHED, tree)
        client.open(main.as_uri(), MAIN)
        client.open(header.as_uri(), HEADER)
        client.change(main.as_uri(), 2, {"text": MAIN.replace("meet(p, n)", "meet(p, threadIdx.x)")})
        client.wait_for_codes(header.as_uri(), ["DIV402"])
        client.change(main.as_uri(), 3, {"text": MAIN})
        client.wait_for_codes(header.as_uri(), [])
