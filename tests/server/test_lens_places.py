"""The line above a kernel stands above the whole of its declaration, however many lines that takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.raw_client import VSCODE, server

KERNELS = [
    "__global__ void k(float *x) { x[0] = 1.0f; }\n",
    "  __global__ void k(float *x) { x[0] = 1.0f; }\n",
    "template <typename T>\n__global__ void k(T *x) { x[0] = 1; }\n",
    "template <typename T,\n          int N>\n__global__ __launch_bounds__(256)\nvoid\nk(T *x)\n{ x[0] = N; }\n",
    "__global__\n// why\nvoid k(float *x) { x[0] = 1.0f; }\n",
    'extern "C"\n__global__ void k(float *x) { x[0] = 1.0f; }\n',
    "[[maybe_unused]]\nstatic __global__ void k(float *x) { x[0] = 1.0f; }\n",
    "__global__ void k\n    (float *x) { x[0] = 1.0f; }\n",
]


@pytest.mark.parametrize("kernel", KERNELS)
def test_it_stands_in_the_first_line_of_the_declaration_and_in_no_other(kernel: str, tmp_path: Path) -> None:
    uri = (tmp_path / "k.cu").as_uri()
    with server() as client:
        client.initialize(VSCODE, tmp_path)
        client.open(uri, f"int before;\n// about the kernel\n{kernel}")
        lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
        line = kernel.partition("\n")[0]
        start = {"line": 2, "character": len(line) - len(line.lstrip())}
        assert [lens["range"] for lens in lenses] == 2 * [{"start": start, "end": {"line": 2, "character": len(line)}}]
        place = lenses[1]["command"]["arguments"][0]["position"]
        lines = f"int before;\n// about the kernel\n{kernel}".splitlines()
        assert lines[int(place["line"])][int(place["character"])] == "k"
        assert client.stop() == 0
