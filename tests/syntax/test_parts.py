"""Parts of a snippet's tree and map, counted from another place, say the same as the whole."""

from __future__ import annotations

import pytest

from analysis.ir.source import Span
from analysis.syntax.frozen_tree import frozen
from analysis.syntax.source_map import SourceMap
from tests.syntax.unit import build, only

TEXT = """#define N 4
#define ADD(a, b) (b + a)
int f(int x) {
  int y = ADD(x, N) * N;
  if (y > ADD(1, 2)) return N;
}
"""


def test_a_frozen_tree_is_the_tree_again() -> None:
    unit = build(TEXT)
    root = unit.snippet(only(unit, "f")).root
    for node in root.walk():
        again = frozen(node, node.start).thawed(node.text)
        assert again.sexp() == node.sexp()
        assert [one.text for one in again.walk()] == [one.text for one in node.walk()]


MAP = SourceMap((0, 10, 14, 20, 21), (0, 10, 17, 30, 17), (-1, 12, -1, 33, -1))
"""Text, a macro of two characters, text, a macro, and a piece of text again."""


@pytest.mark.parametrize("start", range(24))
@pytest.mark.parametrize("length", range(1, 9))
def test_a_part_of_a_map_says_the_same(start: int, length: int) -> None:
    part = MAP.part(start, start + length)
    for first in range(length):
        for last in range(first + 1, length + 1):
            whole = MAP.span(start + first, start + last)
            assert part.span(first, last) == whole
            moved = part.counted_from(2).span(first, last)
            assert moved == Span(whole.start - 2, whole.end - 2)
