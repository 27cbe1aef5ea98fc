"""What one host function is seen from: a place in it, and the `dim3` values and objects there.

Rules    A member has the value of the writes to it, or to an object around it, that may come last before the place, if
         they agree (`host_paths.py`) and the variable is not lost from sight (`host_writes.py`).
         Plain objects are initialised by a list, or as the record says (`host_records.py`); a `dim3` holds ones.
         What is stored is converted to the type of the place.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, TypeAlias, TypeVar, final

from analysis.ir.record import record
from analysis.ir.types import BooleanType, FloatType, IntegerType, Type, VectorType
from analysis.launches.file_constants import FileConstants, Number
from analysis.launches.host_arithmetic import combined, stored
from analysis.launches.host_loops import CountedLoop
from analysis.launches.host_paths import Case, Guards, Write
from analysis.launches.host_records import HostField
from analysis.launches.host_steps import HostSteps
from analysis.launches.host_writes import FILLED, HostWrites, Variable, member_path, values_in
from analysis.launches.model import Shape
from analysis.launches.symbol_copies import copied_symbol, source_and_size
from analysis.lower.builtins import builtin_type
from analysis.syntax.tree import Node

AXES: Final = ("x", "y", "z")
_Answer = TypeVar("_Answer")
Extents: TypeAlias = "tuple[int | None, int | None, int | None]"
_UNKNOWN: Final[Extents] = (None, None, None)


@final
@record
class FileVariable:
    """The type of a variable at file level, and the functions that write to it, or lead to one that does."""

    type: str
    touching: tuple[str, ...]


class HostObjects(ABC):
    """The objects of one function, seen from one place in it; `HostValues` adds the numbers."""

    def __init__(
        self,
        written: HostWrites,
        constants: FileConstants | None,
        given: Mapping[str, Number] | None = None,
        hidden: AbstractSet[str] | None = frozenset(),
        of_file: Mapping[str, FileVariable] | None = None,
    ) -> None:
        """`written`: what the function does; `given`: what its parameters, members of them, and variables at file level
        hold when it is called.

        `hidden`: names of the file that mean something else here; None if that may be any.
        `of_file`: variables at file level that some function writes to.
        """
        self._constants = constants
        self._given = given or {}
        self._hidden = hidden
        self._of_file = of_file or {}
        self._written = written
        self._variables = written.variables
        self._paths = written.paths
        self._rounds: dict[int, Number] = {}
        self._kept = ""
        self.calls: Final = written.calls
        self._assumed: tuple[str, int] | None = None
        self._guards: Guards = ()
        self._position = written.end
        self._until: int | None = None
        """The end of a value that is written there; None where the place is a call."""
        self._steps = HostSteps()

    def seen_from(self, position: int, guards: Guards) -> None:
        """Sets the place that is asked from, and the conditionals around it."""
        self._position = position
        self._guards = guards
        self._until = None

    @abstractmethod
    def number(self, node: Node) -> Number | None:
        """The value of a constant expression."""

    # -- the place ---------------------------------------------------------------------------------------------------

    def is_reached(self) -> bool:
        """Whether nothing that is known keeps the program from coming to the place that is asked from."""
        return self._paths.is_reached(self._position, self._guards, self._truth)

    def _recalled(self, name: str, path: str, ask: Callable[[], Number | None]) -> Number | None:
        """What a variable, or a member of it, holds here: `ask` says it the first time."""
        question = (name, path, self._position, self._guards, self._assumed, tuple(self._rounds.items()))
        return self._steps.recalled(question, ask)

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
        name = node.text.decode("utf-8", "replace")
        variable = self._variables.get(name)
        if variable is None or not variable.declarations + variable.parameters:
            spelling = "" if self._constants is None or self._is_hidden(name) else self._constants.spelling(name)
            return isinstance(self._type(spelling), IntegerType)
        return variable.is_integer and not variable.is_other and variable.is_in_scope(self._position)

    # -- names -------------------------------------------------------------------------------------------------------

    def initialiser(self, name: str) -> Node | None:
        """What a variable of the function is declared with, if nothing ever writes to it again."""
        variable = self._variables.get(name)
        if variable is None or variable.is_lost or variable.is_static or variable.passed or variable.members:
            return None
        if not variable.is_in_scope(self._position):
            return None
        is_one = variable.declarations == len(variable.writes) == 1 and not (variable.parameters or variable.loops)
        value = variable.writes[0][0] if is_one else None
        return value if value is not None and value.role in ("value", "parameters") else None

    def of_last_writes(self, name: str, ask: Callable[[Node], _Answer]) -> tuple[Sequence[_Answer], bool] | None:
        """The answers about all that may be what was last written to a variable, of what everything is where it was
        written, and whether nothing that was there before is left; None where that is not known."""
        variable = self._variables.get(name)
        if variable is None or variable.loops or self._is_lost(variable) or not variable.is_in_scope(self._position):
            return None
        if variable.declarations + variable.parameters != 1 or (variable.is_static and len(variable.writes) > 1):
            return None
        last = self._paths.last_writes(variable.writes, self._position, self._guards, self._truth)
        return None if last is None else ([self._at(write, ask) for write in last[0]], last[1])

    def is_steady(self, name: str, since: int | None, start: int, end: int) -> bool:
        """Whether a number of the function holds in a launch, which stands between two offsets, what it held where
        something was declared that is still there; `since` None: whether it is one number in all of the launch.

        Who got its address may write to it at any time from then on, but not within a launch that calls nothing.
        """
        variable = self._variables.get(name)
        if variable is None or variable.is_lost or variable.is_static or not variable.is_number:
            return False
        if variable.declarations + variable.parameters != 1 or not variable.is_in_scope(start):
            return False
        if since is not None and (self._paths.has_jumps or variable.passed):
            return False
        if variable.passed and any(start <= call.start < end for call, _ in self.calls if call.start != start):
            return False
        return not any(
            self._is_in_lambda(guards) or (start <= value.start < end if since is None else value.start >= since)
            for value, guards in variable.writes
        )

    def _is_in_lambda(self, guards: Guards) -> bool:
        return any(self._paths.arms[guard].kind == "lambda_expression" for guard in guards)

    def is_constant(self, name: str) -> bool:
        """Whether a name is none of the function's own."""
        return name.isidentifier() and name not in self._variables and not self._is_hidden(name)

    def is_integer(self, name: str) -> bool:
        """Whether a name is surely that of an integer."""
        variable = self._variables.get(name)
        return variable is not None and variable.is_integer and not variable.is_other

    def spelled_type(self, name: str) -> str:
        """The type of a variable of the function, as it is declared."""
        variable = self._variables.get(name)
        return "" if variable is None else variable.type

    def type_of(self, name: str) -> Type | None:
        """The type of a variable of the function that is an integer."""
        return self._type(self._variables[name].type) if self.is_integer(name) else None

    # -- lists of objects ---------------------------------------------------------------------------------------------

    def _objects_of(self, loop: CountedLoop, variable: Variable) -> tuple[str, Sequence[Write]]:
        """The type and the elements of a list of objects that a loop goes through; none where it is none of these."""
        if loop.condition is not None or variable.is_number:
            return "", ()
        around = self._paths.guards[loop.guard]
        if loop.first.kind == "initializer_list":
            type, found = variable.type, [(child, around) for child in loop.first.children]
        else:
            type, found = self._array(loop.first)
        if type in _OPEN_TYPES and all(called_name(child) in _DIM_TYPES for child, _ in found):
            type = "dim3"
        is_same = variable.type in _OPEN_TYPES or variable.type == type
        return (type, found) if is_same and self._is_object(type) else ("", ())

    def _array(self, name: Node) -> tuple[str, Sequence[Write]]:
        """The type and the elements of an array, or a container, that is only read."""
        variable = self._variables.get(name.text.decode("utf-8", "replace"))
        listed = None if variable is None or variable.declarations != 1 else variable.elements
        if variable is None or listed is None or listed.kind != "initializer_list":
            return "", ()
        return variable.type, [(child, variable.elements_in) for child in listed.children]

    def _is_object(self, type: str) -> bool:
        record = None if self._constants is None else self._constants.records.get(type)
        return type in _DIM_TYPES or (record is not None and record.is_plain)

    def _object_of_round(self, variable: Variable) -> tuple[str, Write] | None:
        """The type and the element that the variable of a loop is in the round that is asked about."""
        if len(variable.loops) != 1 or variable.loops[0].guard not in self._guards:
            return None
        (loop,) = variable.loops
        type, elements = self._objects_of(loop, variable)
        place = self._rounds.get(loop.guard)
        return (type, elements[place]) if isinstance(place, int) and 0 <= place < len(elements) else None

    def _type_of_member(self, node: Node) -> str:
        """The type of `config.block`, `configs[i].block`; empty where that is not known."""
        argument, member = node.field("argument"), node.field("field")
        element = None if argument is None else self._element(argument)
        if element is not None and member is not None:
            return self._field_type(element[0], member.text.decode("utf-8", "replace"))
        path = member_path(node)
        variable = None if path is None else self._variables.get(path[0].text.decode("utf-8", "replace"))
        if path is None or variable is None:
            return ""
        here = self._object_of_round(variable) if variable.loops else None
        return self._field_type(variable.type if here is None else here[0], path[1])

    def _element(self, node: Node) -> tuple[str, Write] | None:
        """The type and the expression of `shapes[i]`."""
        argument, indices = node.field("argument"), node.field("indices")
        if argument is None or indices is None or argument.kind != "identifier" or len(indices.children) != 1:
            return None
        type, elements = self._array(argument)
        index = self.number(indices.children[0]) if self._is_object(type) else None
        return (type, elements[index]) if isinstance(index, int) and 0 <= index < len(elements) else None

    # -- what would be ------------------------------------------------------------------------------------------------

    def names_behind(self, node: Node) -> AbstractSet[str]:
        """The names that decide what an expression is."""
        return self._written.names_behind([(node, self._guards)])

    def extents_if(self, name: str, number: int, node: Node) -> Extents:
        """The extents of a shape if the variable `name` held that number, whatever is written to it; helpers that are
        called like a division which rounds up are taken for one."""
        self._assumed = name, number
        try:
            return self.extents(node)
        finally:
            self._assumed = None

    def number_if(self, name: str, number: int, node: Node) -> Number | None:
        """The value of an expression if the variable `name` held that number."""
        self._assumed = name, number
        try:
            return self.number(node)
        finally:
            self._assumed = None

    def extents(self, node: Node) -> Extents:
        """Those of a shape, as far as they are known."""
        if self._steps.is_spent():
            return _UNKNOWN
        self._steps.depth += 1
        try:
            return self._extents(node)
        finally:
            self._steps.depth -= 1

    def _extents(self, node: Node) -> Extents:
        match node.kind:
            case "parenthesized_expression" if len(node.children) == 1:
                return self.extents(node.children[0])
            case "initializer_list" | "argument_list" | "parameter_list":
                return self._from_list(node)
            case "compound_literal_expression":
                value = node.field("value")
                return _UNKNOWN if value is None else self._from_list(value)
            case "call_expression" if called_name(node) in _DIM_NAMES:
                arguments = node.field("arguments")
                return _UNKNOWN if arguments is None else self._from_list(arguments)
            case "identifier" | "type_identifier":
                return self._named_extents(node)
            case "subscript_expression" if (element := self._element(node)) is not None:
                type, written = element
                x, y, z = (self._at(written, lambda node, axis=axis: self._part(node, axis, type)) for axis in AXES)
                return _extent(x), _extent(y), _extent(z)
            case "field_expression" if self._type_of_member(node) in _DIM_TYPES:
                x, y, z = (self._part(node, axis, "dim3") for axis in AXES)
                return _extent(x), _extent(y), _extent(z)
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
        is_of_file = variable is not None and not variable.declarations + variable.parameters
        if variable is None or is_of_file or is_assumed or variable.is_number:
            return _one_dimensional(self.number(node))
        if variable.loops and variable.type in _OPEN_TYPES and self._object_of_round(variable) is None:
            return _one_dimensional(self.number(node))  # the rounds that are known are those of numbers
        x, y, z = (self._member_of(name, variable, axis) for axis in AXES)
        return _extent(x), _extent(y), _extent(z)

    # -- objects -------------------------------------------------------------------------------------------------------

    def member(self, node: Node) -> Number | None:
        """`block.x`, `config.threads`."""
        path = member_path(node)
        if path is None:
            argument, member = node.field("argument"), node.field("field")
            name = "" if member is None else member.text.decode("utf-8", "replace")
            element = self._element(argument) if argument is not None else None
            if element is not None:
                return self._at(element[1], lambda inner: self._part(inner, name, element[0]))
            is_shape = argument is not None and argument.kind != "identifier" and name in AXES
            return self._part(argument, name, "dim3") if argument is not None and is_shape else None
        name = path[0].text.decode("utf-8", "replace")
        variable = self._variables.get(name)
        return None if variable is None else self._member_of(name, variable, path[1])

    def part(self, node: Node, path: str, type: str) -> Number | None:
        """A member of the object that an expression of that type gives."""
        return self._part(node, path, type)

    def _member_of(self, name: str, variable: Variable, path: str) -> Number | None:
        """What the member of a variable holds here."""
        return self._recalled(name, path, lambda: self._member_now(name, variable, path))

    def _member_now(self, name: str, variable: Variable, path: str) -> Number | None:
        is_one = variable.declarations + variable.parameters == 1 and variable.is_in_scope(self._position)
        if self._is_lost(variable) or not is_one or variable.is_number or self._steps.is_spent():
            return None
        if variable.loops:
            found = None if variable.members or variable.writes else self._object_of_round(variable)
            return None if found is None else self._at(found[1], lambda node: self._part(node, path, found[0]))
        parts = path.split(".")
        arrays = (".".join(parts[:at]) for at, part in enumerate(parts) if part.isdigit())
        if any(self._written.is_used_whole(name, array) for array in arrays):
            return None
        heads = [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
        whole = [(write, path, variable.type) for write in variable.writes]
        for head in heads:
            rest = path[len(head) + 1 :]
            whole += [(write, rest, self._field_type(variable.type, head)) for write in variable.members.get(head, ())]
        unwritten = self._given.get(f"{name}.{path}") if variable.parameters else self._default(variable.type, path)
        if variable.is_static and len(whole) > 1:
            return None
        last = self._paths.last_writes([write for write, _, _ in whole], self._position, self._guards, self._truth)
        if last is None:
            return None
        reached, is_certain = last
        values = {
            self._at(write, lambda node, rest=rest, type=type: self._written_part(node, name, path, rest, type))
            for write, rest, type in whole
            if any(write is one for one in reached)
        }
        return agreed(values if is_certain else values | {unwritten})

    def _written_part(self, node: Node, name: str, path: str, rest: str, type: str) -> Number | None:
        """What a write to a member, or to an object around it, leaves in the member."""
        variable = self._variables[name]
        if node.kind == FILLED:
            return self.filled_part(node, name, variable, path)
        if rest:
            return self._part(node, rest, type)
        changed = self._changed(node, f"{name}.{path}", lambda: self._member_of(name, variable, path))
        return self._in_type(type, changed)

    def _part(self, node: Node, path: str, type: str) -> Number | None:
        if node.kind == "parenthesized_expression" and len(node.children) == 1:
            return self._part(node.children[0], path, type)
        if node.kind == "identifier":
            name = node.text.decode("utf-8", "replace")
            variable = self._variables.get(name)
            if variable is not None and not variable.is_number:
                return self._member_of(name, variable, path)
        if node.kind in ("subscript_expression", "field_expression"):
            argument, member = node.field("argument"), node.field("field")
            element = self._element(node if node.kind == "subscript_expression" else argument or node)
            rest = path if member is None else f"{member.text.decode('utf-8', 'replace')}.{path}"
            if element is not None:
                return self._at(element[1], lambda inner: self._part(inner, rest, element[0]))
        found = member_path(node)
        if found is not None and found[0].text.decode("utf-8", "replace") in self._variables:
            name = found[0].text.decode("utf-8", "replace")
            return self._member_of(name, self._variables[name], f"{found[1]}.{path}")
        spelled, listed = _listed_members(node)
        if node.kind == "call_expression" and listed is None and called_name(node) not in _DIM_NAMES:
            return self.returned_part(node, path)
        is_list = spelled not in _SHAPE and (type == "uint3" or bool(spelled))  # which ends in no ones, as a shape does
        if not is_list and (type in _DIM_TYPES or (type in _OPEN_TYPES and path in AXES)):
            return self.extents(node)[AXES.index(path)] if path in AXES else None
        return None if listed is None else self._listed_part(listed, path, spelled or type)

    def _listed_part(self, listed: Node, path: str, type: str) -> Number | None:
        """A member of `Config{128, 1024}`."""
        record = None if self._constants is None else self._constants.records.get(type)
        first, _, rest = path.partition(".")
        field = None if record is None else record.field(first)
        if record is None or field is None or not record.is_plain:
            return None
        pairs = [child for child in listed.children if child.kind == "initializer_pair"]
        place, values = record.fields.index(field), values_in(listed)
        value: Node | None = None
        if pairs:
            for pair in pairs:
                if pair.children[0].text == b"." + first.encode():
                    value = pair.field("value")
        elif not all(map(self._is_whole, record.fields[: place + 1], values)):
            return None  # `{1, 2, 3}` may go on in the members of a member
        elif place < len(values):
            value = values[place]
        if value is None:
            return self.zeroed(type, path)
        return self._part(value, rest, field.type) if rest else self._in_type(field.type, self.number(value))

    def _is_whole(self, field: HostField, value: Node) -> bool:
        """Whether what stands in a list is surely for one member, and all of it."""
        is_single = not field.type or field.type in _SHAPE or self._is_single(field.type)
        return is_single or value.kind == "initializer_list" or bool(self._type_of_object(value))

    def _is_single(self, type: str) -> bool:
        found = self._type(type)
        return isinstance(found, IntegerType | FloatType | BooleanType) or self._is_enumeration(type)

    def zeroed(self, type: str, path: str) -> Number | None:
        """What a list leaves in members that it does not name."""
        if type in _SHAPE:
            return self._default(type, path)
        record = None if self._constants is None else self._constants.records.get(type)
        first, _, rest = path.partition(".")
        field = None if record is None or not record.is_plain else record.field(first)
        if field is None or field.default is not None:
            return self._default(type, path)
        if rest:
            return self.zeroed(field.type, rest)
        return self._in_type(field.type, 0) if self._type(field.type) is not None else None

    # -- objects that are passed ---------------------------------------------------------------------------------------

    def numbers_in(self, node: Node) -> tuple[str, Sequence[tuple[str, int]]]:
        """The record of the object that an expression gives, and the integers in it that are known, by their place."""
        if self._constants is None or not (type := self._type_of_object(node)):
            return "", ()
        records = self._constants.records
        numbers = ((path, self._part(node, path, type)) for path in records.number_paths(type))
        return records.name(type), [(path, number) for path, number in numbers if isinstance(number, int)]

    @abstractmethod
    def returned_type(self, call: Node) -> str:
        """The type of the object that a function returns; empty where it is not followed."""

    @abstractmethod
    def returned_part(self, call: Node, path: str) -> Number | None:
        """A member of the object that a function returns."""

    @abstractmethod
    def filled_part(self, filled: Node, name: str, variable: Variable, path: str) -> Number | None:
        """What a call leaves in a member of a variable that it fills in."""

    # -- variables of the device ---------------------------------------------------------------------------------------

    def copied(self, symbol: str, type: str, path: str) -> Number | None:
        """What the last copy into a variable of the device leaves in a member of it; nothing where none surely came."""
        word = symbol.encode("utf-8", "replace")
        copies = [write for write in self.calls if copied_symbol(write[0]) == word]
        last = self._paths.last_writes(copies, self._position, self._guards, self._truth)
        if last is None or not last[1]:
            return None
        return agreed({self._at(write, lambda call: self.copy_leaves(call, type, path)) for write in last[0]})

    def copy_leaves(self, call: Node, type: str, path: str) -> Number | None:
        """What a copy into a variable of the device leaves in a member of it, seen from there; nothing where it may not
        be a copy of all of an object of the type."""
        copied = source_and_size(call)
        if copied is None or self._constants is None:
            return None
        source, size = copied
        records = self._constants.records
        name = source.text.decode("utf-8", "replace")
        of = self._type_of_object(source) if path else self._type_of_number(source)
        same = records.name(of) == records.name(type) if path else self._has_same_bits(of, type)
        if not of or not same or not self._is_size_of(size, {name, copied_symbol(call).decode(), of, type}):
            return None
        return self._part(source, path, type) if path else self._in_type(type, self.number(source))

    def _type_of_number(self, node: Node) -> str:
        if node.kind == "identifier":
            return self.spelled_type(node.text.decode("utf-8", "replace"))
        return self._type_of_member(node) if node.kind == "field_expression" else ""

    def _has_same_bits(self, one: str, other: str) -> bool:
        first, second = self._type(one), self._type(other)
        return isinstance(first, IntegerType) and isinstance(second, IntegerType) and first.bits == second.bits

    def _is_size_of(self, size: Node, names: AbstractSet[str]) -> bool:
        inner = size.field("type") or size.field("value")
        if size.kind != "sizeof_expression" or inner is None:
            return False
        text = inner.text.decode("utf-8", "replace").strip("() ").removeprefix("struct ")
        return text in names

    def _type_of_object(self, node: Node) -> str:
        """The type of what is a plain object; empty of everything else."""
        match node.kind:
            case "parenthesized_expression" if len(node.children) == 1:
                return self._type_of_object(node.children[0])
            case "identifier":
                variable = self._variables.get(node.text.decode("utf-8", "replace"))
                type = "" if variable is None or variable.is_number else variable.type
                if variable is not None and type in _OPEN_TYPES and len(variable.writes) == 1:
                    value = variable.writes[0][0]
                    type = "" if value.kind == "identifier" else self._type_of_object(value)
            case "compound_literal_expression":
                type = _listed_members(node)[0]
            case "call_expression":
                type = _made_vector(node) or ("dim3" if called_name(node) == "dim3" else self.returned_type(node))
            case "field_expression":
                type = self._type_of_member(node)
            case "subscript_expression":
                element = self._element(node)
                type = "" if element is None else element[0]
            case _:
                type = ""
        return type if self._is_object(type) else ""

    def _default(self, type: str, path: str) -> Number | None:
        """What a member holds that nothing wrote."""
        if type in _DIM_TYPES:
            return 1 if path in AXES and type != "uint3" else None
        record = None if self._constants is None else self._constants.records.get(type)
        first, _, rest = path.partition(".")
        field = None if record is None or not record.is_plain else record.field(first)
        if field is None or self._constants is None:
            return None
        if field.default is None:
            return self._default(field.type, rest) if rest else None
        return None if rest else self._constants.default(field.default, field.type)

    def _field_type(self, type: str, path: str) -> str:
        """The type of a member; empty where that is not known."""
        if type in _DIM_TYPES or type in _OPEN_TYPES:
            return "unsigned" if path in AXES and type in _DIM_TYPES else ""
        for name in path.split("."):
            if type in _DIM_TYPES:
                return "unsigned" if name in AXES else ""
            record = None if self._constants is None else self._constants.records.get(type)
            field = None if record is None else record.field(name)
            if field is None:
                return UNKNOWN_TYPE
            type = field.type or UNKNOWN_TYPE
        return type

    # -- writes --------------------------------------------------------------------------------------------------------

    def _changed(self, node: Node, name: str, before: Callable[[], Number | None]) -> Number | None:
        """What is written to a place, or what `b.x *= 2` and `n++` make of the number before."""
        sign = node.field("operator")
        target = node.field("left") or node.field("argument")
        is_change = node.kind == "update_expression" or (
            node.kind == "assignment_expression" and sign is not None and sign.text != b"="
        )
        if not is_change or target is None or sign is None or _spelled_place(target) != name:
            return self.number(node)
        right = node.field("right")
        by = 1 if node.kind == "update_expression" else None if right is None else self.number(right)
        old = None if by is None else before()
        operator = sign.text.decode("utf-8", "replace")
        spelled = operator[0] if node.kind == "update_expression" else operator.removesuffix("=")
        return None if old is None or by is None else combined(spelled, old, by)

    def keep(self, name: str) -> None:
        """Says that no function which gets a variable changes it: who reads the arguments of a program finds none where
        there is none."""
        self._kept = name

    def _is_lost(self, variable: Variable) -> bool:
        if self._kept and variable is self._variables.get(self._kept):
            return variable.is_lost
        is_late = self._paths.is_in_lambda(self._guards) and bool(variable.passed)
        return is_late or variable.is_lost_at(self._position, self._guards)

    def _at(self, write: Write, ask: Callable[[Node], _Answer]) -> _Answer:
        """What is written, as it is where it is written: `dim3 c = b; b.y = 16;` leaves `c` as it was."""
        here = self._position, self._guards, self._until
        value, guards = write
        self._position, self._guards, self._until = value.start, guards, value.end
        try:
            return ask(value)
        finally:
            self._position, self._guards, self._until = here

    def _truth(self, guard: int) -> bool | None:
        """Whether an arm of a branch, or a case of a `switch`, is taken."""
        arm = self._paths.arms[guard]
        if arm.case is not None:
            return self._is_case(arm.case, guard)
        condition = arm.condition
        if condition is not None and condition.kind == "condition_clause":
            condition = condition.children[0] if len(condition.children) == 1 else None
        if condition is None:
            return None
        value = self._number_at(condition, guard)
        return None if value is None else bool(value) == arm.value

    def _number_at(self, node: Node, guard: int) -> Number | None:
        """The number that a conditional decides by."""
        here = self._position, self._guards, self._until
        self._position, self._guards, self._until = node.end, self._paths.guards[guard], node.end
        try:
            return self.number(node)
        finally:
            self._position, self._guards, self._until = here

    def _is_case(self, case: Case, guard: int) -> bool | None:
        number = self._number_at(case.number, guard)
        own = None if case.own is None else self._number_at(case.own, guard)
        above, others = ([self._number_at(label, guard) for label in labels] for labels in (case.above, case.others))
        if number is None or None in (*above, *others) or (own is None and not case.is_default):
            return None
        is_by_default = number not in (*above, *others) and number != own
        if number == own or (is_by_default and case.is_default):
            return True
        is_fallen_into = number in above or (is_by_default and case.is_below_default)
        return None if is_fallen_into else False

    def _in_type(self, spelling: str, value: Number | None) -> Number | None:
        """A number as a variable of that type holds it."""
        if value is None or spelling in _OPEN_TYPES:
            return value
        type = self._type(spelling)
        if type is not None:
            return stored(value, type)
        return value if isinstance(value, int) and self._is_enumeration(spelling) else None

    def _is_enumeration(self, spelling: str) -> bool:
        records = None if self._constants is None else self._constants.records
        return records is not None and spelling.rpartition("::")[2].strip() in records.enumerations

    def _type(self, spelling: str) -> Type | None:
        found = builtin_type(spelling, ())
        if found is not None or self._constants is None:
            return found
        return builtin_type(self._constants.records.alias(spelling), ())

    def _is_hidden(self, name: str) -> bool:
        return self._hidden is None or name in self._hidden


def _one_dimensional(number: Number | None) -> Extents:
    return _extent(number), 1, 1


def _extent(number: Number | None) -> int | None:
    return None if number is None else int(number)


def agreed(values: AbstractSet[Number | None]) -> Number | None:
    """The one value of several writes."""
    return next(iter(values)) if len(values) == 1 else None


def _listed_members(node: Node) -> tuple[str, Node | None]:
    """The type, if it is named, and the list of `Config{128, 1024}` or `{128, 1024}`."""
    if node.kind == "initializer_list":
        return "", node
    if vector := _made_vector(node):
        return vector, node.field("arguments")
    type, value = node.field("type"), node.field("value")
    is_list = node.kind == "compound_literal_expression" and value is not None and value.kind == "initializer_list"
    return ("" if type is None else type.text.decode("utf-8", "replace"), value) if is_list else ("", None)


def _spelled_place(node: Node) -> str:
    """`c.sizes.2` of `c.sizes[2]`."""
    path = member_path(node)
    variable = (node if path is None else path[0]).text.decode("utf-8", "replace")
    return variable if path is None else f"{variable}.{path[1]}"


def _made_vector(node: Node) -> str:
    """`int3` of `make_int3(a, b, c)`; empty of other calls, and of those that are given other vectors."""
    name, arguments = called_name(node), node.field("arguments")
    type = builtin_type(name.removeprefix("make_"), ()) if name.startswith("make_") else None
    is_made = isinstance(type, VectorType) and arguments is not None and len(arguments.children) == type.length
    return name.removeprefix("make_") if is_made else ""


def called_name(node: Node) -> str:
    """The last word of what a call calls, without template arguments."""
    function = node.field("function")
    if function is None:
        return ""
    text = function.text.decode("utf-8", "replace").partition("<")[0].strip()
    return text if text.startswith("unsigned") else text.rpartition("::")[2]


_DIM_NAMES: Final = frozenset(("dim3", "make_dim3", "make_uint3", "uint3"))
_DIM_TYPES: Final = frozenset(("dim3", "uint3"))
_SHAPE: Final = frozenset(("dim3",))
_OPEN_TYPES: Final = frozenset(("", "auto", "decltype(auto)"))
"""What is written decides."""
UNKNOWN_TYPE: Final = "?"
