"""Launches of one version of a text are those of the last one where nothing that they are computed from changed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from analysis.launches import Launch, launch_shapes
from analysis.launches.file_constants import Number
from analysis.launches.host_memo import HostMemo
from analysis.syntax.cache import SyntaxCache
from analysis.syntax.document import Document
from analysis.syntax.environment import Environment
from analysis.syntax.includes import DictLoader
from analysis.syntax.translation_unit import TranslationUnit

TEXT = """\
#define LEAVE(x) return x;
__global__ void k(int *x, int n);
inline int rows(int n) { return deeper(n) + 31; }
inline int deeper(int n) { return n; }
inline int kept(int v) { int w = v; return w; }
inline int chosen(int v) { if (v) { return 1; } return far(v); }
int far(int v) { int u = v; return u; }
struct Shape { int n = 7; };
void launch(int *x) {
  int t = rows(1), n = 5;
  kept(n); chosen(n); Shape s;
  auto f = [&](int v) { return v; };
  k<<<1, t>>>(x, n + s.n);
}
void other(int *x) { launch(x); int u = 64; k<<<1, u>>>(x, 7); }
"""

Launches = tuple[Launch, ...]


class Memo:
    """Keeps everything, and counts what is found anew."""

    def __init__(self) -> None:
        self._known: dict[bytes, Launches] = {}
        self.found = 0

    def get_or_compute(self, key: bytes, compute: Callable[[], Launches], /) -> Launches:
        if key not in self._known:
            self.found += 1
            self._known[key] = compute()
        return self._known[key]


@pytest.mark.parametrize(
    ("before", "after", "is_kept"),
    [
        ("int w = v;", "int w = v + 1; v = 3;", True),
        ("return 1;", "return 2;", True),
        ("int u = v;", "int u = v + 1;", True),
        ("int u = 64;", "int u = 32;", True),
        ("int w = v; return w;", "return v;", False),
        ("int w = v;", "LEAVE(v)", False),
        ("inline int kept(int v)", "inline int kept(int &v)", False),
        ("return n;", "return n + 1;", False),
        ("int n = 7;", "int n = 8;", False),
        ("+ 31", "+ 63", False),
    ],
)
def test_a_body_that_nobody_computes_with_is_no_part_of_a_launch(before: str, after: str, *, is_kept: bool) -> None:
    cache, memo = SyntaxCache(), Memo()
    host = HostMemo(memo)

    def launches(text: str, host: HostMemo | None) -> tuple[Launch, Launch]:
        unit = TranslationUnit.build("a.cu", Document.open(text.encode()), DictLoader(), Environment(), cache)
        first, second = launch_shapes(unit, host)["k"]
        return first, second

    assert launches(TEXT, host)[0].own_numbers.argument_values[1] == 12
    edited = TEXT.replace(before, after)
    expected = launches(edited, None)
    memo.found = 0
    found = launches(edited, host)
    assert found == expected
    assert [one.span for one in found] == [one.span for one in expected]
    again = 3 if "u = 64" in before else 0  # both by their texts, one of them by the numbers that are passed, too
    assert (memo.found == again) == is_kept


OBJECTS = """\
struct Shape { int n = 7; };
__global__ void k(int *x, int n);
void fill(Shape &s, int n) { s.n = n; }
void first(int *x, Shape s) { int t = 1; k<<<1, 64>>>(x, s.n); }
void second(int *x, Shape s) { k<<<1, 96>>>(x, s.n); }
int main() { int *x = 0; Shape s; fill(s, 5); first(x, s); second(x, s); }
"""


@pytest.mark.parametrize(
    ("before", "after", "number", "found_anew"),
    [
        ("int t = 1;", "int t = 2;", 5, 2),  # `first` alone: by its text, and by the numbers that it is passed
        ("s.n = n; }", "s.n = n + 1; }", 6, None),
        ("s.n = n; }", "s.n = n; unknown(s); }", None, None),
        ("fill(Shape &s, int n)", "fill(Shape s, int n)", 7, None),
        ("fill(s, 5)", "fill(s, 8)", 8, None),
    ],
)
def test_what_fills_in_an_object_counts_and_what_takes_a_copy_does_not(
    before: str, after: str, number: int | None, found_anew: int | None
) -> None:
    cache, memo = SyntaxCache(), Memo()
    host = HostMemo(memo)

    def launches(text: str, host: HostMemo | None) -> tuple[Launch, ...]:
        unit = TranslationUnit.build("a.cu", Document.open(text.encode()), DictLoader(), Environment(), cache)
        return launch_shapes(unit, host)["k"]

    def passed(found: Launches) -> list[Number | None]:
        return [one.argument_values[1] for launch in found for one in launch.called or (launch.own_numbers,)]

    assert passed(launches(OBJECTS, host)) == [5, 5]
    edited = OBJECTS.replace(before, after)
    memo.found = 0
    found = launches(edited, host)
    assert found == launches(edited, None)
    assert passed(found) == [number, number]
    assert found_anew is None or memo.found == found_anew
