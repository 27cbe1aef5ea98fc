"""What lowering one function carries along: the builder, the scope, and where control goes.

Rules   A context is for one function.  Code from elsewhere that is lowered in place (lambdas, default arguments, member
        initialisers) runs with `scope`, `snippet` and perhaps `fixed_span` exchanged, see `elsewhere`.
        `fixed_span` is the use that all instructions of foreign text are attributed to.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias, final

from analysis.cpp.conversions.model import Argument, ValueCategory
from analysis.cpp.conversions.standard import decayed
from analysis.cpp.expressions.parts import part_category
from analysis.cpp.types.model import FundamentalType, QualType, qualifiers_of
from analysis.ir.function import VariableId
from analysis.ir.ids import BasicBlockId, FunctionId, SymbolId, ValueId
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import BitRange, Type
from analysis.lower.builder import FunctionBuilder
from analysis.lower.cpp_types import agrees, natural
from analysis.lower.endings import Ending, Exit, FullExpression, Label
from analysis.lower.names import Closure, Declarations, DeclaredType, FunctionSet, LocalVariable, Record, Scope
from analysis.lower.reassigned import is_reassigned
from analysis.syntax.snippet import Snippet
from analysis.syntax.source_map import NO_SEGMENT, Segment
from analysis.syntax.tree import Node


@final
@record
class LValue:
    """An lvalue: an object of `type` at `address`; `variable` is set when it is a whole local variable.

    `bits` says which of the integer there, for a bit-field: then `type` is its type and `address` that of its unit.
    `read_at` is where it stands as an argument of a call or as what is returned: it is read there, not by all of that.
    `held` is its value where it has just been assigned: reading it loads nothing.
    `category` is that of the expression, where it is known: a prvalue is an object that was made by the expression and
    may become what it initialises.  `whole` is the address of the temporary that it is a part of.
    `spelled` is the C++ type where it is known; `exact_type` is what to ask.
    `most_derived` is the class of the whole object, where this is a base of one whose class is known.
    """

    address: ValueId
    type: Type
    volatile: bool = False
    variable: VariableId | None = None
    read_at: Span | None = None
    bits: BitRange | None = None
    held: ValueId | None = None
    category: ValueCategory | None = None
    whole: ValueId | None = None
    spelled: QualType | None = None
    most_derived: Record | None = None

    @property
    def is_temporary(self) -> bool:
        return self.category is ValueCategory.PRVALUE

    @property
    def is_expiring(self) -> bool:
        """Whether it may be moved from."""
        return self.category is ValueCategory.XVALUE

    @property
    def temporary(self) -> ValueId | None:
        """The address of the temporary that it is, or is a part of."""
        return self.address if self.is_temporary else self.whole

    def holding(self, value: ValueId | None) -> LValue:
        """The same object, which was just assigned this value."""
        return self._read(self.read_at, value)

    def standing_at(self, span: Span) -> LValue:
        """The same object, which is read there."""
        return self._read(span, self.held)

    def _read(self, read_at: Span | None, held: ValueId | None) -> LValue:
        return LValue(  # `replace` takes ten times as long
            self.address,
            self.type,
            self.volatile,
            self.variable,
            read_at,
            self.bits,
            held,
            self.category,
            self.whole,
            self.spelled,
            self.most_derived,
        )

    @property
    def part_category(self) -> ValueCategory | None:
        """Of a member or an element of it."""
        return None if self.category is None else part_category(self.category)


def _exact_type(place: LValue) -> QualType | None:
    if place.spelled is not None:
        return place.spelled if agrees(place.spelled, place.type) else None
    return natural(place.type) if place.is_temporary else None


Operand: TypeAlias = ValueId | LValue | Closure | None
"""What an expression is before it is used: a value, an object, a lambda, or nothing (void)."""


@final
class PointerMoved(Exception):
    """A callee may point this local pointer elsewhere: the function is lowered again with the pointer generic."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@final
@dataclass(slots=True)
class ReturnTarget:
    """Where `return` goes: out of the function (`block` is None), or to the end of a body lowered in place."""

    declared: DeclaredType
    block: BasicBlockId | None = None
    symbol: SymbolId | None = None
    """Holds the result of a body lowered in place; made by its first `return`."""
    endings: Ending | None = None
    """What is still to end where `return` goes."""
    body: Node | None = None
    first_symbol: int = 0
    """Variables from here on are those of the body."""
    closure: Closure | None = None
    """The lambda that a body lowered in place gives back."""
    deduced: QualType | None = None
    """The C++ type of what a body lowered in place gives back, where its first `return` says it."""


ClosureObject: TypeAlias = Callable[["LoweringContext", Closure, Span], LValue | None]
ClassConversion: TypeAlias = Callable[
    ["LoweringContext", LValue | ValueId, Type, "QualType | None", Span, bool], ValueId
]


@final
@dataclass(slots=True, eq=False)
class LoweringContext:
    program: Declarations
    builder: FunctionBuilder
    snippet: Snippet
    scope: Scope
    returns: ReturnTarget
    warp_size: int
    convert_class: ClassConversion
    """What is converted from or to a class: it takes calls, which take conversions (`class_conversions.py`)."""
    closure_object: ClosureObject
    """An object of a lambda's class: it takes calls, which take objects (`closure_objects.py`)."""
    function: FunctionId
    """Whose body is lowered; bodies that are lowered in place within it are others."""
    owner: Record | None = None
    this: LocalVariable | None = None
    fixed_span: Span | None = None
    break_to: Exit | None = None
    continue_to: Exit | None = None
    cases: dict[int, BasicBlockId] = field(default_factory=dict[int, BasicBlockId])
    """Where the labels of switches begin, by where they stand in the snippet."""
    labels: dict[bytes, Label] = field(default_factory=dict[bytes, Label])
    endings: Ending | None = None
    """What ends when the scopes around are left."""
    full_expression: FullExpression | None = None
    ending_classes: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    """By class the one whose code runs where an object of it ends."""
    globals: dict[int, SymbolId] = field(default_factory=dict[int, SymbolId])
    functions: dict[ValueId, FunctionSet] = field(default_factory=dict[ValueId, FunctionSet])
    """Functions that were named without a call, by the value that stands for them."""
    callees: dict[FunctionId, None] = field(default_factory=dict[FunctionId, None])
    places: dict[LocalVariable, LValue] = field(default_factory=dict[LocalVariable, LValue])
    """The objects of variables of the thread that were named: they are always at the same address."""
    spans: dict[Node, Span] = field(default_factory=dict[Node, Span])
    """Spans that were asked for: the instructions and records of one node share one object."""
    segment: Segment = NO_SEGMENT
    """The part of the snippet in which the last of them lies, and most likely the next."""
    chosen: dict[ValueId, Node] = field(default_factory=dict[ValueId, Node])
    """Values of `c ? a : b` with two objects of one type: the objects are not known any more, only their names."""
    chosen_between: dict[ValueId, Argument] = field(default_factory=dict[ValueId, "Argument"])
    """What `c ? a : b` is by the rules of the standard, by its value, where the types of both arms are known."""
    objects: dict[ValueId, Callable[[], LValue]] = field(default_factory=dict[ValueId, Callable[[], LValue]])
    """Values read from one of several objects, as by `std::min(a, b)`: what a reference to the result names."""
    zeros: set[ValueId] = field(default_factory=set[ValueId])
    """Values of literal zeros, which are null pointers where a pointer is wanted."""
    exact: dict[ValueId, QualType] = field(default_factory=dict[ValueId, QualType])
    """C++ types of values, where the type of the IR does not say it: no references, arrays only for strings."""
    named: set[ValueId] = field(default_factory=set[ValueId])
    """Values of constants that were named: they may be objects."""
    moved: frozenset[str] = frozenset()
    """Pointers that callees may point elsewhere."""
    asks_for_functions: bool = False
    """Whether a call means one of several functions of the unit, by a value: which they are is not said by names."""
    depth: int = 0
    """How many bodies are being lowered in place."""
    bodies_with_types: int = 0
    """How many bodies of lambdas with types of their own were lowered in place."""

    def span(self, node: Node) -> Span:
        if self.fixed_span is not None:
            return self.fixed_span
        known = self.spans.get(node)
        if known is None:
            start, end = node.start, node.end
            if start < 0:  # broken text: the node begins in what was wrapped around it to parse it
                start, end = 0, max(end, 0)
            first, last, distance, replaced = self.segment
            if not first <= start < last:
                first, last, distance, replaced = self.segment = self.snippet.source_map.segment(start)
            if start < end <= last:
                known = Span(start + distance, end + distance) if replaced is None else replaced
            else:
                known = self.snippet.source_map.span(start, end)
            self.spans[node] = known
        return known

    def token_span(self, start: int, end: int) -> Span:
        return self.fixed_span or self.snippet.span(max(start, 0), max(end, 0))

    def type_of(self, operand: Operand) -> Type | None:
        """The type of an operand; None for void and lambdas."""
        if isinstance(operand, int):
            return self.builder.types[operand]
        return operand.type if isinstance(operand, LValue) else None

    def exact_type(self, operand: Operand) -> QualType | None:
        """The C++ type of an expression, an object's with its qualifiers; None where it is not known."""
        if isinstance(operand, int):
            type, known = self.builder.types[operand], self.exact.get(operand)
            if known is None:
                return natural(type)
            value = known if isinstance(known.type, FundamentalType) else decayed(known)
            return known if agrees(value, type) else None
        return _exact_type(operand) if isinstance(operand, LValue) else None

    def is_constant(self, place: LValue) -> bool | None:
        """Whether the object is `const`; None where that is not known."""
        exact = _exact_type(place)
        return None if exact is None else qualifiers_of(exact)[0]

    def typed(self, value: ValueId, type: QualType | None) -> ValueId:
        """Says which C++ type the value has; None where it is not known."""
        if type is None:
            self.exact.pop(value, None)
        else:
            self.exact[value] = type
        return value

    def is_reassigned(self, name: str, initialisers: int) -> bool:
        """Whether the function's text assigns to `name` more often than it initialises it, or takes its address."""
        if name in self.moved:
            return True
        return is_reassigned(self.snippet.text, name.encode("utf-8", "replace"), initialisers)

    @contextmanager
    def elsewhere(self, scope: Scope, snippet: Snippet, span: Span | None) -> Generator[None]:
        """Lowers text of another declaration; `span` is what its instructions are attributed to."""
        before = self.scope, self.snippet, self.fixed_span, self.spans, self.segment
        self.scope, self.snippet, self.fixed_span = scope, snippet, self.fixed_span or span
        if snippet is not before[1]:
            self.spans, self.segment = {}, NO_SEGMENT
        try:
            yield
        finally:
            self.scope, self.snippet, self.fixed_span, self.spans, self.segment = before
