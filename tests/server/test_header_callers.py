"""An open header is judged by what the files that include it pass now."""

from __future__ import annotations

from pathlib import Path

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
