"""Numbers and `dim3` values in one host function, as far as they are the same for every run.

Rules    A variable has a value if it is written exactly once, outside loops and conditionals that do not also contain
         the launch, before it, and is not lost from sight (`host_writes.py`).  `dim3` members may be written once each
         after the declaration.
         Parameters have those that a call passes (`host_calls.py`), unless they are written or their name is declared
         again; results of calls and what is read at run time have none.  Unknown is None, never a guess.
Limits   Names are not told apart by scope: a name declared twice has no value.  C's integer division is done on numbers
         of any size; overflow is not modelled.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias, TypeVar, final

from analysis.lower.builtins import builtin_type, builtin_variable
from analysis.lower.conversions import number_literal
from analysis.lower.launches.file_constants import FileConstants, Number
from analysis.lower.launches.host_writes import Guards, HostWrites, Variable, values_in
from analysis.lower.launches.model import Shape
from analysis.lower.layouts import size_of
from analysis.syntax.tree import Node

MAX_DEPTH: Final = 40
MAX_STEPS: Final = 2_000
"""Expressions that are read for one answer: `int b = a + a; int c = b + b;` doubles them with every line."""
AXES: Final = ("x", "y", "z")
Write: TypeAlias = tuple[Node, Guards]
_Answer = TypeVar("_Answer")
Extents: TypeAlias = "tuple[int | None, int | None, int | None]"
_UNKNOWN: Final[Extents] = (None, None, None)
_ROUNDING_UP: Final = re.compile(
    r"c(?:eil)?_?div|i?div(?:ide)?_?(?:round_?)?up|div_?ceil|(?:round_?)?up_?div|ceiling_?div(?:ide)?", re.IGNORECASE
)


@final
class HostValues:
    """The values of one function's variables, seen from one place in it."""

    def __init__(
        self,
        written: HostWrites,
        constants: FileConstants | None,
        given: Mapping[str, int] | None = None,
    ) -> None:
        """`written`: what the function does; `given`: what its parameters hold when it is called."""
        self._constants = constants
        self._given = given or {}
        self._variables = written.variables
        self.calls: Final = written.calls
        self._assumed: tuple[str, int] | None = None
        self._guards: Guards = ()
        self._position = written.end
        self._depth = 0
        self._steps = 0

    def seen_from(self, position: int, guards: Guards) -> None:
        """Sets the place that is asked from, and the conditionals around it."""
        self._position = position
        self._guards = guards

    # -- shapes -------------------------------------------------------------------------------------------------------

    def shape(self, node: Node) -> Shape | None:
        """The value of a grid or block argument: a number, a `dim3`, a variable of either."""
        known = [extent for extent in self.extents(node) if extent is not None]
        return Shape(*known) if len(known) == len(AXES) and min(known) > 0 else None

    def is_line(self, node: Node) -> bool:
        """Whether the argument is an integer, known or not: what converts to a `dim3` then has one row."""
        while node.kind == "parenthesized_expression" and len(node.children) == 1:
            node = node.children[0]
        if node.kind == "number_literal":
            return True
        if node.kind != "identifier":
            return False
        variable = self._variables.get(node.text.decode("utf-8", "replace"))
        return variable is not None and variable.is_integer and not variable.is_other

    def extents_if(self, name: str, number: int, node: Node) -> Extents:
        """The extents of a shape if the variable `name` held that number, whatever is written to it; helpers that are
        called like a division which rounds up are taken for one."""
        self._assumed = name, number
        try:
            return self.extents(node)
        finally:
            self._assumed = None

    def extents(self, node: Node) -> Extents:
        """Those of a shape, as far as they are known."""
        if self._is_spent():
            return _UNKNOWN
        self._depth += 1
        try:
            return self._extents(node)
        finally:
            self._depth -= 1

    def _is_spent(self) -> bool:
        """Counts one more expression."""
        self._steps = 0 if self._depth == 0 else self._steps + 1
        return self._depth > MAX_DEPTH or self._steps > MAX_STEPS

    def _extents(self, node: Node) -> Extents:
        match node.kind:
            case "parenthesized_expression" if len(node.children) == 1:
                return self.extents(node.children[0])
            case "initializer_list" | "argument_list" | "parameter_list":
                return self._from_list(node)
            case "compound_literal_expression":
                value = node.field("value")
                return _UNKNOWN if value is None else self._from_list(value)
            case "call_expression" if _called(node) in _DIM_NAMES:
                arguments = node.field("arguments")
                return _UNKNOWN if arguments is None else self._from_list(arguments)
            case "identifier" | "type_identifier":
                return self._named_extents(node)
            case _:
                return _one_dimensional(self.number(node))

    def _from_list(self, node: Node) -> Extents:
        """`(16, 16)`; a single `dim3` among the arguments is copied."""
        values = values_in(node)
        if len(values) == 1:
            return self.extents(values[0])
        if len(values) > len(AXES):
            return _UNKNOWN
        numbers = [self.number(value) for value in values]
        x, y, z = (*(None if one is None else int(one) for one in numbers), *([1] * (len(AXES) - len(numbers))))
        return x, y, z

    def _named_extents(self, node: Node) -> Extents:
        name = node.text.decode("utf-8", "replace")
        variable = self._variables.get(name)
        is_assumed = self._assumed is not None and self._assumed[0] == name
        if variable is None or is_assumed or not (variable.is_dim or variable.members):
            written = None if variable is None else self._written(variable.writes)
            if variable is not None and not is_assumed and variable.declarations and written is not None:
                is_known = not self._is_lost(variable) and variable.declarations == 1
                return self._at(written, self.extents) if is_known else _UNKNOWN
            number = self.number(node)
            return _UNKNOWN if number is None else _one_dimensional(number)
        if self._is_lost(variable) or variable.declarations != 1 or not (variable.writes or variable.members):
            return _UNKNOWN
        written = self._written(variable.writes) if variable.writes else None
        unwritten = _UNKNOWN if variable.writes else Shape(1)
        start = unwritten if written is None else self._at(written, self.extents)
        return self._with_members(variable, start)

    def _with_members(self, variable: Variable, start: Extents) -> Extents:
        """The declared shape with the members that were written before this place."""
        extents: dict[str, int | None] = dict(zip(AXES, start, strict=True))
        for axis, writes in variable.members.items():
            if all(value.start >= self._position and not self._shares_a_guard(guards) for value, guards in writes):
                continue
            written = self._written(writes)
            before = extents.get(axis)
            number = None if written is None else self._at(written, lambda node, old=before: self._updated(node, old))
            extents[axis] = int(number) if number is not None else None
        return extents["x"], extents["y"], extents["z"]

    def _updated(self, node: Node, before: int | None) -> Number | None:
        """What is written to a member, or what `b.x *= 2` makes of the number before."""
        right, sign = node.field("right"), node.field("operator")
        if node.kind != "assignment_expression" or right is None or sign is None or sign.text == b"=":
            return self.number(node)
        factor = self.number(right)
        if before is None or factor is None:
            return None
        return _combined(sign.text.decode("utf-8", "replace").removesuffix("="), before, factor)

    def _is_lost(self, variable: Variable) -> bool:
        return variable.is_lost_at(self._position, self._guards)

    def _shares_a_guard(self, guards: Guards) -> bool:
        """Whether a loop around both may bring a later write here."""
        return bool(guards) and guards[:1] == self._guards[:1]

    def _at(self, write: Write, ask: Callable[[Node], _Answer]) -> _Answer:
        """What is written, as it is where it is written: `dim3 c = b; b.y = 16;` leaves `c` as it was."""
        here = self._position, self._guards
        value, guards = write
        self._position, self._guards = value.start, guards
        try:
            return ask(value)
        finally:
            self._position, self._guards = here

    def _written(self, writes: list[Write]) -> Write | None:
        """What is written, if that happens once and on every way to the place that asks."""
        if len(writes) != 1:
            return None
        value, guards = writes[0]
        is_before = value.start < self._position
        return (value, guards) if is_before and guards == self._guards[: len(guards)] else None

    # -- numbers ------------------------------------------------------------------------------------------------------

    def number(self, node: Node) -> Number | None:
        """The value of a constant expression."""
        handler = _NUMBERS.get(node.kind)
        if handler is None or self._is_spent():
            return None
        self._depth += 1
        try:
            return handler(self, node)
        except (ArithmeticError, ValueError):
            return None
        finally:
            self._depth -= 1

    def literal(self, node: Node) -> Number | None:
        found = number_literal(node.text)
        return None if found is None else found[0]

    def truth(self, node: Node) -> Number | None:
        return int(node.kind == "true")

    def inner(self, node: Node) -> Number | None:
        values = values_in(node)
        return self.number(values[0]) if len(values) == 1 else None

    def named(self, node: Node) -> Number | None:
        name = node.text.decode("utf-8", "replace")
        if self._assumed is not None and self._assumed[0] == name:
            return self._assumed[1]
        variable = self._variables.get(name)
        if variable is None:
            return self._constant(name)
        if self._is_lost(variable):
            return None
        if variable.parameters:
            is_kept = variable.parameters == 1 and not variable.declarations and not variable.writes
            return self._given.get(name) if is_kept else None
        written = self._written(variable.writes) if variable.declarations == 1 else None
        return None if written is None else self._at(written, self.number)

    def _constant(self, name: str) -> Number | None:
        """A name from outside the function, its qualification left out."""
        last = name.rpartition("::")[2].strip()
        found = self._constants.value(last) if self._constants is not None else None
        if found is not None:
            return found
        builtin = builtin_variable(last)
        return builtin.constant if builtin is not None and isinstance(builtin.constant, int | float) else None

    def qualified(self, node: Node) -> Number | None:
        return self._constant(node.text.decode("utf-8", "replace"))

    def binary(self, node: Node) -> Number | None:
        left, right, sign = node.field("left"), node.field("right"), node.field("operator")
        if left is None or right is None or sign is None:
            return None
        first, second = self.number(left), self.number(right)
        if first is None or second is None:
            return None
        return _combined(sign.text.decode("utf-8", "replace"), first, second)

    def unary(self, node: Node) -> Number | None:
        argument, sign = node.field("argument"), node.field("operator")
        value = self.number(argument) if argument is not None else None
        if value is None or sign is None:
            return None
        match sign.text:
            case b"-":
                return -value
            case b"+":
                return value
            case b"!":
                return int(not value)
            case b"~" if isinstance(value, int):
                return ~value
            case _:
                return None

    def choice(self, node: Node) -> Number | None:
        condition, yes, no = (node.field(name) for name in ("condition", "consequence", "alternative"))
        value = self.number(condition) if condition is not None else None
        chosen = yes if value else no
        return None if value is None or chosen is None else self.number(chosen)

    def cast(self, node: Node) -> Number | None:
        type, value = node.field("type"), node.field("value")
        return None if type is None or value is None else _cast_to(type.text, self.number(value))

    def size(self, node: Node) -> Number | None:
        type = node.field("type")
        name = (type or (node.field("value") or node)).text.decode("utf-8", "replace").strip("() \t")
        if name.endswith("*"):
            return 8
        found = builtin_type(name, ())
        return None if found is None else size_of(found, {})

    def call(self, node: Node) -> Number | None:
        arguments = node.field("arguments")
        if arguments is None:
            return None
        name = _called(node)
        if len(arguments.children) == 1 and (name.endswith("_cast") or builtin_type(name, ()) is not None):
            target = _template_text(node) if name.endswith("_cast") else name
            return _cast_to(target.encode(), self.number(arguments.children[0]))
        values = [self.number(child) for child in arguments.children]
        match values:
            case [int() | float() as value] if name in _OF_ONE:
                return _OF_ONE[name](value)
            case [int() | float() as left, int() | float() as right] if name in _OF_TWO:
                return _OF_TWO[name](left, right)
            case [int() as left, int() as right] if self._assumed is not None and _ROUNDING_UP.fullmatch(name):
                return -(-left // right)
            case _:
                return None

    def member(self, node: Node) -> Number | None:
        """`block.x`."""
        argument, member = node.field("argument"), node.field("field")
        if argument is None or member is None or member.text.decode("utf-8", "replace") not in AXES:
            return None
        shape = self.shape(argument)
        return None if shape is None else shape[AXES.index(member.text.decode())]


def _one_dimensional(number: Number | None) -> Extents:
    return None if number is None else int(number), 1, 1


def _called(node: Node) -> str:
    """The last word of what a call calls, without template arguments."""
    function = node.field("function")
    if function is None:
        return ""
    text = function.text.decode("utf-8", "replace").partition("<")[0].strip()
    return text if text.startswith("unsigned") else text.rpartition("::")[2]


def _template_text(node: Node) -> str:
    function = node.field("function")
    text = "" if function is None else function.text.decode("utf-8", "replace")
    return text.partition("<")[2].rpartition(">")[0]


def _cast_to(type: bytes, value: Number | None) -> Number | None:
    """Numbers are cut by casts to integers and kept by all others; of pointers only null is known."""
    if value is None or b"*" in type:
        return 0 if value == 0 and isinstance(value, int) else None
    is_floating = type.strip() in (b"float", b"double")
    return float(value) if is_floating else int(value)


def _combined(spelling: str, left: Number, right: Number) -> Number | None:
    """`left spelling right`; a shift by more than a word is not computed."""
    if isinstance(left, int) and isinstance(right, int) and spelling in _FOR_INTEGERS:
        is_far_shift = spelling in ("<<", ">>") and not 0 <= right < 64
        return None if is_far_shift else _FOR_INTEGERS[spelling](left, right)
    function = _FOR_NUMBERS.get(spelling)
    return None if function is None else function(left, right)


def _quotient(left: int, right: int) -> int:
    """C's division cuts towards zero."""
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


_DIM_NAMES: Final = frozenset(("dim3", "make_dim3", "make_uint3", "uint3"))
_FOR_INTEGERS: Final[Mapping[str, Callable[[int, int], Number]]] = {
    "/": _quotient,
    "%": lambda left, right: left - right * _quotient(left, right),
    "<<": lambda left, right: left << right,
    ">>": lambda left, right: left >> right,
    "&": lambda left, right: left & right,
    "|": lambda left, right: left | right,
    "^": lambda left, right: left ^ right,
}
_FOR_NUMBERS: Final[Mapping[str, Callable[[Number, Number], Number]]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
    "<": lambda left, right: int(left < right),
    "<=": lambda left, right: int(left <= right),
    ">": lambda left, right: int(left > right),
    ">=": lambda left, right: int(left >= right),
    "==": lambda left, right: int(left == right),
    "!=": lambda left, right: int(left != right),
    "&&": lambda left, right: int(bool(left) and bool(right)),
    "||": lambda left, right: int(bool(left) or bool(right)),
}
_OF_ONE: Final[Mapping[str, Callable[[Number], Number]]] = {
    "ceil": lambda value: float(math.ceil(value)),
    "ceilf": lambda value: float(math.ceil(value)),
    "floor": lambda value: float(math.floor(value)),
    "sqrt": lambda value: math.sqrt(value),
    "abs": lambda value: abs(value),
}
_OF_TWO: Final[Mapping[str, Callable[[Number, Number], Number]]] = {
    "min": lambda left, right: min(left, right),
    "max": lambda left, right: max(left, right),
}
_NUMBERS: Final[Mapping[str, Callable[[HostValues, Node], Number | None]]] = {
    "number_literal": HostValues.literal,
    "parenthesized_expression": HostValues.inner,
    "argument_list": HostValues.inner,
    "initializer_list": HostValues.inner,
    "identifier": HostValues.named,
    "type_identifier": HostValues.named,
    "parameter_list": HostValues.inner,
    "true": HostValues.truth,
    "false": HostValues.truth,
    "null": lambda values, node: 0,
    "qualified_identifier": HostValues.qualified,
    "binary_expression": HostValues.binary,
    "unary_expression": HostValues.unary,
    "conditional_expression": HostValues.choice,
    "cast_expression": HostValues.cast,
    "sizeof_expression": HostValues.size,
    "call_expression": HostValues.call,
    "field_expression": HostValues.member,
}
