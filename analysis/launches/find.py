"""Finds the launches of kernels in the functions of a translation unit.

Forms    `kernel<<<grid, block, shared, stream>>>(…)`, `hipLaunchKernelGGL(kernel, grid, block, shared, stream, …)`,
         `cudaLaunchKernel((void*)kernel, grid, block, arguments, shared, stream)` and its cooperative and HIP forms.
         `kernel` may be a local variable that is a kernel all the time (`kernel_pointers.py`).
Cost     Only functions whose text, or a macro that it uses, mentions a launch are parsed.
Limits   A kernel is named by the last word of its name (`same_name.py` tells overloads apart).  A kernel that is
         passed on, as a template argument or a function pointer, is not found.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias, final

from analysis.ir.pace import paced
from analysis.ir.source import Span
from analysis.launches.argument_formulas import argument_formulas
from analysis.launches.argument_links import argument_links
from analysis.launches.device_bodies import LAUNCH_CALLS
from analysis.launches.file_constants import Number
from analysis.launches.formulas import ArgumentFormula
from analysis.launches.host_calls import Given, HostCalls
from analysis.launches.host_code import HostCode
from analysis.launches.host_memo import HostMemo, LaunchMemo
from analysis.launches.host_multiples import argument_multiples
from analysis.launches.host_values import ALWAYS, AT_FIRST, DIVIDES, HostValues
from analysis.launches.kernel_pointers import KernelPointers, kernel_pointers
from analysis.launches.model import (
    ArgumentLink,
    GridUnit,
    HeldConstant,
    Launch,
    LaunchNumbers,
    LaunchText,
    NumbersFrom,
    PassedMember,
)
from analysis.launches.relations import argument_relations, product_relations
from analysis.syntax.items import Item
from analysis.syntax.snippet import Snippet
from analysis.syntax.translation_unit import TranslationUnit
from analysis.syntax.tree import Node

PASSES_ARGUMENTS: Final = b"hipLaunchKernelGGL"
"""Its arguments after the stream are the kernel's own; the other functions take an array of pointers."""

LARGE: Final = 3 << 24
_LEAST: Final = 1 << 10
_TIMES: Final = 5
MAX_POSSIBLE: Final = 16
"""Launches at one place that are told apart."""
_ONE_SET: Final[tuple[Given, ...]] = ((),)

_Place: TypeAlias = tuple[Snippet, Item, Node]


def launch_shapes(
    unit: TranslationUnit, memo: HostMemo | None = None, path: str | None = None
) -> Mapping[str, tuple[Launch, ...]]:
    """All launches in one unit by the kernel's name, in text order; with a path, those in the text of that file."""
    return launches_with(HostCalls(HostCode(unit, memo)), memo, path)


def launches_with(
    calls: HostCalls, memo: HostMemo | None = None, path: str | None = None
) -> Mapping[str, tuple[Launch, ...]]:
    """The same, with what is known of the calls of its functions."""
    found: dict[str, list[Launch]] = {}
    unit = calls.unit
    for item in calls.host.launching:
        if path is not None and item.path != path:
            continue

        def compute(passed: _Passed, item: Item = item) -> tuple[Launch, ...]:
            launches = _launches_in(unit, item, calls, passed)
            return tuple(launch.moved(-item.span.start) for launch in paced(launches, 10))

        used = None if item.from_macro or memo is None else memo.launches
        kept = compute(_passed(calls, item)) if used is None else _kept(used, calls, item, compute)
        launches = (launch.moved(item.span.start) for launch in paced(kept, 10))
        for launch in launches:
            found.setdefault(launch.kernel, []).append(launch)
    return {name: tuple(launches) for name, launches in found.items()}


def _kept(
    memo: LaunchMemo, calls: HostCalls, item: Item, compute: Callable[[_Passed], tuple[Launch, ...]]
) -> tuple[Launch, ...]:
    """By the texts of a function and of its callers, and behind these by what they pass."""
    key = calls.to_evaluate(item) + item.path.encode("utf-8", "replace")
    if calls.constants:
        key += repr(calls.constants).encode()

    def by_numbers() -> tuple[Launch, ...]:
        passed = _passed(calls, item)
        are_set = [one.is_set_before(calls, item) for one in calls.constants]
        return memo.get_or_compute(key + repr((passed, are_set)).encode(), lambda: compute(passed))

    return memo.get_or_compute(key + calls.fingerprint(item), by_numbers)


def launches_around(unit: TranslationUnit, memo: HostMemo | None = None) -> Mapping[str, tuple[Launch, ...]]:
    """Those of `launch_shapes`, and after them the launches in the file that includes a header.

    They say how a kernel may be launched, not how it is: other files may include the header.
    """
    found = launch_shapes(unit, memo)
    if unit.includer is None:
        return found
    outside = launch_shapes(unit.includer, memo)
    return {
        name: tuple(dict.fromkeys((*found.get(name, ()), *outside.get(name, ()))))
        for name in dict.fromkeys((*found, *outside))
    }


@final
class _Passed(NamedTuple):
    """What the calls of a function pass: all of them alike, those that are seen, and each that there may be."""

    always: Given
    seen: tuple[Given, ...]
    possible: tuple[Given, ...]


def _passed(calls: HostCalls, item: Item) -> _Passed:
    return _Passed(calls.always_passed(item), calls.passed(item), calls.all_passed(item))


def _launches_in(unit: TranslationUnit, item: Item, calls: HostCalls, numbers: _Passed) -> list[Launch]:
    """With what every call of the function passes, and beside it what the calls in the file do.

    Of a launch that no call which is seen comes to, nothing is known to be made.
    """
    places = _Places(unit.plain_snippet(item), item, calls)
    always, passed, possible = numbers
    surely = dict(places.launches(always))
    if not surely:
        return []
    called = [places.numbers(given, is_made=True) for given in passed]
    every = [places.numbers(given, is_made=False) for given in possible]
    source = NumbersFrom.START if item.name == "main" else NumbersFrom.CALLS
    keys = {key for given in (*passed, *possible) for key, _ in given if not key.startswith(DIVIDES)}
    of_file = {key for key in keys if key.startswith((ALWAYS, AT_FIRST))}
    found: list[Launch] = []
    for position, launch in paced(surely.items(), 20):
        own = launch.own_numbers
        nothing = LaunchNumbers(None, None, (None,) * len(launch.argument_values))
        made = tuple(dict.fromkeys(one for each in called for one in each.get(position, ()))) or (nothing,)
        among = tuple(dict.fromkeys(one for each in every for one in each.get(position, ()))) or (own,)
        is_made = any(position in one for one in called)
        if made == among == (own,):
            found.append(launch if is_made else replace(launch, is_made=False))
            continue
        is_round = any(len(set(one.get(position, ()))) > 1 for one in (*called, *every))
        is_passed = keys != of_file
        reaching = next((given for given, one in zip(passed, called, strict=True) if position in one), always)
        traced = _Traced(launch.grid_units, launch.links, launch.formulas)
        if not (launch.grid_units and launch.links):
            traced = places.in_first_round(reaching, position, traced)
        sources = (source, is_passed), (NumbersFrom.ROUNDS, is_round), (NumbersFrom.VARIABLES, bool(of_file))
        found.append(
            replace(
                launch,
                called=() if made == (own,) else made,
                possible=() if among == (own,) or len(among) > MAX_POSSIBLE else among,
                numbers_from=frozenset(one for one, speaks in sources if speaks),
                grid_units=traced.grid_units,
                links=traced.links,
                formulas=traced.formulas,
                is_made=is_made,
            )
        )
    return found


@final
class _Traced(NamedTuple):
    """What arguments of a launch come from, and what of its grid comes from them."""

    grid_units: tuple[GridUnit, ...]
    links: tuple[ArgumentLink, ...]
    formulas: tuple[ArgumentFormula, ...]


@final
class _Places:
    """The launches in one function by the position of their call among its calls, for each set of numbers passed."""

    def __init__(self, snippet: Snippet, item: Item, calls: HostCalls) -> None:
        self._snippet = snippet
        self._item = item
        self._calls = calls
        self._values: dict[Given, HostValues] = {}
        self._pointers: KernelPointers | None = None
        self._known: dict[tuple[Given, int, tuple[tuple[int, Number], ...]], LaunchNumbers | None] = {}

    def launches(self, given: Given) -> Iterator[tuple[int, Launch]]:
        """What is the same in all rounds of loops."""
        values = self._of(given)
        for position, (node, guards) in enumerate(paced(values.calls, 20)):
            values.seen_from(node.start, guards)
            parts = self._parts(node, values)
            place = self._snippet, self._item, node
            launch = None if parts is None else _launch(parts, values, place, self._held(node, values))
            if launch is not None:
                is_certain = launch.grid is not None and launch.block is not None
                known = launch.own_numbers if is_certain else self._numbers_at(node, values)
                self._known[given, position, ()] = known
                yield position, launch

    def in_first_round(self, given: Given, position: int, traced: _Traced) -> _Traced:
        """With what is not known in all rounds of loops as it is in the first one that the program comes to."""
        values = self._of(given)
        node, guards = values.calls[position]
        values.seen_from(node.start, guards)
        for rounds in values.settings():
            values.in_rounds(rounds)
            if values.is_reached():
                parts = self._parts(node, values)
                traced = traced if parts is None else _traced(traced, parts.configuration, parts.arguments, values)
                break
        values.in_rounds({})
        return traced

    def numbers(self, given: Given, *, is_made: bool) -> Mapping[int, Sequence[LaunchNumbers]]:
        """In all rounds of loops; `is_made`: in those that the program comes to."""
        found: dict[int, list[LaunchNumbers]] = {}
        values = self._of(given)
        for position, (node, guards) in enumerate(paced(values.calls, 20)):
            if node.child("kernel_call_syntax") is None and _launch_function(node) is None:
                continue
            values.seen_from(node.start, guards)
            for rounds in values.settings():
                values.in_rounds(rounds)
                if not is_made or values.is_reached():
                    key = given, position, tuple(rounds.items())
                    if key not in self._known:
                        self._known[key] = self._numbers_at(node, values)
                    numbers = self._known[key]
                    if numbers is not None:
                        found.setdefault(position, []).append(numbers)
            values.in_rounds({})
        return found

    def _numbers_at(self, node: Node, values: HostValues) -> LaunchNumbers | None:
        """Those of the launch that a call is; a grid or a block of nothing is none."""
        parts = self._parts(node, values)
        if parts is None or _kernel_name(parts.kernel) is None or _is_of_nothing(parts.configuration, values):
            return None
        return _numbers(parts.kernel, parts.configuration, parts.arguments, values, self._held(node, values))

    def _held(self, node: Node, values: HostValues) -> tuple[HeldConstant, ...]:
        """What constant memory holds at a call, where the values are seen from."""
        every = (one.held(self._calls, self._item, node.start, values) for one in self._calls.constants)
        return tuple(held for one in every for held in one)

    def _parts(self, node: Node, values: HostValues) -> _Parts | None:
        """The parts of the launch that a call is, with the kernel itself where a variable stands for it."""
        parts = _parts(node)
        if parts is None:
            return None
        if self._pointers is None:
            launches = [each for call, _ in values.calls if (each := _parts(call)) is not None]
            self._pointers = kernel_pointers(self._snippet.root, [each.kernel for each in launches])
        launched = self._pointers.get(parts.kernel.start)
        if launched is None:
            return parts
        return parts._replace(kernel=launched.kernel, names_kernel=launched.is_first)

    def _of(self, given: Given) -> HostValues:
        values = self._values.get(given)
        if values is None:
            values = self._values[given] = self._calls.values(self._item, given)
        return values


def _traced(known: _Traced, configuration: Sequence[Node], arguments: Sequence[Node], values: HostValues) -> _Traced:
    return _Traced(
        known.grid_units or (_grid_units(configuration[0], arguments, values) if configuration else ()),
        known.links or argument_links(arguments, values),
        known.formulas or argument_formulas(arguments, values),
    )


def _is_of_nothing(configuration: Sequence[Node], values: HostValues) -> bool:
    """Whether a grid or a block is surely empty, or negative: then no kernel runs."""
    extents = (extent for shape in configuration[:2] for extent in values.extents(shape))
    return any(extent is not None and extent < 1 for extent in extents)


class _Parts(NamedTuple):
    """`names_kernel`: the launch itself names the kernel, or is the first of the variable that stands for it."""

    kernel: Node
    configuration: Sequence[Node]
    arguments: Sequence[Node]
    names_kernel: bool = True


def _parts(node: Node) -> _Parts | None:
    """The parts of the launch that a call is."""
    configuration, function, arguments = (
        node.child("kernel_call_syntax"),
        node.field("function"),
        node.field("arguments"),
    )
    given = arguments.children if arguments is not None else ()
    if configuration is not None:  # `kernel<<<grid, block, shared, stream>>>(arguments)`
        return None if function is None else _Parts(function, configuration.children[:3], given)
    name = _launch_function(node)
    if name is None or len(given) < 3:
        return None
    chosen = [given[position] for position in LAUNCH_CALLS[name] if position < len(given)]
    return _Parts(given[0], chosen, given[5:] if name == PASSES_ARGUMENTS else ())


def launched_name(node: Node) -> Node | None:
    """What names the kernel in a call that is a launch; None in any other."""
    parts = _parts(node) if node.kind == "call_expression" else None
    return None if parts is None else parts.kernel


def _launch_function(node: Node) -> bytes | None:
    function = node.field("function")
    return function.text if function is not None and function.text in LAUNCH_CALLS else None


def launch_text(kernel: Node, arguments: Sequence[Node]) -> LaunchText:
    """How the launch of a kernel reads, apart from its configuration."""
    named = _kernel_name(kernel)
    return () if named is None else named[1], tuple(map(_text, arguments))


def _launch(parts: _Parts, values: HostValues, place: _Place, held: tuple[HeldConstant, ...]) -> Launch | None:
    kernel, configuration, arguments, names_kernel = parts
    named = _kernel_name(kernel)
    if named is None:
        return None
    snippet, item, node = place
    numbers = _numbers(kernel, configuration, arguments, values, held)
    shared = values.number(configuration[2]) if len(configuration) > 2 else 0
    span = snippet.span(node.start, node.end)
    return Launch(
        kernel=named[0],
        block=numbers.block,
        grid=numbers.grid,
        shared_bytes=None if shared is None else int(shared),
        template_arguments=named[1],
        arguments=tuple(_text(argument) for argument in arguments),
        argument_values=numbers.argument_values,
        template_values=numbers.template_values,
        members=numbers.members,
        constants=held,
        path=item.path,
        span=Span(item.span.start + span.start, item.span.start + span.end),
        block_text=_text(configuration[1]) if len(configuration) > 1 else "",
        links=argument_links(arguments, values),
        formulas=argument_formulas(arguments, values),
        relations=argument_relations(configuration, arguments, values),
        multiples=argument_multiples(arguments, values),
        products=product_relations(configuration, arguments, values),
        grid_units=_grid_units(configuration[0], arguments, values) if configuration else (),
        has_line=len(configuration) > 1 and values.is_line(configuration[1]),
        block_extents=values.extents(configuration[1]) if len(configuration) > 1 else (None, None, None),
        grid_extents=values.extents(configuration[0]) if configuration else (None, None, None),
        names_kernel=names_kernel,
    )


def _numbers(
    kernel: Node,
    configuration: Sequence[Node],
    arguments: Sequence[Node],
    values: HostValues,
    held: tuple[HeldConstant, ...],
) -> LaunchNumbers:
    return LaunchNumbers(
        values.shape(configuration[1]) if len(configuration) > 1 else None,
        values.shape(configuration[0]) if configuration else None,
        tuple(values.number(argument) for argument in arguments),
        tuple(values.number(argument) for argument in _template_arguments(kernel)),
        tuple(_members(arguments, values)),
        held,
    )


def _members(arguments: Sequence[Node], values: HostValues) -> Iterator[PassedMember]:
    for position, argument in enumerate(arguments):
        type, numbers = values.numbers_in(argument)
        yield from (PassedMember(position, type, path, number) for path, number in numbers)


def _grid_units(grid: Node, arguments: Sequence[Node], values: HostValues) -> tuple[GridUnit, ...]:
    """Which arguments the extents are multiples of: found by what they would be for two large numbers."""
    found: list[GridUnit] = []
    names = values.names_behind(grid)
    for position, argument in enumerate(arguments):
        while argument.kind == "cast_expression" and (value := argument.field("value")) is not None:
            argument = value
        name = _text(argument)
        if argument.kind != "identifier" or name not in names:
            continue
        few = values.extents_if(name, LARGE, grid)
        grown = [axis for axis, extent in enumerate(few) if _LEAST <= (extent or 0) <= LARGE]
        many = values.extents_if(name, LARGE * _TIMES, grid) if grown else few
        for axis in grown:
            least, most = few[axis] or 0, many[axis] or 0
            if abs(most - _TIMES * least) > _TIMES:
                continue

            def extent(number: int, name: str = name, axis: int = axis) -> int:
                return values.extents_if(name, number, grid)[axis] or 0

            size = round(LARGE / least)
            found.append(GridUnit(axis, position, size, _offset(extent, size)))
    return tuple(found)


def _offset(extent: Callable[[int], int], size: int) -> int:
    """By how much the number for an extent differs from that many times `size`: 4 for `(n - 4) / 8`."""
    number = _LEAST * size
    reached, far = extent(number), size + _LEAST
    if reached < _LEAST:
        return bisect_left(range(number, number + far), _LEAST, key=extent)
    below = range(number - far, number + 1)
    return 0 if reached == _LEAST else bisect_right(below, _LEAST, key=extent) - 1 - far


def _kernel_name(node: Node) -> tuple[str, tuple[str, ...]] | None:
    """The kernel's last name and its template arguments, through casts, `&`, parentheses and HIP's macro."""
    match node.kind:
        case "identifier":
            return _text(node), ()
        case "template_function":
            name, arguments = node.field("name"), node.field("arguments")
            texts = tuple(_text(child) for child in arguments.children) if arguments is not None else ()
            return None if name is None else (_text(name), texts)
        case "cast_expression":
            return _inside(node.field("value"))
        case "pointer_expression" | "unary_expression":
            return _inside(node.field("argument"))
        case "qualified_identifier" | "dependent_name":
            return _inside(node.field("name") or (node.children[-1] if node.children else None))
        case "parenthesized_expression" | "argument_list" if node.children:
            return _inside(node.children[0])
        case "call_expression":
            return _inside(node.field("arguments"))
        case _:
            return None


def _template_arguments(kernel: Node) -> Sequence[Node]:
    """Those that are written behind the kernel's name."""
    listed = next((node for node in kernel.walk() if node.kind == "template_function"), None)
    arguments = None if listed is None else listed.field("arguments")
    return () if arguments is None else arguments.children


def _inside(node: Node | None) -> tuple[str, tuple[str, ...]] | None:
    return None if node is None else _kernel_name(node)


def _text(node: Node) -> str:
    return node.text.decode("utf-8", "replace")
