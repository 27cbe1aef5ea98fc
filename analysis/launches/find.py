"""Finds the launches of kernels in the functions of a translation unit.

Forms    `kernel<<<grid, block, shared, stream>>>(…)`, `hipLaunchKernelGGL(kernel, grid, block, shared, stream, …)`,
         `cudaLaunchKernel((void*)kernel, grid, block, arguments, shared, stream)` and its cooperative and HIP forms.
Cost     Only functions whose text, or a macro that it uses, mentions a launch are parsed.
Limits   A kernel is named by the last word of its name (`same_name.py` tells overloads apart).  A kernel that is
         passed as a template argument or function pointer is not found.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol, TypeAlias, final

from analysis.ir.pace import paced
from analysis.ir.source import Span
from analysis.launches.argument_links import argument_links
from analysis.launches.device_bodies import LAUNCH_CALLS
from analysis.launches.file_constants import Number
from analysis.launches.host_calls import Given, HostCalls
from analysis.launches.host_code import HostCode
from analysis.launches.host_values import HostValues
from analysis.launches.model import GridUnit, Launch, LaunchNumbers, LaunchText, NumbersFrom
from analysis.launches.relations import argument_relations
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


class LaunchMemo(Protocol):
    """Keeps the launches of a function by all that it sees; spans are relative to the function there."""

    def get_or_compute(self, key: bytes, compute: Callable[[], tuple[Launch, ...]], /) -> tuple[Launch, ...]: ...


def launch_shapes(unit: TranslationUnit, memo: LaunchMemo | None = None) -> Mapping[str, tuple[Launch, ...]]:
    """All launches in one unit by the kernel's name, in text order."""
    return launches_with(HostCalls(HostCode(unit)), memo)


def launches_with(calls: HostCalls, memo: LaunchMemo | None = None) -> Mapping[str, tuple[Launch, ...]]:
    """The same, with what is known of the calls of its functions."""
    found: dict[str, list[Launch]] = {}
    unit = calls.unit
    for item in calls.host.launching:

        def compute(item: Item = item) -> tuple[Launch, ...]:
            launches = _launches_in(unit, item, calls)
            return tuple(launch.moved(-item.span.start) for launch in paced(launches, 10))

        if memo is None or item.from_macro:
            kept = compute()
        else:
            key = unit.to_lower(item) + item.path.encode("utf-8", "replace") + calls.fingerprint(item)
            kept = memo.get_or_compute(key, compute)
        launches = (launch.moved(item.span.start) for launch in paced(kept, 10))
        for launch in launches:
            found.setdefault(launch.kernel, []).append(launch)
    return {name: tuple(launches) for name, launches in found.items()}


def launches_around(unit: TranslationUnit, memo: LaunchMemo | None = None) -> Mapping[str, tuple[Launch, ...]]:
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


def _launches_in(unit: TranslationUnit, item: Item, calls: HostCalls) -> list[Launch]:
    """With what every call of the function passes, and beside it what the calls in the file do.

    Of a launch that no call which is seen comes to, nothing is known to be made.
    """
    own_launches = _OwnLaunches(calls, unit.snippet(item), item)
    surely = own_launches.surely(calls.always_passed(item))
    if not surely:
        return []
    passed, possible = calls.passed(item), calls.all_passed(item)
    called = [own_launches.by_place(given, is_made=True) for given in passed]
    every = [own_launches.by_place(given, is_made=False) for given in possible]
    source = NumbersFrom.START if item.name == "main" else NumbersFrom.CALLS
    found: list[Launch] = []
    for position, launch in paced(surely.items(), 20):
        own = _numbers(launch)
        nothing = LaunchNumbers(None, None, (None,) * len(launch.argument_values))
        first = next((one for called_here in called for one in called_here.get(position, ())), launch)
        made = tuple(dict.fromkeys(_numbers(one) for each in called for one in each.get(position, ()))) or (nothing,)
        among = tuple(dict.fromkeys(_numbers(one) for each in every for one in each.get(position, ()))) or (own,)
        is_made = any(position in one for one in called)
        if made == among == (own,):
            found.append(launch if is_made else replace(launch, is_made=False))
            continue
        is_round = any(len(set(map(_numbers, one.get(position, ())))) > 1 for one in (*called, *every))
        is_passed = (passed, possible) != (_ONE_SET, _ONE_SET)
        sources = (source, is_passed), (NumbersFrom.ROUNDS, is_round)
        found.append(
            replace(
                launch,
                called=() if made == (own,) else made,
                possible=() if among == (own,) or len(among) > MAX_POSSIBLE else among,
                numbers_from=frozenset(one for one, speaks in sources if speaks),
                grid_units=launch.grid_units or first.grid_units,
                links=launch.links or first.links,
                is_made=is_made,
            )
        )
    return found


def _numbers(launch: Launch) -> LaunchNumbers:
    return launch.own_numbers


@final
class _OwnLaunches:
    """The launches in one function, whatever its calls pass: each is read once for the same numbers."""

    def __init__(self, calls: HostCalls, snippet: Snippet, item: Item) -> None:
        self._calls = calls
        self._snippet = snippet
        self._item = item
        self._values: dict[Given, HostValues] = {}
        self._found: dict[tuple[Given, int, tuple[tuple[int, Number], ...]], Launch | None] = {}

    def surely(self, given: Given) -> Mapping[int, Launch]:
        """By the position of the call among the calls of the function: the launches in whatever round."""
        found: dict[int, Launch] = {}
        values = self._values_of(given)
        for position, (node, guards) in enumerate(paced(values.calls, 20)):
            values.seen_from(node.start, guards)
            launch = self._at(given, position, node, {})
            if launch is not None:
                found[position] = launch
        return found

    def by_place(self, given: Given, *, is_made: bool) -> Mapping[int, Sequence[Launch]]:
        """By the position of the call: the launches in all rounds of loops; `is_made`: those that the program comes
        to."""
        found: dict[int, list[Launch]] = {}
        values = self._values_of(given)
        for position, (node, guards) in enumerate(paced(values.calls, 20)):
            if node.child("kernel_call_syntax") is None and _launch_function(node) is None:
                continue
            values.seen_from(node.start, guards)
            for rounds in values.settings():
                values.in_rounds(rounds)
                launch = self._at(given, position, node, rounds) if not is_made or values.is_reached() else None
                if launch is not None:
                    found.setdefault(position, []).append(launch)
            values.in_rounds({})
        return found

    def _values_of(self, given: Given) -> HostValues:
        values = self._values.get(given)
        if values is None:
            values = self._values[given] = self._calls.values(self._item, given)
        return values

    def _at(self, given: Given, position: int, node: Node, rounds: Mapping[int, Number]) -> Launch | None:
        """The launch that the call at a position is, in these rounds; the values must be seen from there."""
        key = given, position, tuple(rounds.items())
        if key not in self._found:
            self._found[key] = _launch_at(node, self._values[given], (self._snippet, self._item, node))
        return self._found[key]


def _launch_at(node: Node, values: HostValues, place: _Place) -> Launch | None:
    """The launch that a call is, if it is one."""
    configuration = node.child("kernel_call_syntax")
    name = _launch_function(node)
    if configuration is not None:
        return _chevrons(node, configuration, values, place)
    return None if name is None else _call(node, name, values, place)


def _launch_function(node: Node) -> bytes | None:
    function = node.field("function")
    return function.text if function is not None and function.text in LAUNCH_CALLS else None


def _chevrons(node: Node, configuration: Node, values: HostValues, place: _Place) -> Launch | None:
    """`kernel<<<grid, block, shared, stream>>>(arguments)`."""
    function, arguments = node.field("function"), node.field("arguments")
    if function is None:
        return None
    given = arguments.children if arguments is not None else ()
    return _launch(function, configuration.children[:3], given, values, place)


def _call(node: Node, name: bytes, values: HostValues, place: _Place) -> Launch | None:
    arguments = node.field("arguments")
    given = arguments.children if arguments is not None else ()
    positions = LAUNCH_CALLS[name]
    if len(given) < 3:
        return None
    configuration = [given[position] for position in positions if position < len(given)]
    passed = given[5:] if name == PASSES_ARGUMENTS else ()
    return _launch(given[0], configuration, passed, values, place)


def launch_text(kernel: Node, arguments: Sequence[Node]) -> LaunchText:
    """How the launch of a kernel reads, apart from its configuration."""
    named = _kernel_name(kernel)
    return () if named is None else named[1], tuple(map(_text, arguments))


def _launch(
    kernel: Node, configuration: Sequence[Node], arguments: Sequence[Node], values: HostValues, place: _Place
) -> Launch | None:
    named = _kernel_name(kernel)
    if named is None:
        return None
    snippet, item, node = place
    grid = values.shape(configuration[0]) if configuration else None
    block = values.shape(configuration[1]) if len(configuration) > 1 else None
    shared = values.number(configuration[2]) if len(configuration) > 2 else 0
    span = snippet.span(node.start, node.end)
    return Launch(
        kernel=named[0],
        block=block,
        grid=grid,
        shared_bytes=None if shared is None else int(shared),
        template_arguments=named[1],
        arguments=tuple(_text(argument) for argument in arguments),
        argument_values=tuple(values.number(argument) for argument in arguments),
        template_values=tuple(values.number(argument) for argument in _template_arguments(kernel)),
        path=item.path,
        span=Span(item.span.start + span.start, item.span.start + span.end),
        block_text=_text(configuration[1]) if len(configuration) > 1 else "",
        links=argument_links(arguments, values),
        relations=argument_relations(configuration, arguments, values),
        grid_units=_grid_units(configuration[0], arguments, values) if configuration else (),
        has_line=len(configuration) > 1 and values.is_line(configuration[1]),
        block_extents=values.extents(configuration[1]) if len(configuration) > 1 else (None, None, None),
    )


def _grid_units(grid: Node, arguments: Sequence[Node], values: HostValues) -> tuple[GridUnit, ...]:
    """Which arguments the extents are multiples of: found by what they would be for two large numbers."""
    found: list[GridUnit] = []
    for position, argument in enumerate(arguments):
        while argument.kind == "cast_expression" and (value := argument.field("value")) is not None:
            argument = value
        if argument.kind != "identifier":
            continue
        name = _text(argument)
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
