"""Launches by host code: in the kernel's own file, in the file that includes its header, through templates."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from analysis.lower.program import Program
from analysis.syntax.document import Document
from analysis.syntax.environment import Environment
from analysis.syntax.translation_unit import TranslationUnit
from sim.launch.planner import Planner
from sim.launch.request import Request
from tests.sim.launch.support import NoFiles, chosen, plan

HEADER = "#define SIDE 8\n__global__ void k(float *x, int n) { x[threadIdx.x + n * threadIdx.y] = 1; }"


class _Files(NoFiles):
    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    def read(self, path: str) -> bytes | None:
        text = self._files.get(path)
        return None if text is None else text.encode()

    def exists(self, path: str) -> bool:
        return path in self._files


def _choices(header: str, includer: str) -> dict[str, tuple[str, str]]:
    """Value and reason of every choice for the kernel of a header."""
    files = _Files({"k.cuh": header, "main.cu": includer})
    unit = TranslationUnit.build("k.cuh", Document.open(header.encode()), files, Environment(), context="main.cu")
    program = Program(unit)
    kernel = next(one for one in program.device_functions() if one.item.name == "k")
    return {one.name: (one.value, one.why) for one in Planner(program, kernel).plan().choices}


def test_the_file_that_includes_a_header_launches_its_kernels() -> None:
    found = _choices(HEADER, '#include "k.cuh"\nvoid f(float *x) { dim3 b(SIDE, SIDE / 2); k<<<3, b>>>(x, 48); }')
    assert found["block"] == ("8,4", "a launch in main.cu")
    assert found["grid"] == ("3", "a launch in main.cu")
    assert found["n"] == ("48", "a launch in main.cu")


def test_numbers_in_objects_are_those_that_are_passed_and_copied() -> None:
    header = (
        "#pragma once\nstruct P { int n; int s[2]; };\n"
        "__global__ void k(float *x, P p, int2 v) { if (threadIdx.x < p.n) x[threadIdx.x * v.y] = p.s[1]; }"
    )
    body = "P p = {17, {1, 2}}; p.s[1] = 3; int2 v = make_int2(4, 5); k<<<3, 32>>>(x, p, v); p.n = 4;"
    found = _choices(header, f'#include "k.cuh"\nvoid f(float *x) {{ {body} }}')
    assert [found[name] for name in ("p.n", "p.s[1]", "v.y")] == [(n, "a launch in main.cu") for n in ("17", "3", "5")]
    kernel = "__constant__ int width;\n__global__ void k(float *x) { x[threadIdx.x * width] = 1; }\n"
    copied = kernel + "void f(float *x) { int w = 6; cudaMemcpyToSymbol(width, &w, sizeof w); k<<<3, 32>>>(x); }"
    assert (choice := next(one for one in plan(copied).choices if one.name == "width")).value == "6"
    assert choice.why == "a launch in the file"


def test_the_file_of_the_kernel_speaks_first() -> None:
    own = HEADER + "\ninline void g(float *x) { k<<<2, 64>>>(x, 1); }"
    found = _choices(own, '#include "k.cuh"\nvoid f(float *x) { k<<<3, 32>>>(x, 48); }')
    assert found["block"] == ("64", "a launch in the file")
    assert found["grid"] == ("2", "a launch in the file")


def test_without_a_launch_around_it_the_shape_is_chosen() -> None:
    found = _choices(HEADER, '#include "k.cuh"\nvoid f(float *x) { other<<<3, 32>>>(x, 48); }')
    assert found["block"] == ("16,16", "chosen")


@pytest.mark.parametrize(("block", "expected"), [("W", "96"), ("W * 2", "192"), ("threads", "256")])
def test_a_block_is_made_of_the_parameters_of_the_template_around(block: str, expected: str) -> None:
    text = (
        "template <int WIDTH> __global__ void k(float *x) { x[threadIdx.x % WIDTH] = 1; }\n"
        f"template <int W> void launch(float *x, int threads) {{ k<W><<<2, {block}>>>(x); }}\n"
        "void f(float *x, int n) { launch<96>(x, n); }"
    )
    assert chosen(text)["block"] == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x[threadIdx.x] = v[threadIdx.x].z;", "256"),  # a member of data, and the launch says nothing
        ("x[threadIdx.x + threadIdx.y * 16] = 1;", "16,16"),
        ("dim3 t = threadIdx; x[t.x + t.y * 16] = 1;", "16,16"),
        ("auto t = cooperative_groups::this_thread_block(); x[t.thread_rank()] = v[threadIdx.x].z;", "256"),
    ],
)
def test_members_of_data_are_no_axes(body: str, expected: str) -> None:
    assert chosen(f"__global__ void k(float *x, float4 *v) {{ {body} }}")["block"] == expected


@pytest.mark.parametrize(
    ("launch", "n", "m"),
    [
        ("k<<<dim3(n / 64, m / 32), 256>>>(x, n, m);", "256", "128"),
        ("k<<<dim3((n + 63) / 64, ceil(m / 32.0)), 256>>>(x, n, m);", "256", "128"),
        ("dim3 grid; grid.x = n >> 4; grid.y = m; k<<<grid, 256>>>(x, (int)n, m);", "64", "4"),
        ("int blocks = (n - 1) / 48 + 1; k<<<dim3(blocks, 4), 256>>>(x, n, m);", "192", "1"),
        ("dim3 grid(cdiv(m, 8), div_up(n, 16)); k<<<grid, 256>>>(x, n, m);", "64", "32"),
        ("int w = n * 2; k<<<dim3(w / 32, w / 32), 256>>>(x, n, w);", "64", "128"),
        ("k<<<dim3(n / 64, n / 32), 256>>>(x, n, m);", "256", "1"),
        ("k<<<dim3((n - 4) / 8, (m + 3) / 16), 256>>>(x, n, m);", "36", "64"),
        ("k<<<dim3(n / 256 + 1, (m + 1 + 31) / 32), 256>>>(x, n, m);", "1023", "127"),
        # nothing is proportional
        ("k<<<dim3(min(n / 64, 100), n * m), 256>>>(x, n, m);", "1", "1"),
        ("k<<<dim3(n * 4, 65536 / m), 256>>>(x, n, m);", "1", "1"),
        ("k<<<dim3(other(n, 4), 4), 256>>>(x, n, m);", "1", "1"),
        ("k<<<dim3(s / 64, 4), 256>>>(x, n, m);", "1", "1"),
    ],
)
def test_numbers_are_what_the_grid_is_computed_from(launch: str, n: str, m: str) -> None:
    kernel = "__global__ void k(float *x, int p, int q) { x[blockIdx.y + threadIdx.x] = p + q; }"
    found = chosen(f"{kernel} void f(float *x, int n, int m, int s) {{ {launch} }}")
    assert (found["grid"], found["p"], found["q"]) == ("4,4", n, m)


def test_numbers_behind_a_grid_that_was_cut_are_cut_with_it() -> None:
    kernel = "__global__ void k(float *x, int n) { x[threadIdx.x] = n; }"
    text = f"{kernel} void f(float *x) {{ int n = 1 << 20; k<<<n / 256, 256>>>(x, n); }}"
    assert {name: value for name, value in chosen(text).items() if name != "x"} == {
        "grid": "128",
        "block": "256",
        "n": str(128 * 256),
    }


def test_a_grid_that_is_given_was_computed_from_nothing() -> None:
    kernel = "__global__ void k(float *x, int p) { x[threadIdx.x] = p; }"
    text = f"{kernel} void f(float *x, int n) {{ k<<<n / 256, 256>>>(x, n); }}"
    assert chosen(text)["p"] == "2048"
    assert chosen(text, Request(grid=(4, 1, 1)))["p"] == "1"


@pytest.mark.parametrize(
    ("computed", "tiles"),
    [
        ("(n + 255) / 256", "8"),
        ("n / 64", "32"),
        ("up(n, 100)", "21"),
        ("3 * n", "6144"),
        ("n < 9 ? 1 : n / 64", "32"),
        ("size()", "16"),
    ],
)
def test_numbers_are_computed_from_others_as_host_code_does(computed: str, tiles: str) -> None:
    found = chosen(
        "__global__ void k(float *x, int n, int tiles) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) for (int t = 0; t < tiles; t++) x[i] += t; }"
        "int up(int a, int b) { return a % b ? a / b + 1 : a / b; }"
        f"void run(float *x) {{ int n = size(); int tiles = {computed}; k<<<grid(), 256>>>(x, n, tiles); }}"
    )
    assert (found["n"], found["tiles"]) == ("2048", tiles)


def test_numbers_behind_a_grid_are_those_of_the_call_that_is_taken() -> None:
    text = """
        template <int WIDTH> __global__ void k(float *x, int n) { x[blockIdx.x * WIDTH + threadIdx.x] = n; }
        int up(int a, int b) { return (a + b - 1) / b; }
        template <int WIDTH> void run(float *x, int n) { k<WIDTH><<<up(n, WIDTH), WIDTH>>>(x, n); }
        void all(float *x, int n) { if (n > 1000) run<192>(x, n); else run<64>(x, n); }
    """
    found = chosen(text)
    assert (found["WIDTH"], found["block"], found["grid"], found["n"]) == ("192", "192", "8", "1536")


@pytest.mark.parametrize("size", [16, 32])
def test_the_case_that_the_first_call_comes_to_is_taken(size: int) -> None:
    text = f"""
        template <int SIZE> __global__ void k(float *x) {{ __shared__ float s[SIZE]; s[threadIdx.x] = 1; x[0] = s[0]; }}
        void run(float *x, int size) {{
          switch (size) {{
            case 16: k<16><<<4, size>>>(x); break;
            case 32: k<32><<<4, size>>>(x); break;
          }}
        }}
        int main() {{ run(0, {size}); }}
    """
    found = chosen(text)
    assert (found["SIZE"], found["block"]) == (str(size), str(size))
