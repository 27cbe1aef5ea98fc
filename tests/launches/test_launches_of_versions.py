"""Launches of one version of a text are those of the last one where nothing that they are computed from changed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from analysis.launches import Launch, launch_shapes
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

    def launches(text: str, memo: Memo | None) -> tuple[Launch, Launch]:
        unit = TranslationUnit.build("a.cu", Document.open(text.encode()), DictLoader(), Environment(), cache)
        first, second = launch_shapes(unit, memo)["k"]
        return first, second

    assert launches(TEXT, memo)[0].own_numbers.argument_values[1] == 12
    edited = TEXT.replace(before, after)
    expected = launches(edited, None)
    memo.found = 0
    found = launches(edited, memo)
    assert found == expected
    assert [one.span for one in found] == [one.span for one in expected]
    again = 3 if "u = 64" in before else 0  # both by their texts, one of them by the numbers that are passed, too
    assert (memo.found == again) == is_kept
