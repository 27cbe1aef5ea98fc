"""A syntax tree that can be taken apart and put together again, and still reads as its author wrote it.

A *term* is an expression, a declaration or the head of a loop: pieces of source text with terms between them.  What
it costs, which types it has and what it does besides computing a value come from the IR; terms that melding makes get
these from their parts.

Names     A variable that is declared in one of the arms is a `Local`, not a text, so it can be renamed.  The outcome
          of a branch's condition is a `Guard`: how it is spelled is decided at the very end.
Equality  Two terms are equal when their `key`s are: the same tokens, whatever spaces and comments stand between them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from enum import Flag
from functools import lru_cache
from typing import Final, NewType, TypeAlias, final

from analysis.ir.record import record
from analysis.ir.types import ArrayType, IntegerType, PointerType, Type

LocalId = NewType("LocalId", int)
GuardId = NewType("GuardId", int)


class Effect(Flag):
    """What evaluating a term does, besides giving a value."""

    NONE = 0
    LOADS = 1
    """Reads memory: another thread may write it, and the address may not be valid."""
    TRAPS = 2
    """Divides integers: must not be evaluated where it was not."""
    CHANGES = 4
    """Assigns, stores, prints, or calls something that may."""


@final
@record
class Local:
    """A variable that an arm declares; `spelling` is its declared type without the declarator's `*` and `[]`."""

    number: LocalId
    name: str
    spelling: str
    before: str
    """What stands between the type and the name: `*`, `&`, or nothing."""
    after: str
    """What stands after the name: the extents of an array, or nothing."""
    types: tuple[Type, ...]
    fixed: bool
    """A macro of the function spells the name, so it must not change."""
    others: tuple[str, ...] = ()
    """Names for a new variable where `name` is taken."""


@final
@record
class Guard:
    """Whether a lane takes the first arm of a branch; `negated`: whether it does not."""

    number: GuardId
    negated: bool = False


Meaning: TypeAlias = Local | Guard | None

SELECT: Final = "select"
"""The kind of a term `guard ? left : right`."""
GUARD: Final = "guard"
IDENTIFIER: Final = "identifier"
BOUND_ARGUMENT: Final = "bound_argument"
"""The kind of an argument through which a call may change what is passed."""
_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_SPACE: Final = re.compile(r"(?:\\\r?\n|\s)+")


@final
@record
class Term:
    """An expression, a declaration, or the head of a loop.

    `own` are the issue slots without the children and `slots` with them; instructions and effects alike.  It runs
    `rounds` times.
    """

    kind: str
    parts: tuple[str | Term, ...]
    types: tuple[Type, ...]
    own: float
    own_issued: float
    rounds: float
    own_effects: Effect
    effects: Effect
    slots: float
    issued: float
    key: str
    meaning: Meaning
    locals: frozenset[Local]
    """The local variables that it names."""
    children: tuple[Term, ...]
    """The terms among its parts."""
    guards: frozenset[GuardId]
    """The guards that it asks."""
    selections: int
    """How many selections it consists of."""

    def walk(self) -> Iterator[Term]:
        """This term and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


def term(
    kind: str,
    parts: Sequence[str | Term],
    types: tuple[Type, ...] = (),
    own: float = 0,
    rounds: float = 1,
    effects: Effect = Effect.NONE,
    meaning: Meaning = None,
    own_issued: float | None = None,
) -> Term:
    """A term whose price, effects and key include those of its children; by default a slot is an instruction."""
    slots = own
    instructions = own if own_issued is None else own_issued
    issued = instructions
    everything = effects
    named: frozenset[Local] = frozenset((meaning,)) if isinstance(meaning, Local) else _NOBODY
    guards: frozenset[GuardId] = frozenset((meaning.number,)) if isinstance(meaning, Guard) else _NO_GUARDS
    selections = int(kind == SELECT)
    children: list[Term] = []
    for part in parts:
        if isinstance(part, Term):
            children.append(part)
            slots += part.slots
            issued += part.issued
            selections += part.selections
            if part.effects is not Effect.NONE and part.effects is not everything:
                everything |= part.effects
            if part.locals:
                named |= part.locals
            if part.guards:
                guards |= part.guards
    key = _key(parts, meaning)
    return Term(
        kind,
        tuple(parts),
        types,
        own,
        instructions,
        rounds,
        effects,
        everything,
        slots,
        issued,
        key,
        meaning,
        named,
        tuple(children),
        guards,
        selections,
    )


_NOBODY: Final[frozenset[Local]] = frozenset()
_NO_GUARDS: Final[frozenset[GuardId]] = frozenset()


def name_of(local: Local, rounds: float = 1) -> Term:
    """A use of a local variable."""
    return term(IDENTIFIER, (local.name,), local.types, 0, rounds, meaning=local)


@lru_cache(256)
def guard_use(number: GuardId, rounds: float, *, negated: bool = False) -> Term:
    """The outcome of a branch's condition, as an operand."""
    return term(GUARD, ("?",), (), 0, rounds, meaning=Guard(number, negated))


@lru_cache(256)
def guard_test(number: GuardId, rounds: float, *, negated: bool = False) -> Term:
    """The same as the condition of an `if`, which costs a slot."""
    return term(GUARD, ("?",), (), rounds, rounds, meaning=Guard(number, negated))


def select(guard: GuardId, left: Term, right: Term) -> Term:
    """`guard ? left : right`."""
    rounds = max(left.rounds, right.rounds)
    condition = guard_use(guard, rounds)
    if right.kind == SELECT and right.children[1].key == left.key:  # `g ? x : h ? x : y`
        inner, _, other = right.children
        operands = (condition, " ", term("||", ("||",)), " ", bracketed(inner, _LOOSER_THAN_OR))
        either = term("binary_expression", operands, (), rounds, rounds)
        return term(SELECT, (either, *right.parts[1:-1], other), right.types, rounds, rounds)
    return selected(condition, left, right)


def selected(condition: Term, left: Term, right: Term) -> Term:
    """`condition ? left : right`; operands of such a selection that bind less tightly get parentheses."""
    rounds = max(left.rounds, right.rounds)
    types = right.types if left.kind == "number_literal" else left.types or right.types
    parts = (condition, " ? ", bracketed(left, _LOOSER_THAN_SELECT), " : ", bracketed(right, _LOOSER_THAN_COLON))
    return term(SELECT, parts, types, rounds, rounds)


def bracketed(inner: Term, kinds: frozenset[str]) -> Term:
    """`inner`, in parentheses if it is of one of the kinds."""
    if inner.kind not in kinds:
        return inner
    return term("parenthesized_expression", ("(", inner, ")"), inner.types, 0, inner.rounds)


def with_children(whole: Term, children: Sequence[Term], other: Term | None = None) -> Term:
    """`whole` with other children; with `other`, the price of a term that stands for both."""
    following = iter(children)
    parts = [part if isinstance(part, str) else next(following) for part in whole.parts]
    own = whole.own if other is None else max(whole.own, other.own)
    rounds = whole.rounds if other is None else max(whole.rounds, other.rounds)
    effects = whole.own_effects | (Effect.NONE if other is None else other.own_effects)
    issued = whole.own_issued if other is None else max(whole.own_issued, other.own_issued)
    return term(whole.kind, parts, whole.types, own, rounds, effects, whole.meaning, issued)


def replaced(whole: Term, replace: Callable[[Term], Term | None]) -> Term:
    """`whole` with every term for which `replace` has an answer replaced, outermost first."""
    found = replace(whole)
    if found is not None:
        return found
    children = whole.children
    changed = [replaced(child, replace) for child in children]
    if all(one is other for one, other in zip(children, changed, strict=True)):
        return whole
    return with_children(whole, changed)


def free_names_in(whole: Term) -> frozenset[str]:
    """Identifiers that are not local variables of an arm."""
    return frozenset(
        word
        for found in whole.walk()
        if found.meaning is None
        for part in found.parts
        if isinstance(part, str)
        for word in _WORD.findall(without_comments(part))
    )


def changed_names(whole: Term) -> frozenset[str | Local]:
    """The variables that it assigns: of `v[0] = x` and `v.x = x` that is `v`; none where `v` is a pointer."""
    found: set[str | Local] = set()
    for inner in whole.walk():
        children = inner.children
        if inner.kind in ("assignment_expression", "update_expression"):
            found |= _stored([child for child in children if child.kind not in _OPERATORS][:1])
        elif inner.kind == "pointer_expression" and children[0].key == "&":
            found |= _stored(children[-1:])  # Whoever gets the address may assign.
        elif inner.kind == "argument_list":
            found |= _stored(_places(children))  # So may whoever gets a reference.
    return frozenset(found)


def value_names(whole: Term) -> frozenset[str | Local]:
    """The variables that decide what it evaluates to; the address of an array never changes."""
    children = whole.children
    if whole.kind == IDENTIFIER:
        is_address = bool(whole.types) and all(isinstance(type_, ArrayType) for type_ in whole.types)
        return frozenset() if is_address else frozenset((_name(whole),))
    if whole.meaning is not None:
        return frozenset()
    found: set[str | Local] = set()
    if not children:
        return free_names_in(whole)
    for child in children:
        # `a[i]` reads the elements of an array, `&a[i]` does not.
        is_read = whole.kind == "subscript_expression" and child is children[0] and child.kind == IDENTIFIER
        found |= {_name(child)} if is_read else value_names(child)
    if whole.kind == "pointer_expression" and children[0].key == "&":
        base = _base(children[-1])
        if base is not None and not value_names(base):
            found.discard(_name(base))
    return frozenset(found)


def comments_in(whole: Term | None) -> tuple[str, ...]:
    """The comments between the pieces of its text."""
    found: list[str] = []
    if whole is None:
        return ()
    for part in whole.parts:
        if isinstance(part, Term):
            found += comments_in(part)
        else:
            found += comments_of(part)
    return tuple(found)


def comments_of(text: str) -> list[str]:
    """The comments of a piece of text, as written."""
    return _COMMENT.findall(text) if "/" in text else []


def without_comments(text: str) -> str:
    return _COMMENT.sub(" ", text) if "/" in text else text


def are_integers(comparison: Term) -> bool:
    """Whether both sides have integer types."""
    sides = comparison.children[0].types, comparison.children[2].types
    return all(types and all(isinstance(type_, IntegerType) for type_ in types) for types in sides)


def is_leaf(whole: Term) -> bool:
    """A name or a literal."""
    return whole.kind in (IDENTIFIER, "number_literal", "true", "false", "char_literal", GUARD)


def _places(operands: Sequence[Term]) -> list[Term]:
    """Those that a reference can be bound to; a macro may hide one."""
    found: list[Term] = []
    for operand in operands:
        if operand.kind in _SELECTING:
            found += _places(operand.children)
        elif operand.kind in _LVALUES:
            found.append(operand)
        elif operand.kind == "macro_use":
            found += (inner for inner in operand.walk() if inner.kind == IDENTIFIER)
    return found


def _stored(places: Sequence[Term]) -> set[str | Local]:
    bases = [_base(place) for place in places]
    return {_name(base) for base in bases if base is not None}


def _base(place: Term) -> Term | None:
    """The variable that a place is part of; None where a pointer leads to it."""
    found = place
    while found.kind != IDENTIFIER:
        if not found.children or _follows_pointer(found):
            return None
        found = found.children[0]
    return found


def _follows_pointer(place: Term) -> bool:
    children = place.children
    match place.kind:
        case "pointer_expression":
            return children[0].key == "*"
        case "field_expression":
            return len(children) > 1 and children[1].key == "->"
        case "subscript_expression":
            types = children[0].types
            return bool(types) and all(isinstance(type_, PointerType) for type_ in types)
        case _:
            return False


def _name(identifier: Term) -> str | Local:
    return identifier.meaning if isinstance(identifier.meaning, Local) else "".join(map(str, identifier.parts))


def _key(parts: Sequence[str | Term], meaning: Meaning) -> str:
    match meaning:
        case Local(number=number):
            return f"\x01{number}"
        case Guard(number=number, negated=negated):
            return f"\x02{number}{'!' if negated else ''}"
        case None:
            pieces = [part.key if isinstance(part, Term) else _without_space(part) for part in parts]
            return " ".join([piece for piece in pieces if piece])


def _without_space(text: str) -> str:
    text = without_comments(text)
    return _SPACE.sub("", text) if "\\" in text else "".join(text.split())


_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_OPERATORS: Final = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "++", "--", "."})
_SELECTING: Final = frozenset(
    {SELECT, BOUND_ARGUMENT, "conditional_expression", "parenthesized_expression", "comma_expression"}
)
_LVALUES: Final = frozenset({IDENTIFIER, "subscript_expression", "field_expression", "pointer_expression"})
_LOOSER_THAN_SELECT: Final = frozenset({SELECT, "conditional_expression", "assignment_expression", "comma_expression"})
_LOOSER_THAN_OR: Final = frozenset({SELECT, "conditional_expression"})
_LOOSER_THAN_COLON: Final = frozenset({"assignment_expression", "comma_expression"})
