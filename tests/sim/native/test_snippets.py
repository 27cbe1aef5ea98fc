"""Small uses of the language: nothing is dropped, neither from a run nor from what the analysis calls uniform."""

from __future__ import annotations

from typing import Final

import pytest

from analysis.divergence.levels import Level
from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from sim.policies.ipdom import Ipdom
from sim.refusals import Refusal
from tests.sim.native.comparison import compare, expected
from tests.sim.native.compiler import compiled
from tests.sim.native.program import NativeResult
from tests.sim.native.snippets import BRANCH, THREADS, snippets
from tests.sim.running import kernel_of

_CASES: Final = snippets()
_WARP: Final = 32
_SIMULATED: Final = (
    "virtual pointer",
    "virtual reference parameter",
    "virtual array of bases",
    "virtual in shared memory",
    "virtual on the heap",
    "virtual second base",
    "virtual second base ends",
    "virtual behind plain base",
    "virtual while it is made",
    "virtual while it ends",
    "virtual copies and slices",
    "virtual default arguments",
    "virtual calls virtual",
    "virtual returns reference",
    "virtual template",
    "virtual and hidden overloads",
    "virtual member objects",
    "virtual array elements",
    "pointer to a lambda",
    "pointer to one of several",
    "member pointer data",
    "member pointer through pointer",
    "member pointer method",
    "member pointer method through pointer",
    "member pointer of a base",
    "member pointer virtual",
    "member pointer parameter",
    "member pointer compared",
    "member pointer array",
    "member pointer in objects",
    "member pointer groups",
    "member pointer argument of template",
    "member pointer of two classes",
    "member pointer sizes",
    "pointer zero",
    "pointer cast to one of several",
    "pointer from a function type",
    "conditional of base and derived",
    "pointer local",
    "pointer known",
    "pointer parameter",
    "pointer parameter chosen",
    "pointer member",
    "pointer in shared memory",
    "pointer in an array that is written",
    "pointer of device memory",
    "pointer compared",
    "pointer returned by alias",
    "pointer returns reference",
    "pointer returns object",
    "pointer void",
    "pointer converts arguments",
    "pointer to static method",
    "pointer of a namespace",
    "pointer to a recursion",
    "pointer walks states",
    "pointer template",
    "pointer of other types beside",
    "op call ref",
    "op comma",
    "comma for overload",
    "init capture ref",
    "init capture ref member",
    "ref member",
    "ref member elided",
    "ref member of base",
    "ref member returned",
    "array ref member",
    "struct array elided",
    "array 2d elided",
    "array open elided",
    "decltype auto",
    "decltype auto call",
    "decltype auto var",
    "decltype auto var call",
    "decltype trailing",
    "lambda decltype auto",
    "const T overload",
    "const free overload",
    "const free overload const",
    "overload rvalue",
    "overload lvalue",
    "overload class const",
    "overload class const arg",
    "bind const variable",
    "bind member",
    "bind member in const method",
    "bind array element",
    "bind const method by reference",
    "bind const index",
    "bind forwarding hijack",
    "bind forwarding temp",
    "bind shared",
    "forward storage",
    "forward local copy",
    "forward decayed copy",
    "nullptr arg",
    "NULL arg",
    "zero arg",
    "nullptr overload",
    "nullptr_t overload",
    "overload user conv",
    "overload bool ptr",
    "overload explicit args",
    "overload explicit count",
    "two namespaces",
    "namespace and global",
    "nested namespaces",
    "tables of two namespaces",
    "through a using declaration",
    "through a using directive",
    "namespace without a name",
    "inline namespace",
    "extern before the definition",
    "static members of two classes",
    "static members of two instances",
    "defined outside of the namespace",
    "static member defined outside",
    "static members of classes of one name",
    "static member beside a variable",
    "methods of classes of one name",
    "methods defined in the namespace around",
    "methods defined outside of all namespaces",
    "static two functions",
    "static two functions write",
    "static array init",
    "static template",
    "static method",
    "static and global",
    "static nested blocks",
    "std min ref",
    "std min argument",
    "std min nested",
    "std min struct reversed",
    "std min copied",
    "std clamp ref",
    "std conditional",
    "cond const ref",
    "cond argument",
    "cond memory changed",
    "cond member ctor",
)
"""Some that are not refused."""


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> dict[str, NativeResult]:
    cases = list(_CASES.values())
    program = compiled([case.unit for case in cases], tmp_path_factory.mktemp("snippets"), ["-std=c++20", "-O0"])
    return dict(zip(_CASES, expected(program, cases), strict=True))


def _level(text: str) -> Level:
    """Of the last branch; a function that cannot be read says so, and nothing of it is believed."""
    analysis = Analyzer().analyze("k.cu", Document.open(text.encode()), DictLoader(), AnalysisSettings())
    (kernel,) = (function for function in analysis.facts.functions if function.name == "k")
    if kernel.unreadable is not None:
        return Level.VARYING
    at = text.encode().index(BRANCH.encode()) - kernel.start
    return next(branch.level for branch in kernel.branches if branch.keyword.start == at)


@pytest.mark.parametrize("name", _CASES)
def test_a_branch_on_what_differs_in_a_warp_varies(name: str, native: dict[str, NativeResult]) -> None:
    taken = native[name].arrays["out"][:THREADS] > 5
    splits = any(len(set(taken[first : first + _WARP].tolist())) > 1 for first in range(0, THREADS, _WARP))
    level = _level(_CASES[name].unit.text)
    assert level is Level.VARYING or not splits


@pytest.mark.parametrize("name", _CASES)
def test_a_run_computes_what_native_code_computes_or_is_refused(name: str, native: dict[str, NativeResult]) -> None:
    case = _CASES[name]
    try:
        problems = compare(case, kernel_of(case.unit.text), Ipdom, native[name])
    except Refusal:
        return
    assert problems == []


@pytest.mark.parametrize("name", _SIMULATED)
def test_these_are_simulated(name: str, native: dict[str, NativeResult]) -> None:
    case = _CASES[name]
    assert compare(case, kernel_of(case.unit.text), Ipdom, native[name]) == []
