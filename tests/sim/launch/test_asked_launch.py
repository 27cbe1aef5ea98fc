"""A launch that somebody asked for: the kernel runs with what it says, wherever the kernel stands."""

from __future__ import annotations

from dataclasses import replace
from inspect import cleandoc

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.features.launch_site import launch_sites
from analysis.launches import launch_shapes
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from sim.launch.planner import Planner
from sim.launch.request import Request

KERNELS = """
    template <class T, int N> __global__ void k(T *x, int n, float scale) {
      extern __shared__ T tile[];
      if (threadIdx.x < n) tile[threadIdx.x] = x[threadIdx.x] * scale + N;
    }
"""


def choices(host: str, number: int, *requests: Request, header: str = KERNELS) -> dict[str, tuple[str, str]]:
    """Value and reason of everything in the plan of the `number`-th launch of a file that includes the kernels."""
    text = '#include "k.cuh"\n' + cleandoc(host)
    files = {"main.cu": text, "k.cuh": cleandoc(header)}
    loader = DictLoader({path: one.encode() for path, one in files.items()})
    analysis = Analyzer().analyze("main.cu", Document.open(text.encode()), loader, AnalysisSettings())
    site = launch_sites(analysis, launch_shapes(analysis.program.unit))[number]
    assert site.kernel is not None
    item = next(item for item in analysis.program.unit.included_items if item.span.start == site.kernel.start)
    kernel = analysis.program.function_of(item)
    assert kernel is not None
    launch = replace(site.launch, name="the launch in main.cu:9")
    plan = Planner(analysis.program, kernel, requests, launch=launch).plan()
    return {one.name: (one.value, one.why) for one in plan.choices}


TWO = """
    void f(float *x, double *y) {
      k<float, 2><<<4, 128, 512>>>(x, 100, 0.5f);
      k<double, 3><<<dim3(2, 2), dim3(16, 4)>>>(y, 200, 2.0f);
    }
"""


def test_it_speaks_and_no_other_launch_does() -> None:
    said = "the launch in main.cu:9"
    first, second = choices(TWO, 0), choices(TWO, 1)
    assert {name: first[name] for name in ("T", "N", "grid", "block", "shared", "n", "scale")} == {
        "T": ("float", said),
        "N": ("2", said),
        "grid": ("4", said),
        "block": ("128", said),
        "shared": ("512", said),
        "n": ("100", said),
        "scale": ("0.5", said),
    }
    assert (second["T"][0], second["N"][0], second["n"][0]) == ("double", "3", "200")
    assert (second["grid"][0], second["block"][0], second["shared"][0]) == ("2,2", "16,4", "0")


def test_deduced_template_arguments_are_those_of_the_launch() -> None:
    kernel = "template <class T> __global__ void k(T *x, int n) { x[threadIdx.x] = T(n); }"
    host = """
        struct Cell { double a; double b; __device__ Cell(int n) : a(n), b(n) {} };
        void f(float *x, Cell *y) {
          k<<<1, 32>>>(x, 1);
          k<<<1, 64>>>(y, 2);
        }
    """
    assert [choices(host, number, header=kernel)["T"][0] for number in (0, 1)] == ["float", "Cell"]


def test_it_counts_before_the_comment_and_the_settings_but_not_before_what_is_given() -> None:
    comment = Request("the comment", (9, 1, 1), (96, 1, 1), 64, 7, {"n": "5", "x": "zeros[7]", "N": "8"})
    found = choices(TWO, 0, Request("given", grid=(3, 1, 1), arguments={"scale": "4"}), comment)
    assert (found["grid"][0], found["scale"][0]) == ("3", "4")
    assert (found["block"][0], found["shared"][0], found["n"][0], found["N"][0]) == ("128", "512", "100", "2")
    assert found["x"] == ("zeros[7]", "the comment")


def test_what_it_leaves_open_the_comment_says_or_else_it_is_chosen() -> None:
    host = "void f(float *x, int blocks, int n) { k<float, 2><<<blocks, 64, 256>>>(x, n, 1.0f); }"
    comment = Request("the comment", grid=(9, 1, 1))
    assert choices(host, 0, Request(), comment)["grid"][0] == "9"
    assert choices(host, 0, Request())["grid"][1] == "chosen"


def test_of_a_function_that_launches_the_first_call_in_the_file_speaks() -> None:
    host = """
        void run(float *x, int blocks, int n) { k<float, 2><<<blocks, 64, 256>>>(x, n, 1.0f); }
        int main() { float *x; run(x, 6, 96); run(x, 12, 192); }
    """
    found = choices(host, 0, Request())
    assert (found["grid"][0], found["n"][0]) == ("6", "96")
