"""Numbers, `dim3` values and objects in one host function, as far as they are the same for every run.

Rules    A variable has the value of the writes that may come last before the place, if they agree (`host_paths.py`) and
         it is not lost from sight (`host_writes.py`).  What is stored is converted to the variable's type.
         Members of plain objects have values like variables; what nothing wrote is as the record initialises it.
         Parameters have what a call passes (`host_calls.py`); the variable of a counted loop has that of the round that
         is asked about.  Functions of one `return` are computed; results of other calls, and what is read at run time,
         have none.  Unknown is None, never a guess.
         What does not fit 32 bits is known only where the expression surely has 64.
Limits   Names are not told apart by scope: a name declared twice has no value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, final

from analysis.cpp.literals import number_literal
from analysis.ir.types import BooleanType, FloatFormat, FloatType, IntegerType, Type
from analysis.launches.file_constants import FileConstants, Number
from analysis.launches.host_arithmetic import OF_ONE, OF_TWO, cast_to, combined, rounded
from analysis.launches.host_functions import HostFunction
from analysis.launches.host_loops import MAX_ROUNDS, CountedLoop, rounds, stepped
from analysis.launches.host_objects import FileVariable, HostObjects, agreed, called_name
from analysis.launches.host_writes import HostWrites, Variable, values_in
from analysis.launches.object_functions import ObjectFunction
from analysis.lower.builtins import builtin_type, builtin_variable
from analysis.lower.layouts import size_of
from analysis.syntax.tree import Node

MAX_CALLS: Final = 4
ALWAYS: Final = "="
"""In front of the name of a variable at file level: what it holds wherever it is read."""
AT_FIRST: Final = "::"
"""What it holds where the function is entered."""
DIVIDES: Final = "%"
"""In front of the name of a parameter: a power of two that divides what is passed, where the number is not known."""
_ROUNDING_UP: Final = re.compile(
    r"c(?:eil)?_?div|i?div(?:ide)?_?(?:round_?)?up|div_?ceil|(?:round_?)?up_?div|ceiling_?div(?:ide)?", re.IGNORECASE
)


@final
class HostValues(HostObjects):
    """The values of one function's variables, seen from one place in it."""

    def __init__(
        self,
        written: HostWrites,
        constants: FileConstants | None,
        given: Mapping[str, Number] | None = None,
        hidden: AbstractSet[str] | None = frozenset(),
        depth: int = 0,
        of_file: Mapping[str, FileVariable] | None = None,
    ) -> None:
        """`depth`: of the calls around; see `HostObjects` for the rest."""
        super().__init__(written, constants, given, hidden, of_file)
        self._calls_around = depth

    # -- rounds --------------------------------------------------------------------------------------------------------

    def counted_loops(self) -> Sequence[CountedLoop]:
        """The loops around the place whose rounds may be told apart, outermost first."""
        loops = [loop for variable in self._variables.values() for loop in variable.loops]
        return sorted((loop for loop in loops if loop.guard in self._guards), key=lambda loop: loop.start)

    def in_rounds(self, numbers: Mapping[int, Number]) -> None:
        """From here on the variables of these loops, by guard, hold these numbers."""
        self._rounds = dict(numbers)

    def settings(self) -> Sequence[Mapping[int, Number]]:
        """What the variables of the loops around the place hold, for each combination of rounds; as far as it is known
        and there are not too many."""
        found: list[Mapping[int, Number]] = [{}]
        for loop in self.counted_loops():
            self.in_rounds({})
            numbers = self.rounds(loop)
            if numbers and len(found) * len(numbers) <= MAX_ROUNDS:
                found = [{**one, loop.guard: number} for one in found for number in numbers]
        self.in_rounds({})
        return found

    def rounds(self, loop: CountedLoop) -> Sequence[Number]:
        """What the variable of a loop holds in its rounds; none where they are not known."""
        variable = self._variables[loop.variable]
        if variable.is_lost or len(variable.loops) != 1 or not self._is_counted(variable, loop):
            return ()
        condition, step = loop.condition, loop.step
        if condition is None or step is None:
            return self._listed(loop, variable) or range(len(self._objects_of(loop, variable)[1]))
        right = step.field("right")
        around = self._paths.guards[loop.guard]
        first = self._in_type(variable.type, self._at((loop.first, around), self.number))
        if not isinstance(first, int) or not isinstance(self._type(variable.type), IntegerType):
            return ()

        def holds(number: int) -> bool | None:
            self._rounds[loop.guard] = number
            found = self._at((condition, (*around, loop.guard)), self.number)
            del self._rounds[loop.guard]
            return None if found is None else bool(found)

        by = None if right is None else self._at((right, (*around, loop.guard)), self.number)
        constant = by if isinstance(by, int) else None
        return rounds(first, holds, lambda number: stepped(step, number, constant)) or ()

    def _is_counted(self, variable: Variable, loop: CountedLoop) -> bool:
        """Whether nothing but the head of the loop writes to its variable."""
        written = [value for value, _ in variable.writes]
        head = [] if loop.step is None else [loop.first, loop.step]
        is_one = variable.declarations == 1 and not variable.passed and not variable.members
        return is_one and all(value in head for value in written)

    def _listed(self, loop: CountedLoop, variable: Variable) -> Sequence[Number]:
        """The elements of the list that a loop goes through."""
        numbers = self._at((loop.first, self._paths.guards[loop.guard]), self._elements)
        found = [self._in_type(variable.type, number) for number in numbers]
        known = [number for number in found if number is not None]
        return known if len(known) == len(found) <= MAX_ROUNDS else ()

    def _elements(self, node: Node) -> Sequence[Number | None]:
        if node.kind == "initializer_list":
            return [self.number(child) for child in node.children]
        name = node.text.decode("utf-8", "replace")
        variable = self._variables.get(name)
        if variable is None:
            return () if self._constants is None or self._is_hidden(name) else self._constants.elements(name)
        if variable.elements is None or variable.declarations != 1 or variable.elements.kind != "initializer_list":
            return ()
        return [
            self._in_type(variable.type, self._at((child, variable.elements_in), self.number))
            for child in variable.elements.children
        ]

    def subscript(self, node: Node) -> Number | None:
        """An element of an array of constants, or of a member that is an array."""
        argument, indices = node.field("argument"), node.field("indices")
        if argument is not None and argument.kind == "field_expression":
            return self.member(node)
        if argument is None or indices is None or argument.kind != "identifier" or len(indices.children) != 1:
            return None
        index = self.number(indices.children[0])
        elements = self._elements(argument) if isinstance(index, int) else ()
        return elements[index] if isinstance(index, int) and 0 <= index < len(elements) else None

    # -- numbers ------------------------------------------------------------------------------------------------------

    def number(self, node: Node) -> Number | None:
        """The value of a constant expression."""
        handler = _NUMBERS.get(node.kind)
        if handler is None or self._steps.is_spent():
            return None
        self._steps.depth += 1
        try:
            return handler(self, node)
        except (ArithmeticError, ValueError):
            return None
        finally:
            self._steps.depth -= 1

    def converted(self, node: Node, type: str) -> Number | None:
        """The value of an initialiser, as a variable of that type holds it."""
        return self._in_type(type, self.number(node))

    def literal(self, node: Node) -> Number | None:
        found = number_literal(node.text)
        return None if found is None else found[0]

    def truth(self, node: Node) -> Number | None:
        return int(node.kind == "true")

    def inner(self, node: Node) -> Number | None:
        values = values_in(node)
        return self.number(values[0]) if len(values) == 1 else None

    def template_argument(self, node: Node) -> Number | None:
        """A bare name there is a type to the grammar."""
        only = node.children[0] if len(node.children) == 1 else None
        return self.named(only) if only is not None and only.kind == "type_identifier" else None

    def named(self, node: Node) -> Number | None:
        name = node.text.decode("utf-8", "replace")
        if self._assumed is not None and self._assumed[0] == name:
            return self._assumed[1]
        variable = self._variables.get(name)
        if variable is None or not variable.declarations + variable.parameters:
            found = self._recalled(name, f"{AT_FIRST}{self._until}", lambda: self._held_at_file_level(name, variable))
            return self._constant(name) if found is None and variable is None else found
        return self._recalled(name, "", lambda: self._held(name, variable))

    def at_file_level(self, name: str) -> Number | None:
        """What a variable at file level holds here, if it is followed."""
        variable = self._variables.get(name)
        is_own = variable is not None and variable.declarations + variable.parameters > 0
        return None if is_own else self._held_at_file_level(name, variable)

    def _held_at_file_level(self, name: str, variable: Variable | None) -> Number | None:
        """What a variable of the file holds here that some function writes to; `variable`: what this one does to it."""
        if self._is_hidden(name):
            return None
        always = self._given.get(ALWAYS + name)
        of_file = self._of_file.get(name)
        if always is not None or of_file is None:
            return always
        if self._paths.has_jumps or self._paths.is_in_lambda(self._guards) or self._is_touched(of_file):
            return None
        entered = self._given.get(AT_FIRST + name)
        if variable is None:
            return entered
        if self._is_lost(variable) or variable.loops:
            return None
        last = self._paths.last_writes(variable.writes, self._position, self._guards, self._truth)
        if last is None:
            return None
        values = {
            self._in_type(
                of_file.type, self._at(write, lambda node: self._changed(node, name, lambda: self.named_by(name)))
            )
            for write in last[0]
        }
        return agreed(values if last[1] else values | {entered})

    def _is_touched(self, of_file: FileVariable) -> bool:
        """Whether a call before the place may lead to a write.

        The call that the place is counts only if a loop brings it there again; those among its arguments come first,
        and so do all calls in a value that is written.
        """
        here = self._position
        is_the_place = self._until is None and sum(call.start == here for call, _ in self.calls) == 1
        for call, guards in self.calls:
            if called_name(call) not in of_file.touching:
                continue
            if guards[:1] == self._guards[:1] != ():
                return True
            if call.start == here and is_the_place:
                continue
            if self._until is not None:
                if call.start < self._until:
                    return True
            elif min(outer.start for outer, _ in self.calls if outer.start <= call.start < outer.end) <= here:
                return True
        return False

    def _held(self, name: str, variable: Variable) -> Number | None:
        """What a variable holds here."""
        if variable.loops:
            return self._of_round(variable)
        last = self.of_last_writes(name, lambda node: self._changed(node, name, lambda: self.named_by(name)))
        if last is None:
            return None
        values = {self._in_type(variable.type, number) for number in last[0]}
        return agreed(values if last[1] else values | {self._given.get(name) if variable.parameters else None})

    def _of_round(self, variable: Variable) -> Number | None:
        """What a variable that loops count holds here."""
        is_one = variable.declarations + variable.parameters == 1 and variable.is_in_scope(self._position)
        if self._is_lost(variable) or not is_one or self._object_of_round(variable) is not None:
            return None  # where an object is the round's, the round is known by the place of its object
        around = [loop.guard for loop in variable.loops if loop.guard in self._guards]
        return self._rounds.get(around[0]) if len(around) == len(variable.loops) == 1 else None

    def divisor_passed(self, name: str) -> int:
        """A power of two that divides what every call passes for a parameter."""
        return int(self._given.get(DIVIDES + name, 1))

    def named_by(self, name: str) -> Number | None:
        """What a variable holds here."""
        return self.named(Node("identifier", 0, len(name.encode()), name.encode()))

    def _constant(self, name: str) -> Number | None:
        """A name from outside the function, its qualification left out."""
        last = name.rpartition("::")[2].strip()
        if last == name and self._is_hidden(name):
            return None
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
        if sign.text in _DECIDED_BY:  # by one operand, whatever the other is
            decisive = _DECIDED_BY[sign.text]
            if any(one is not None and bool(one) is decisive for one in (first, second)):
                return int(decisive)
        if first is None or second is None:
            return None
        result = self._combined(node, sign.text.decode("utf-8", "replace"), first, second)
        is_negative = min(first, second, 0 if result is None else result) < 0
        return None if is_negative and self._may_be_unsigned(node) else result

    def _combined(self, node: Node, sign: str, first: Number, second: Number) -> Number | None:
        """What an operator makes of two numbers; as a float where it is one, and nothing where it might be."""
        result = combined(sign, first, second)
        if isinstance(first, int) and isinstance(second, int):
            is_small = result is None or -_WORD // 2 <= result < _WORD
            is_exact = is_small or sign in _OF_LEFT or self._assumed is not None or self._is_long(node)
            return result if is_exact else None
        if result is None:
            return None
        kinds = self._floats(node)
        if kinds == _DOUBLE:
            return result
        single = combined(sign, rounded(first), rounded(second))
        single = rounded(single) if isinstance(single, float) else single
        return single if kinds == _SINGLE or single == result else None

    def _is_long(self, node: Node) -> bool:
        """Whether an integer surely has 64 bits, so that what does not fit 32 is not cut off."""
        match node.kind:
            case "number_literal":
                value = number_literal(node.text)
                is_large = value is not None and isinstance(value[0], int) and value[0] >= _WORD
                return is_large or b"l" in node.text.lower()
            case "sizeof_expression":
                return True
            case "identifier" | "cast_expression":
                spelled = node.field("type")
                variable = self._variables.get(node.text.decode("utf-8", "replace"))
                type = "" if variable is None else variable.type
                found = self._type(type if spelled is None else spelled.text.decode("utf-8", "replace"))
                return isinstance(found, IntegerType) and found.bits > 32
            case "binary_expression" | "parenthesized_expression" | "unary_expression":
                return any(self._is_long(child) for child in node.children if child.role != "operator")
            case _:
                return False

    def _floats(self, node: Node) -> frozenset[FloatFormat]:
        """The formats that are computed with in an expression; both of what is not known."""
        match node.kind:
            case "number_literal":
                value = number_literal(node.text)
                if value is None or isinstance(value[0], int):
                    return _NO_FLOATS
                is_single = node.text[-1:] in b"fF" and node.text[:2].lower() != b"0x"
                return _SINGLE if is_single else _DOUBLE
            case "identifier" if (variable := self._variables.get(node.text.decode("utf-8", "replace"))) is not None:
                return _formats(self._type(variable.type))
            case "cast_expression":
                type = node.field("type")
                return _formats(None if type is None else builtin_type(type.text.decode("utf-8", "replace"), ()))
            case "binary_expression" | "parenthesized_expression" | "unary_expression" | "conditional_expression":
                return _NO_FLOATS.union(*(self._floats(child) for child in node.children if child.role != "operator"))
            case _:
                is_integer = node.role == "operator" or isinstance(self.number(node), int)
                return _NO_FLOATS if is_integer else _SINGLE | _DOUBLE

    def _may_be_unsigned(self, node: Node) -> bool:
        """Whether something in an expression may make it an unsigned one, in which no number is negative."""
        for inner in node.walk():
            if inner.kind in ("sizeof_expression", "call_expression", "field_expression", "cast_expression"):
                return True
            if inner.kind == "number_literal" and inner.text.lower().rstrip(b"l").endswith(b"u"):
                return True
            if inner.kind in ("identifier", "qualified_identifier"):
                variable = self._variables.get(inner.text.decode("utf-8", "replace"))
                type = None if variable is None else self._type(variable.type)
                is_signed = isinstance(type, FloatType) or (isinstance(type, IntegerType) and type.signed)
                if variable is None and self._constants is not None:
                    type = self._type(self._constants.spelling(inner.text.decode("utf-8", "replace")))
                    is_signed = not isinstance(type, IntegerType) or type.signed
                if not is_signed:
                    return True
        return False

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
        return None if type is None or value is None else cast_to(type.text, self.number(value))

    def size(self, node: Node) -> Number | None:
        type = node.field("type")
        name = (type or (node.field("value") or node)).text.decode("utf-8", "replace").strip("() \t")
        if name.endswith("*"):
            return 8
        variable = self._variables.get(name.partition("[")[0])
        if variable is not None and variable.is_container:
            return None
        if variable is not None and variable.elements is not None:
            element = self._type(variable.type)
            count = 1 if "[" in name else len(variable.elements.children)
            width = None if element is None else size_of(element, {})
            return None if width is None else width * count
        found = builtin_type(name, ())
        return None if found is None else size_of(found, {})

    def call(self, node: Node) -> Number | None:
        arguments = node.field("arguments")
        if arguments is None:
            return None
        name = called_name(node)
        if len(arguments.children) == 1 and (name.endswith("_cast") or builtin_type(name, ()) is not None):
            target = _template_text(node) if name.endswith("_cast") else name
            return cast_to(target.encode(), self.number(arguments.children[0]))
        values = [self.number(child) for child in arguments.children]
        if name in _ASK_ARGUMENTS and values[:1] == [1]:
            return 0
        if self._constants is not None and self._constants.functions.defines(name):
            computed = self._returned(name, values)
            if computed is not None or self._assumed is None:
                return computed
        match values:
            case [int() | float() as value] if name in OF_ONE:
                return OF_ONE[name](value)
            case [int() | float() as left, int() | float() as right] if name in OF_TWO:
                return OF_TWO[name](left, right)
            case [int() as left, int() as right] if self._assumed is not None and _ROUNDING_UP.fullmatch(name):
                return -(-left // right)
            case _:
                return None

    # -- functions that make objects -----------------------------------------------------------------------------------

    def _object_function(self, call: Node, position: int | None) -> ObjectFunction | None:
        """The function that a call surely means, which makes an object, or fills in the one at a position."""
        function = call.field("function")
        if self._constants is None or function is None or function.kind != "identifier":
            return None
        name = function.text.decode("utf-8", "replace")
        if self._calls_around >= MAX_CALLS or self._is_own(name) or self._is_hidden(name):
            return None
        functions = self._constants.object_functions
        return functions.making(name) if position is None else functions.filling(name, position)

    def _inside(self, function: ObjectFunction, call: Node, given: dict[str, Number]) -> HostValues | None:
        """The values in a function that is called so, where its parameters hold `given` and what is passed."""
        arguments = call.field("arguments")
        if self._constants is None or arguments is None or len(arguments.children) != len(function.parameters):
            return None
        for position, ((name, type), argument) in enumerate(zip(function.parameters, arguments.children, strict=True)):
            if not name or position == function.filled:
                continue
            paths = self._constants.records.number_paths(type) if self._type(type) is None else ()
            found = {f"{name}.{path}": self.part(argument, path, type) for path in paths}
            if not paths:
                found[name] = self.converted(argument, type)
            given |= {key: number for key, number in found.items() if number is not None}
        given |= {key: number for key, number in self._given.items() if key.startswith(ALWAYS)}
        return HostValues(function.written, self._constants, given, frozenset(), self._calls_around + 1)

    def returned_type(self, call: Node) -> str:
        function = self._object_function(call, None)
        return "" if function is None else function.returns

    def returned_part(self, call: Node, path: str) -> Number | None:
        function = self._object_function(call, None)
        inner = None if function is None else self._inside(function, call, {})
        if function is None or function.value is None or inner is None:
            return None
        inner.seen_from(function.value.start, ())
        return inner.part(function.value, path, function.returns)

    def filled_part(self, filled: Node, name: str, variable: Variable, path: str) -> Number | None:
        (call,) = filled.children
        function = self._object_function(call, int(filled.role or 0))
        if function is None or function.filled is None or self._constants is None:
            return None
        parameter, type = function.parameters[function.filled]
        paths = self._constants.records.number_paths(type)
        before = {f"{parameter}.{one}": self._member_of(name, variable, one) for one in paths}
        given = {key: number for key, number in before.items() if number is not None}
        inner = self._inside(function, call, given)
        if inner is None or path not in paths:
            return None
        inner.seen_from(function.end, ())
        return inner.part(Node("identifier", 0, len(parameter), parameter.encode()), path, type)

    # -- functions of one value ----------------------------------------------------------------------------------------

    def helper(self, name: str) -> HostFunction | None:
        """The function of one `return` that a name means here."""
        if self._constants is None or self._is_own(name) or self._is_hidden(name):
            return None
        return self._constants.functions.get(name)

    def is_of_language(self, name: str) -> bool:
        """Whether the file does not say what a name means."""
        is_defined = self._constants is not None and self._constants.functions.defines(name)
        return not (is_defined or self._is_own(name) or self._is_hidden(name))

    def _is_own(self, name: str) -> bool:
        """Whether the function declares a name, or hides it; what it calls is none of its variables."""
        variable = self._variables.get(name)
        is_called = variable is not None and not (variable.is_lost or variable.is_other or variable.writes)
        return variable is not None and not (is_called and variable.declarations == variable.parameters == 0)

    def _returned(self, name: str, values: Sequence[Number | None]) -> Number | None:
        """What a function of one `return` makes of its arguments."""
        function = None if self._constants is None else self._constants.functions.get(name)
        if function is None or self._calls_around >= MAX_CALLS or len(values) != len(function.parameters):
            return None
        is_open = function.returns == "" or any(type == "" for _, type in function.parameters)
        if is_open and not all(isinstance(value, int) for value in values):
            return None
        given: dict[str, Number] = {}
        for (parameter, type), value in zip(function.parameters, values, strict=True):
            passed = self._in_type(type, value)
            if passed is not None:
                given[parameter] = passed
        given |= {key: number for key, number in self._given.items() if key.startswith(ALWAYS)}
        inner = HostValues(function.written, self._constants, given, frozenset(), self._calls_around + 1)
        inner.seen_from(function.value.start, ())
        return self._in_type(function.returns, inner.number(function.value))


def _template_text(node: Node) -> str:
    function = node.field("function")
    text = "" if function is None else function.text.decode("utf-8", "replace")
    return text.partition("<")[2].rpartition(">")[0]


def _formats(type: Type | None) -> frozenset[FloatFormat]:
    match type:
        case FloatType(FloatFormat.SINGLE):
            return _SINGLE
        case FloatType(FloatFormat.DOUBLE):
            return _DOUBLE
        case IntegerType() | BooleanType():
            return _NO_FLOATS
        case _:
            return _SINGLE | _DOUBLE


_WORD: Final = 1 << 32
_OF_LEFT: Final = frozenset((">>", "%"))
"""What gives no larger number than its operands."""
_NO_FLOATS: Final = frozenset[FloatFormat]()
_SINGLE: Final = frozenset((FloatFormat.SINGLE,))
_DOUBLE: Final = frozenset((FloatFormat.DOUBLE,))
_DECIDED_BY: Final = {b"&&": False, b"||": True}
_ASK_ARGUMENTS: Final = frozenset(
    ("checkCmdLineFlag", "getCmdLineArgumentInt", "getCmdLineArgumentFloat", "getCmdLineArgumentString")
)
"""Functions of CUDA's samples that look for a word among `argc` arguments; without arguments none is found."""
_NUMBERS: Final[Mapping[str, Callable[[HostValues, Node], Number | None]]] = {
    "number_literal": HostValues.literal,
    "parenthesized_expression": HostValues.inner,
    "argument_list": HostValues.inner,
    "initializer_list": HostValues.inner,
    "identifier": HostValues.named,
    "type_descriptor": HostValues.template_argument,
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
    "subscript_expression": HostValues.subscript,
}
