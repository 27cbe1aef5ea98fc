"""The launches of a kernel are those of its file and of all the files that it is compiled in."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from analysis.divergence.levels import Level
from analysis.facts.analyzer import Analyzer
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from analysis.syntax.translation_unit import MAX_INCLUDERS
from analysis.verdict.barriers import BarrierVerdict
from analysis.verdict.grade import Grade

KERNEL = """\
__global__ void k(int *x, int n) { if (threadIdx.x < 32) x[threadIdx.y] = n; }
"""
ROWS = '#include "k.cu"\nvoid rows(int *x) { k<<<2, dim3(64, 4)>>>(x, 7); }\n'
SQUARES = '#include "k.cu"\nvoid squares(int *x) { k<<<1, dim3(8, 8)>>>(x, 9); }\n'


def _analyzed(
    kernel: str, files: dict[str, str], includers: Sequence[str], analyzer: Analyzer | None = None
) -> FileAnalysis:
    loader = DictLoader({name: text.encode() for name, text in {"k.cu": kernel, **files}.items()})
    return (analyzer or Analyzer()).analyze(
        "k.cu",
        Document.open(kernel.encode()),
        loader,
        AnalysisSettings(),
        context=includers[0] if includers else None,
        includers=includers,
    )


def _shapes(analysis: FileAnalysis) -> set[tuple[int, int, int]]:
    launch = analysis.launch_of(analysis.facts.functions[0])
    assert launch is not None
    return {(shape.x, shape.y, shape.z) for shape in launch.shapes}


def test_the_file_around_a_kernel_launches_it() -> None:
    analysis = _analyzed(KERNEL, {"rows.cu": ROWS}, ["rows.cu"])
    assert _shapes(analysis) == {(64, 4, 1)}
    assert analysis.facts.functions[0].branches[0].grade is Grade.ALIGNED
    launch = analysis.launch_of(analysis.facts.functions[0])
    assert launch is not None
    assert launch.passed == ((1, 7),)


def test_what_is_claimed_holds_in_all_files_around_it() -> None:
    analysis = _analyzed(KERNEL, {"rows.cu": ROWS, "squares.cu": SQUARES}, ["rows.cu", "squares.cu"])
    assert _shapes(analysis) == {(64, 4, 1), (8, 8, 1)}
    launch = analysis.launch_of(analysis.facts.functions[0])
    assert launch is not None
    assert launch.passed == ()


def test_own_launches_count_as_well() -> None:
    own = KERNEL + "void own(int *x) { k<<<1, 128>>>(x, 7); }\n"
    analysis = _analyzed(own, {"rows.cu": ROWS}, ["rows.cu"])
    assert _shapes(analysis) == {(64, 4, 1), (128, 1, 1)}


@pytest.mark.parametrize(
    "around",
    [
        pytest.param(ROWS + "void *any = (void *)k;\n", id="a pointer to the kernel"),
        pytest.param(ROWS + "void other(int *x, dim3 b) { k<<<1, b>>>(x, 1); }\n", id="a launch with unknown blocks"),
        pytest.param("#if 0\n" + ROWS + "#endif\n", id="not included"),
    ],
)
def test_launches_that_are_not_all_known_say_nothing(around: str) -> None:
    assert _shapes(_analyzed(KERNEL, {"rows.cu": around}, ["rows.cu"])) == set[tuple[int, int, int]]()


def test_a_file_around_it_that_cannot_be_read_may_launch_it_in_any_shape() -> None:
    analysis = _analyzed(KERNEL, {"rows.cu": ROWS}, ["rows.cu", "gone.cu"])
    assert _shapes(analysis) == set[tuple[int, int, int]]()


def test_a_use_in_the_file_counts_where_another_launches() -> None:
    own = KERNEL + "void *any = (void *)k;\n"
    assert _shapes(_analyzed(own, {"rows.cu": ROWS}, ["rows.cu"])) == set[tuple[int, int, int]]()


def test_an_edit_of_a_launch_around_it_is_seen() -> None:
    analyzer = Analyzer()
    assert _shapes(_analyzed(KERNEL, {"rows.cu": ROWS}, ["rows.cu"], analyzer)) == {(64, 4, 1)}
    edited = ROWS.replace("64, 4", "16, 16")
    assert _shapes(_analyzed(KERNEL, {"rows.cu": edited}, ["rows.cu"], analyzer)) == {(16, 16, 1)}


def test_a_template_that_a_file_around_it_launches_keeps_all_its_code() -> None:
    template = "template <bool B> __global__ void k(int *x) { if (B && x[threadIdx.x] > 0) x[0] = 1; }\n"
    own = template + "void own(int *x) { k<false><<<1, 32>>>(x); }\n"
    around = '#include "k.cu"\nvoid other(int *x) { k<true><<<1, 64>>>(x); }\n'
    both = _analyzed(own, {"other.cu": around}, ["other.cu"])
    assert both.facts.functions[0].branches[0].grade is Grade.DATA_DEPENDENT
    assert _shapes(both) == {(32, 1, 1), (64, 1, 1)}


def test_launches_are_not_all_known_where_too_many_files_include_the_kernel() -> None:
    own = KERNEL + "void own(int *x) { k<<<1, 64>>>(x, 1); }\n"
    around = {f"{number}.cu": ROWS for number in range(MAX_INCLUDERS + 1)}
    assert _shapes(_analyzed(own, around, list(around))) == set[tuple[int, int, int]]()


DEVICE = """\
__device__ void wait(int n) { if (n > 7) __syncthreads(); }
__device__ void outer(int n) { wait(n); }
__global__ void k(int n) { outer(n); }
"""


def _levels(analysis: FileAnalysis) -> list[Level]:
    return [branch.level for function in analysis.facts.functions for branch in function.branches]


@pytest.mark.parametrize(
    "includers",
    [
        pytest.param(["around.cu"], id="all are known"),
        pytest.param(["around.cu", "gone.cu"], id="not all can be read"),
        pytest.param([f"{number}.cu" for number in range(MAX_INCLUDERS + 1)], id="too many"),
    ],
)
@pytest.mark.parametrize("kernel", [DEVICE, DEVICE.replace("__global__ void k(int n) { outer(n); }\n", "")])
def test_files_around_a_device_function_call_it_with_anything(kernel: str, includers: list[str]) -> None:
    around = '#include "k.cu"\n__global__ void other() { wait(threadIdx.x); }\n'
    analysis = _analyzed(kernel, {name: around for name in includers if name != "gone.cu"}, includers)
    assert _levels(analysis) == [Level.VARYING]
    barriers = [barrier.verdict for function in analysis.facts.functions for barrier in function.barriers]
    assert barriers == [BarrierVerdict.UNKNOWN]


def test_a_context_alone_says_that_others_include_the_file() -> None:
    around = '#include "k.cu"\n__global__ void other() { wait(threadIdx.x); }\n'
    loader = DictLoader({"k.cu": DEVICE.encode(), "around.cu": around.encode()})
    document = Document.open(DEVICE.encode())
    analysis = Analyzer().analyze("k.cu", document, loader, AnalysisSettings(), context="around.cu")
    assert _levels(analysis) == [Level.VARYING]


@pytest.mark.parametrize(
    ("around", "includers"),
    [
        pytest.param("", [], id="included by nobody"),
        pytest.param('#if 0\n#include "k.cu"\n#endif\n', ["around.cu"], id="left out"),
    ],
)
def test_kernels_of_a_whole_program_say_what_is_passed(around: str, includers: list[str]) -> None:
    assert _levels(_analyzed(DEVICE, {"around.cu": around}, includers)) == [Level.GRID]


@pytest.mark.parametrize(
    ("type", "passed", "received"),
    [
        ("int", "4294967301l", ((0, 0), (1, 5))),
        ("int", "3000000000u", ((0, 0), (1, -1294967296))),
        ("unsigned char", "300", ((0, 0), (1, 44))),
        ("bool", "7", ((0, 0), (1, 1))),
        ("int", "7.5", ((0, 0), (1, 7))),
        ("const int &", "7", ((0, 0),)),
        ("int2", "7", ((0, 0),)),
    ],
)
def test_a_number_is_what_the_parameter_holds(type: str, passed: str, received: tuple[tuple[int, int], ...]) -> None:
    text = f"__global__ void k(int *x, {type} n) {{ x[0] = 1; }}\nint main() {{ k<<<1, 32>>>(0, {passed}); }}\n"
    analysis = _analyzed(text, {}, [])
    known = analysis.launch_of(analysis.facts.functions[0])
    assert known is not None
    assert known.passed == received
    assert known.launches[0].arguments == (0, dict(received).get(1))
