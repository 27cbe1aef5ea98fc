"""A selection that is needed more than once gets a name: `const float *source = is_even ? north : south;`.

Rules     Only selections without effects, of names that nothing in the melded statements changes; those in a loop count
          as needed more than once.  The declaration stands in front of the first statement that needs it.
Names     what the spellings of both operands share (`peri_row` and `peri_col` give `peri`); else the role: `index`,
          `source` for what is read, `target` for what is written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Final, final

from analysis.facts.spelling import spell_type
from analysis.ir.record import record
from analysis.ir.types import BooleanType, FloatType, IntegerType, Type
from analysis.refactor.meld.knowledge import element_of
from analysis.refactor.meld.structure import (
    Branching,
    Comments,
    Decision,
    Looping,
    Nested,
    Simple,
    Statement,
    bodies,
    changed,
    declared,
    mapped,
    own_term,
    terms_in,
    with_comments,
)
from analysis.refactor.meld.terms import (
    SELECT,
    Effect,
    Guard,
    GuardId,
    Local,
    LocalId,
    Term,
    free_names_in,
    name_of,
    term,
    value_names,
)
from analysis.refactor.meld.writing import text_of

MAX_STATEMENT: Final = 100
"""A longer statement gets names for the addresses that it selects."""
GUARD_COLUMNS: Final = 10
"""About how long a condition is, which has no spelling yet."""
FIRST_SHARED: Final = 1_500_000
"""Numbers of the variables that hold shared selections."""


@final
@record
class _Use:
    """A selection, how often it is needed, and what for."""

    selection: Term
    role: str


def with_shared_selections(statements: Sequence[Statement], text: str) -> tuple[Statement, ...]:
    """The statements with every repeated selection named; `text` is the function, for declarations of pointers."""
    return _shared(tuple(statements), text, count(FIRST_SHARED), frozenset())


def _shared(
    statements: tuple[Statement, ...], text: str, numbers: Iterator[int], decided: frozenset[GuardId]
) -> tuple[Statement, ...]:
    """Outer statements first, so that a selection is made outside of the loops that do not change it."""
    found = _repeated(statements, decided)
    while found is not None:
        local = _variable(found, LocalId(next(numbers)), text)
        statements = _with_name(statements, found.selection, local)
        found = _repeated(statements, decided)
    statements = tuple(made for one in statements for made in _with_named_addresses(one, text, numbers))
    decided |= {one.guard for one in statements if isinstance(one, Decision)}
    return tuple(_inside(one, text, numbers, decided) for one in statements)


def _inside(statement: Statement, text: str, numbers: Iterator[int], decided: frozenset[GuardId]) -> Statement:
    match statement:
        case Branching(then=then, otherwise=otherwise):
            other = None if otherwise is None else _shared(otherwise, text, numbers, decided)
            return replace(statement, then=_shared(then, text, numbers, decided), otherwise=other)
        case Looping(body=body) | Nested(body=body):
            return replace(statement, body=_shared(body, text, numbers, decided))
        case Simple() | Decision():
            return statement


def _with_named_addresses(statement: Statement, text: str, numbers: Iterator[int]) -> Iterator[Statement]:
    """A long statement with several selections is easier to read where the addresses have names."""
    if not isinstance(statement, Simple) or statement.term.kind != "expression_statement":
        yield statement
        return
    found = [(one, role) for one, role in _in_term(statement.term, "chosen") if one.effects is Effect.NONE]
    addresses = [(one, role) for one, role in found if _is_address(one)]
    guards = sum(isinstance(inner.meaning, Guard) for inner in statement.term.walk())
    columns = len(text_of(statement.term)) + guards * GUARD_COLUMNS
    if len(found) < 2 or columns <= MAX_STATEMENT or not addresses:
        yield statement
        return
    kept = statement.comments
    current: tuple[Statement, ...] = (with_comments(statement, Comments((), kept.beside, kept.below)),)
    for selection, role in addresses:
        if any(_needs(one, selection.key) for one in current[-1:]):
            local = _variable(_Use(selection, role), LocalId(next(numbers)), text)
            current = _with_name(current, selection, local)
    yield with_comments(current[0], Comments(kept.above, current[0].comments.beside, current[0].comments.below))
    yield from current[1:]


def _is_address(selection: Term) -> bool:
    return any(operand.kind == "pointer_expression" for operand in _operands(selection))


def _with_name(statements: tuple[Statement, ...], selection: Term, local: Local) -> tuple[Statement, ...]:
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


def _repeated(statements: Sequence[Statement], decided: frozenset[GuardId]) -> _Use | None:
    """The largest selection that is worth a name."""
    fixed = changed(statements)
    inner = declared(statements)
    uses: Counter[str] = Counter()
    found: dict[str, _Use] = {}
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
        found[selection.key] = _Use(selection, merged)
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
                yield from ((one, role, 1 if is_start else 2) for one, role in _in_term(child, "bound"))
        elif own is not None and not _only_declares(own):
            yield from ((one, role, weight) for one, role in _in_term(own, "chosen"))
        for body in bodies(statement):
            yield from _selections(body, heavier)


def _only_declares(own: Term) -> bool:
    """`const int index = guard ? i : j;` has a name already."""
    values = [child.children[-1] for child in own.children if child.kind == "init_declarator"]
    return len(values) == 1 and values[0].kind == SELECT


def _in_term(whole: Term, role: str) -> Iterator[tuple[Term, str]]:
    if whole.kind == SELECT:
        yield whole, role
    for position, child in enumerate(whole.children):
        inner = role
        if whole.kind == "subscript_expression":
            inner = ("target" if role == "target" else "source") if position == 0 else "index"
        elif whole.kind == "assignment_expression":
            inner = "target" if position == 0 else "chosen"
        elif whole.kind == "pointer_expression":
            inner = "target" if role == "target" else "source"
        elif whole.kind not in ("parenthesized_expression", "subscript_argument_list") and role != "bound":
            inner = "chosen"
        yield from _in_term(child, inner)


def _variable(use: _Use, number: LocalId, text: str) -> Local:
    selection = use.selection
    types = selection.types
    name = _common_name(selection) or use.role
    elements = tuple(map(element_of, types))
    if types and None not in elements and use.role in ("source", "target", "array", "chosen"):
        element = elements[0]
        is_plain = len(set(elements)) == 1 and element is not None and _is_scalar(element)
        constant = "const " if use.role == "source" and _points_to_constant(selection, text) else ""
        is_plain = is_plain and _is_declared_here(selection, text)
        spelling = f"{constant}{spell_type(element)}" if is_plain and element is not None else "auto"
        return Local(number, name, spelling, "*", "", types, fixed=False)
    is_plain = bool(types) and len(set(types)) == 1 and _is_scalar(types[0])
    spelling = f"const {spell_type(types[0])}" if is_plain else "const auto"
    return Local(number, name, spelling, "", "", types, fixed=False)


def _is_scalar(type_: Type) -> bool:
    return isinstance(type_, IntegerType | FloatType | BooleanType)


def _points_to_constant(selection: Term, text: str) -> bool:
    """Whether one of the pointers was declared with `const`, as the text of the function says."""
    for name in free_names_in(selection) | {local.name for local in selection.locals}:
        for found in re.finditer(rf"([^,;(){{}}]*)\*[^,;(){{}}=]*\b{re.escape(name)}\b\s*[,;)=]", text):
            if re.search(r"\bconst\b", found[1]):
                return True
    return False


def _is_declared_here(selection: Term, text: str) -> bool:
    """Whether the function declares every array and pointer, so that its type can be repeated."""
    names = {_base(operand) for operand in _operands(selection)}
    return all(re.search(rf"[\w*&]\s*\b{re.escape(name)}\b\s*[\[,;)=]", text) for name in names)


def _base(operand: Term) -> str:
    """The array or pointer of `a`, `&a[i]` or `&a[i][j]`."""
    found = next((inner for inner in operand.walk() if inner.kind == "identifier"), operand)
    return text_of(found)


def _common_name(selection: Term) -> str | None:
    """What the names of all operands begin with, or end with."""
    names = [
        "".join(part for part in inner.parts if isinstance(part, str))
        for inner in _operands(selection)
        if inner.kind == "identifier"
    ]
    if len(names) < 2 or len(names) != len(list(_operands(selection))):
        return None
    words = [_words(name) for name in names]
    for ordered in (words, [word[::-1] for word in words]):
        shared: list[str] = []
        for one, *others in zip(*ordered, strict=False):
            if any(one.lower() != other.lower() for other in others):
                break
            shared.append(one)
        name = "_".join(word.lower() for word in (shared if ordered is words else shared[::-1]))
        if len(name) > 2:
            return name
    return None


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
