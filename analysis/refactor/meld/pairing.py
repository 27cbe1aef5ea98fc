"""Which variables of the two arms play the same role?

Rules     Variables are paired in the order of their declarations: of equal type, declared at the same depth in the same
          kind of statement; equal names count most, then initial values of the same shape.  The variable of the second
          arm takes the name of the first one's.  Whether the declarations themselves are melded is decided later.
Never     variables that other threads or calls see (`__shared__`, `static`): those of the two arms are two objects; and
          `constexpr` ones of different values, because a selected value is no constant.
Depth     Two variables at equal depth can only meet in one scope where the scopes around them are melded too, so no
          use of one is captured by the other.  The variable of a `for` is seen in its loop alone, so its depth is free.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, final

from analysis.ir.record import record
from analysis.meld.alignment import align
from analysis.refactor.meld.structure import Looping, Simple, Statement, bodies, own_term
from analysis.refactor.meld.terms import Local, Term

SAME_NAME: Final = 4.0
SAME_SHAPE: Final = 2.0
SAME_TYPE: Final = 1.0


@final
@record
class _Declared:
    local: Local
    depth: int
    in_loop_head: bool
    shape: str
    value: str


def paired_locals(left: Sequence[Statement], right: Sequence[Statement]) -> Mapping[Local, Local]:
    """For variables of the right arm the variable of the left arm that takes their place."""
    lefts, rights = tuple(_declarations(left, 0)), tuple(_declarations(right, 0))
    found = align(lefts, rights, _likeness, 0)
    return {rights[other].local: lefts[one].local for one, other in found.pairs}


def _declarations(statements: Sequence[Statement], depth: int) -> Iterator[_Declared]:
    for statement in statements:
        if isinstance(statement, Simple | Looping):
            whole = own_term(statement)
            for local in statement.declares:
                shape = "" if whole is None else _shape(whole, local)
                value = "" if whole is None else _value(whole, local)
                yield _Declared(local, depth, isinstance(statement, Looping), shape, value)
        for body in bodies(statement):
            yield from _declarations(body, depth + 1)


def _likeness(one: _Declared, other: _Declared) -> float | None:
    left, right = one.local, other.local
    if one.in_loop_head != other.in_loop_head or (one.depth != other.depth and not one.in_loop_head):
        return None
    if (left.spelling, _tight(left.before), _tight(left.after)) != (
        right.spelling,
        _tight(right.before),
        _tight(right.after),
    ):
        return None
    if left.name != right.name and (left.fixed or right.fixed):
        return None
    words = set(left.spelling.split())
    if words & _ONE_OBJECT or ("constexpr" in words and one.value != other.value):
        return None
    score = SAME_TYPE
    if left.name == right.name:
        score += SAME_NAME
    if one.shape == other.shape:
        score += SAME_SHAPE
    return score


def _tight(text: str) -> str:
    return "".join(text.split())


def _shape(whole: Term, local: Local) -> str:
    """The kinds of the terms in the initial value."""
    value = _initial_value(whole, local)
    return "" if value is None else " ".join(found.kind for found in value.walk())


def _value(whole: Term, local: Local) -> str:
    """The initial value, for comparison."""
    value = _initial_value(whole, local)
    return "" if value is None else value.key


def _initial_value(whole: Term, local: Local) -> Term | None:
    for inner in whole.walk():
        children = inner.children
        if inner.kind == "init_declarator" and any(found.meaning == local for found in children[0].walk()):
            return children[-1]
    return None


_ONE_OBJECT: Final = frozenset({"__shared__", "static", "extern"})
