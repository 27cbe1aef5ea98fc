"""Kernels that nothing in a project launches, while others are: what they cost is a hint, what they do wrong is not."""

from __future__ import annotations

from typing import Final, TypeAlias

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import Unlaunched
from analysis.facts.settings import AnalysisSettings
from analysis.features.explain import explain_line
from analysis.rules.check import check
from analysis.rules.diagnostic import Diagnostic, Severity
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from simt_lsp.workspace.project_index.index import ProjectIndex
from simt_lsp.workspace.project_index.view import ProjectView

USED = "__global__ void used(float *x) { x[threadIdx.x] += 1; }\n"
OLD = "__global__ void old(float *x, const int *n) { for (int i = 0; i < n[threadIdx.x]; i++) x[i] *= 2; }\n"
_Checked: TypeAlias = tuple[FileAnalysis, tuple[Diagnostic, ...]]
RUN = "void run(float *x) { used<<<1, 64>>>(x); }\n"
RULES: Final = RuleSettings(ignore=frozenset({"ARI602"}))
"""The bounds of these loops are loaded in each round."""


def _check(files: dict[str, str], path: str = "k.cu", settings: RuleSettings | None = None) -> _Checked:
    loader = DictLoader({name: text.encode() for name, text in files.items()})
    index = ProjectIndex()
    for name, text in loader.files.items():
        index.scan(name, text)
    view = ProjectView(index, lambda _: None)
    document = Document.open(loader.files[path])
    analysis = Analyzer().analyze(path, document, loader, AnalysisSettings(), project=view)
    return analysis, check(analysis, settings or RULES)


def _severity(files: dict[str, str], path: str = "k.cu", code: str = "DIV402") -> Severity:
    return next(one.severity for one in _check(files, path)[1] if one.code == code)


def test_what_nothing_launches_costs_a_hint_and_says_why() -> None:
    analysis, found = _check({"k.cu": USED + OLD + RUN})
    (loop,) = found
    assert loop.severity is Severity.HINT
    assert loop.message.endswith("The project never launches `old`, while 1 other kernel is launched.")
    old = next(function for function in analysis.facts.functions if function.name == "old")
    assert old.unlaunched == Unlaunched(("old",), 1)
    (item,) = [one for one in explain_line(analysis, 2).items if one.what == "kernel `old`"]
    assert "the project never launches `old`" in item.verdict


def test_a_severity_that_the_user_sets_stays() -> None:
    settings = RuleSettings(ignore=RULES.ignore, severities={"DIV402": Severity.WARNING})
    _, found = _check({"k.cu": USED + OLD + RUN}, settings=settings)
    assert [one.severity for one in found] == [Severity.WARNING]


def test_what_is_wrong_stays_loud() -> None:
    wrong = "__global__ void old(float *x) { if (threadIdx.x < 7) __syncthreads(); x[1] = 0; }\n"
    assert _severity({"k.cu": USED + wrong + RUN}, code="SYN101") is not Severity.HINT


def test_a_device_function_is_a_hint_where_no_launched_kernel_calls_it() -> None:
    body = "__device__ void f(float *x, const int *n) { for (int i = 0; i < n[threadIdx.x]; i++) x[i] *= 2; }\n"
    old = "__global__ void old(float *x, const int *n) { f(x, n); }\n"
    calling = "__global__ void used(float *x, const int *n) { f(x, n); }\n"
    run = "void run(float *x, int *n) { used<<<1, 64>>>(x, n); }\n"
    assert _severity({"k.cu": body + USED + old + RUN}) is Severity.HINT
    assert _severity({"k.cu": body + calling + old + run}) is Severity.INFORMATION


@pytest.mark.parametrize(
    "other",
    [
        pytest.param("auto k = old;\n", id="a function pointer"),
        pytest.param("void f() { cudaLaunchKernel((void *)old, 1, 64, 0, 0, 0); }\n", id="a launch function"),
        pytest.param('void f() { cuModuleGetFunction(&k, m, "old"); }\n', id="a string"),
        pytest.param('void f() { cuModuleGetFunction(&k, m, "_Z3oldPfPKi"); }\n', id="a mangled name"),
        pytest.param('const char *names[] = {"ns::old<float>"};\n', id="an expression in a string"),
        pytest.param("#define LAUNCH(k) k<<<1, 64>>>(0, 0)\nvoid f() { LAUNCH(old); }\n", id="a macro"),
        pytest.param("#define LAUNCH(k) o##k<<<1, 64>>>(0, 0)\nvoid f() { LAUNCH(ld); }\n", id="pasted words"),
        pytest.param("#define KERNEL old\n", id="a name in a macro"),
        pytest.param("template <> struct Of<old> {};\n", id="a template argument"),
        pytest.param("#ifdef FAST\nvoid f() { old<<<1, 64>>>(0, 0); }\n#endif\n", id="code that this build leaves out"),
        pytest.param(
            "void f(int a) {\n#if FAST\n old<<<1, a>>>(0, 0);\n#endif\n}\n", id="a part of a function left out"
        ),
        pytest.param("__global__ void p() { old<<<1, 64>>>(0, 0); }\n", id="a launch on the device"),
    ],
)
def test_whatever_names_it_may_launch_it(other: str) -> None:
    """In the same file, in one that includes it, and in one that sees a declaration."""
    assert _severity({"k.cu": USED + OLD + RUN + other}) is Severity.INFORMATION
    header = {"k.cuh": USED + OLD, "a.cu": '#include "k.cuh"\n' + RUN}
    assert _severity(header, "k.cuh") is Severity.HINT
    assert _severity({**header, "b.cu": '#include "k.cuh"\n' + other}, "k.cuh") is Severity.INFORMATION
    declared = "__global__ void old(float *x, const int *n);\n"
    assert _severity({"k.cu": USED + OLD + RUN, "b.cu": declared + other}) is Severity.INFORMATION


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"k.cuh": USED + OLD}, id="a header alone"),
        pytest.param({"k.cuh": USED + OLD, "a.cu": '#include "k.cuh"\nint main() {}\n'}, id="nothing is launched"),
        pytest.param({"k.cuh": OLD, "a.cu": USED + RUN}, id="another program"),
        pytest.param(
            {"k.cuh": USED + OLD, "a.cu": '#include "k.cuh"\n#include "gone.h"\n' + RUN + "int old;\n"}, id="unsure"
        ),
    ],
)
def test_a_library_stays_as_it_is(files: dict[str, str]) -> None:
    assert _severity(files, "k.cuh") is Severity.INFORMATION


def test_what_a_program_launches_beside_a_header_counts() -> None:
    files = {"k.cuh": OLD, "a.cu": '#include "k.cuh"\n' + USED + RUN}
    _, found = _check(files, "k.cuh")
    assert [one.severity for one in found] == [Severity.HINT]


def test_comments_and_messages_name_nothing() -> None:
    other = '// old<<<1, 64>>>\nvoid f() { puts("old kernel failed"); }\n'
    assert _severity({"k.cu": USED + OLD + RUN + other}) is Severity.HINT


WRAPPED = "void run_old(float *x, int *n) { old<<<1, 64>>>(x, n); }\n"
DECLARED = "void run(float *x);\nvoid run_old(float *x, int *n);\n"


@pytest.mark.parametrize(
    ("main", "severity"),
    [
        pytest.param(
            "#define NEW 1\nint main() {\n#if NEW\n run(0);\n#else\n run_old(0, 0);\n#endif\n}\n",
            "hint",
            id="a constant",
        ),
        pytest.param("int main() {\n#if 0\n run_old(0, 0);\n#endif\n run(0);\n}\n", "hint", id="never"),
        pytest.param("int main() {\n#ifdef OLD\n run_old(0, 0);\n#endif\n}\n", "information", id="another build"),
        pytest.param(
            "#define NEW 0\nint main() {\n#if !NEW\n run_old(0, 0);\n#endif\n}\n", "information", id="compiled"
        ),
        pytest.param(
            "#define NEW 1\nint main() {\n#if NEW && FAST\n#else\n run_old(0, 0);\n#endif\n}\n",
            "information",
            id="both",
        ),
        pytest.param(
            "int main() {\n#if 0\n run_old(0, 0);\n#endif\n}\nauto any = run_old;\n", "information", id="a pointer"
        ),
        pytest.param(
            "#if 0\nvoid f() { run_old(0, 0); }\n#endif\nint main() {}\n", "information", id="a whole function"
        ),
        pytest.param("int main() { run(0); }\n", "information", id="nobody calls it"),
        pytest.param(
            "int main() {\n#if 0\n run_old(0, 0);\n#endif\n}\nvoid g() { run_old(0, 0); }\n",
            "information",
            id="one of two",
        ),
    ],
)
def test_a_launch_whose_only_call_is_left_out(main: str, severity: str) -> None:
    assert _severity({"k.cu": USED + OLD + RUN + WRAPPED, "main.cpp": DECLARED + main}).value == severity
