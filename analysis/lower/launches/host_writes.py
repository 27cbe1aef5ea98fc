"""What one host function writes to its variables: every value given to a name, and every way to lose sight of it.

Rules    A write is a value: an initialiser, an assignment, an assignment to a member.  A variable is *lost* where
         something else may write to it: its address is taken, a reference is bound to it, it is incremented, it goes
         by name to a function that may write to its argument, or a stream is read into it (`std::cin >> threads`).
         References, arrays, structured bindings, local pointers, and parameters that are neither numbers nor pointers
         are lost from the start.
         What a call or a stream does after the place that asks does not count, unless a loop or a `goto` around both
         may bring it there.
Limits   Names are not told apart by scope.  Kernels take their arguments by value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, final

from analysis.ir.pace import popped
from analysis.ir.types import IntegerType
from analysis.lower.builtins import builtin_type
from analysis.syntax.tree import Node

CONDITIONAL: Final = frozenset(
    (
        "if_statement",
        "for_statement",
        "while_statement",
        "do_statement",
        "switch_statement",
        "for_range_loop",
        "conditional_expression",
        "lambda_expression",
    )
)
Guards: TypeAlias = tuple[int, ...]
"""Where the conditionals around a place begin, outermost first."""
MayWrite: TypeAlias = Callable[[str, int], bool]
"""Whether a function, by its spelling, may write to the argument at a position."""


@final
@dataclass(slots=True)
class Variable:
    """Everything that happens to a name; with the conditionals around each write."""

    declarations: int = 0
    parameters: int = 0
    """How often it is declared as a parameter."""
    is_dim: bool = False
    is_number: bool = False
    is_integer: bool = False
    is_other: bool = False
    """Declared as an integer, as something else: both where the name is declared twice."""
    writes: list[tuple[Node, Guards]] = field(default_factory=list[tuple[Node, Guards]])
    members: dict[str, list[tuple[Node, Guards]]] = field(default_factory=dict[str, list[tuple[Node, Guards]]])
    is_lost: bool = False
    passed: list[tuple[int, Guards]] = field(default_factory=list[tuple[int, Guards]])
    """Where something that may write to it gets it by name."""

    def declare(self, spelling: str) -> None:
        is_integer = isinstance(builtin_type(spelling, ()), IntegerType)
        self.is_integer |= is_integer
        self.is_other |= not is_integer

    def is_lost_at(self, position: int, guards: Guards) -> bool:
        """Whether somebody else may have written to it before the place with these conditionals around."""
        return self.is_lost or any(
            place < position or (bool(around) and around[:1] == guards[:1]) for place, around in self.passed
        )


@final
class HostWrites:
    """The variables of one function, and its calls."""

    def __init__(self, function: Node, may_write: MayWrite) -> None:
        self._may_write = may_write
        self.end: Final = function.end
        self.variables: Final[dict[str, Variable]] = {}
        self.calls: Final[list[tuple[Node, Guards]]] = []
        """The calls in the function in text order, each with the conditionals around it."""
        self._jumps = False
        self._collect(function)
        if self._jumps:
            for variable in self.variables.values():
                variable.is_lost |= bool(variable.passed or variable.members)

    def _collect(self, function: Node) -> None:
        stack: list[tuple[Node, Guards]] = [(function, ())]
        for node, guards in popped(stack):
            kind = node.kind
            if kind in _COLLECTORS:
                _COLLECTORS[kind](self, node, guards)
            elif kind in CONDITIONAL:
                guards = (*guards, node.start)
                named = node.field("declarator") if kind == "for_range_loop" else None
                if named is not None and named.kind == "identifier":
                    self._variable(named).is_other = True
                    self._variable(named).is_lost = True
            stack += [(child, guards) for child in reversed(node.children) if child.children]  # leaves write nothing

    def _variable(self, node: Node) -> Variable:
        name = node.text.decode("utf-8", "replace")
        known = self.variables.get(name)
        if known is None:
            known = self.variables[name] = Variable()
        return known

    def declaration(self, node: Node, guards: Guards) -> None:
        type = node.field("type")
        spelling = "" if type is None else type.text.decode("utf-8", "replace")
        for declarator in node.fields("declarator"):
            name, value = _declared(declarator)
            if name is None:
                continue
            if name.kind != "identifier":
                self._hidden(node, name, value)
                continue
            variable = self._variable(name)
            variable.declarations += 1
            variable.is_dim = spelling in ("dim3", "uint3")
            variable.is_number = builtin_type(spelling, ()) is not None
            variable.declare(spelling)
            if value is not None:
                variable.writes.append((value, guards))
                if value.kind in ("argument_list", "parameter_list", "initializer_list") and not variable.is_number:
                    self._pass(spelling.partition("<")[0].strip(), values_in(value), node.start, guards)

    def _hidden(self, declaration: Node, name: Node, value: Node | None) -> None:
        """A pointer, reference, array or structured binding."""
        for inner in name.walk():
            if inner.kind == "identifier":
                self._variable(inner).is_lost = True
                self._variable(inner).is_other = True
                if name.kind != "structured_binding_declarator":
                    break
        is_constant = any(child.text == b"const" for child in declaration.children)
        if value is not None and name.text.startswith(b"&") and not is_constant:
            for bound in _places(value):
                self._variable(bound).is_lost = True

    def parameter(self, node: Node, guards: Guards) -> None:
        type = node.field("type")
        is_number = type is not None and builtin_type(type.text.decode("utf-8", "replace"), ()) is not None
        for inner in node.walk():
            if inner.kind == "identifier":
                variable = self._variable(inner)
                is_plain = _is_pointer(node) or (is_number and node.field("declarator") is inner)
                variable.is_lost |= not is_plain
                variable.parameters += 1
                variable.is_number = is_number
                variable.declare("" if type is None else type.text.decode("utf-8", "replace"))

    def assignment(self, node: Node, guards: Guards) -> None:
        left, right, sign = node.field("left"), node.field("right"), node.field("operator")
        if left is None or right is None:
            return
        is_plain = sign is None or sign.text == b"="
        if left.kind == "identifier":
            self._variable(left).writes.append((right, guards))
            self._variable(left).is_lost |= not is_plain
        elif left.kind == "field_expression":
            argument, member = left.field("argument"), left.field("field")
            if argument is not None and member is not None and argument.kind == "identifier":
                variable = self._variable(argument)
                variable.is_lost |= not is_plain and bool(guards)  # in a loop it is another number each time
                written = right if is_plain else node
                variable.members.setdefault(member.text.decode("utf-8", "replace"), []).append((written, guards))
        else:
            for place in _places(left):  # `(a) = 3`, `(n ? a : b) = 3`
                self._variable(place).is_lost = True

    def taken(self, node: Node, guards: Guards) -> None:
        """`&x`, `x++`, `x.y--`: somebody else writes it."""
        argument = node.field("argument")
        sign = node.field("operator")
        if argument is None or (node.kind == "pointer_expression" and (sign is None or sign.text != b"&")):
            return
        for place in _places(argument):
            self._variable(place).is_lost = True

    def call(self, node: Node, guards: Guards) -> None:
        self.calls.append((node, guards))
        function, arguments = node.field("function"), node.field("arguments")
        if function is None or arguments is None or node.child("kernel_call_syntax") is not None:
            return
        self._pass(_spelling(function), arguments.children, node.start, guards)

    def _pass(self, callee: str, arguments: Sequence[Node], position: int, guards: Guards) -> None:
        for index, argument in enumerate(arguments):
            places = list(_places(argument))
            if places and self._may_write(callee, index):
                for place in places:
                    self._variable(place).passed.append((position, guards))

    def shift(self, node: Node, guards: Guards) -> None:
        """`stream >> x`; what is shifted is a number, or it is a stream."""
        right, sign = node.field("right"), node.field("operator")
        if right is None or sign is None or sign.text != b">>":
            return
        first = node
        while first.kind == "binary_expression" and (left := first.field("left")) is not None:
            first = left
        is_shift = first.kind in _NUMBERS or (first.kind == "identifier" and self._variable(first).is_number)
        for place in () if is_shift else _places(right):
            self._variable(place).passed.append((node.start, guards))

    def jump(self, node: Node, guards: Guards) -> None:
        self._jumps = True


def _is_pointer(parameter: Node) -> bool:
    """`T *name`, and nothing more."""
    declarator = parameter.field("declarator")
    named = None if declarator is None or declarator.kind != "pointer_declarator" else declarator.field("declarator")
    return named is not None and named.kind == "identifier"


def _places(node: Node) -> Iterator[Node]:
    """The names of the variables that an expression is a place in."""
    match node.kind:
        case "identifier" | "type_identifier":  # the grammar takes `Timer t(n)` for the declaration of a function
            yield node
        case "field_expression" | "subscript_expression":
            argument = node.field("argument")
            if argument is not None:
                yield from _places(argument)
        case "parenthesized_expression" | "argument_list" | "initializer_list":
            for child in node.children:
                yield from _places(child)
        case "conditional_expression":
            for name in ("consequence", "alternative"):
                chosen = node.field(name)
                if chosen is not None:
                    yield from _places(chosen)
        case "comma_expression" | "assignment_expression" if node.children:
            yield from _places(node.children[-1 if node.kind == "comma_expression" else 0])
        case _:
            pass


def _declared(declarator: Node) -> tuple[Node | None, Node | None]:
    """Name and initialiser; the grammar takes `dim3 grid(gx, gy)` for the declaration of a function."""
    match declarator.kind:
        case "init_declarator":
            return declarator.field("declarator"), declarator.field("value")
        case "function_declarator":
            return declarator.field("declarator"), declarator.field("parameters")
        case _:
            return declarator, None


def values_in(node: Node) -> Sequence[Node]:
    """The expressions of an initialiser, also where the grammar took them for the types of parameters."""
    if node.kind != "parameter_list":
        return node.children
    types = [child.field("type") for child in node.children]
    return [type or child for type, child in zip(types, node.children, strict=True)]


def _spelling(function: Node) -> str:
    """The name of what a call calls, without template arguments; of a method the last word."""
    if function.kind == "field_expression" and (member := function.field("field")) is not None:
        function = member
    return function.text.decode("utf-8", "replace").partition("<")[0].strip()


_NUMBERS: Final = frozenset({"number_literal", "cast_expression", "parenthesized_expression", "sizeof_expression"})
_COLLECTORS: Final[Mapping[str, Callable[[HostWrites, Node, Guards], None]]] = {
    "call_expression": HostWrites.call,
    "declaration": HostWrites.declaration,
    "parameter_declaration": HostWrites.parameter,
    "assignment_expression": HostWrites.assignment,
    "update_expression": HostWrites.taken,
    "pointer_expression": HostWrites.taken,
    "binary_expression": HostWrites.shift,
    "goto_statement": HostWrites.jump,
}
