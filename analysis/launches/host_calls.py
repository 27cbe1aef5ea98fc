"""What the calls in the file pass to the host functions that launch kernels.

Question  Which numbers may the parameters of a launching function hold: `launch(x, N, 256)` with `const int N = 1024`?
Rules     One set of numbers for each call that is seen, and each round of a counted loop around it, as far as they are
          the same for every run; a call in a function that is called with known numbers itself is followed (`MAX_CALLS`
          deep).  The program makes these calls, if it is started without arguments: `argc` is 1 in `main` then, and
          calls that it does not come to are none.
          What *all* calls pass alike is known for functions whose callers in other files are all known, and for those
          that no other file can name, `static` ones outside of included files; what their callers pass on is known in
          the same way.
          A function that is also used otherwise (its address is taken, a macro or a variable names it), or that has
          overloads or an owner, may be called with anything.
Limits    Without a project, calls in other files are not seen, as launches are not.  At most `MAX_SETS` sets are kept,
          else nothing is known.  Unnamed namespaces are not told from named ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Protocol, TypeAlias, TypeGuard, final

from analysis.ir.integers import power_of_two_in
from analysis.ir.types import IntegerType
from analysis.launches.device_bodies import LAUNCH_CALLS
from analysis.launches.file_constants import Number
from analysis.launches.host_code import HostCode, is_internal
from analysis.launches.host_constants import ConstantNumbers, constant_numbers
from analysis.launches.host_globals import GlobalNumbers, global_numbers
from analysis.launches.host_multiples import unknown_multiple
from analysis.launches.host_objects import FileVariable
from analysis.launches.host_parameters import Parameter, Parameters, defaults_of, parameters_of
from analysis.launches.host_values import ALWAYS, AT_FIRST, DIVIDES, HostValues
from analysis.launches.left_out import leaves_out
from analysis.lower.builtins import builtin_type
from analysis.syntax.includes import is_header
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import occurrences, without_hidden
from analysis.syntax.translation_unit import TranslationUnit
from analysis.syntax.tree import Node

MAX_CALLS: Final = 4
MAX_SETS: Final = 16
_LARGEST: Final = 1 << 31
"""What every integer of four bytes or more holds."""

Given: TypeAlias = "tuple[tuple[str, int], ...]"
"""Parameters, and members of them, with what one call passes; who is not named may hold anything.  Names with a prefix
say something else (`ALWAYS`, `AT_FIRST`, `DIVIDES`)."""
Names: TypeAlias = frozenset[str]
"""Variables at file level."""
_ANYTHING: Final[tuple[Given, ...]] = ((),)
_Key: TypeAlias = tuple[str, int, int, Names | None, bool, int]


class Elsewhere(Protocol):
    """The other translation units of the project."""

    def users(self, unit: TranslationUnit, item: Item, /) -> tuple[Sequence[HostCalls], bool]:
        """The calls of the units, but `unit`, that may use what `item` declares, and whether these are all."""
        ...

    def is_found_by_name(self, name: str, /) -> bool:
        """Whether some file has a name as a string."""
        ...


@final
class HostCalls:
    """The calls of the functions of one file, and of those in other files that `elsewhere` knows."""

    def __init__(self, host: HostCode, elsewhere: Elsewhere | None = None) -> None:
        self.host: Final = host
        self.unit: Final = host.unit
        self._elsewhere = elsewhere
        self._found: dict[_Key, tuple[Given, ...]] = {}
        self._constants: tuple[ConstantNumbers, ...] | None = None
        self._globals: dict[str, GlobalNumbers | None] = {}
        self._makers: dict[tuple[str, int, int, int], bytes] = {}
        """By function and depth, all that its objects are made by."""
        self._of_file: dict[tuple[str, int, int, bytes], Names] = {}
        self.asked: Final[set[str]] = set()
        """The functions and variables whose users were asked for."""

    def close(self) -> None:
        """Forgets the other units; nothing may be asked any more."""
        self._elsewhere = None
        self._found.clear()
        self._globals.clear()
        self._of_file.clear()

    def values(self, item: Item, given: Given, of_file: Names | None = None) -> HostValues:
        """Those of the variables of a function, when its parameters hold `given`; `of_file` are the variables at file
        level that are followed, None for all that it names."""
        followed = {
            name: FileVariable(numbers.type, numbers.touching)
            for name in (self.of_file(item) if of_file is None else of_file)
            if (numbers := self.global_numbers(name)) is not None and numbers.is_followed
        }
        hidden = self.host.hidden(item)
        values = HostValues(self.host.writes(item), self.host.constants, dict(given), hidden, of_file=followed)
        if item.name == "main" and item.owner is None and given and not given[0][0].startswith((ALWAYS, AT_FIRST)):
            values.keep(given[0][0])
        return values

    def passed(self, item: Item) -> tuple[Given, ...]:
        """What the calls that are seen pass, each set once; other files may call with other numbers."""
        return self._sets(item, self.of_file(item), is_closed=False, depth=0)

    def all_passed(self, item: Item) -> tuple[Given, ...]:
        """What the calls there are pass, in whatever file; one set in which nothing is named if that is not known."""
        return self._sets(item, self.of_file(item), is_closed=True, depth=0)

    # -- variables at file level ---------------------------------------------------------------------------------------

    def of_file(self, item: Item, callee: bytes = b"") -> Names:
        """Those which decide what the launches in a function get, or its calls of `callee`, and of which something is
        known."""
        key = (*item.identity, callee)
        if key not in self._of_file:
            named = self.host.variables_in(item)
            if named:
                written = self.host.writes(item)
                named &= written.names_behind(one for one in written.calls if _is_asked(one[0], callee))
            self._of_file[key] = frozenset(name for name in named if self.global_numbers(name) is not None)
        return self._of_file[key]

    def global_numbers(self, name: str) -> GlobalNumbers | None:
        """What such a variable may hold, as this unit sees the name."""
        if name not in self._globals:
            is_variable = name.encode("utf-8", "replace") in self.host.variables
            self._globals[name] = global_numbers(self, name) if is_variable else None
        return self._globals[name]

    def to_evaluate(self, item: Item) -> bytes:
        """A hash of all that the numbers depend on which a function computes, with the functions that make its objects,
        some calls deep."""
        return self.unit.to_evaluate(item) + self._made_by(item, MAX_CALLS)

    def _made_by(self, item: Item, depth: int) -> bytes:
        key = (*item.identity, depth)
        known = self._makers.get(key)
        if known is None:
            functions = self.host.constants.object_functions
            texts: list[bytes] = []
            for name in sorted(self.host.functions_named_in(item)) if depth else ():
                made = functions.item(name.decode("utf-8", "replace"))
                if made is not None and made.identity != item.identity:
                    texts += (made.text, self.unit.to_evaluate(made), self._made_by(made, depth - 1))
            known = self._makers[key] = b"".join(texts)
        return known

    @property
    def constants(self) -> tuple[ConstantNumbers, ...]:
        """The variables of the device in constant memory of which something is known."""
        if self._constants is None:
            self._constants = constant_numbers(self)
        return self._constants

    def sees_all_of(self, item: Item) -> bool:
        """Whether no other unit names a variable of the device, nor a string; without a project, none is seen."""
        others, are_all = self._users(item)
        if self._elsewhere is None:
            return not (self.unit.is_included or is_header(item.path))
        return are_all and not others and not self._elsewhere.is_found_by_name(item.name)

    def users_of(self, item: Item) -> tuple[Sequence[HostCalls], bool]:
        """The other units that may name what `item` declares, and whether these are all."""
        others, are_all = self._users(item)
        return others, are_all or (is_internal(item) and not (self.unit.is_included or is_header(item.path)))

    def callers_of(self, item: Item) -> tuple[Sequence[tuple[HostCalls, Item]], bool]:
        """The functions that call it, and whether these are all and call it by its name alone."""
        others, are_all = self.users_of(item)
        callers = [(calls, caller) for calls in (self, *others) for caller in calls.host.callers(item)]
        if not are_all or self._may_be_any(item):
            return callers, False
        name = item.name.encode("utf-8", "replace")
        return callers, all(calls.calls_alone(caller, name) for calls, caller in callers)

    def calls_alone(self, caller: Item, name: bytes) -> bool:
        """Whether a function names another one in calls of it alone."""
        called = sum(_callee(node) == name for node, _ in self.host.writes(caller).calls)
        return called == _mentions(caller, name)

    def plain_values(self, item: Item, names: Names, *, is_started: bool) -> Iterator[HostValues]:
        """Those of a function for what each call passes, without variables at file level: of all calls there may be, or
        of those that are seen where the program is started without arguments.

        Who calls it is asked only where some of the names are its parameters.
        """
        variables = self.host.writes(item).variables
        is_given = any(name in variables and variables[name].parameters for name in names)
        sets = self._sets(item, None, is_closed=not is_started, depth=0) if is_given else _ANYTHING
        for given in sets:
            yield self.values(item, given, frozenset())

    def _with_variables(
        self, sets: tuple[Given, ...], of_file: Names, *, is_closed: bool, is_start: bool
    ) -> tuple[Given, ...]:
        """What calls pass, and with it what variables at file level hold then; `is_start`: where the program starts.

        Of one that is followed and may hold several numbers, each is one set, where it is not known which one it is.
        """
        for name in sorted(of_file):
            numbers = self.global_numbers(name)
            if numbers is None:
                continue
            held = numbers.every if is_closed else numbers.started
            whole = (AT_FIRST + name, numbers.initial)
            if held is not None and len(held) == 1:
                sets = tuple(_with(given, ALWAYS + name, held[0]) for given in sets)
            elif not numbers.is_followed:
                continue
            elif is_start:
                sets = tuple(_with(given, *whole) for given in sets)
            elif is_closed and held is not None and all(map(_is_kept, held)) and len(sets) * len(held) <= MAX_SETS:
                sets = tuple(
                    one
                    for given in sets
                    for one in (
                        (given,)
                        if any(key == whole[0] for key, _ in given)
                        else (_with(given, whole[0], number) for number in held)
                    )
                )
        return tuple(dict.fromkeys(sets))

    def always_passed(self, item: Item) -> Given:
        """What every call there is passes alike."""
        every = self.all_passed(item)
        first, *others = every
        same = tuple(pair for pair in first if all(pair in other for other in others))
        names = dict.fromkeys(key for given in every for key, _ in given if key.startswith(DIVIDES))
        divisors = ((key, min(_divisor(given, key) for given in every)) for key in names)
        known = dict(same)
        return same + tuple((key, divisor) for key, divisor in divisors if divisor > 1 and key not in known)

    def is_never_called(self, item: Item) -> bool:
        """Whether functions name it, all of them are known, and constants of the program leave all these calls out."""
        others, are_all = self._users(item)
        if not are_all or item.owner is not None or item.name == "main" or self._may_be_any(item):
            return False
        name = item.name.encode("utf-8", "replace")
        users = (self, *others)
        if any(name in one.identifiers and not one.active for calls in users for one in calls.host.items):
            return False
        callers = [(calls.unit, caller) for calls in users for caller in calls.host.callers(item)]
        return bool(callers) and all(leaves_out(unit, caller, name) for unit, caller in callers)

    def fingerprint(self, item: Item) -> bytes:
        """Of all texts that the answers about a function come from."""
        texts: list[bytes] = []
        seen: set[tuple[str, bytes]] = set()
        units: dict[HostCalls, None] = {self: None}
        names = set(self.of_file(item))
        around: list[tuple[HostCalls, Item]] = [(self, item)]
        for _ in range(MAX_CALLS):
            callers: list[tuple[HostCalls, Item]] = []
            for calls, callee in around:
                found, are_all = calls._callers(callee)
                if not found:
                    continue
                texts.append(b"any" if calls._may_be_any(callee) else b"called")
                texts.append(b"all" if are_all else b"some")
                for caller in found:
                    key = caller[1].path, caller[0].to_evaluate(caller[1])
                    if key not in seen:
                        seen.add(key)
                        texts.append(key[1])
                        callers.append(caller)
                        units[caller[0]] = None
                        names |= caller[0].of_file(caller[1], callee.name.encode("utf-8", "replace"))
            around = callers
        if texts and self.unit.is_included:
            texts.append(b"included")
        texts += [repr((name, calls.global_numbers(name))).encode() for name in sorted(names) for calls in units]
        return b"".join(texts)

    def _sets(self, item: Item, of_file: Names | None, *, is_closed: bool, depth: int) -> tuple[Given, ...]:
        """`is_closed`: those of all calls there may be, in whatever file; with these variables at file level, None to
        leave these out of all functions on the way."""
        key = (*item.identity, of_file, is_closed, depth)
        known = self._found.get(key)
        if known is None:
            found = self._find(item, of_file, is_closed, depth)
            if of_file:
                is_start = item.name == "main" and item.owner is None
                found = self._with_variables(found, of_file, is_closed=is_closed, is_start=is_start)
            known = self._found[key] = found
        return known

    def _find(self, item: Item, of_file: Names | None, is_closed: bool, depth: int) -> tuple[Given, ...]:
        name = item.name.encode("utf-8", "replace")
        if item.name == "main" and item.owner is None and not is_closed:
            return (_started_without_arguments(self.unit.plain_snippet(item).root),)
        if depth >= MAX_CALLS or item.owner is not None or item.name == "main":
            return _ANYTHING
        callers, are_all = self._callers(item)
        if not callers or self._may_be_any(item):
            return _ANYTHING
        if _mentions(item, name) != 1:  # it calls itself
            return _ANYTHING
        snippet = self.unit.plain_snippet(item)
        root = snippet.root
        parameters = parameters_of(root, snippet.templates, self.host.constants)
        are_all = are_all or (_is_static(root) and not self.unit.is_included)
        if not (parameters or of_file) or (is_closed and not are_all):
            return _ANYTHING
        found: dict[Given, None] = {}
        for calls, caller in callers:
            wanted = None if of_file is None else of_file | calls.of_file(caller, name)
            for outer in calls._sets(caller, wanted, is_closed=is_closed, depth=depth + 1):
                found |= dict.fromkeys(calls._passed_by(caller, outer, name, parameters, of_file, is_closed=is_closed))
            if len(found) > MAX_SETS:
                return _ANYTHING
        return tuple(found) or _ANYTHING

    def _callers(self, item: Item) -> tuple[list[tuple[HostCalls, Item]], bool]:
        """The functions that name it, here and in other files, and whether the other files are all that do."""
        others, are_all = self._users(item)
        return [(calls, caller) for calls in (self, *others) for caller in calls.host.callers(item)], are_all

    def _may_be_any(self, item: Item) -> bool:
        others, _ = self._users(item)
        return any(calls.host.may_be_any(item) for calls in (self, *others))

    def _users(self, item: Item) -> tuple[Sequence[HostCalls], bool]:
        self.asked.add(item.name)
        return ((), False) if self._elsewhere is None else self._elsewhere.users(self.unit, item)

    def _passed_by(
        self, caller: Item, outer: Given, name: bytes, parameters: Parameters, of_file: Names | None, *, is_closed: bool
    ) -> Iterator[Given]:
        """What the calls in one function pass while its own parameters hold `outer`."""
        values = self.values(caller, outer, frozenset() if of_file is None else of_file | self.of_file(caller, name))
        called = 0
        for node, guards in values.calls:
            arguments = node.field("arguments")
            if _callee(node) != name or arguments is None:
                continue
            called += 1
            values.seen_from(node.start, guards)
            for rounds in values.settings():
                values.in_rounds(rounds)
                if is_closed or values.is_reached():
                    variables = ((one, values.at_file_level(one)) for one in sorted(of_file or ()))
                    passed = self._set(parameters, node, arguments, name, values)
                    yield passed + tuple((AT_FIRST + one, number) for one, number in variables if _is_kept(number))
            values.in_rounds({})
        if called != _mentions(caller, name):
            yield ()

    def _set(self, parameters: Parameters, call: Node, arguments: Node, name: bytes, values: HostValues) -> Given:
        """What one call passes, where the parameters surely hold it."""
        passed: list[tuple[str, Number | None]] = []
        if all(argument.kind != "parameter_pack_expansion" for argument in arguments.children):
            defaults = self._defaults(name) if len(arguments.children) < len(parameters.listed) else ()
            for position, parameter in enumerate(parameters.listed):
                if position < len(arguments.children):
                    passed += _passed(parameter, arguments.children[position], values)
                elif parameter.name:
                    default = parameter.default or (defaults[position] if position < len(defaults) else None)
                    number = None if default is None else self.host.constants.default(default, parameter.type)
                    passed.append((parameter.name, number))
        function = call.field("function")
        listed = None if function is None else function.field("arguments")
        if listed is not None:
            passed += [
                (parameter, values.number(argument))
                for parameter, argument in zip(parameters.of_template, listed.children, strict=False)
            ]
        return tuple((key, number) for key, number in passed if key and _is_kept(number))

    def _defaults(self, name: bytes) -> tuple[Node | None, ...]:
        """The default arguments of the one declaration that has any."""
        items = self.unit.lookup(name.decode("utf-8", "replace"))
        found = [defaults_of(self.unit.plain_snippet(item).root) for item in items if item.kind is ItemKind.FUNCTION]
        some = [defaults for defaults in found if any(defaults)]
        return some[0] if len(some) == 1 else ()


def _divisor(given: Given, key: str) -> int:
    """What divides a parameter in one call: what is said of it, or of its number."""
    numbers = dict(given)
    number = numbers.get(key.removeprefix(DIVIDES))
    return numbers.get(key, 1 if number is None else power_of_two_in(number))


def _with(given: Given, key: str, number: Number | None) -> Given:
    """With what a variable at file level holds, if that is known."""
    return (*given, (key, number)) if _is_kept(number) else given


def _passed(parameter: Parameter, argument: Node, values: HostValues) -> list[tuple[str, Number | None]]:
    if not parameter.members:
        number = values.number(argument)
        is_integer = bool(parameter.name) and isinstance(builtin_type(parameter.type, ()), IntegerType)
        if number is not None or not is_integer:
            return [(parameter.name, number)]
        divisor = unknown_multiple(argument, values)
        return [(DIVIDES + parameter.name, divisor)] if divisor > 1 else []
    return [(f"{parameter.name}.{path}", values.part(argument, path, parameter.type)) for path in parameter.members]


def _is_kept(number: Number | None) -> TypeGuard[int]:
    return isinstance(number, int) and 0 <= number < _LARGEST


def _started_without_arguments(main: Node) -> Given:
    """What the parameters of `main` hold then."""
    for node in main.walk():
        if node.kind == "function_declarator":
            listed = node.field("parameters")
            first = None if listed is None or not listed.children else listed.children[0].field("declarator")
            return ((first.text.decode("utf-8", "replace"), 1),) if first is not None else ()
    return ()


def _is_static(root: Node) -> bool:
    """Whether the function has internal linkage: no other file can call it."""
    definition = next((node for node in root.walk() if node.kind == "function_definition"), None)
    return definition is not None and any(
        child.kind == "storage_class_specifier" and child.text == b"static" for child in definition.children
    )


def _mentions(item: Item, name: bytes) -> int:
    """How often the text names it, in comments and strings aside."""
    return occurrences(without_hidden(item.text), name)


def _is_asked(node: Node, callee: bytes) -> bool:
    """Whether a call is one of a function, or a launch if that is empty."""
    if callee:
        return _callee(node) == callee
    function = node.field("function")
    is_function = function is not None and function.text in LAUNCH_CALLS
    return is_function or node.child("kernel_call_syntax") is not None


def _callee(node: Node) -> bytes:
    """The name of a plain call, without template arguments; empty for methods and launches."""
    function = node.field("function")
    if function is None or node.child("kernel_call_syntax") is not None:
        return b""
    if function.kind == "template_function":
        function = function.field("name") or function
    return function.text if function.kind == "identifier" else b""
