"""One term that does what either of two terms does, depending on the guard: anti-unification with selected operands.

Rules     Equal parts stay.  Where two parts differ, a value becomes `guard ? left : right`, evaluated lazily as C++
          does it, so no side is ever computed for the other.  Of all places where a selection could stand the cheapest
          is chosen; between equals the one with fewer selections.
          Accesses select the address: `(guard ? a : b)[i]`, `a[guard ? i : j]`, so memory is read once.
          Operators that differ: both results are selected over operands that are loaded once, into named variables.
          `x += a` and `x -= b` become `x += guard ? a : -b` where that is the same: in IEEE 754, in integers that are
          no wider than the operand, and where the operand is promoted before it is negated.
Types     Both sides of a selection have the same type, so the usual arithmetic conversions find what they found
          before.  A literal may stand beside any arithmetic type where the result is converted to a known type anyway.
Limits    Arrays in registers are not selected by address: that would move them to memory.  Names of functions,
          members and types are never selected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, final

from analysis.ir.record import record
from analysis.ir.types import BooleanType, FloatType, IntegerType, MemorySpace, PointerType, Type
from analysis.meld.alignment import align
from analysis.refactor.meld.contexts import (
    BASES,
    CONDITIONAL,
    CONTEXTS,
    DELIMITED,
    LOOSE,
    NO_VALUES,
    PLACES,
    SELECTS,
    STATEMENTS,
    TIGHT,
    Context,
)
from analysis.refactor.meld.distinct_types import DistinctTypes
from analysis.refactor.meld.knowledge import element_of
from analysis.refactor.meld.terms import (
    IDENTIFIER,
    SELECT,
    Effect,
    GuardId,
    Local,
    Term,
    bracketed,
    is_leaf,
    name_of,
    replaced,
    select,
    term,
    with_children,
)


@final
@record
class Named:
    """A variable that melding introduces, with the value that it is declared with."""

    local: Local
    value: Term


@final
@record
class Melded:
    """The term, and what is declared in front of its statement."""

    term: Term
    named: tuple[Named, ...] = ()

    @property
    def slots(self) -> float:
        return self.term.slots + sum(one.value.slots for one in self.named)

    @property
    def issued(self) -> float:
        return self.term.issued + sum(one.value.issued for one in self.named)


@final
class TermMelder:
    """Melds terms under one guard; remembers what it has melded."""

    def __init__(
        self,
        guard: GuardId,
        in_registers: frozenset[str],
        distinct: DistinctTypes,
        fresh: Callable[[str, tuple[Type, ...]], Local],
    ) -> None:
        self._guard = guard
        self._in_registers = in_registers
        self._distinct = distinct
        self._fresh = fresh
        self._known: dict[tuple[int, int, Context, bool], Melded | None] = {}
        self._kept: list[Term] = []
        """Terms whose identity is a key above stay alive."""

    def meld(self, left: Term, right: Term, context: Context, *, may_name: bool) -> Melded | None:
        """The melded term; None if there is none.  `may_name`: variables may be declared in front of the statement."""
        if left.key == right.key:
            return Melded(left)
        place = (id(left), id(right), context, may_name)
        if place not in self._known:
            self._kept += (left, right)
            found = [one for one in self._candidates(left, right, context, may_name) if one is not None]
            self._known[place] = min(found, key=_preference, default=None)
        return self._known[place]

    def _candidates(self, left: Term, right: Term, context: Context, may_name: bool) -> list[Melded | None]:
        if context is Context.EXACT:
            return []
        found: list[Melded | None] = []
        structural = None
        if left.kind == right.kind and left.kind in CONTEXTS:
            structural = self._structural(left, right, context, may_name)
            found.append(structural)
        if context is Context.BASE:
            found.append(self._selected_base(left, right))
        elif structural is None or structural.term.selections > 1:
            found.append(self._selected_address(left, right))
        if context in (Context.VALUE, Context.TARGET):
            found.append(self._selected(left, right, context))
            if may_name:
                found.append(self._selected_over_loads(left, right, context))
        if left.kind == right.kind == "assignment_expression":
            found.append(self._signed_update(left, right, may_name))
        return found

    def fresh(self, role: str, type_: Type) -> Local:
        """A new variable, whose name says what it is for."""
        return self._fresh(role, (type_,))

    # -- the same operation -----------------------------------------------------------------------------------------

    def _structural(self, left: Term, right: Term, context: Context, may_name: bool) -> Melded | None:
        ones, others = left.children, right.children
        contexts = CONTEXTS[left.kind](ones, context)
        if len(ones) != len(others) or contexts is None or not _same_frame(left, right):
            return None
        if context is Context.PLACE and left.kind not in PLACES:
            return None
        inside = may_name and not _is_lazy(left) and Effect.CHANGES not in _operand_effects(left, right)
        children: list[Term] = []
        named: list[Named] = []
        for one, other, expected in zip(ones, others, contexts, strict=True):
            found = self.meld(one, other, expected, may_name=inside)
            if found is None:
                return None
            child = found.term
            if child.kind == SELECT and left.kind not in DELIMITED:
                child = bracketed(child, SELECTS)
            elif child.kind != one.kind and left.kind not in DELIMITED:
                child = bracketed(child, LOOSE)
            children.append(child)
            named += found.named
        return Melded(with_children(left, children, right), tuple(named))

    # -- selections -------------------------------------------------------------------------------------------------

    def _selected(self, left: Term, right: Term, context: Context) -> Melded | None:
        if not self._selectable(left, right, context) or left.kind in NO_VALUES or right.kind in NO_VALUES:
            return None
        found = select(self._guard, _bare(left), _bare(right))
        return Melded(found)

    def _selectable(self, left: Term, right: Term, context: Context) -> bool:
        if self._distinct.are_apart(left, right):
            return False
        if left.types and left.types == right.types:
            return True
        if left.meaning is not None and type(left.meaning) is type(right.meaning) and not left.types:
            return not isinstance(left.meaning, Local)
        return context is Context.TARGET and (_fits(left, right) or _fits(right, left))

    def _selected_base(self, left: Term, right: Term) -> Melded | None:
        """Two arrays or pointers with the same elements."""
        left, right = _bare(left), _bare(right)
        if not {left.kind, right.kind} <= BASES:
            return None
        if self._is_array_in_registers(left) or self._is_array_in_registers(right):
            return None
        if self._distinct.are_apart(left, right):
            return None
        elements = [tuple(map(element_of, side.types)) for side in (left, right)]
        if not elements[0] or elements[0] != elements[1] or None in elements[0]:
            return None
        return Melded(bracketed(select(self._guard, left, right), SELECTS))

    # -- other operations -------------------------------------------------------------------------------------------

    def _selected_address(self, left: Term, right: Term) -> Melded | None:
        """`*(guard ? &a[i] : &b[j])`: one access where base and index differ."""
        if not _is_access(left) or not _is_access(right):
            return None
        types = accessed(left)
        if not types or types != accessed(right):
            return None
        if self._is_in_registers(left) or self._is_in_registers(right):
            return None
        if self._distinct.are_apart(_address(left), _address(right)):
            return None
        selection = select(self._guard, _address(left), _address(right))
        own, issued = max(left.own, right.own), max(left.own_issued, right.own_issued)
        effects = left.own_effects | right.own_effects
        if not (left.kind == right.kind == "pointer_expression"):
            issued += left.rounds  # Each side adds its own index.
        parts = (term("*", ("*",)), bracketed(selection, SELECTS))
        return Melded(term("pointer_expression", parts, types, own, left.rounds, effects, own_issued=issued))

    def _is_in_registers(self, access: Term) -> bool:
        base = access
        while base.children and base.kind in ("subscript_expression", "parenthesized_expression"):
            base = base.children[0]
        return self._is_array_in_registers(base)

    def _is_array_in_registers(self, base: Term) -> bool:
        return base.kind == IDENTIFIER and base.parts[0] in self._in_registers

    def _selected_over_loads(self, left: Term, right: Term, context: Context) -> Melded | None:
        """`guard ? a < b : a > b`: what both sides load is loaded once, into new variables."""
        if not self._selectable(left, right, context) or left.kind in NO_VALUES or right.kind in NO_VALUES:
            return None
        if Effect.CHANGES in left.effects | right.effects:
            return None
        ones, others = loads_in(left), loads_in(right)
        if not ones or not others or left in ones or right in others:
            return None
        found = align(ones, others, self._load_saved, 0)
        values: dict[int, Term] = {}
        named: list[Named] = []
        known: dict[str, Local] = {}
        roles = ("left", "right") if len(found.pairs) == 2 and _compares(left) and _compares(right) else ()
        for number, (one, other) in enumerate(found.pairs):
            load = self.meld(ones[one], others[other], Context.VALUE, may_name=False)
            if load is None or not load.term.types:
                continue
            if load.term.key not in known:
                local = self._fresh(roles[number] if roles else "value", load.term.types)
                known[load.term.key] = local
                named.append(Named(local, load.term))
            values[id(ones[one])] = values[id(others[other])] = name_of(known[load.term.key], load.term.rounds)
        if not named:
            return None
        sides = [replaced(side, lambda inner: values.get(id(inner))) for side in (left, right)]
        if sides[0].key == sides[1].key:
            return Melded(max(sides, key=lambda side: side.slots), tuple(named))
        result = select(self._guard, _bare(sides[0]), _bare(sides[1]))
        return Melded(result, tuple(named))

    def _load_saved(self, left: Term, right: Term) -> float | None:
        """What it saves to load once."""
        found = self.meld(left, right, Context.VALUE, may_name=False)
        if found is None:
            return None
        slots, issued = left.slots + right.slots - found.slots, left.issued + right.issued - found.issued
        saved = min(slots, issued) - left.rounds / 2
        return saved if saved > 0 else None

    def _signed_update(self, left: Term, right: Term, may_name: bool) -> Melded | None:
        """`x += a` beside `x -= b`."""
        one, other = left.children, right.children
        if {one[1].key, other[1].key} != {"+=", "-="}:
            return None
        place = self.meld(one[0], other[0], Context.PLACE, may_name=False)
        if place is None or one[2].types != other[2].types or not _may_add_negated(accessed(one[0]), one[2].types):
            return None
        found = self.meld(one[2], other[2], Context.VALUE, may_name=may_name)
        named: tuple[Named, ...] = ()
        sides = (one[2], other[2])
        if found is not None and is_leaf(found.term):
            sides, named = (found.term, found.term), found.named
        elif found is not None and may_name and found.slots < one[2].slots + other[2].slots and found.term.types:
            local = self._fresh("change", found.term.types)
            sides = (name_of(local, found.term.rounds), name_of(local, found.term.rounds))
            named = (*found.named, Named(local, found.term))
        adds = one[1] if one[1].key == "+=" else other[1]
        values = [
            _negated(value) if operator is not adds else value
            for operator, value in ((one[1], sides[0]), (other[1], sides[1]))
        ]
        result = with_children(left, (place.term, adds, select(self._guard, values[0], values[1])), right)
        return Melded(result, named)


def _preference(one: Melded) -> tuple[float, int, int]:
    """Cheaper first, then fewer selections, then fewer new names."""
    selections = one.term.selections + sum(each.value.selections for each in one.named)
    return one.slots, selections, len(one.named)


def _negated(value: Term) -> Term:
    inner = (
        value
        if is_leaf(value) or value.kind in TIGHT
        else term("parenthesized_expression", ("(", value, ")"), value.types, 0, value.rounds)
    )
    own = 0.0 if value.kind == "number_literal" else value.rounds
    return term("unary_expression", (term("-", ("-",)), inner), value.types, own, value.rounds)


def _bare(value: Term) -> Term:
    """Without the parentheses around it."""
    while value.kind == "parenthesized_expression" and len(value.children) == 1 and value.parts[0] == "(":
        value = value.children[0]
    return value


def _same_frame(left: Term, right: Term) -> bool:
    """Whether the text between the children is the same."""

    def frame(whole: Term) -> list[str]:
        return ["\0" if isinstance(part, Term) else "".join(part.split()) for part in whole.parts if part]

    return [piece for piece in frame(left) if piece] == [piece for piece in frame(right) if piece]


def _is_lazy(whole: Term) -> bool:
    """Whether not all operands are evaluated, or some more than once."""
    return whole.kind in CONDITIONAL or any(child.key in ("&&", "||") for child in whole.children)


def _operand_effects(left: Term, right: Term) -> Effect:
    """What the operands do; a statement's own assignment comes after them."""
    if left.kind in STATEMENTS:
        return Effect.NONE
    if left.kind == "assignment_expression":
        return _all_effects(left.children) | _all_effects(right.children)
    return left.effects | right.effects


def _all_effects(terms: Sequence[Term]) -> Effect:
    found = Effect.NONE
    for one in terms:
        found |= one.effects
    return found


def _is_access(whole: Term) -> bool:
    """`a[i]`, or `*p` where `p` is selected already."""
    if whole.kind == "pointer_expression":
        return whole.children[0].key == "*" and _bare(whole.children[-1]).kind == SELECT
    return whole.kind == "subscript_expression"


def accessed(access: Term) -> tuple[Type, ...]:
    """The type of an element; what is only stored to has no value, but its array has a type."""
    if access.types or not access.children:
        return access.types
    elements = tuple(map(element_of, accessed(access.children[0]) or access.children[0].types))
    return tuple(element for element in elements if element is not None)


def _address(access: Term) -> Term:
    """`&a[i]`; what it costs to add an index is part of the access."""
    if access.kind == "pointer_expression":
        return _bare(access.children[-1])
    types = tuple(PointerType(type_, MemorySpace.GENERIC) for type_ in accessed(access))
    return term("pointer_expression", (term("&", ("&",)), _free(access)), types, 0, access.rounds)


def _free(access: Term) -> Term:
    parts = [
        _free(part) if isinstance(part, Term) and part.kind == "subscript_expression" else part for part in access.parts
    ]
    return term(access.kind, parts, access.types, 0, access.rounds)


def loads_in(whole: Term) -> tuple[Term, ...]:
    """The accesses of which every evaluation needs the value, outermost first."""
    if _is_access(whole) and Effect.LOADS in whole.effects:
        return (whole,)
    if whole.kind in CONDITIONAL or whole.kind in ("pointer_expression", "call_expression", "macro_use"):
        return ()
    needed = whole.children[:1] if _is_lazy(whole) else whole.children
    return tuple(found for child in needed for found in loads_in(child))


def _compares(whole: Term) -> bool:
    return whole.kind == "binary_expression" and whole.children[1].key in ("<", ">", "<=", ">=", "==", "!=")


def _may_add_negated(targets: tuple[Type, ...], operands: tuple[Type, ...]) -> bool:
    """Whether `target -= operand` and `target += -operand` are the same in every context."""
    return bool(operands) and len(targets) == len(operands) and all(map(_subtracts_by_adding, targets, operands))


def _subtracts_by_adding(target: Type, operand: Type) -> bool:
    """`-operand` has the operand's type: in a wider target the negative of an unsigned number is a large one."""
    if not isinstance(target, IntegerType | FloatType):
        return False
    match operand:
        case FloatType():
            return True
        case IntegerType(bits=bits):
            return bits < _PROMOTED or (isinstance(target, IntegerType) and target.bits <= bits)
        case _:
            return False


_PROMOTED: Final = 32
"""Narrower integers become `int` before they are negated."""


def _fits(literal: Term, other: Term) -> bool:
    """Whether a small literal keeps its value in the type of the other side."""
    if literal.kind != "number_literal" or not other.types:
        return False
    digits = literal.key.rstrip("uUlL")
    if not digits.isdigit() or int(digits) > 127:
        return False
    return all(isinstance(type_, IntegerType | FloatType | BooleanType) for type_ in other.types)
