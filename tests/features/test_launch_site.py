"""Launches in the text: where they stand, and which kernel they mean."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import cleandoc

import pytest

from analysis.facts.analyzer import Analyzer, FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.features.launch_site import LaunchSite, launch_sites, site_at, site_on_line
from analysis.launches import launch_shapes
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader


def sites(text: str, headers: Mapping[str, str] | None = None) -> tuple[FileAnalysis, tuple[LaunchSite, ...]]:
    files = {"main.cu": cleandoc(text), **{path: cleandoc(one) for path, one in (headers or {}).items()}}
    loader = DictLoader({path: one.encode() for path, one in files.items()})
    analysis = Analyzer().analyze("main.cu", Document.open(files["main.cu"].encode()), loader, AnalysisSettings())
    return analysis, launch_sites(analysis, launch_shapes(analysis.program.unit))


def only(text: str, headers: Mapping[str, str] | None = None) -> tuple[str, str, LaunchSite]:
    """The only launch: its name and configuration as the text has them, and where it stands."""
    analysis, (site,) = sites(text, headers)
    source = analysis.document.text
    return source[site.name_start : site.name_end].decode(), source[site.start : site.head_end].decode(), site


def test_a_launch_means_the_kernel_of_an_included_header() -> None:
    header = (
        "// a comment\n__global__ void step(float *x, int n);\n__global__ void step(float *x, int n) { x[n] = 1; }\n"
    )
    name, head, site = only('#include "k.cuh"\nvoid run(float *x) { step<<<8, 256>>>(x, 1 << 20); }', {"k.cuh": header})
    assert (name, head) == ("step", "step<<<8, 256>>>")
    assert site.kernel is not None
    assert (site.kernel.path, site.kernel.is_definition) == ("k.cuh", True)
    assert header[site.kernel.name_start :].startswith("step(float *x, int n) {")


@pytest.mark.parametrize(
    ("launch", "name", "head"),
    [
        ("a::k<float><<<1, dim3(2)>>>(x)", "k", "a::k<float><<<1, dim3(2)>>>"),
        ("cudaLaunchKernel((void *)a::k<float>, 1, 2, args, 0, 0)", "k", "cudaLaunchKernel((void *)a::k"),
        ("hipLaunchKernelGGL(a::k<float>, 1, 2, 0, 0, x)", "k", "hipLaunchKernelGGL(a::k"),
        ("GO(2, x)", "GO(2, x)", "GO(2, x)"),
    ],
)
def test_all_ways_to_launch(launch: str, name: str, head: str) -> None:
    text = f"""
        #define GO(n, p) a::k<float><<<1, n>>>(p)
        namespace a {{ template <class T> __global__ void k(T *x) {{ *x = 1; }} }}
        void run(float *x, void **args) {{ {launch}; }}
    """
    found_name, found_head, site = only(text)
    assert (found_name, found_head) == (name, head)
    assert site.kernel is not None


def test_a_kernel_that_is_only_declared_is_no_definition() -> None:
    _, _, site = only("__global__ void k(int *);\nvoid run(int *x) { k<<<1, 1>>>(x); }")
    assert site.kernel is not None
    assert not site.kernel.is_definition


def test_overloads_are_told_apart_by_the_number_of_arguments_and_by_scopes() -> None:
    kernels = """
        __global__ void k(int *x) {}
        __global__ void k(int *x, int n) {}
        __global__ void k(float *x, int n) {}
        namespace a { __global__ void k(int *x) {} }
    """
    analysis, found = sites(f"{cleandoc(kernels)}\nvoid run(int *x) {{ a::k<<<1, 1>>>(x); k<<<1, 1>>>(x, 2); }}")
    in_scope, by_count = found
    assert in_scope.kernel is not None
    assert analysis.document.text[: in_scope.kernel.start].endswith(b"namespace a { ")
    assert (by_count.kernel, len(by_count.kernels)) == (None, 2)


def test_launches_of_device_code_and_unknown_kernels() -> None:
    text = "__global__ void k(int *x) { k<<<1, 1>>>(x); }\nvoid run(int *x) { other<<<1, 1>>>(x); }"
    _, (site,) = sites(text)
    assert (site.launch.kernel, site.kernels) == ("other", ())


def test_places_of_a_launch() -> None:
    text = "__global__ void k(int *x) {}\nvoid run(int *x) {\n  k<<<1,\n     2>>>(x);\n  run(x); k<<<3, 4>>>(x);\n}"
    analysis, (first, second) = sites(text)
    source = analysis.document.text
    assert site_at((first, second), source.index(b"2>>>")) is first
    assert site_at((first, second), source.index(b"(x);\n  run")) is None
    assert site_on_line(analysis, (first, second), source.index(b"(x);\n  run")) is first
    assert site_on_line(analysis, (first, second), source.index(b"  run(x); k")) is second
    assert site_on_line(analysis, (first, second), source.index(b"void run")) is None
