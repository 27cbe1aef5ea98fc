"""Compares what the affine analysis claims with what threads did in the reference evaluator."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from analysis.affine.atoms import Atom, Axis, IterationAtom, RegisterAtom, ResidualAtom, SymbolAtom, ValueAtom
from analysis.affine.collange import Affine, Bottom, ConstantTag, Uniform, Unknown
from analysis.affine.linear_form import LinearForm
from analysis.affine.polynomial import Polynomial
from analysis.affine.result import AffineResult
from analysis.graph.cycles import CycleId
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.operators import SpecialRegister
from analysis.ir.types import BooleanType, IntegerType, PointerType
from tests.support.evaluator import Grid, Instance, Scalar, Trace

REGISTER_OF = {
    Axis.THREAD_X: SpecialRegister.THREAD_X,
    Axis.THREAD_Y: SpecialRegister.THREAD_Y,
    Axis.THREAD_Z: SpecialRegister.THREAD_Z,
    Axis.LANE: SpecialRegister.LANE,
}
OBJECT_STRIDE = 1 << 24


class Unset(Exception):
    """An atom that this thread never initialised."""


@dataclass(frozen=True)
class State:
    """One thread at the end of one instance of a block."""

    function: Function
    result: AffineResult
    registers: Mapping[SpecialRegister, int]
    values: Mapping[ValueId, Scalar]
    iteration: Mapping[CycleId, int]

    def number(self, value: ValueId) -> int:
        found = self.values.get(value)
        if found is None:
            raise Unset
        return as_number(found)

    def atom(self, atom: Atom) -> int:
        match atom:
            case RegisterAtom(register):
                return self.registers[register]
            case SymbolAtom(symbol):
                return as_number((self.function.symbols[symbol].name, 0))
            case ValueAtom(value):
                return self.number(value)
            case ResidualAtom(value):
                form = self.result.form(value)
                assert form is not None
                return self.number(value) - self.thread_part(form)
            case IterationAtom(cycle):
                return self.iteration[cycle]

    def polynomial(self, polynomial: Polynomial) -> int:
        total = 0
        for monomial, coefficient in polynomial.terms:
            for atom in monomial:
                coefficient *= self.atom(atom)
            total += coefficient
        return total

    def thread_part(self, form: LinearForm) -> int:
        return sum(self.polynomial(factor) * self.registers[REGISTER_OF[axis]] for axis, factor in form.coefficients)


def as_number(value: Scalar) -> int:
    """Objects lie far apart, at addresses that only their names decide about."""
    if isinstance(value, int):
        return value
    name, offset = value
    return (sum(map(ord, name)) + 1) * OBJECT_STRIDE + offset


def refute(result: AffineResult, function: Function, grid: Grid, traces: Sequence[Trace]) -> Iterator[str]:
    """Every claim that the run contradicts.  `traces` must have kept their states."""
    yield from _Referee(result, function, grid, traces).refute()


class _Referee:
    def __init__(self, result: AffineResult, function: Function, grid: Grid, traces: Sequence[Trace]) -> None:
        self.result = result
        self.function = function
        self.grid = grid
        self.traces = traces
        self.tag_of = cache(result.collange)
        self.range_of = cache(result.range)
        self.range_at = cache(result.range_at)
        self.alignment_of = cache(result.alignment)
        self.polynomial_range = cache(result.polynomial_range)
        self.home_of = {
            item.result: BasicBlockId(index)
            for index, block in enumerate(function.blocks)
            for item in (*block.phis, *block.instructions)
        }
        self.seen: defaultdict[tuple[str, ValueId, Instance, tuple[int, int]], set[object]] = defaultdict(set)
        """What must be one thing in each warp."""

    def refute(self) -> Iterator[str]:
        for trace in self.traces:
            states = {
                instance: State(self.function, self.result, registers_of(self.grid, trace.thread), values, iteration)
                for instance, (values, iteration) in trace.states.items()
            }
            for (value, instance), scalar in trace.definitions.items():
                if instance in states:
                    yield from self.definition(trace, states[instance], value, instance, as_number(scalar))
            for (value, instance), scalar in trace.uses.items():
                if instance in states:
                    yield from self.use(trace, states[instance], value, instance, as_number(scalar))
        for (what, value, instance, warp), found in self.seen.items():
            if len(found) > 1:
                yield f"{what} of %{value} at {instance} in warp {warp}: {sorted(map(str, found))}"

    def definition(self, trace: Trace, state: State, value: ValueId, instance: Instance, number: int) -> Iterator[str]:
        result = self.result
        warp = self.grid.warp_of(trace.thread)
        form = result.form(value)
        if form is not None and (form.exact or (value, instance) not in trace.wrapped):
            yield from self.form(state, value, instance, warp, form, number, "form")
        type_ = self.function.types[value]
        if isinstance(type_, IntegerType | BooleanType) and number not in self.range_of(value):
            yield f"%{value} at {instance} is {number}, not in {self.range_of(value)}"
        alignment = self.alignment_of(value)
        if not isinstance(type_, PointerType) and number % alignment:
            yield f"%{value} at {instance} is {number}, no multiple of {alignment}"
        if value in result.warp_levels():
            self.seen["warp level", value, instance, warp].add(number)
        yield from self.tag(state, value, instance, warp, number)

    def use(self, trace: Trace, state: State, value: ValueId, instance: Instance, number: int) -> Iterator[str]:
        result, block = self.result, instance[0]
        form = None if self.home_of.get(value) == block else result.form_at(value, block)
        wrapped = any(known == value for known, _ in trace.wrapped)
        if form is not None and (form.exact or not wrapped):
            warp = self.grid.warp_of(trace.thread)
            yield from self.form(state, value, instance, warp, form, number, "form at use")
        type_ = self.function.types[value]
        if isinstance(type_, IntegerType | BooleanType) and number not in self.range_at(value, block):
            yield f"%{value} is {number} where {instance} reads it, not in {self.range_at(value, block)}"

    def form(
        self,
        state: State,
        value: ValueId,
        instance: Instance,
        warp: tuple[int, int],
        form: LinearForm,
        number: int,
        what: str,
    ) -> Iterator[str]:
        modulus = 1 << form.bits
        try:
            base = state.polynomial(form.base)
            factors = tuple(state.polynomial(factor) % modulus for _, factor in form.coefficients)
            total = base + state.thread_part(form)
        except Unset:
            return
        if (number - total) % modulus:
            yield f"{what} of %{value} at {instance}: {number} is not {total}: {form}"
        self.seen[f"base ({what})", value, instance, warp].add(base % modulus)
        self.seen[f"coefficients ({what})", value, instance, warp].add(factors)
        if _has_pointer(self.function, form.base):
            return
        bound, alignment = self.polynomial_range(form.base), self.alignment_of(form.base)
        if base not in bound:
            yield f"base of %{value} at {instance} is {base}, not in {bound}: {form}"
        if base % modulus % alignment:
            yield f"base of %{value} at {instance} is {base}, no multiple of {alignment}: {form}"

    def tag(
        self, state: State, value: ValueId, instance: Instance, warp: tuple[int, int], number: int
    ) -> Iterator[str]:
        tag = self.tag_of(value)
        lane = state.registers[SpecialRegister.LANE]
        match tag:
            case Bottom():
                yield f"%{value} at {instance} is defined, although it is {tag}"
            case ConstantTag(value=constant):
                if number != constant:
                    yield f"%{value} at {instance} is {number}, not {constant}"
            case Uniform(alignment=alignment) | Affine(alignment=alignment):
                stride = tag.stride if isinstance(tag, Affine) else 0
                type_ = self.function.types[value]
                modulus = 1 << (type_.bits if isinstance(type_, IntegerType) else 64)
                rest = (number - stride * lane) % modulus
                self.seen["tag", value, instance, warp].add(rest)
                if not isinstance(type_, PointerType) and rest % alignment:
                    yield f"%{value} at {instance} is {number} at lane {lane}, not {tag}"
            case Unknown():
                pass


def _has_pointer(function: Function, polynomial: Polynomial) -> bool:
    """Pointers of the evaluator are no aligned numbers."""
    return any(
        isinstance(atom, ValueAtom | ResidualAtom) and isinstance(function.types[atom.value], PointerType)
        for atom in polynomial.atoms()
    )


def registers_of(grid: Grid, thread: int) -> Mapping[SpecialRegister, int]:
    block, inside = divmod(thread, grid.threads_per_block)
    width, height, depth = grid.block
    return {
        SpecialRegister.THREAD_X: inside % width,
        SpecialRegister.THREAD_Y: inside // width % height,
        SpecialRegister.THREAD_Z: inside // (width * height),
        SpecialRegister.BLOCK_X: block,
        SpecialRegister.BLOCK_DIM_X: width,
        SpecialRegister.BLOCK_DIM_Y: height,
        SpecialRegister.BLOCK_DIM_Z: depth,
        SpecialRegister.GRID_DIM_X: grid.blocks,
        SpecialRegister.LANE: inside % grid.warp_size,
        SpecialRegister.WARP_SIZE: grid.warp_size,
    }
