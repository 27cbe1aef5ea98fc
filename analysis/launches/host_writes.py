"""What one host function writes to its variables: every value given to a name, and every way to lose sight of it.

Rules    A write is a value: an initialiser, an assignment, an increment, an assignment to a member.  A variable is
         *lost* where something else may write to it: its address is taken, a reference is bound to it, it goes by name
         to a function that may write to its argument, a method of it is called, or a stream is read into it
         (`std::cin >> threads`).
         References, arrays, structured bindings, local pointers, what a lambda captures under a new name, and
         parameters of other kinds than numbers, pointers and objects are lost from the start; so is each name in text
         that the grammar cannot read.
         What a call or a stream does after the place that asks does not count, unless a loop, a lambda or a `goto`
         around both may bring it there.
Limits   Names are not told apart by scope.  Kernels take their arguments by value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, final

from analysis.ir.pace import popped
from analysis.ir.types import BooleanType, FloatType, IntegerType
from analysis.launches.host_loops import CountedLoop, counted_loop, range_variable
from analysis.launches.host_paths import CONDITIONAL, Guards, HostPaths, Write
from analysis.launches.symbol_copies import only_read, pointed_to
from analysis.launches.written_arguments import METHOD
from analysis.lower.builtins import builtin_type
from analysis.syntax.tree import Node

MayWrite: TypeAlias = Callable[[str, int], bool]
"""Whether a function, by its spelling, may write to the argument at a position."""
Fills: TypeAlias = Callable[[str, int], Sequence[bool] | None]
"""If a function of that name fills in the object which it gets at a position, and does nothing else with it: which of
its parameters are copies."""
FILLED: Final = "filled_argument"
"""What a call leaves in an argument is written like a value of this kind, with the call in it; its role is the
argument's position."""


@final
@dataclass(slots=True)
class Variable:
    """Everything that happens to a name; with the conditionals around each write."""

    declarations: int = 0
    parameters: int = 0
    """How often it is declared as a parameter."""
    type: str = ""
    """As it is declared; empty where that is no plain type."""
    is_static: bool = False
    is_number: bool = False
    """Of an arithmetic type."""
    is_integer: bool = False
    is_other: bool = False
    """Declared as an integer, as something else: both where the name is declared twice."""
    writes: list[Write] = field(default_factory=list[Write])
    members: dict[str, list[Write]] = field(default_factory=dict[str, list[Write]])
    scopes: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Where what is declared can be named, but for parameters."""
    loops: list[CountedLoop] = field(default_factory=list[CountedLoop])
    """Those that it counts."""
    elements: Node | None = None
    """Of an array of constants, or of a container that is only read."""
    elements_in: Guards = ()
    """The conditionals around these."""
    is_container: bool = False
    is_lost: bool = False
    passed: list[tuple[int, Guards]] = field(default_factory=list[tuple[int, Guards]])
    """Where something that may write to it gets it by name."""

    def declare(self, spelling: str) -> None:
        is_integer = isinstance(builtin_type(spelling, ()), IntegerType)
        self.is_integer |= is_integer
        self.is_other |= not is_integer

    def is_in_scope(self, position: int) -> bool:
        """Whether the name is the function's own at a place; a parameter is everywhere."""
        return bool(self.parameters) or any(start <= position <= end for start, end in self.scopes)

    def is_lost_at(self, position: int, guards: Guards) -> bool:
        """Whether somebody else may have written to it before the place with these conditionals around."""
        return self.is_lost or any(
            place < position or (bool(around) and around[:1] == guards[:1]) for place, around in self.passed
        )


@final
class HostWrites:
    """The variables of one function, and its calls."""

    def __init__(
        self,
        function: Node,
        may_write: MayWrite,
        templates: Sequence[Node] = (),
        fills: Fills | None = None,
        filled: str = "",
    ) -> None:
        """`templates`: the lists of template parameters around it; `filled`: the reference that it fills in."""
        self._may_write = may_write
        self._fills = fills
        self._filled = filled
        self._function = function
        self._scope_end = function.end
        self._conditions: set[int] = set()
        self._only_read: set[int] = set()
        """Where an address is taken for a call that reads what is there."""
        self._whole: set[tuple[str, str]] | None = None
        self.end: Final = function.end
        self.variables: Final[dict[str, Variable]] = {}
        self.paths: Final = HostPaths()
        self.calls: Final[list[tuple[Node, Guards]]] = []
        """The calls in the function in text order, each with the conditionals around it."""
        for listed in templates:
            self._collect(listed)
        self._collect(function)
        self._may_write, self._fills = _all_is_read, None  # who answers may know this, and need not be kept with it
        if self.paths.has_jumps:
            for variable in self.variables.values():
                variable.is_lost |= bool(variable.passed or variable.members or variable.loops)

    def _collect(self, function: Node) -> None:
        stack: list[tuple[Node, Guards, int]] = [(function, (), function.end)]
        has_body = False
        for node, guards, scope_end in popped(stack):
            kind = node.kind
            self._scope_end = scope_end
            if kind in _SCOPES:
                scope_end = node.end if has_body else function.end
                has_body = True
            inner: Mapping[int, Guards] = {}
            if kind in _COLLECTORS:
                _COLLECTORS[kind](self, node, guards)
            is_early = kind == "binary_expression" and _stops_early(node)
            if is_early or (kind in CONDITIONAL and not self.paths.runs_once(node)):
                inner = self.paths.guards_of(node, guards)
                if kind in _COUNTING:
                    self._loop(node, inner)
            elif node.is_error:
                self._lose_all(node)
            stack += [  # leaves write nothing
                (child, inner.get(number, guards), scope_end)
                for number, child in reversed(list(enumerate(node.children)))
                if child.children
            ]

    def names_behind(self, calls: Iterable[tuple[Node, Guards]]) -> frozenset[str]:
        """The names that decide what some calls are given, and whether they are made: those in them, and those in all
        that is written to such a variable, and in the conditions around."""
        found: set[str] = set()
        waiting = [(node, guards) for node, guards in calls]
        for node, guards in popped(waiting):
            names = {inner.text.decode("utf-8", "replace") for inner in node.walk() if inner.kind in _NAMES}
            fresh = names - found
            found |= fresh
            variables = [self.variables[name] for name in fresh if name in self.variables]
            for variable in variables:
                waiting += [*variable.writes, *(one for written in variable.members.values() for one in written)]
                waiting += [] if variable.elements is None else [(variable.elements, variable.elements_in)]
                parts = (part for loop in variable.loops for part in (loop.first, loop.condition, loop.step))
                waiting += [(part, guards) for part in parts if part is not None]
            arms = [self.paths.arms[guard] for guard in guards]
            for condition in (one for arm in arms for one in (arm.condition, arm.case and arm.case.number)):
                if condition is not None and condition.start not in self._conditions:
                    self._conditions.add(condition.start)
                    waiting.append((condition, ()))
        self._conditions.clear()
        return frozenset(found)

    def is_used_whole(self, variable: str, path: str) -> bool:
        """Whether a member is named otherwise than to get at what is in it: an array so named is a pointer to it."""
        if self._whole is None:
            self._whole = {
                (found[0].text.decode("utf-8", "replace"), found[1])
                for node in self._function.walk()
                if node.kind != "field_expression"
                for child in node.children
                if child.kind == "field_expression" and (node.kind, child.role) != ("subscript_expression", "argument")
                if (found := member_path(child)) is not None
            }
        return (variable, path) in self._whole

    def _lose_all(self, node: Node) -> None:
        for inner in node.walk():
            if inner.kind == "identifier":
                self._variable(inner).is_lost = True
                self._variable(inner).is_other = True

    def _loop(self, node: Node, inner: Mapping[int, Guards]) -> None:
        """A loop with the guards of its parts, which counts if it has one of the forms that are known."""
        declarator = node.field("declarator") if node.kind == "for_range_loop" else None
        named = None if declarator is None else range_variable(node)
        loop = counted_loop(node, inner[0][-1])
        if named is not None and named.kind == "identifier":
            variable = self._variable(named)
            variable.declarations += 1
            variable.scopes.append((node.start, node.end))
            variable.type = spelling_of(node)
            variable.is_number = _is_number(variable.type)
            variable.declare(variable.type)
            variable.is_lost |= loop is None
        elif declarator is not None:
            self._lose_all(declarator)
        if loop is not None:
            variable = self.variables.setdefault(loop.variable, Variable())
            variable.loops.append(loop)

    def _variable(self, node: Node) -> Variable:
        name = node.text.decode("utf-8", "replace")
        known = self.variables.get(name)
        if known is None:
            known = self.variables[name] = Variable()
        return known

    def declaration(self, node: Node, guards: Guards) -> None:
        spelling = spelling_of(node)
        for declarator in node.fields("declarator"):
            name, value = _declared(declarator)
            if name is None:
                continue
            if name.kind != "identifier":
                self._hidden(node, name, value, guards)
                continue
            variable = self._variable(name)
            variable.declarations += 1
            variable.type = spelling
            words = {child.text for child in node.children if child.kind == "storage_class_specifier"}
            variable.is_static |= b"static" in words
            variable.is_lost |= b"extern" in words
            if b"extern" not in words:
                variable.scopes.append((node.start, self._scope_end))
            variable.is_number = _is_number(spelling)
            variable.declare(spelling)
            listed = _CONTAINER.fullmatch(spelling)
            if listed is not None and value is not None and value.kind == "initializer_list":
                self._listed(variable, listed[1], name, (value, guards))
            if value is not None:
                variable.writes.append((value, guards))
                is_listed = value.kind in ("argument_list", "parameter_list", "initializer_list")
                if is_listed and builtin_type(spelling, ()) is None:
                    self._pass(spelling.partition("<")[0].strip(), values_in(value), node.start, guards)

    def _hidden(self, declaration: Node, name: Node, value: Node | None, guards: Guards) -> None:
        """A pointer, reference, array or structured binding."""
        is_constant = any(child.text in (b"const", b"constexpr") for child in declaration.children)
        for inner in name.walk():
            if inner.kind == "identifier":
                variable = self._variable(inner)
                variable.is_lost = True
                variable.is_other = True
                variable.declarations += 1
                variable.scopes.append((declaration.start, self._scope_end))
                if name.kind == "array_declarator" and value is not None:
                    variable.elements = value if is_constant or self._is_only_read(inner.text) else None
                    variable.elements_in = guards
                    variable.type = spelling_of(declaration)
                if name.kind != "structured_binding_declarator":
                    break
        if value is not None and name.text.startswith(b"&") and not is_constant:
            for bound in _places(value):
                self._variable(bound).is_lost = True

    def _listed(self, variable: Variable, element: str, name: Node, written: Write) -> None:
        """`std::vector<int> sizes = {64, 128};`, whose elements have another type than it."""
        if self._is_only_read(name.text):
            (variable.elements, variable.elements_in), variable.type = written, element
            variable.is_lost = variable.is_container = True

    def _is_only_read(self, name: bytes) -> bool:
        """Whether all uses of an array's name in the function read elements of it."""
        parents: list[tuple[Node, Node | None]] = [(self._function, None)]
        for node, parent in popped(parents):
            if any(child.kind == "identifier" and child.text == name for child in node.children):
                is_declared = node.kind in ("array_declarator", "init_declarator") and node.children[0].text == name
                named = node.field("declarator") if node.kind == "for_range_loop" else None
                is_copied = named is not None and range_variable(node) is not None and _is_read_through(node)
                is_element = node.kind == "subscript_expression" and parent is not None
                if not (is_declared or is_copied or (is_element and self._reads(parent, node))):
                    return False
            if node.kind != "sizeof_expression":  # nothing is computed there
                parents += [(child, node) for child in node.children if child.children]
        return True

    def _reads(self, parent: Node | None, element: Node) -> bool:
        if parent is None:
            return False
        if parent.kind == "argument_list" or element.role == "left":
            return False  # a function may write through a reference
        return parent.kind in _READING

    def parameter(self, node: Node, guards: Guards) -> None:
        declarator, spelling = node.field("declarator"), spelling_of(node)
        is_number = _is_number(spelling)
        for inner in () if declarator is None else declarator.walk():
            if inner.kind == "identifier":
                variable = self._variable(inner)
                is_object = not is_number and inner is named_object(node)
                is_plain = _is_pointer(node) or (is_number and declarator is inner) or is_object
                is_plain |= inner.text == self._filled.encode("utf-8", "replace")
                variable.is_lost |= not is_plain
                variable.parameters += 1
                variable.type = spelling
                variable.is_number = is_number
                variable.declare(spelling)
                break

    def type_parameter(self, node: Node, guards: Guards) -> None:
        for inner in node.children:
            if inner.kind == "type_identifier":
                self._variable(inner).is_lost = True
                self._variable(inner).parameters += 1
                break

    def captured(self, node: Node, guards: Guards) -> None:
        """`[t = size()]`: a name of the lambda's own."""
        for inner in node.children[:1]:
            for place in inner.walk():
                if place.kind == "identifier":
                    self._variable(place).is_lost = True
                    self._variable(place).is_other = True

    def assignment(self, node: Node, guards: Guards) -> None:
        left, right, sign = node.field("left"), node.field("right"), node.field("operator")
        if left is None or right is None:
            return
        self._write(left, right if sign is None or sign.text == b"=" else node, guards)

    def _write(self, left: Node, value: Node, guards: Guards) -> None:
        if left.kind == "identifier":
            self._variable(left).writes.append((value, guards))
            return
        path = member_path(left)
        if path is not None:
            self._variable(path[0]).members.setdefault(path[1], []).append((value, guards))
            return
        for place in _places(left):  # `(a) = 3`, `(n ? a : b) = 3`
            self._variable(place).is_lost = True

    def increment(self, node: Node, guards: Guards) -> None:
        argument = node.field("argument")
        if argument is not None:
            self._write(argument, node, guards)

    def taken(self, node: Node, guards: Guards) -> None:
        """`&x`: from then on somebody else may write it."""
        argument, sign = node.field("argument"), node.field("operator")
        if argument is not None and sign is not None and sign.text == b"&" and node.start not in self._only_read:
            for place in _places(argument):
                self._variable(place).passed.append((node.start, guards))

    def left(self, node: Node, guards: Guards) -> None:
        self.paths.leaves.append((node.start, guards))

    def call(self, node: Node, guards: Guards) -> None:
        self.calls.append((node, guards))
        if (read := only_read(node)) is not None:
            self._only_read.add(read.start)
        function, arguments = node.field("function"), node.field("arguments")
        if function is None or arguments is None or node.child("kernel_call_syntax") is not None:
            return
        called = function.field("argument") if function.kind == "field_expression" else function
        for place in () if called is None else _places(called):
            self._variable(place).passed.append((node.start, guards))
        if _LEAVING.fullmatch(function.text):
            self.left(node, guards)
        self._pass(_spelling(function), self._after_filling(node, arguments.children, guards), node.start, guards)

    def _after_filling(self, call: Node, arguments: Sequence[Node], guards: Guards) -> Sequence[Node | None]:
        """The arguments without those that the call fills in, which are written instead."""
        function = call.field("function")
        if self._fills is None or function is None or function.kind != "identifier":
            return arguments
        left: list[Node | None] = [*arguments]
        for position, argument in enumerate(arguments):
            place = pointed_to(argument) or argument
            variable = self.variables.get(place.text.decode("utf-8", "replace")) if place.kind == "identifier" else None
            if variable is None or variable.is_number or variable.is_lost or variable.type == "":
                continue
            copied = self._fills(function.text.decode("utf-8", "replace"), position)
            if copied is None or len(copied) != len(arguments):
                continue
            pairs = zip(arguments, copied, strict=True)
            others = (one for one, is_copy in pairs if one is not argument and not is_copy)
            if not any(inner.text == place.text for other in others for inner in other.walk()):
                value = Node(FILLED, call.start, call.end, call.source, str(position), [call])
                variable.writes.append((value, guards))
                self._only_read.add(argument.start)
                left[position] = None
        return left

    def _pass(self, callee: str, arguments: Sequence[Node | None], position: int, guards: Guards) -> None:
        for index, argument in enumerate(arguments):
            places = [] if argument is None else list(_places(argument))
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
        self.paths.has_jumps = True


def _is_read_through(loop: Node) -> bool:
    """Whether the variable of a loop over a list is a copy of an element, or a reference to a constant one."""
    declarator = loop.field("declarator")
    return declarator is not None and (
        declarator.kind == "identifier" or any(child.text == b"const" for child in loop.children)
    )


def _is_number(spelling: str) -> bool:
    return isinstance(builtin_type(spelling, ()), IntegerType | FloatType | BooleanType)


def spelling_of(declaration: Node) -> str:
    """The type as a declaration spells it."""
    type = declaration.field("type")
    return "" if type is None else type.text.decode("utf-8", "replace")


def named_object(parameter: Node) -> Node | None:
    """The name of a parameter that is an object, by value or as a reference to a constant one."""
    declarator, type = parameter.field("declarator"), parameter.field("type")
    if declarator is None or type is None or type.kind not in ("type_identifier", "qualified_identifier"):
        return None
    if declarator.kind == "identifier":
        return declarator
    is_constant = any(child.text == b"const" for child in parameter.children)
    is_reference = declarator.kind == "reference_declarator" and not declarator.text.startswith(b"&&")
    return declarator.child("identifier") if is_reference and is_constant else None


def member_path(node: Node) -> tuple[Node, str] | None:
    """The variable and the members of `config.block.x`, `config.sizes[2]` (`sizes.2`); None for anything else."""
    path: list[str] = []
    while node.kind in ("field_expression", "subscript_expression"):
        if node.kind == "subscript_expression":
            element = _element_of_member(node)
            if element is None:
                return None
            node, place = element
            path.append(place)
            continue
        argument, member, sign = node.field("argument"), node.field("field"), node.field("operator")
        if argument is None or member is None or member.kind != "field_identifier":
            return None
        if sign is not None and sign.text != b".":
            return None
        path.append(member.text.decode("utf-8", "replace"))
        node = argument
    return (node, ".".join(reversed(path))) if path and node.kind == "identifier" else None


def _element_of_member(node: Node) -> tuple[Node, str] | None:
    """The array and the place of `config.sizes[2]`."""
    argument, indices = node.field("argument"), node.field("indices")
    if argument is None or indices is None or argument.kind != "field_expression" or len(indices.children) != 1:
        return None
    place = indices.children[0].text.decode("utf-8", "replace")
    return (argument, place) if place.isascii() and place.isdigit() and str(int(place)) == place else None


def _stops_early(node: Node) -> bool:
    """`a && b`, which may leave out b."""
    sign = node.field("operator")
    return sign is not None and sign.text in (b"&&", b"||", b"and", b"or")


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
        case "cast_expression" | "call_expression" if _is_reference_cast(node):
            for name in ("value", "arguments"):
                cast = node.field(name)
                if cast is not None:
                    yield from _places(cast)
        case "conditional_expression":
            for name in ("consequence", "alternative"):
                chosen = node.field(name)
                if chosen is not None:
                    yield from _places(chosen)
        case "comma_expression" | "assignment_expression" if node.children:
            yield from _places(node.children[-1 if node.kind == "comma_expression" else 0])
        case _:
            pass


def _is_reference_cast(node: Node) -> bool:
    """`(dim3 &)b`, `static_cast<dim3 &&>(b)`: another name for what is cast."""
    type = node.field("type" if node.kind == "cast_expression" else "function")
    is_cast = node.kind == "cast_expression" or (type is not None and b"_cast<" in type.text.replace(b" ", b""))
    return is_cast and type is not None and b"&" in type.text


def _all_is_read(function: str, position: int) -> bool:
    raise AssertionError(f"the calls were read: {function}, {position}")


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
    """The name of what a call calls, without template arguments; of a method the last word behind a dot."""
    before = ""
    if function.kind == "field_expression" and (member := function.field("field")) is not None:
        before, function = METHOD, member
    return before + function.text.decode("utf-8", "replace").partition("<")[0].strip()


_NAMES: Final = frozenset({"identifier", "type_identifier"})
_NUMBERS: Final = frozenset({"number_literal", "cast_expression", "parenthesized_expression", "sizeof_expression"})
_SCOPES: Final = frozenset(
    {
        *("compound_statement", "if_statement", "for_statement", "for_range_loop", "while_statement"),
        *("switch_statement", "lambda_expression", "catch_clause"),
    }
)
"""The first is the body of the function."""
_READING: Final = frozenset(
    {"kernel_call_syntax", "binary_expression", "init_declarator", "conditional_expression", "assignment_expression"}
)
_COUNTING: Final = frozenset({"for_statement", "for_range_loop"})
_CONTAINER: Final = re.compile(
    r"(?:const\s+)?(?:std::)?(?:vector|array|initializer_list)\s*<\s*([\w\s]+?)\s*(?:,[^<>]*)?>"
)
_LEAVING: Final = re.compile(rb"(?i).*(?:exit|abort|terminate|usage|help|die|fatal|fail)\w*")
_COLLECTORS: Final[Mapping[str, Callable[[HostWrites, Node, Guards], None]]] = {
    "call_expression": HostWrites.call,
    "declaration": HostWrites.declaration,
    "parameter_declaration": HostWrites.parameter,
    "assignment_expression": HostWrites.assignment,
    "optional_parameter_declaration": HostWrites.parameter,
    "variadic_parameter_declaration": HostWrites.parameter,
    "type_parameter_declaration": HostWrites.type_parameter,
    "optional_type_parameter_declaration": HostWrites.type_parameter,
    "lambda_capture_initializer": HostWrites.captured,
    "update_expression": HostWrites.increment,
    "pointer_expression": HostWrites.taken,
    "binary_expression": HostWrites.shift,
    "goto_statement": HostWrites.jump,
    "return_statement": HostWrites.left,
    "throw_statement": HostWrites.left,
}
