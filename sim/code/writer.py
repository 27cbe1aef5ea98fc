"""Generated code in the making: one function of a kernel (`Unit`), one of its segments at a time (`Writer`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import final

from analysis.ir.function import Function, SymbolKind
from analysis.ir.ids import SymbolId, ValueId
from analysis.ir.instructions import Instruction, ReadSpecial, SymbolAddress
from analysis.ir.operators import SpecialRegister
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import S32, TemplateType, Type, UnknownType, VoidType
from sim.code.address_forms import Form
from sim.code.placement import Placement, Root
from sim.events import AccessSite
from sim.values.scalars import NoParts, Part, parts_of


@final
@record
class InstructionSite:
    """Where an instruction stands that may end in a fault or a refusal; `construct` is what would be refused."""

    function: Function
    span: Span
    construct: str = ""


@final
@record
class PlannedAccess:
    """What is known about a memory instruction before the launch.

    `alignment` is what the accessed type asks for, in bytes; `aligned` says that a well-aligned object gives it.
    """

    site: AccessSite
    parts: tuple[tuple[int, int], ...]
    root: Root | None
    alignment: int
    aligned: bool


@final
@dataclass(slots=True)
class Unit:
    """Everything about one function that its segments share.  Places and accesses are numbered across functions."""

    function: Function
    placement: Placement
    warp_size: int
    havoc: bool
    observes_values: bool
    places: list[InstructionSite]
    accesses: list[PlannedAccess]
    read: frozenset[ValueId]
    """Values that somebody reads."""
    emit: Callable[[Writer, Instruction], None]
    """Writes the code for an instruction."""
    forms: Mapping[ValueId, Form]
    """Of addresses that may be patterns."""
    looping: frozenset[int]
    """The segments in loops."""
    made: Mapping[ValueId, Instruction]
    """What computes each value that is computed anew where it is read."""
    leaves_out_launches: bool = False
    first_register: dict[ValueId, int] = field(default_factory=dict[ValueId, int])
    registers: list[Part] = field(default_factory=list[Part])
    returned: list[int] = field(default_factory=list[int])
    """The registers that hold the returned value."""
    hoisted: dict[ValueId, tuple[str, ...]] = field(default_factory=dict[ValueId, tuple[str, ...]])
    symbols: set[SymbolId] = field(default_factory=set[SymbolId])
    """Variables whose address some segment takes."""
    unavailable: dict[ValueId, str] = field(default_factory=dict[ValueId, str])
    """Values that cannot be held or computed, with the reason: reading one is refused."""
    imports: dict[str, str] = field(default_factory=dict[str, str])
    """Names that the generated code takes from the machine, with the expression that gives them."""

    def parts(self, type: Type) -> tuple[Part, ...]:
        if self.havoc and isinstance(type, UnknownType | TemplateType):
            type = S32
        return parts_of(type, self.function.structs, self.warp_size)

    def place(self, span: Span, construct: str = "") -> int:
        self.places.append(InstructionSite(self.function, span, construct))
        return len(self.places) - 1

    def allocate_registers(self) -> None:
        for value in sorted(self.placement.in_registers):
            try:
                parts = self.parts(self.function.types[value])
            except NoParts as problem:
                self.unavailable[value] = str(problem)
                continue
            self.first_register[value] = len(self.registers)
            self.registers += parts
        if not isinstance(self.function.return_type, VoidType):
            parts = self.parts(self.function.return_type)
            self.returned = list(range(len(self.registers), len(self.registers) + len(parts)))
            self.registers += parts


_OF_THREAD = {
    SpecialRegister.THREAD_X: "thread_x",
    SpecialRegister.THREAD_Y: "thread_y",
    SpecialRegister.THREAD_Z: "thread_z",
    SpecialRegister.BLOCK_X: "block_x",
    SpecialRegister.BLOCK_Y: "block_y",
    SpecialRegister.BLOCK_Z: "block_z",
    SpecialRegister.WARP_INDEX: "warp_index",
}


@final
class Writer:
    """The body of one generated function; `prologue` is the code that runs once per launch.

    Names are given once and never assigned again, so a name is a value.
    """

    def __init__(self, unit: Unit, segment: int, *, prologue: bool = False) -> None:
        self.unit = unit
        self.segment = segment
        self.prologue = prologue
        self.lines: list[str] = []
        self.fresh: set[str] = set()
        """Names of arrays that nothing else refers to."""
        self.later: dict[ValueId, Instruction] = {}
        """What is written only where it is read."""
        self.functions: list[str] = []
        """The text of functions that this one calls."""
        self._names: dict[ValueId, tuple[str, ...]] = {}
        self._lows: dict[SymbolId, str] = {}
        self._expressions: dict[str, str] = {}
        self.elements: dict[tuple[Root, str, int], str] = {}
        """By the object, the name of an index and the bytes of an element where it lies: an access finds what the one
        before did, since what was read was written, and what was written may be read."""
        self.reaches: dict[str, str] = {}
        """By the name of an address how far behind its variable's start it lies."""

    def line(self, text: str) -> None:
        self.lines.append(text)

    def type_of(self, value: ValueId) -> Type:
        return self.unit.function.types[value]

    def parts(self, value: ValueId) -> tuple[Part, ...]:
        return self.unit.parts(self.unit.function.types[value])

    def part(self, value: ValueId) -> Part:
        """The only part of a scalar."""
        (part,) = self.parts(value)
        return part

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, value: ValueId) -> tuple[str, ...]:
        """The names of a value's parts, loaded where it comes from another segment."""
        known = self._names.get(value)
        if known is None:
            known = self.unit.hoisted.get(value)
        if known is not None:
            return known
        if value in self.unit.unavailable:
            raise NoParts(self.unit.unavailable[value])
        later = self.later.get(value)
        if later is not None:
            self.unit.emit(self, later)
            return self._names[value]
        source = self.unit.placement.recomputed.get(value)
        match source:
            case ReadSpecial():
                return self.set(value, [self.special(source.register, self.part(value))], fresh=False)
            case SymbolAddress(symbol=symbol):
                return self.alias(value, (self.low(symbol),))
            case None:
                first = self.unit.first_register[value]
                loads = [
                    f"r[{index}] if rows is None else at(r[{index}], rows)"
                    for index in range(first, first + len(self.parts(value)))
                ]
                return self.set(value, loads, fresh=False)

    def is_at_hand(self, value: ValueId) -> bool:
        """Whether the value may be read here: what another segment alone needs is held nowhere."""
        kept = self.unit.hoisted, self.unit.placement.recomputed, self.unit.first_register
        return value in self._names or value in self.later or any(value in one for one in kept)

    def read_one(self, value: ValueId) -> str:
        (name,) = self.read(value)
        return name

    def special(self, register: SpecialRegister, part: Part) -> str:
        """The expression for a special register."""
        field = _OF_THREAD.get(register)
        if field is not None:
            name = f"(f.{field} if rows is None else f.{field}[rows])"
            return name if part.held == "u4" else f"{name}.astype({part.held})"
        self.unit.imports[f"{register.name.lower()}_"] = f"m.special({register.value!r})"
        return f"{register.name.lower()}_.astype({part.held})"

    def low(self, symbol: SymbolId) -> str:
        """The name of the address where a shared or local variable starts, for each block or thread."""
        known = self._lows.get(symbol)
        if known is None:
            known = self._lows[symbol] = f"s{symbol}"
            self.unit.symbols.add(symbol)
            if self.unit.function.symbols[symbol].kind is SymbolKind.LOCAL:
                slot, base = "thread_slot", f"f.local_bases[{symbol}]"
            else:
                slot, base = "block_slot", f"base_{symbol}"
            self.line(f"{known} = (f.{slot} if rows is None else f.{slot}[rows]) * stride_{symbol} + {base}")
        return known

    # -- defining -----------------------------------------------------------------------------------------------------

    def set(self, result: ValueId, expressions: Sequence[str], *, fresh: bool = True) -> tuple[str, ...]:
        """Names the parts of a value; `fresh`: the expressions make arrays that nothing else refers to."""
        prefix = "c" if self.prologue else "v"
        names = tuple(
            f"{prefix}{result}" if len(expressions) == 1 else f"{prefix}{result}_{index}"
            for index in range(len(expressions))
        )
        for name, expression in zip(names, expressions, strict=True):
            self.line(f"{name} = {expression}")
        if fresh:
            self.fresh.update(names)
        return self.alias(result, names)

    def set_once(self, result: ValueId, expression: str) -> str:
        """Names a value whose expression depends on names alone: the same text is the same value."""
        known = self._expressions.get(expression)
        if known is None:
            (known,) = self.set(result, [expression])
            self._expressions[expression] = known
        else:
            self.alias(result, (known,))
        return known

    def once(self, name: str, expression: str) -> str:
        """The name of such an expression that is no value of the program."""
        known = self._expressions.get(expression)
        if known is None:
            self.line(f"{name} = {expression}")
            known = self._expressions[expression] = name
        return known

    @property
    def lows(self) -> Collection[str]:
        """Names of addresses where shared and local variables start."""
        return self._lows.values()

    def alias(self, result: ValueId, names: tuple[str, ...]) -> tuple[str, ...]:
        """The value is held under other names already."""
        self._names[result] = names
        if self.prologue:
            self.unit.hoisted[result] = names
        return names

    @contextmanager
    def nested(self) -> Generator[None]:
        """Lines within a condition: names that they give are not known behind them."""
        start, names, lows, fresh = len(self.lines), dict(self._names), dict(self._lows), set(self.fresh)
        expressions, elements = dict(self._expressions), dict(self.elements)
        yield
        self.lines[start:] = ["    " + line for line in self.lines[start:]]
        self._names, self._lows, self.fresh, self._expressions = names, lows, fresh, expressions
        self.elements = elements

    def keep(self, register: int, name: str, lanes: str) -> None:
        """Writes a register at the end of the segment."""
        how = "adopt" if name in self.fresh else "keep"
        self.fresh.discard(name)
        self.line(f"r[{register}] = {how}(f, r[{register}], rows, {lanes}, {name})")
