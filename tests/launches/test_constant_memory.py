"""What launches find in `__constant__` variables, and what is not known of these."""

from __future__ import annotations

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.launches import launch_shapes
from analysis.launches.model import HeldConstant
from analysis.pipeline import unit_of_text
from tests.support.project_analysis import analyzed

TYPES = "struct P { int n; int s[2]; };\n__global__ void k();\nbool ask();\n"
RUN = "void run() { BODY }\n"


def held(text: str) -> list[tuple[str, int, bool]]:
    """What the last launch finds: the place, the number, and whether it certainly does."""
    launches = launch_shapes(unit_of_text(TYPES + text))["k"]
    return [_short(one) for one in launches[-1].constants]


def _short(one: HeldConstant) -> tuple[str, int, bool]:
    return f"{one.name}.{one.path}".removesuffix("."), one.number, one.is_certain


@pytest.mark.parametrize(
    ("declared", "body", "found"),
    [
        pytest.param("int c = 3;", "K", [("c", 3, True)], id="initialised"),
        pytest.param("int c;", "K", [("c", 0, True)], id="nothing"),
        pytest.param("int c[2] = {3};", "K", [("c.0", 3, True), ("c.1", 0, True)], id="an array"),
        pytest.param(
            "P c = {1, {2, 3}};", "K", [("c.n", 1, True), ("c.s.0", 2, True), ("c.s.1", 3, True)], id="an object"
        ),
        pytest.param("int c;", "int n = 3; COPY(&n, sizeof(int)); K", [("c", 3, True)], id="a copy"),
        pytest.param(
            "int c;",
            "int n = 3; COPY(&n, sizeof n, 0, cudaMemcpyHostToDevice); n = 4; K",
            [("c", 3, True)],
            id="all arguments",
        ),
        pytest.param(
            "int c;", "int n = 3; COPY(&n, sizeof n); n = 4; COPY(&n, sizeof n); K", [("c", 4, True)], id="two copies"
        ),
        pytest.param(
            "P c;", "P p; p.s[1] = 3; check((COPY(&p, sizeof(P)))); K", [("c.s.1", 3, True)], id="an object is copied"
        ),
        pytest.param(
            "unsigned c;",
            "int n = -1; do { COPY(&n, sizeof n); } while (0); K",
            [("c", (1 << 32) - 1, True)],
            id="a macro around it",
        ),
        pytest.param("int c;", "int n = 3; if (ask()) COPY(&n, sizeof n); K", [("c", 3, False)], id="perhaps"),
        pytest.param("int c;", "int n = 3; K COPY(&n, sizeof n);", [("c", 3, False)], id="before the copy"),
        pytest.param("int c;", "int n = 3; if (ask()) n = 4; COPY(&n, sizeof n); K", [], id="two numbers"),
        pytest.param("int c = 1;", "int n = 3; if (ask()) COPY(&n, sizeof n); K", [], id="initialised and copied to"),
        pytest.param("int c;", "long n = 3; COPY(&n, sizeof(int)); K", [], id="another type"),
        pytest.param("int c[2];", "int n[2] = {1, 2}; COPY(n, sizeof n); K", [], id="an array is copied"),
        pytest.param("P c;", "P p; p.n = 3; COPY(&p, 4); K", [], id="a part"),
        pytest.param("P c;", "P p; p.n = 3; COPY(&p, sizeof p, 4); K", [], id="behind its beginning"),
        pytest.param("int c;", "void *at; cudaGetSymbolAddress(&at, c); K", [], id="its address"),
        pytest.param("int c;", "int n = 3; COPY(&n, sizeof n); other(c); K", [], id="another use"),
        pytest.param("volatile int c;", "K", [], id="volatile"),
    ],
)
def test_one_function(declared: str, body: str, found: list[tuple[str, int, bool]]) -> None:
    text = body.replace("K", "k<<<1, 2>>>();").replace("COPY(", "cudaMemcpyToSymbol(c, ")
    assert held(f"__constant__ {declared}\n" + RUN.replace("BODY", text)) == found


SET = "static void set(int n) { cudaMemcpyToSymbol(c, &n, sizeof n); }\n"
GO = "static void go() { k<<<1, 2>>>(); }\n"
MAIN = "int main(int argc, char **argv) { BODY }\n"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("set(3); go();", [("c", 3, True)]),
        ("int n = 3; set(n); if (argc > 1) go();", [("c", 3, True)]),
        ("set(3); set(3); go(); go();", [("c", 3, True)]),
        ("go(); set(3);", [("c", 3, False)]),
        ("set(3); go(); set(4);", []),
        ("if (ask()) set(3); go();", [("c", 3, False)]),
        ("set(atoi(argv[1])); go();", []),
        ("go();", []),
    ],
)
def test_copies_in_another_function(body: str, found: list[tuple[str, int, bool]]) -> None:
    assert held(f"__constant__ int c;\n{SET}{GO}" + MAIN.replace("BODY", body)) == found


def test_the_calls_may_be_deep() -> None:
    text = SET + GO + "void prepare() { set(3); }\nvoid work() { if (ask()) go(); }\n"
    assert held("__constant__ int c;\n" + text + MAIN.replace("BODY", "prepare(); work();")) == [("c", 3, True)]


def test_other_files_of_a_project() -> None:
    kernel = (
        "__constant__ int c = 3;\n__global__ void k(float *x) { x[c] = 1; }\nvoid run(float *x) { k<<<1, 2>>>(x); }\n"
    )
    seen = {"main.cu": "void run(float *x); int main() { run(0); }\n"}
    for other, found in (
        ("", [("c", 3, True)]),
        ("static __constant__ int c = 4; __global__ void other(float *x) { x[c] = 1; }\n", [("c", 3, True)]),
        ("extern __constant__ int c; void set(int n) { cudaMemcpyToSymbol(c, &n, sizeof n); }\n", []),
        ('void set(CUmodule m) { CUdeviceptr at; cuModuleGetGlobal(&at, 0, m, "c"); }\n', []),
    ):
        analysis = analyzed({"k.cu": kernel, **seen, "other.cu": other}, "k.cu")
        knowledge = analysis.launch_of(analysis.facts.functions[0])
        assert knowledge is not None
        (launch,) = knowledge.launches
        assert [(one.name, one.number, one.is_certain) for one in launch.constants] == found, other


def test_an_edit_of_the_copy_is_seen() -> None:
    """Not only one of what launches."""
    text = (
        "__constant__ int c, d = 1;\n__global__ void k(float *x) { x[c] = d; }\n"
        "static void set() { int n = 3; cudaMemcpyToSymbol(c, &n, sizeof n); }\n"
        "static void run(float *x) { k<<<1, 2>>>(x); }\nint main() { set(); run(0); }\n"
    )
    analyzer = Analyzer()
    for version, found in (
        (text, [("c", 3, True), ("d", 1, True)]),
        (text.replace("int n = 3;", "int n = 4;"), [("c", 4, True), ("d", 1, True)]),
        (text.replace("d = 1", "d = 2"), [("c", 3, True), ("d", 2, True)]),
        (text.replace("set();", ""), [("c", 3, False), ("d", 1, True)]),
        (text.replace("set(); run(0);", "run(0); set();"), [("c", 3, False), ("d", 1, True)]),
        (text.replace("x[c] = d", "x[c] = d + 1"), [("c", 3, True), ("d", 1, True)]),
        (
            text.replace("void run", "void *at; void get() { cudaGetSymbolAddress(&at, d); }\nvoid run"),
            [("c", 3, True)],
        ),
    ):
        analysis = analyzed({"k.cu": version}, "k.cu", analyzer)
        knowledge = analysis.launch_of(next(one for one in analysis.facts.functions if one.name == "k"))
        assert knowledge is not None
        (launch,) = knowledge.launches
        assert [(one.name, one.number, one.is_certain) for one in launch.constants] == found, version
