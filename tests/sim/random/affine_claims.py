"""Are linear forms, ranges, alignments and tags true?  What the affine analysis says, in a run.

A form says that a value less its thread's part is one number in each warp; where the run shows all that the base is
made of, the base must be that number.  Forms that are not exact are left alone: something may have wrapped.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np

from analysis.affine.atoms import Atom, Axis, IterationAtom, RegisterAtom, ResidualAtom, SymbolAtom, ValueAtom
from analysis.affine.collange import Affine, Bottom, CollangeTag, ConstantTag, Uniform, Unknown
from analysis.affine.interval import Interval, type_range
from analysis.affine.linear_form import LinearForm
from analysis.affine.polynomial import Polynomial
from analysis.affine.result import AffineResult
from analysis.divergence.levels import Level
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.operators import SpecialRegister
from analysis.ir.types import BooleanType, IntegerType, PointerType
from sim.arrays import LaneSets, Values
from sim.launch.specification import LaunchSpecification, Scalar
from tests.sim.random.level_claims import Groups, Recorded, bits_of, undefined_values
from tests.sim.random.witness import Codes, Sight, Witness

REGISTER_OF = {
    Axis.THREAD_X: SpecialRegister.THREAD_X,
    Axis.THREAD_Y: SpecialRegister.THREAD_Y,
    Axis.THREAD_Z: SpecialRegister.THREAD_Z,
    Axis.LANE: SpecialRegister.LANE,
}


TIMES = 12
"""How often a value is looked at in each block that computes or reads it: loops repeat themselves."""


class Unseen(Exception):
    """An atom whose value the run does not show."""


@final
@dataclass(frozen=True, slots=True)
class _Plan:
    """What is claimed of a value; None for what says nothing."""

    form: LinearForm | None
    range: Interval | None
    alignment: int
    tag: CollangeTag | None


@final
class AffineClaims:
    """`witness` is set before the run: it holds the registers."""

    witness: Witness

    def __init__(self, function: Function, result: AffineResult, launch: LaunchSpecification) -> None:
        self._function = function
        self._result = result
        self._groups = Groups(launch)
        self._ignored = undefined_values(function)
        self._registers = registers_of(launch)
        self._arguments: dict[ValueId, int] = {}
        for parameter in function.parameters:
            given = launch.arguments.get(parameter.name)
            if isinstance(given, Scalar):
                self._arguments[parameter.value] = int(given.value)
        self._seen: defaultdict[tuple[str, ValueId, BasicBlockId], Recorded] = defaultdict(Recorded)
        self._wrong: dict[str, None] = {}
        self._levels = result.warp_levels()
        self._tag = cache(result.collange)
        self._form = cache(result.form)
        self._alignment = cache(result.alignment)
        self._plan = cache(self._planned)
        self._plan_at = cache(self._planned_at)
        self._times: Counter[tuple[ValueId, BasicBlockId]] = Counter()
        self.checked: Counter[str] = Counter()

    # -- what happens -----------------------------------------------------------------------------------------------

    def defined(self, sight: Sight, value: ValueId, part: int, numbers: Values) -> None:
        plan = self._plan(value)
        if plan is None or not self._is_due(value, sight.block):
            return
        if plan.form is not None:
            self._check_form("form", sight, value, plan.form, numbers)
        if plan.range is not None:
            self._check_range(value, plan.range, numbers, "")
        if plan.alignment > 1:
            self.checked["alignment"] += 1
            if (bits_of(numbers) & (min(plan.alignment, 1 << 62) - 1)).any():
                self._wrong[f"%{value} is {numbers}, no multiple of {plan.alignment}"] = None
        if value in self._levels:
            self._seen["warp level", value, sight.block].add(sight.slots, sight.codes, numbers)
        if plan.tag is not None:
            self._check_tag(plan.tag, sight, value, numbers)

    def used(self, sight: Sight, value: ValueId, part: int, numbers: Values) -> None:
        plan = self._plan_at(value, sight.block)
        if plan is None or not self._is_due(value, sight.block):
            return
        if plan.form is not None:
            self._check_form("form at a use", sight, value, plan.form, numbers)
        if plan.range is not None:
            self._check_range(value, plan.range, numbers, f" in block {sight.block}")

    def _is_due(self, value: ValueId, block: BasicBlockId) -> bool:
        self._times[value, block] += 1
        return self._times[value, block] <= TIMES

    def _planned(self, value: ValueId) -> _Plan | None:
        type_ = self._function.types[value]
        if value in self._ignored or not isinstance(type_, IntegerType | BooleanType | PointerType):
            return None
        form, bound, tag = self._form(value), self._result.range(value), self._tag(value)
        return _Plan(
            form if form is not None and form.exact and not _is_itself(form, value) else None,
            bound if isinstance(type_, IntegerType) and bound != type_range(type_) else None,
            self._result.alignment(value),
            None if isinstance(tag, Unknown) else tag,
        )

    def _planned_at(self, value: ValueId, block: BasicBlockId) -> _Plan | None:
        type_ = self._function.types[value]
        if value in self._ignored or not isinstance(type_, IntegerType | PointerType):
            return None
        form, bound = self._result.form_at(value, block), self._result.range_at(value, block)
        return _Plan(
            form if form is not None and form.exact else None,
            bound if isinstance(type_, IntegerType) and bound != type_range(type_) else None,
            1,
            None,
        )

    def left(self, sight: Sight, target: int) -> None: ...

    def looped(self, cycle: Cycle, slots: Codes, codes: Codes, rounds: Codes) -> None: ...

    def arrived(self, block: BasicBlockId, active: LaneSets, running: LaneSets) -> None: ...

    # -- what is wrong ----------------------------------------------------------------------------------------------

    def refuted(self) -> Iterator[str]:
        yield from list(self._wrong)[:3]
        for (what, value, block), seen in self._seen.items():
            self.checked[what] += 1
            wrong = seen.differing(self._groups, Level.WARP)
            if wrong is not None:
                yield f"{what} of %{value} in block {block} differs in {wrong}; {self._form(value)}, {self._tag(value)}"

    def _check_range(self, value: ValueId, bound: Interval, numbers: Values, where: str) -> None:
        self.checked["range at a use" if where else "range"] += 1
        low, high = int(numbers.min()), int(numbers.max())
        if low not in bound or high not in bound:
            self._wrong[f"%{value} is {low}..{high}{where}, not in {bound}"] = None

    def _check_form(self, what: str, sight: Sight, value: ValueId, form: LinearForm, numbers: Values) -> None:
        mask = np.uint64((1 << form.bits) - 1)
        try:
            rest = (_wrapped(numbers) - self._thread_part(sight, form)) & mask
        except Unseen:
            return
        self._seen[what, value, sight.block].add(sight.slots, sight.codes, rest)
        alignment = min(self._alignment(form.base), 1 << form.bits)
        if (rest & np.uint64(alignment - 1)).any():
            self._wrong[f"the base of %{value} is no multiple of {alignment}: {form}"] = None
        try:
            base = self._polynomial(sight, form.base) & mask
        except Unseen:
            return
        self.checked[f"base of a {what}"] += 1
        if (base != rest).any():
            self._wrong[
                f"{what} of %{value} in block {sight.block}: {numbers} less the thread's part is {rest}, "
                f"not {base}: {form}"
            ] = None

    def _check_tag(self, tag: CollangeTag, sight: Sight, value: ValueId, numbers: Values) -> None:
        match tag:
            case Bottom():
                self._wrong[f"%{value} is defined, although it is {tag}"] = None
            case ConstantTag(value=constant):
                self.checked["constant"] += 1
                if (bits_of(numbers) != bits_of(np.array([constant]))).any():
                    self._wrong[f"%{value} is {numbers}, not {constant}"] = None
            case Uniform(alignment=alignment) | Affine(alignment=alignment):
                stride = tag.stride if isinstance(tag, Affine) else 0
                type_ = self._function.types[value]
                bits = type_.bits if isinstance(type_, IntegerType) else 64
                lanes = self._registers[SpecialRegister.LANE][sight.slots]
                rest = _wrapped(numbers) - lanes * np.uint64(stride % (1 << 64)) & np.uint64((1 << bits) - 1)
                self._seen["tag", value, sight.block].add(sight.slots, sight.codes, rest)
                if (rest & np.uint64(min(alignment, 1 << bits) - 1)).any():
                    self._wrong[f"%{value} is {numbers}, not {tag}"] = None
            case Unknown():
                pass

    # -- forms in numbers, modulo 2^64 ------------------------------------------------------------------------------

    def _thread_part(self, sight: Sight, form: LinearForm) -> Values:
        total = np.zeros(len(sight.slots), np.uint64)
        for axis, factor in form.coefficients:
            total = total + self._polynomial(sight, factor) * self._registers[REGISTER_OF[axis]][sight.slots]
        return total

    def _polynomial(self, sight: Sight, polynomial: Polynomial) -> Values:
        total = np.zeros(len(sight.slots), np.uint64)
        for monomial, coefficient in polynomial.terms:
            product = np.full(len(sight.slots), coefficient % (1 << 64), np.uint64)
            for atom in monomial:
                product = product * self._atom(sight, atom)
            total = total + product
        return total

    def _atom(self, sight: Sight, atom: Atom) -> Values:
        match atom:
            case RegisterAtom(register):
                if register not in self._registers:
                    raise Unseen
                return self._registers[register][sight.slots]
            case SymbolAtom():
                raise Unseen
            case ValueAtom(value):
                return self._value(sight, value)
            case ResidualAtom(value):
                form = self._form(value)
                assert form is not None
                return self._value(sight, value) - self._thread_part(sight, form)
            case IterationAtom(cycle):
                return self.witness.rounds_of(cycle, sight.slots).view(np.uint64)

    def _value(self, sight: Sight, value: ValueId) -> Values:
        if value in self._arguments:
            return np.full(len(sight.slots), self._arguments[value] % (1 << 64), np.uint64)
        held = self.witness.held_by(value, sight.slots)
        if held is None:
            raise Unseen
        return _wrapped(held)


def _is_itself(form: LinearForm, value: ValueId) -> bool:
    """The value is an atom: levels say all of it."""
    return not form.coefficients and form.base.terms == (((ValueAtom(value),), 1),)


def _wrapped(numbers: Values) -> Values:
    return bits_of(numbers).view(np.uint64)


def registers_of(launch: LaunchSpecification) -> dict[SpecialRegister, Values]:
    """By slot, what every thread's registers hold."""
    per_block = launch.warps_per_block * launch.warp_size
    block, inside = np.divmod(np.arange(per_block * launch.blocks), per_block)
    (width, height, depth), (across, down, _) = launch.block, launch.grid
    every = {
        SpecialRegister.THREAD_X: inside % width,
        SpecialRegister.THREAD_Y: inside // width % height,
        SpecialRegister.THREAD_Z: inside // (width * height),
        SpecialRegister.BLOCK_X: block % across,
        SpecialRegister.BLOCK_Y: block // across % down,
        SpecialRegister.BLOCK_Z: block // (across * down),
        SpecialRegister.BLOCK_DIM_X: np.full_like(inside, width),
        SpecialRegister.BLOCK_DIM_Y: np.full_like(inside, height),
        SpecialRegister.BLOCK_DIM_Z: np.full_like(inside, depth),
        SpecialRegister.GRID_DIM_X: np.full_like(inside, across),
        SpecialRegister.GRID_DIM_Y: np.full_like(inside, down),
        SpecialRegister.LANE: inside % launch.warp_size,
        SpecialRegister.WARP_INDEX: inside // launch.warp_size,
        SpecialRegister.WARP_SIZE: np.full_like(inside, launch.warp_size),
    }
    return {register: numbers.astype(np.uint64) for register, numbers in every.items()}
