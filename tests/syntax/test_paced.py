"""Whoever has a turn in the middle of reading a text changes nothing of what is read."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from analysis.ir.pace import SHORT, TURN, pace
from analysis.syntax.parsing import PACED_BYTES, parse
from analysis.syntax.repair import repair
from analysis.syntax.tree import Node, convert
from benchmarks.hostile_files import ifs, less_than, unclosed

MISREAD = b"  x = (T)(a)[i] * (T)-1 + (T)(b); if (a && b < c && d >= e) a = (a) + b; T v(a, b[0]); y = sizeof(T);\n"


def tree_of(text: bytes) -> Node:
    tree = parse(text)
    assert tree is not None
    return convert(tree, text)


def shape(root: Node) -> list[tuple[str, int, int, str | None, bool]]:
    return [(node.kind, node.start, node.end, node.role, node.is_missing) for node in root.walk()]


def repaired(root: Node) -> Node:
    return repair(root, lambda name: name == b"T", lambda _name: False, lambda name: name == b"a")


@pytest.mark.parametrize("text", [ifs(1_500), less_than(12_000), unclosed(7_000)])
def test_a_long_text_is_parsed_alike_whoever_has_a_turn(text: str) -> None:
    long = text.encode()
    assert len(long) > PACED_BYTES
    turns: list[str] = []

    def other() -> None:
        turns.append(tree_of(MISREAD).sexp())

    alone = shape(tree_of(long))
    with pace(other):
        assert shape(tree_of(long)) == alone
    assert turns
    assert len(set(turns)) == 1


def test_what_is_raised_in_a_turn_ends_the_parse() -> None:
    with pytest.raises(TimeoutError), pace(_raiser(TimeoutError)):
        parse(ifs(1_500).encode())


def test_a_text_that_is_repaired_in_a_turn_of_its_own_repair_is_repaired_alike() -> None:
    text = b"void f() {\n" + MISREAD * 300 + b"}\n"
    alone = repaired(tree_of(text)).sexp()
    root = tree_of(text)
    turns: list[int] = []

    def other() -> None:
        if len(turns) < 8:
            turns.append(0)
            repaired(root)

    with pace(other):
        repaired(root)
    assert turns
    assert root.sexp() == alone


def test_a_text_whose_repair_was_cut_short_is_repaired_alike_later() -> None:
    text = b"void f() {\n" + MISREAD * 300 + b"}\n"
    root = tree_of(text)
    for allowed in (3, 6, 9):
        left = [allowed]

        def stop(left: list[int] = left) -> None:
            left[0] -= 1
            if not left[0]:
                raise TimeoutError

        with pytest.raises(TimeoutError), pace(stop):
            repaired(root)
    assert repaired(root).sexp() == repaired(tree_of(text)).sexp()


def test_a_node_with_many_children_is_walked_with_turns_among_them() -> None:
    root = tree_of(b"int a[] = {" + b"1," * 4 * TURN + b"2};")
    seen: list[Node] = []
    turns: list[int] = []
    with pace(lambda: turns.append(len(seen))):
        seen.extend(root.walk())
    assert len(turns) >= 4
    assert max(later - earlier for earlier, later in pairwise(turns)) <= TURN + SHORT


def _raiser(error: type[Exception]) -> Callable[[], None]:
    def stop() -> None:
        raise error

    return stop
