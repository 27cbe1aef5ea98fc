"""Selections that make a statement too long, or that are too many in it, get names in front of it.

Rules     A statement that fits into its line keeps up to `MAX_INSIDE` selections where they are.  A selection that is
          the whole value of an assignment or a declaration stays: it is broken in front of its `:`.  Arguments of a
          call stay as well, for a call can be broken between them.
Only      what the statement evaluates anyway, and what nothing in it changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Final, final

from analysis.refactor.meld.sharing import Use, selections_in, sides_in, variable_of, with_name
from analysis.refactor.meld.spelled_types import SpelledTypes
from analysis.refactor.meld.structure import (
    Branching,
    Comments,
    Decision,
    Looping,
    Nested,
    Simple,
    Statement,
    Switching,
    bodies,
    with_bodies,
    with_comments,
)
from analysis.refactor.meld.terms import (
    IDENTIFIER,
    SELECT,
    Effect,
    LocalId,
    Term,
    changed_names,
    term,
    value_names,
    with_children,
)
from analysis.refactor.meld.writing import MAX_COLUMNS, Style, text_of

MAX_INSIDE: Final = 2
FIRST_NAMED: Final = 1_750_000
"""Numbers of the variables that hold the selections of one statement."""


def with_short_statements(statements: Sequence[Statement], types: SpelledTypes, style: Style) -> tuple[Statement, ...]:
    """The statements, each readable at a glance; guards are spelled before."""
    return _Shortening(types, style).sequence(statements, 0)


@final
class _Shortening:
    def __init__(self, types: SpelledTypes, style: Style) -> None:
        self._types = types
        self._style = style
        self._numbers = count(FIRST_NAMED)

    def sequence(self, statements: Sequence[Statement], depth: int) -> tuple[Statement, ...]:
        return tuple(found for one in statements for found in self._one(one, depth))

    def _one(self, statement: Statement, depth: int) -> Iterator[Statement]:
        match statement:
            case Branching(then=then, otherwise=otherwise):
                other = None if otherwise is None else self.sequence(otherwise, depth + 1)
                yield replace(statement, then=self.sequence(then, depth + 1), otherwise=other)
            case Switching():
                yield with_bodies(statement, tuple(self.sequence(body, depth + 2) for body in bodies(statement)))
            case Looping(body=body) | Nested(body=body):
                yield replace(statement, body=self.sequence(body, depth + 1))
            case Simple():
                yield from self._short(statement, depth)
            case Decision():
                yield statement

    def _short(self, statement: Simple, depth: int) -> Iterator[Statement]:
        chosen = self._chosen(statement.term, depth)
        if not chosen:
            yield replace(statement, term=_spaced(statement.term))
            return
        kept = statement.comments
        current: tuple[Statement, ...] = (with_comments(statement, Comments((), kept.beside, kept.below)),)
        for use in chosen:
            local = variable_of(use, LocalId(next(self._numbers)), self._types)
            current = with_name(current, use.selection, local)
        first, *others = (replace(one, term=_spaced(one.term)) if isinstance(one, Simple) else one for one in current)
        yield with_comments(first, Comments(kept.above, first.comments.beside, first.comments.below))
        yield from others

    def _chosen(self, whole: Term, depth: int) -> list[Use]:
        """The selections that get names, and what they are for."""
        indent = len(f"{self._style.margin}{self._style.unit * depth}".expandtabs(4))
        is_long = "\n" not in text_of(whole) and indent + len(text_of(whole).strip()) > MAX_COLUMNS
        found = _outermost(whole, is_argument=False)
        inside = sum(inner.kind == SELECT for one in found for inner in one.walk())
        if not (is_long or inside > MAX_INSIDE):
            return []
        changing = changed_names(whole)
        roles = {selection.key: role for selection, role in selections_in(whole, "chosen")}
        sides = sides_in(whole)
        named: dict[str, Use] = {}
        for selection in found:
            may_move = Effect.CHANGES not in selection.effects and not value_names(selection) & changing
            if may_move and (selection.effects is Effect.NONE or changes_last(whole)):
                named[selection.key] = Use(
                    selection, roles[selection.key], sides.get(selection.key, ""), _result(whole)
                )
        return list(named.values())


def _outermost(whole: Term, *, is_argument: bool) -> list[Term]:
    """Selections that the statement evaluates whatever happens, but for those that are its whole value."""
    if whole.kind == SELECT:
        return [] if is_argument else [whole]
    if whole.kind == "conditional_expression" or any(child.key in ("&&", "||") for child in whole.children):
        return []
    is_value = whole.kind in ("assignment_expression", "init_declarator", "return_statement")
    found: list[Term] = []
    for child in whole.children:
        if is_value and child is whole.children[-1] and child.kind == SELECT:
            continue
        found += _outermost(child, is_argument=whole.kind == "argument_list")
    return found


def _result(whole: Term) -> str:
    """The variable that the statement assigns, if it is a plain one."""
    inner = whole.children[0] if whole.kind == "expression_statement" and whole.children else whole
    if inner.kind != "assignment_expression" or inner.children[0].kind != IDENTIFIER:
        return ""
    return text_of(inner.children[0])


def changes_last(whole: Term) -> bool:
    """Whether nothing is changed before the value of an assignment or a declaration is known."""
    if whole.kind == "declaration":
        return Effect.CHANGES not in whole.effects
    inner = whole.children[0] if whole.kind == "expression_statement" and whole.children else whole
    if inner.kind != "assignment_expression":
        return Effect.CHANGES not in whole.effects
    return all(Effect.CHANGES not in child.effects for child in inner.children)


def _spaced(whole: Term) -> Term:
    """With spaces around an operator that would touch another one: `x -= *left * *right`."""
    children = [_spaced(child) for child in whole.children]
    if any(one is not other for one, other in zip(children, whole.children, strict=True)):
        whole = with_children(whole, children)
    if whole.kind not in ("binary_expression", "assignment_expression", "init_declarator"):
        return whole
    if len(children) == 3 and len(whole.parts) == 3 and text_of(children[2])[:1] in ("*", "&", "-"):
        parts = (children[0], " ", children[1], " ", children[2])
        return term(whole.kind, parts, whole.types, whole.own, whole.rounds, whole.own_effects, whole.meaning)
    return whole
