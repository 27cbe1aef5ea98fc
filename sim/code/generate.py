"""From IR to Python: one function per segment, beside names that hold what a launch fixes.

    arena = m.arena
    c3 = i4(4)                                              # hoisted values, once per launch
    load_0 = m.access(0).load

    def segment_2(f, rows, mask):
        r = f.registers
        v5 = r[0] if rows is None else at(r[0], rows)       # live-in
        v7 = v5 * c3
        r[1] = adopt(f, r[1], rows, mask, v7)               # live-out

Python compiles each function when it runs for the first time, so that nobody waits for the code of thousands of
branches at once, nor for those that are never taken.
`rows` are the warps that run (None: all of the frame), `mask` their active lanes (None: all).  A segment that ends in
a branch returns True or False where all active lanes of all rows agree, else the lanes that take the branch; one that
ends in a switch returns the lanes of each target.  A construct that is not simulated is refused when it is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import CodeType
from typing import Any, Final, final

from analysis.ir.function import Function, FunctionKind, SymbolKind
from analysis.ir.ids import FunctionId
from analysis.ir.instructions import (
    BlockBarrier,
    Branch,
    GridBarrier,
    Instruction,
    Jump,
    NamedBarrier,
    PhaseWait,
    Phi,
    Return,
    Switch,
    Trap,
    ValueId,
)
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import ArrayType, Type
from sim.code.address_forms import forms_of, in_loops
from sim.code.elements import element_addresses
from sim.code.instructions import emit
from sim.code.meetings import awaited
from sim.code.namespace import namespace
from sim.code.patterns import address_steps
from sim.code.placement import Placement, place_values
from sim.code.segments import SegmentedFunction, cut, graph_of, meeting_of
from sim.code.writer import InstructionSite, PlannedAccess, Unit, Writer
from sim.events import Segment
from sim.kernel import Kernel
from sim.policies.protocol import SegmentGraph
from sim.refusals import Refusal
from sim.values.scalars import NoParts, Part

_INDENT: Final = "    "
_BARRIERS: Final = (BlockBarrier, NamedBarrier, PhaseWait, GridBarrier)


@final
class GeneratedText:
    """Generated text, compiled when it is needed."""

    def __init__(self, name: str, text: str) -> None:
        self.text = text
        self._name = name
        self._code: CodeType | None = None

    def run(self, names: dict[str, Any]) -> None:
        """Adds what the text defines to `names`."""
        if self._code is None:
            self._code = compile(self.text, f"<{self._name}>", "exec")
        exec(self._code, names)

    def function(self, defined: str, names: dict[str, Any]) -> Callable[..., Any]:
        """Stands for the function of that name in the text."""

        def call(*arguments: Any) -> Any:
            if defined not in names:
                self.run(names)
            return names[defined](*arguments)

        return call


@final
@record
class FunctionCode:
    """What the machine needs to know about one function."""

    segmented: SegmentedFunction
    registers: tuple[Part, ...]
    returned: tuple[int, ...]
    parameters: tuple[int, ...]
    """The registers of a device function's parameters, one per part; -1 for a part that nobody reads."""
    prologue: GeneratedText
    bodies: tuple[GeneratedText, ...]
    """The function of each segment, `segment_7(f, rows, mask)`."""
    named: Mapping[int, GeneratedText]
    """By segment in which threads meet: the function that tells for whom they wait, `named_7(f, rows)`."""

    def build(
        self, machine: Any, names: dict[str, Any]
    ) -> tuple[list[Callable[..., Any]], dict[int, Callable[..., Any]]]:
        """The functions of one launch: by position of the segment, and the named ones; `m` is the machine.

        `names` is filled with what they use, and lives as long as they do, unless it is cleared.
        """
        names.update(namespace(), m=machine)
        self.prologue.run(names)
        first = self.segmented.first
        bodies = [body.function(f"segment_{number}", names) for number, body in enumerate(self.bodies, first)]
        return bodies, {number: snippet.function(f"named_{number}", names) for number, snippet in self.named.items()}

    @property
    def text(self) -> str:
        return "\n\n".join(snippet.text for snippet in (self.prologue, *self.bodies, *self.named.values())) + "\n"


@final
@record
class Code:
    """A kernel and its callees, compiled; independent of the launch except for warp size, observers, and what is not
    understood or not run."""

    functions: dict[FunctionId, FunctionCode]
    segments: tuple[Segment, ...]
    graph: SegmentGraph
    places: tuple[InstructionSite, ...]
    accesses: tuple[PlannedAccess, ...]
    units: dict[FunctionId, Unit]

    @property
    def text(self) -> str:
        """The generated Python, for people who want to read it."""
        return "\n".join(code.text for code in self.functions.values())


def generate(
    kernel: Kernel, warp_size: int, *, havoc: bool, observes_values: bool, leaves_out_launches: bool = False
) -> Code:
    places: list[InstructionSite] = []
    accesses: list[PlannedAccess] = []
    functions: dict[FunctionId, FunctionCode] = {}
    units: dict[FunctionId, Unit] = {}
    cut_functions: list[SegmentedFunction] = []
    first = 0
    for function in (kernel.function, *kernel.callees.values()):
        segmented = cut(function, first)
        first += len(segmented.segments)
        cut_functions.append(segmented)
        placement = place_values(segmented)
        unit = Unit(
            function,
            placement,
            warp_size,
            havoc,
            observes_values,
            places,
            accesses,
            _values_read(function),
            emit,
            forms_of(function, placement),
            in_loops(segmented),
            _made(function, placement),
            leaves_out_launches=leaves_out_launches,
        )
        try:
            functions[function.id] = _function(segmented, unit)
        except NoParts as problem:  # of a parameter, or of what is returned
            raise Refusal(str(problem), str(function.id), Span(0, 0)) from problem
        units[function.id] = unit
    segments = tuple(segment for one in cut_functions for segment in one.segments)
    return Code(functions, segments, graph_of(cut_functions), tuple(places), tuple(accesses), units)


def _values_read(function: Function) -> frozenset[ValueId]:
    read = {operand for _, one in function.instructions() for operand in one.operands}
    for block in function.blocks:
        read.update(operand for phi in block.phis for operand in phi.operands)
        read.update(block.terminator.operands)
    return frozenset(read)


def _made(function: Function, placement: Placement) -> dict[ValueId, Instruction]:
    """The definitions of all values that are neither hoisted nor recomputed."""
    known = placement.hoisted | placement.recomputed.keys()
    return {one.result: one for _, one in function.instructions() if one.result is not None and one.result not in known}


def _function(segmented: SegmentedFunction, unit: Unit) -> FunctionCode:
    function = unit.function
    if function.kind is not FunctionKind.KERNEL:
        for _, instruction in function.instructions():
            if isinstance(instruction, _BARRIERS):
                raise Refusal("a barrier in a function that is called, not inlined", str(function.id), instruction.span)
    unit.allocate_registers()
    prologue = _prologue(segmented, unit)
    bodies: list[GeneratedText] = []
    named: dict[int, GeneratedText] = {}
    for number, segment in enumerate(segmented.segments, segmented.first):
        bodies.append(GeneratedText(function.name, "\n".join(_segment(segmented, unit, number, segment))))
        awaited_lines = _named(unit, number, segment)
        if awaited_lines:
            named[number] = GeneratedText(function.name, "\n".join(awaited_lines))
    for number in unit.symbols:
        symbol = function.symbols[number]
        if symbol.kind in (SymbolKind.LOCAL, SymbolKind.SHARED) and _is_endless(symbol.type):
            raise Refusal(f"{symbol.name}, an array whose length is not known,", str(function.id), symbol.span)
    lines = ["arena = m.arena"]
    lines += [
        f"base_{symbol}, size_{symbol}, stride_{symbol} = m.symbol({str(function.id)!r}, {symbol})"
        for symbol in sorted(unit.symbols)
    ]
    lines += [f"{name} = {expression}" for name, expression in unit.imports.items()]
    return FunctionCode(
        segmented,
        tuple(unit.registers),
        tuple(unit.returned),
        _parameters(unit),
        GeneratedText(function.name, "\n".join([*lines, *prologue])),
        tuple(bodies),
        named,
    )


def _is_endless(type: Type) -> bool:
    return isinstance(type, ArrayType) and (type.length is None or _is_endless(type.element))


def _named(unit: Unit, number: int, segment: Segment) -> list[str]:
    """The function that tells the engine what a meeting waits for; none where it waits for whoever is there."""
    meeting = meeting_of(segment)
    operands = () if meeting is None else awaited(meeting)
    if not operands or any(operand in unit.unavailable for operand in operands):
        return []
    writer = Writer(unit, number)
    names = [writer.read_one(operand) for operand in operands]
    lines = ["r = f.registers", *writer.lines, f"return {', '.join(names)}"]
    return [f"def named_{number}(f, rows):", *(_INDENT + line for line in lines)]


def _parameters(unit: Unit) -> tuple[int, ...]:
    if unit.function.kind is FunctionKind.KERNEL:
        return ()
    registers: list[int] = []
    for parameter in unit.function.parameters:
        count = len(unit.parts(unit.function.types[parameter.value]))
        first = unit.first_register.get(parameter.value)
        registers += [-1] * count if first is None else range(first, first + count)
    return tuple(registers)


def _prologue(segmented: SegmentedFunction, unit: Unit) -> list[str]:
    """Hoisted values, in an order in which definitions come first."""
    writer = Writer(unit, -1, prologue=True)
    if unit.function.kind is FunctionKind.KERNEL:
        for parameter in unit.function.parameters:
            try:
                count = len(writer.parts(parameter.value))
            except NoParts:
                continue
            value = parameter.value
            writer.set(value, [f"m.argument({value}, {index})" for index in range(count)])
    for segment in segmented.segments:
        for instruction in segment.instructions:
            if instruction.result in unit.placement.hoisted:
                before = len(writer.lines)
                try:
                    emit(writer, instruction)
                except NoParts as problem:
                    del writer.lines[before:]
                    assert instruction.result is not None
                    unit.unavailable[instruction.result] = str(problem)
    return writer.lines


def _segment(segmented: SegmentedFunction, unit: Unit, number: int, segment: Segment) -> list[str]:
    writer = Writer(unit, number)
    if not unit.observes_values:
        writer.later.update(element_addresses(unit, segment))
        writer.later.update(address_steps(unit, number, segment))
    writer.line("r = f.registers")
    writer.line(f"shape = (f.rows if rows is None else len(rows), {unit.warp_size})")
    span = segment.terminator.span if segment.terminator is not None else segment.instructions[-1].span
    try:
        for instruction in segment.instructions:
            span = instruction.span
            if instruction.result not in unit.placement.hoisted and instruction.result not in writer.later:
                emit(writer, instruction)
                if unit.observes_values and instruction.result is not None:
                    _observe(writer, instruction.result, "mask")
        _keep_own(writer, segment)
        if segment.terminator is not None:
            span = segment.terminator.span
            _terminator(writer, segmented, segment)
    except NoParts as problem:
        writer.line(f"m.refuse({unit.place(span, str(problem))})")
    body = [f"def segment_{number}(f, rows, mask):", *(_INDENT + line for line in writer.lines)]
    return [*writer.functions, *body]


def _observe(writer: Writer, value: ValueId, lanes: str) -> None:
    names = "".join(f"{name}, " for name in writer.read(value))
    writer.line(f"m.value({writer.segment}, {value}, f, rows, {lanes}, ({names}))")


def _keep_own(writer: Writer, segment: Segment) -> None:
    """Writes what later segments read."""
    for instruction in segment.instructions:
        if instruction.result is None:
            continue
        first = writer.unit.first_register.get(instruction.result)
        if first is not None:
            for offset, name in enumerate(writer.read(instruction.result)):
                writer.keep(first + offset, name, "mask")


def _terminator(writer: Writer, segmented: SegmentedFunction, segment: Segment) -> None:
    terminator = segment.terminator
    function = segmented.function

    def phis(target: int) -> list[tuple[Phi, ValueId]]:
        """Phis of a target that somebody reads, with what arrives from here."""
        return [
            (phi, value)
            for phi in function.blocks[target].phis
            for source, value in phi.incoming
            if source == segment.block and phi.result in writer.unit.first_register
        ]

    match terminator:
        case Jump(target=target):
            _assign(writer, phis(target), "mask")
        case Branch(if_true=target, if_false=other) if target == other:
            _assign(writer, phis(target), "mask")
        case Branch(condition=condition, if_true=if_true, if_false=if_false):
            _branch(writer, writer.read_one(condition), phis(if_true), phis(if_false))
        case Switch():
            _switch(writer, terminator, phis)
        case Return(value=value):
            if value is not None and function.kind is not FunctionKind.KERNEL:
                for register, name in zip(writer.unit.returned, writer.read(value), strict=True):
                    writer.keep(register, name, "mask")
        case Trap(span=span):
            writer.line(f"m.trap({writer.unit.place(span)}, f, rows, mask)")
        case None:
            raise AssertionError("a segment without terminator has no edges")


def _assign(writer: Writer, phis: Sequence[tuple[Phi, ValueId]], lanes: str) -> None:
    """All sources are read before the first phi is written."""
    sources = [writer.read(value) for _, value in phis]
    for (phi, _), names in zip(phis, sources, strict=True):
        first = writer.unit.first_register[phi.result]
        for offset, name in enumerate(names):
            writer.keep(first + offset, name, lanes)
        if writer.unit.observes_values:
            parts = "".join(f"{name}, " for name in names)
            writer.line(f"m.value({writer.segment}, {phi.result}, f, rows, {lanes}, ({parts}))")


def _branch(
    writer: Writer,
    condition: str,
    if_true: Sequence[tuple[Phi, ValueId]],
    if_false: Sequence[tuple[Phi, ValueId]],
) -> None:
    for _, value in (*if_true, *if_false):
        writer.read(value)
    writer.line(f"some, others = outcome({condition}, mask)")
    writer.line("if not others:")
    _nested(writer, if_true, "mask", "return True")
    writer.line("if not some:")
    _nested(writer, if_false, "mask", "return False")
    writer.line(f"taken = taken_lanes({condition}, mask, shape)")
    _assign(writer, if_true, "taken")
    if if_false:
        writer.line("rest = other_lanes(taken, mask)")
        _assign(writer, if_false, "rest")
    writer.line("return taken")


def _nested(writer: Writer, phis: Sequence[tuple[Phi, ValueId]], lanes: str, last: str) -> None:
    start = len(writer.lines)
    fresh = set(writer.fresh)
    _assign(writer, phis, lanes)
    writer.fresh = fresh  # what the other way adopts is not shared with this one
    writer.line(last)
    writer.lines[start:] = ["    " + line for line in writer.lines[start:]]


def _switch(writer: Writer, switch: Switch, phis: Callable[[int], list[tuple[Phi, ValueId]]]) -> None:
    targets = switch.successors
    if any(case.value is None for case in switch.cases):
        raise NoParts("a case label whose value is not known")
    part = writer.part(switch.value)
    by_target: dict[int, list[int | None]] = {target: [] for target in targets}
    for case in switch.cases:
        by_target[case.target].append(case.value)
    labels = [by_target[target] if target != switch.default else [] for target in targets[:-1]]
    for target in targets:
        for _, value in phis(target):
            writer.read(value)
    cases = ", ".join(f"({''.join(f'{part.held}({label}), ' for label in some)})" for some in labels)
    writer.line(f"ways = case_lanes({writer.read_one(switch.value)}, ({cases}{',' if labels else ''}), mask, shape)")
    for index, target in enumerate(targets):
        _assign(writer, phis(target), f"ways[{index}]")
    writer.line("return ways")
