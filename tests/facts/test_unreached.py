"""Arms that no launch of a project reaches cost nothing; what they do wrong is told all the same."""

from __future__ import annotations

from typing import Final

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.features.explain import explain_line
from analysis.rules.check import check
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from simt_lsp.workspace.project_index.index import ProjectIndex
from simt_lsp.workspace.project_index.view import ProjectView

LOOP = "for (int i = 0; i < n[threadIdx.x]; i++) x[i] *= 2;"
KERNEL = "__global__ void k(float *x, const int *n, int mode) {{\n  {body}\n}}\n"
ON_POINTER = KERNEL.format(body=f"if (n) {{ {LOOP} }} else {{ x[threadIdx.x] = 1; }}")
WITH_NULL = "void run(float *x) { k<<<1, 64>>>(x, NULL, 1); }\n"
RULES: Final = RuleSettings(ignore=frozenset({"ARI602"}))
"""The bounds of these loops are loaded in each round."""


def _analyzed(files: dict[str, str], path: str = "k.cu") -> FileAnalysis:
    loader = DictLoader({name: text.encode() for name, text in files.items()})
    index = ProjectIndex()
    for name, text in loader.files.items():
        index.scan(name, text)
    view = ProjectView(index, lambda _: None)
    return Analyzer().analyze(path, Document.open(loader.files[path]), loader, AnalysisSettings(), project=view)


def _codes(files: dict[str, str], path: str = "k.cu") -> list[str]:
    return [found.code for found in check(_analyzed(files, path), RULES)]


@pytest.mark.parametrize("null", ["NULL", "nullptr", "0", "(const int *)0", "static_cast<const int *>(nullptr)"])
def test_an_arm_that_needs_a_pointer_that_is_null(null: str) -> None:
    analysis = _analyzed({"k.cu": ON_POINTER + WITH_NULL.replace("NULL", null)})
    assert not check(analysis, RULES)
    (loop,) = [item for item in explain_line(analysis, 2).items if item.what.startswith("`for`")]
    assert loop.details == ("no launch of the project reaches this",)


@pytest.mark.parametrize(
    "launch",
    [
        pytest.param("void run(float *x, int *n) { k<<<1, 64>>>(x, n, 1); }\n", id="not known"),
        pytest.param(WITH_NULL + "void b(float *x, int *n) { k<<<1, 64>>>(x, n, 1); }\n", id="one of two"),
        pytest.param("void run(float *x) { int *n = 0; cudaMalloc(&n, 4); k<<<1, 64>>>(x, n, 1); }\n", id="allocated"),
        pytest.param(WITH_NULL + "auto any = k;\n", id="a use that is not followed"),
        pytest.param("", id="no launch"),
    ],
)
def test_where_a_launch_may_pass_something_it_counts(launch: str) -> None:
    assert _codes({"k.cu": ON_POINTER + launch}) == ["DIV402"]


RUN = "void run(float *x, int *n) { k<<<1, 64>>>(x, n, 1); }\n"


@pytest.mark.parametrize(
    ("run", "other", "codes"),
    [
        pytest.param(RUN, "int main() { run(0, NULL); }\n", [], id="null"),
        pytest.param(RUN, "int main() { run(0, NULL); run(0, data); }\n", ["DIV402"], id="two calls"),
        pytest.param(RUN, "auto any = run;\n", ["DIV402"], id="a pointer to the function"),
        pytest.param(RUN, "", ["DIV402"], id="nobody calls it"),
        pytest.param(RUN.replace("{ k", "{ n = get(); k"), "int main() { run(0, NULL); }\n", ["DIV402"], id="written"),
        pytest.param(
            RUN.replace("{ k", "{ get(&n); k"), "int main() { run(0, NULL); }\n", ["DIV402"], id="its address"
        ),
        pytest.param(RUN.replace("*n)", "*&n)"), "int main() { run(0, p); }\n", ["DIV402"], id="a reference"),
    ],
)
def test_through_a_host_function_in_another_file(run: str, other: str, codes: list[str]) -> None:
    declared = run.partition("{")[0].strip() + ";\n"
    assert _codes({"k.cu": ON_POINTER + run, "main.cpp": declared + other}) == codes


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        (f"if (mode == 2) {{ {LOOP} }}", []),
        (f"if (mode == 1) {{ {LOOP} }}", ["DIV402"]),
        (f"if (!n && mode) {{ x[0] = 1; }} else {{ {LOOP} }}", []),
        (f"if (n != nullptr || mode * 2 > 2) {{ {LOOP} }}", []),
        (f"switch (mode) {{ case 0: x[1] = 1; break; case 3: {LOOP} break; default: x[0] = 1; }}", []),
        (f"switch (mode) {{ case 0: x[1] = 1; break; case 1: {LOOP} break; default: x[0] = 1; }}", ["DIV402"]),
        (f"if (n && x[1] > 0) {{ {LOOP} }}", []),
        (f"if (x[1] > 0 && n) {{ {LOOP} }}", []),
        (f"if (x[1] > 0 || mode == 2) {{ {LOOP} }}", ["DIV402"]),
        (f"if (x[0] > 1) {{ {LOOP} }}", ["DIV402"]),
        (f"mode = x[1]; if (mode == 2) {{ {LOOP} }}", ["DIV402"]),
        ("if (mode == 2) { x[threadIdx.x * 64] = 1; }", []),
        ("if (mode == 1) { x[threadIdx.x * 64] = 1; }", ["MEM501"]),
    ],
)
def test_numbers_decide_too(body: str, codes: list[str]) -> None:
    assert _codes({"k.cu": KERNEL.format(body=body) + WITH_NULL}) == codes


def test_what_is_wrong_is_told_all_the_same() -> None:
    body = "if (n) { if (threadIdx.x < 7) __syncthreads(); x[0] = 1; }"
    assert "SYN101" in _codes({"k.cu": KERNEL.format(body=body) + WITH_NULL})


def test_a_share_is_one_of_what_is_reached() -> None:
    """A function that both arms call is explained by the arm that runs."""
    arm = "{ v = v * 3 + 1; v = v * v / 7; }"
    helper = f"__device__ float f(float v) {{ if (v > 0) {arm} else {arm.replace('3', '4')} return v; }}\n"
    arms = "if (n) { x[threadIdx.x] = f(n[threadIdx.x]); }\n  else { x[threadIdx.x] = f(threadIdx.x); }"
    analysis = _analyzed({"k.cu": helper + KERNEL.format(body=arms) + WITH_NULL})
    function = next(one for one in analysis.facts.functions if one.name == "f")
    (branch,) = function.branches
    assert not branch.is_unreached
    assert all("n[threadIdx.x]" not in step.text for step in analysis.why_branch(function, branch))
    assert branch.cost_part is not None
    assert branch.cost_part.share.expected > 0.3


@pytest.mark.parametrize(("passed", "is_told"), [("NULL", False), ("n", True)])
def test_how_many_warps_split_is_asked_of_what_is_reached(passed: str, *, is_told: bool) -> None:
    """A function that both arms call: loaded values split any warp, those of the index one of a row."""
    arm = "{ v = sqrtf(v) * 3 + 1; v = expf(v) * v / 7; }"
    helper = f"__device__ float f(float v) {{ if (v > 90) {arm} else {arm.replace('3', '4')} return v; }}\n"
    arms = "if (n) { x[threadIdx.x] = f(n[threadIdx.x]); }\n  else { x[threadIdx.x] = f(threadIdx.x); }"
    launch = f"void run(float *x, int *n) {{ k<<<1, 256>>>(x, {passed}, 1); }}\n"
    assert ("DIV401" in _codes({"k.cu": helper + KERNEL.format(body=arms) + launch})) == is_told


IN_OBJECT = (
    "struct P { int mode; int size[2]; };\n__global__ void k(float *x, const int *n, P p) {\n"
    f"  if (p.mode) {{ {LOOP} }} else {{ x[threadIdx.x] = 1; }}\n  x[threadIdx.x / p.size[1]] = x[threadIdx.x];\n}}\n"
)


def test_members_of_objects_that_all_launches_pass_alike() -> None:
    run = "void run(float *x, int *n) { P p = {0, {1, 48}}; k<<<1, 64>>>(x, n, p); }\n"
    assert "DIV402" not in _codes({"k.cu": IN_OBJECT + run})
    assert "DIV402" in _codes({"k.cu": IN_OBJECT + run.replace("{0,", "{1,")})
    assert "DIV402" in _codes({"k.cu": IN_OBJECT + run.replace(" k<<<", " p.mode = *n; k<<<")})
    other = "void also(float *x, int *n) { P p = {2, {1, 48}}; k<<<1, 64>>>(x, n, p); }\n"
    assert "DIV402" in _codes({"k.cu": IN_OBJECT + run + other})
    divided = [one.message for one in check(_analyzed({"k.cu": IN_OBJECT + run}), RULES) if one.code == "ARI606"]
    assert ["every launch passes 48 to divide by" in one for one in divided] == [True]
