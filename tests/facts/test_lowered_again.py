"""After an edit, what it changes is lowered again and nothing else: how many bodies, and how many roots are analysed.

Each case is one text, what is edited in it, and the numbers; that the answers are those of a fresh analyzer, too, is
asked each time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.launches import Launch, find
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from analysis.syntax.items import Item
from analysis.syntax.translation_unit import TranslationUnit

TEXT = """\
#define METHOD __device__ int
struct Base { int low; METHOD floor(int v) const { return v < 2 ? 2 : v; } };
struct Other { int low; METHOD floor(int v) const { return v < 4 ? threadIdx.x : v; } };
struct S : Base {
  int size = 4;
  int high, far;
  static constexpr int width(int n) { return n * 2; }
  __device__ auto part() const { return high; }
  METHOD first(int v) { return v + floor(size); }
  METHOD second(int v) { return first(v) + part(); }
  METHOD third(int v, int by = 1) const { return v * by; }
  METHOD fourth(int v) const { return third(v); }
  template <class F> METHOD each(F f) { return f(high); }
};
__device__ int helper(int v) { return v; }
__global__ void one(int *o) { S s; s.high = 1; if (s.second(helper(3)) > 2) o[0] = s.fourth(1); }
__global__ void two(int *o) { S s; __shared__ int t[S::width(4)]; t[threadIdx.x] = s.fourth(2); o[1] = t[0]; }
__global__ void three(int *o) { S s; o[2] = s.each([=](int v) { return v + 1; }); }
__global__ void four(int *o) { if (threadIdx.x < 3) o[3] = 1; }
"""
"""`three` passes a lambda, so that it is lowered with the body of `each`.  There are 13 functions and 6 roots."""


class Case(NamedTuple):
    """`lowered` and `roots` are how many of each are worked on again."""

    old: str
    new: str
    lowered: int
    roots: int


CASES = {
    # Bodies: the function itself, the kernels that it is inlined into, and who passes a lambda.
    "the body of a kernel": Case("o[3] = 1;", "o[3] = 2;", 1, 1),
    "the body of a free function": Case("(int v) { return v; }", "(int v) { return v + 1; }", 1, 1),
    "the body of a method that one kernel calls": Case("{ return first(v) +", "{ return first(v + 1) +", 2, 2),
    "the body of a method that two kernels call": Case("{ return v * by; }", "{ return v * by + 1; }", 2, 3),
    "the body of a method that no kernel calls any more": Case(
        "METHOD fourth(int v) const { return third(v); }", "METHOD fourth(int v) const { return v; }", 2, 4
    ),
    "the body of a method of a base": Case("{ return v < 2 ? 2 : v; }", "{ return v < 3 ? 3 : v; }", 2, 2),
    "the body of a method that a lambda is passed to": Case("{ return f(high); }", "{ return f(far); }", 2, 2),
    "a comment in a body": Case("{ return v * by; }", "{ /* more */ return v * by; }", 2, 3),
    "a body that moves what follows": Case("{ return v + floor", "{\n\n return v + floor", 2, 2),
    # What others see: everything that can depend on it.
    "a member": Case("int high, far;", "int far, high;", 9, 4),
    "a default of a member": Case("int size = 4;", "int size = 5;", 9, 4),
    "a base": Case("struct S : Base", "struct S : Other", 9, 5),
    "the body of a constant method": Case("{ return n * 2; }", "{ return n * 3; }", 9, 4),
    "the body of a method whose type is deduced": Case("{ return high; }", "{ return 1.5f * high; }", 9, 4),
    "a default argument": Case("int by = 1", "int by = 7", 9, 4),
    "a parameter": Case("METHOD first(int v)", "METHOD first(float v)", 9, 4),
    "a qualifier of a method": Case("fourth(int v) const", "fourth(int v)", 9, 4),
    "a macro in a class": Case("METHOD __device__ int", "METHOD __device__ float", 11, 5),
    "a using-declaration": Case("  int size", "  using Base::floor;\n  int size", 9, 4),
    "a body with an error": Case("{ return v * by; }", "{ return v * by }; }", 9, 10),
}


@pytest.mark.parametrize("name", CASES)
def test_only_what_an_edit_changes_is_done_again(name: str) -> None:
    case = CASES[name]
    assert TEXT.count(case.old) == 1
    analyzer = Analyzer()
    _see(analyzer, TEXT)
    before = _computed(analyzer)
    seen = _see(analyzer, TEXT.replace(case.old, case.new))
    after = _computed(analyzer)
    assert seen.facts == _see(Analyzer(), TEXT.replace(case.old, case.new)).facts
    assert after["functions"] - before["functions"] == case.lowered
    assert after["roots"] - before["roots"] == case.roots


def _see(analyzer: Analyzer, text: str) -> FileAnalysis:
    return analyzer.analyze("a.cu", Document.open(text.encode()), DictLoader(), AnalysisSettings())


def _computed(analyzer: Analyzer) -> dict[str, int]:
    return {one.name: one.asked - one.found for one in analyzer.statistics()}


def test_a_class_without_a_name_is_the_same_when_a_body_before_it_grows() -> None:
    text = (
        "struct S {\n  __device__ int first() { return 1; }\n"
        "  union { int bits; float number; };\n"
        "  __device__ int second() { return bits; }\n};\n"
        "__global__ void k(int *o) { S s; s.bits = s.first(); o[0] = s.second(); }\n"
    )
    analyzer = Analyzer()
    _see(analyzer, text)
    seen = _see(analyzer, text.replace("return 1", "return 1234"))
    (root,) = [view.root for view in seen.views(next(one for one in seen.facts.functions if one.name == "k"))]
    assert [name for name in root.function.structs if "anonymous" in name] == ["S::<anonymous 0>"]


HOSTS = """\
__device__ int helper(int v) { return v; }
template <int N> __global__ void k(int *o) { if (threadIdx.x < N) o[0] = helper(1); }
static const int WIDTH = 64;
int blocks(int n) { return (n + WIDTH - 1) / WIDTH; }
void run(int *o, int n) { k<3><<<blocks(n), WIDTH>>>(o); }
void other(int *o) { k<5><<<2, 32>>>(o); }
"""
LOOKED_FOR = {
    "the body of a kernel": ("o[0] = helper(1)", "o[0] = helper(2)", 0),
    "the body of a function that a kernel calls": ("{ return v; }", "{ return v + 1; }", 0),
    "the head of a kernel": ("k(int *o)", "k(int *o, int more = 1)", 2),
    "a host function that launches": ("<<<2, 32>>>", "<<<2, 64>>>", 1),
    "a host function that a launch calls": ("(n + WIDTH - 1)", "(n + WIDTH)", 1),
    "a constant of host code": ("WIDTH = 64", "WIDTH = 32", 1),
}


@pytest.mark.parametrize("name", LOOKED_FOR)
def test_launches_are_looked_for_again_where_they_may_be_others(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new, expected = LOOKED_FOR[name]
    assert HOSTS.count(old) == 1
    analyzer = Analyzer()
    _see(analyzer, HOSTS)
    looked: list[str] = []
    look = find._launches_in  # pyright: ignore[reportPrivateUsage] - counted, not called

    def counted(unit: TranslationUnit, item: Item, *rest: Any) -> list[Launch]:
        looked.append(item.name)
        return look(unit, item, *rest)

    monkeypatch.setattr(find, "_launches_in", counted)
    seen = _see(analyzer, HOSTS.replace(old, new))
    assert len(looked) == expected
    assert seen.facts == _see(Analyzer(), HOSTS.replace(old, new)).facts
