"""What a hover over a launch says: `$0` stands in the launch."""

from __future__ import annotations

from inspect import cleandoc

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.features.hover_text import render_markdown, render_text
from analysis.features.launch_description import describe
from analysis.features.launch_hover import kernel_subject, launch_hover
from analysis.features.launch_site import launch_sites
from analysis.launches import launch_shapes
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from tests.features.test_launch_site import only, sites

KERNEL = """
    __global__ void scale(float *x, int n, float by) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) x[i] *= by;
      if (i % 2) x[i] += 1.0f;
    }
"""


def test_a_launch_of_a_header_s_kernel_says_what_the_definition_says() -> None:
    text = cleandoc("""
        #include "k.cuh"
        const int THREADS = 256;
        void run(float *x, int n) {
          scale<<<(n + THREADS - 1) / THREADS, THREADS>>>(x, 4096, 2.0f);
        }
    """)
    header = cleandoc(KERNEL)
    analysis, (site,) = sites(text, {"k.cuh": header})
    loader = DictLoader({"k.cuh": header.encode(), "main.cu": text.encode()})
    own = Analyzer().analyze("k.cuh", Document.open(header.encode()), loader, AnalysisSettings(), context="main.cu")
    assert site.kernel is not None
    info = launch_hover(analysis, site, kernel_subject(own, site.kernel))
    assert render_markdown(info) == cleandoc("""
        launch of `scale`, defined in k.cuh:1

        grid of an unknown number of blocks (`(n + THREADS - 1) / THREADS`) · blocks of 256 threads (`THREADS`)

        - `n` is `4096`
        - `by` is `2.0f` = 2.0

        `scale`: **1 of 2 branches divergent**

        block shape not known
    """)
    assert text[info.start : info.end] == "scale<<<(n + THREADS - 1) / THREADS, THREADS>>>"
    assert "launch of scale, defined in k.cuh:1" in render_text(info)


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("k<<<4, 256>>>(x, 1);", "grid of 4 blocks · blocks of 256 threads"),
        ("dim3 b(16, 16); k<<<dim3(4, 2), b>>>(x, 1);",
         "grid of 4 x 2 blocks (`dim3(4, 2)`) · blocks of 16 x 16 threads (`b`)"),
        ("k<<<n, t>>>(x, 1);",
         "grid of an unknown number of blocks (`n`) · blocks of an unknown number of threads (`t`), in one row"),
        ("k<<<4, 256, 4 * 256, s>>>(x, 1);",
         "grid of 4 blocks · blocks of 256 threads · dynamic shared memory: 1,024 bytes (`4 * 256`)"),
    ],
)  # fmt: skip
def test_the_shape_with_where_it_comes_from(host: str, said: str) -> None:
    text = f"__global__ void k(int *x, int n) {{}}\nvoid run(int *x, int n, int t, cudaStream_t s) {{ {host} }}"
    analysis, (site,) = sites(text)
    assert " · ".join(describe(analysis, site).shape) == said


def test_numbers_that_calls_pass_are_said_to_come_from_them() -> None:
    analysis, (site,) = sites("""
        __global__ void k(int *x, int n) {}
        void run(int *x, int n, int t) { k<<<n / t, t>>>(x, n); }
        int main() { run(0, 1024, 128); run(0, 2048, 128); }
    """)
    said = describe(analysis, site)
    assert said.shape == (
        "grid of 8 or 16 blocks, as calls in the file pass it (`n / t`)",
        "blocks of 128 threads, as calls in the file pass it (`t`)",
    )
    assert said.passed == ("`x` = 0, as calls in the file pass it", "`n` = 1024 or 2048, as calls in the file pass it")


@pytest.mark.parametrize(
    ("kernel", "launch", "problem"),
    [
        ("__global__ void k(int *x) {}", "k<<<1, dim3(64, 32)>>>(x)",
         "no device runs a block of 2,048 threads: the launch fails"),
        ("#define MOST 128\n__global__ void __launch_bounds__(MOST) k(int *x) {}", "k<<<1, 256>>>(x)",
         "`__launch_bounds__(128)` of the kernel allows no block of 256 threads: the launch fails"),
        ("__global__ void k(int *x) { extern __shared__ int s[]; s[0] = *x; }", "k<<<1, 256>>>(x)",
         "the kernel declares `extern __shared__` memory, and this launch gives it none"),
        ("// simt: block=128\n__global__ void k(int *x) {}", "k<<<1, 256>>>(x)",
         "the comment above the kernel says blocks of 128 threads"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_said(kernel: str, launch: str, problem: str) -> None:
    analysis, (site,) = sites(f"{kernel}\nvoid run(int *x) {{ {launch}; }}")
    assert describe(analysis, site).problems == (problem,)


@pytest.mark.parametrize(
    ("kernel", "launch"),
    [
        ("__global__ void __launch_bounds__(256) k(int *x) {}", "k<<<1, 256>>>(x)"),
        ("__global__ void __launch_bounds__(128) k(int *x) {}", "k<<<1, t>>>(x)"),
        ("__global__ void k(int *x) { extern __shared__ int s[]; s[0] = *x; }", "k<<<1, 256, t>>>(x)"),
        ("__global__ void k(int *x) { __shared__ int s[4]; s[0] = *x; }", "k<<<1, 256>>>(x)"),
        ("// simt: block=16,16\n__global__ void k(int *x) {}", "k<<<1, dim3(16, 16)>>>(x)"),
    ],
)
def test_what_may_work_is_not(kernel: str, launch: str) -> None:
    analysis, (site,) = sites(f"{kernel}\nvoid run(int *x, int t) {{ {launch}; }}")
    assert describe(analysis, site).problems == ()


def test_a_kernel_out_of_sight() -> None:
    text = "__global__ void k(int *x, int count);\nvoid run(int *x) { k<<<1, 32>>>(x, 7); }"
    _, _, site = only(text)
    analysis, _ = sites(text)
    shown = render_text(launch_hover(analysis, site, None))
    assert shown.splitlines()[0] == "launch of k; its definition is not in sight"
    assert "`count` is `7`" in shown
    assert launch_sites(analysis, launch_shapes(analysis.program.unit)) == (site,)


def test_members_of_an_object_that_is_passed() -> None:
    kernel = "struct P { int n; int s[2]; };\n__global__ void k(P p, int2 v) {}\n"
    host = "void run() { P p = {3, {4, 5}}; int2 w = make_int2(6, 7); k<<<1, 32>>>(p, w); }"
    analysis, (site,) = sites(kernel + host)
    assert describe(analysis, site).passed == (
        "`p` with `n = 3`, `s[0] = 4`, `s[1] = 5`",
        "`v` is `w` with `x = 6`, `y = 7`",
    )
