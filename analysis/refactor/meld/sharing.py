"""A selection that is needed more than once gets a name: `const float *source = is_even ? north : south;`.

Rules     Only selections without effects, of names that nothing in the melded statements changes; those in a loop count
          as needed more than once.  The declaration stands in front of the first statement that needs it.
Names     what the spellings of the operands share (`peri_row` and `peri_col` give `peri`); else both (`row_or_lane`)
          where they are short; else the role: `index`, `source` for what is read, `target` for what is written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Final, final

from analysis.facts.spelling import spell_type
from analysis.ir.record import record
from analysis.ir.types import BooleanType, FloatType, IntegerType, Type
from analysis.refactor.meld.knowledge import element_of
from analysis.refactor.meld.spelled_types import SpelledType, SpelledTypes
from analysis.refactor.meld.structure import (
    Branching,
    Decision,
    Looping,
    Nested,
    Simple,
    Statement,
    Switching,
    bodies,
    changed,
    declared,
    mapped,
    own_term,
    terms_in,
    with_bodies,
)
from analysis.refactor.meld.terms import (
    SELECT,
    Effect,
    Guard,
    GuardId,
    Local,
    LocalId,
    Term,
    name_of,
    term,
    value_names,
)
from analysis.refactor.meld.writing import text_of

MAX_JOINED: Final = 16
"""Columns of a name that is made of several."""
MAX_COMMON: Final = 20
"""The same, where the names share a word."""
FIRST_SHARED: Final = 1_500_000
"""Numbers of the variables that hold shared selections."""


@final
@record
class Use:
    """A selection, how often it is needed, and what for."""

    selection: Term
    role: str
    side: str = ""
    """`left` or `right`, where an operator needs the elements of two selected arrays."""
    result: str = ""
    """The variable that gets what is read."""


def with_shared_selections(statements: Sequence[Statement], types: SpelledTypes) -> tuple[Statement, ...]:
    """The statements with every repeated selection named; `types` are those of the function's variables."""
    sides = {key: side for whole in terms_in(statements) for key, side in sides_in(whole).items()}
    return _Sharing(types, sides).sequence(tuple(statements), frozenset())


@final
class _Sharing:
    def __init__(self, types: SpelledTypes, sides: Mapping[str, str]) -> None:
        self._types = types
        self._sides = sides
        self._numbers = count(FIRST_SHARED)

    def sequence(self, statements: tuple[Statement, ...], decided: frozenset[GuardId]) -> tuple[Statement, ...]:
        """Outer statements first, so that a selection is made outside of the loops that do not change it."""
        found = _repeated(statements, decided)
        while found is not None:
            found = replace(found, side=self._sides.get(found.selection.key, ""))
            local = variable_of(found, LocalId(next(self._numbers)), self._types)
            statements = with_name(statements, found.selection, local)
            found = _repeated(statements, decided)
        decided |= {one.guard for one in statements if isinstance(one, Decision)}
        return tuple(self._inside(one, decided) for one in statements)

    def _inside(self, statement: Statement, decided: frozenset[GuardId]) -> Statement:
        match statement:
            case Branching(then=then, otherwise=otherwise):
                other = None if otherwise is None else self.sequence(otherwise, decided)
                return replace(statement, then=self.sequence(then, decided), otherwise=other)
            case Switching():
                return with_bodies(statement, tuple(self.sequence(body, decided) for body in bodies(statement)))
            case Looping(body=body) | Nested(body=body):
                return replace(statement, body=self.sequence(body, decided))
            case Simple() | Decision():
                return statement


def with_name(statements: tuple[Statement, ...], selection: Term, local: Local) -> tuple[Statement, ...]:
    def named(inner: Term) -> Term | None:
        bare = inner.children[0] if inner.kind == "parenthesized_expression" and len(inner.children) == 1 else inner
        return name_of(local, inner.rounds) if bare.key == selection.key else None

    at = next(index for index, one in enumerate(statements) if _needs(one, selection.key))
    declarator = term("init_declarator", (f"{local.before}", name_of(local), " = ", selection), local.types)
    glue = "" if local.before.endswith("*") else " "
    parts = (local.spelling, " " if local.before else glue, declarator, ";")
    declaration = Simple(term("declaration", parts, (), 0, selection.rounds), (local,))
    return (*statements[:at], declaration, *mapped(statements[at:], named))


def _needs(statement: Statement, key: str) -> bool:
    return any(inner.key == key for whole in terms_in([statement]) for inner in whole.walk())


def _repeated(statements: Sequence[Statement], decided: frozenset[GuardId]) -> Use | None:
    """The largest selection that is worth a name."""
    fixed = changed(statements)
    inner = declared(statements)
    uses: Counter[str] = Counter()
    found: dict[str, Use] = {}
    for selection, role, weight in _selections(statements):
        if selection.effects is not Effect.NONE or value_names(selection) & fixed or selection.locals & inner:
            continue
        if all(operand.kind == "number_literal" for operand in _operands(selection)):
            continue
        if not _is_decided(selection, statements, decided):
            continue
        uses[selection.key] += weight
        known = found.get(selection.key)
        merged = role if known is None or known.role == role else _both(known.role, role)
        found[selection.key] = Use(selection, merged)
    wanted = [found[key] for key, number in uses.items() if number > 1]
    return max(wanted, key=lambda use: len(use.selection.key), default=None)


def _both(one: str, other: str) -> str:
    return "array" if {one, other} <= {"source", "target", "array"} else "chosen"


def _is_decided(selection: Term, statements: Sequence[Statement], before: frozenset[GuardId]) -> bool:
    """Whether its guards are decided before the first statement that needs it."""
    needed = {inner.meaning.number for inner in selection.walk() if isinstance(inner.meaning, Guard)}
    decided = set(before)
    for statement in statements:
        if _needs(statement, selection.key):
            return needed <= decided
        if isinstance(statement, Decision):
            decided.add(statement.guard)
    return False


def _selections(statements: Sequence[Statement], weight: int = 1) -> Iterator[tuple[Term, str, int]]:
    for statement in statements:
        own = own_term(statement)
        heavier = 2 if isinstance(statement, Looping) else weight
        if isinstance(statement, Looping):
            for child in statement.head.children:
                is_start = child.kind in ("declaration", "expression_statement", "assignment_expression")
                yield from ((one, role, 1 if is_start else 2) for one, role in selections_in(child, "bound"))
        elif own is not None and not _only_declares(own):
            yield from ((one, role, weight) for one, role in selections_in(own, "chosen"))
        for body in bodies(statement):
            yield from _selections(body, heavier)


def _only_declares(own: Term) -> bool:
    """`const int index = guard ? i : j;` has a name already."""
    values = [child.children[-1] for child in own.children if child.kind == "init_declarator"]
    return len(values) == 1 and values[0].kind == SELECT


def selections_in(whole: Term, role: str) -> Iterator[tuple[Term, str]]:
    if whole.kind == SELECT:
        yield whole, role
    for position, child in enumerate(whole.children):
        inner = role
        if whole.kind == "binary_expression" and role in ("index", "offset"):
            inner = "offset"
        elif whole.kind == "subscript_expression":
            inner = ("target" if role == "target" else "source") if position == 0 else "index"
        elif whole.kind == "assignment_expression":
            inner = "target" if position == 0 else "chosen"
        elif whole.kind == "pointer_expression":
            inner = "target" if role == "target" else "source"
        elif whole.kind not in ("parenthesized_expression", "subscript_argument_list") and role != "bound":
            inner = "chosen"
        yield from selections_in(child, inner)


def sides_in(whole: Term) -> dict[str, str]:
    """`left` and `right` for the selected arrays or addresses that the sides of an operator read."""
    for inner in whole.walk():
        if inner.kind == "binary_expression":
            one, other = (_accessed(child) for child in (inner.children[0], inner.children[2]))
            if one is not None and other is not None and one.key != other.key:
                return {one.key: "left", other.key: "right"}
    return {}


def _accessed(operand: Term) -> Term | None:
    """The selection in `*(c ? &a : &b)` or `(c ? a : b)[i]`."""
    if operand.kind == "subscript_expression":
        inner = operand.children[0]
    elif operand.kind == "pointer_expression" and operand.children[0].key == "*":
        inner = operand.children[-1]
    else:
        return None
    if inner.kind == "parenthesized_expression" and len(inner.children) == 1:
        inner = inner.children[0]
    return inner if inner.kind == SELECT else None


def variable_of(use: Use, number: LocalId, types: SpelledTypes) -> Local:
    selection = use.selection
    name, *others = _names(use)
    elements = tuple(map(element_of, selection.types))
    if selection.types and None not in elements and use.role in ("source", "target", "array", "chosen"):
        spelled = _spelled_element(selection, elements, types)
        # What is only read is declared so; what has another use may be read only because its author said so.
        constant = "const " if use.role == "source" or (use.role == "chosen" and _is_constant(selection, types)) else ""
        spelling = "auto" if spelled is None else f"{constant}{spelled}"
        return Local(number, name, spelling, "*", "", selection.types, fixed=False, others=tuple(others))
    is_plain = bool(selection.types) and len(set(selection.types)) == 1 and _is_scalar(selection.types[0])
    spelling = f"const {spell_type(selection.types[0])}" if is_plain else "const auto"
    return Local(number, name, spelling, "", "", selection.types, fixed=False, others=tuple(others))


def _is_scalar(type_: Type | None) -> bool:
    return isinstance(type_, IntegerType | FloatType | BooleanType)


def _spelled_element(selection: Term, elements: Sequence[Type | None], types: SpelledTypes) -> str | None:
    """The type of what the pointer points to, if the function spells it in one way."""
    if not all(map(_is_scalar, elements)):
        return None
    spelled = {_spelled_type(operand, types) for operand in _operands(selection)}
    found = spelled.pop()
    return None if spelled or found is None else found.text


def _spelled_type(operand: Term, types: SpelledTypes) -> SpelledType | None:
    """Of `a`, `&a[i]` or `&a[i][j]`; the members of objects have other types than these."""
    inner = operand.children[-1] if operand.kind == "pointer_expression" else operand
    while inner.kind == "subscript_expression":
        inner = inner.children[0]
    return types.get(text_of(inner)) if inner.kind == "identifier" else None


def _is_constant(selection: Term, types: SpelledTypes) -> bool:
    found = [_spelled_type(operand, types) for operand in _operands(selection)]
    return any(spelled is not None and spelled.is_constant for spelled in found)


def _names(use: Use) -> list[str]:
    """The best name first."""
    names = [_plain_name(operand) for operand in _operands(use.selection)]
    known = [name for name in names if name is not None]
    found: list[str] = []
    if len(known) == len(names) > 1:
        found += _common_names(known)
        joined = "_or_".join(dict.fromkeys(name.lower() for name in known))
        if len(joined) <= MAX_JOINED and len(set(known)) > 1:
            found.append(joined)
    role = use.side or _ROLES.get(use.role, use.role)
    return [*found, role, f"{role}_of_{use.result}"] if use.result else [*found, role]


def _plain_name(operand: Term) -> str | None:
    if operand.kind != "identifier":
        return None
    return "".join(part for part in operand.parts if isinstance(part, str))


def _common_names(names: Sequence[str]) -> Iterator[str]:
    """What all names begin with, or end with; and that with the rest of each (`row_or_column_tile`)."""
    words = [[word.lower() for word in _words(name)] for name in names]
    for is_end in (False, True):
        shared: list[str] = []
        for one, *others in zip(*(each[::-1] if is_end else each for each in words), strict=False):
            if any(one != other for other in others):
                break
            shared.append(one)
        name = "_".join(shared[::-1] if is_end else shared)
        if len(name) <= 2:
            continue
        yield name
        size = len(shared)
        rests = ["_".join(each[: len(each) - size] if is_end else each[size:]) for each in words]
        if all(rests) and len(set(rests)) == len(rests):
            joined = "_or_".join(rests)
            both = f"{joined}_{name}" if is_end else f"{name}_{joined}"
            if len(both) <= MAX_COMMON:
                yield both


def _words(name: str) -> list[str]:
    """`peri_row` and `bigDataSize`, word by word."""
    return re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", name)


def _operands(selection: Term) -> Iterator[Term]:
    for child in selection.children[1:]:
        inner = child.children[0] if child.kind == "parenthesized_expression" and child.children else child
        if inner.kind == SELECT:
            yield from _operands(inner)
        else:
            yield inner


_ROLES: Final = {"chosen": "value"}
