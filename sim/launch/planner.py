"""From a kernel to a launch with nothing left open: what is given is taken, what the file says is used, and the rest
is chosen so that the kernel has something to do.

Everything that was not given is among the plan's `choices`, in the order of the report: template arguments, shape,
arguments, variables.  After a run, `adapt.py` may ask for another attempt: longer arrays, another block.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final, final

from analysis.facts.passed_numbers import held_constants, passed_members
from analysis.inputs.comparisons import Comparisons
from analysis.inputs.estimate import Estimate, register_ranges
from analysis.inputs.flow import Flow
from analysis.inputs.leaf_names import is_within
from analysis.inputs.requirements import required_extents, required_numbers
from analysis.inputs.spans import Spans
from analysis.inputs.straddling import straddling_ranges
from analysis.inputs.thread_arrays import lengths_by_axis
from analysis.ir.collectives import GridBarrier
from analysis.ir.function import SymbolKind
from analysis.ir.index3 import Index3
from analysis.ir.instructions import ReadSpecial
from analysis.ir.object_members import spelled_member
from analysis.ir.operators import SpecialRegister
from analysis.ir.record import record
from analysis.ir.types import ArrayType, BooleanType, FloatType, IntegerType, Type
from analysis.launches import Launch
from analysis.lower.layouts import size_of
from analysis.lower.names import ConstantName
from analysis.lower.program import DeviceFunction, Program
from sim.kernel import Kernel
from sim.launch.arguments import ArgumentChooser
from sim.launch.attempt import Attempt
from sim.launch.choices import Choice, source_of
from sim.launch.constants import integer_constants
from sim.launch.contents import ArrayChoice
from sim.launch.given import GivenNumbers, read_given
from sim.launch.grid_units import numbers_behind
from sim.launch.host_launches import as_called
from sim.launch.linked_numbers import linked_numbers
from sim.launch.npy_files import FileStamp
from sim.launch.passed_alike import extents_passed, passed_alike
from sim.launch.related_numbers import extents_computed, extents_related, numbers_within
from sim.launch.request import Request, Requests, under_launch
from sim.launch.scalars import TRIPS, ChosenNumber, choose_numbers
from sim.launch.shapes import (
    MAX_BLOCK_THREADS,
    ChosenShape,
    ShapeEvidence,
    axes_alike,
    axes_read,
    choose_block,
    choose_grid,
    speaks_of_block,
    spelled,
    spread_grid,
)
from sim.launch.subject import Subject, read_subject
from sim.refusals import LaunchError
from sim.specification import Budget, LaunchSpecification

DEFAULT_SEED: Final = 1
SMALL_TRIPS: Final = 2
LARGEST_LAUNCH_NUMBER: Final = 1 << 16
"""Numbers that host code passes are taken up to here: a simulation has fewer threads than a device."""
HOST_NUMBER: Final = 1 << 63
"""The same where only some blocks of its launches are run: any."""
SMALL_LAUNCH_NUMBER: Final = 64
"""The same for a grid that was cut: sizes belong to the whole grid, but small numbers are no sizes."""


@final
@record
class Plan:
    """A launch and why it is what it is.

    `arrays` are those whose length was chosen: they may grow.  `files` were read.
    """

    kernel: Kernel
    specification: LaunchSpecification
    choices: tuple[Choice, ...]
    arrays: Mapping[str, ArrayChoice]
    shared_may_grow: bool
    """Whether the size of `extern __shared__` arrays was chosen."""
    block: ChosenShape
    grid: ChosenShape
    evidence: ShapeEvidence
    attempt: Attempt
    files: tuple[FileStamp, ...]


@final
class Planner:
    """Plans launches of one kernel; raises `LaunchError` for what was given and does not fit."""

    def __init__(
        self,
        program: Program,
        kernel: DeviceFunction,
        requests: Sequence[Request] = (),
        *,
        budget: Budget | None = None,
        havoc: bool = False,
        barriers_in_turn: bool = False,
        launch: Launch | None = None,
        elsewhere: Sequence[Launch] = (),
        leaves_out_launches: bool = False,
        sampled_blocks: int = 0,
    ) -> None:
        """`requests`: the most important first.  `launch`: the one to simulate; what it says counts before all but the
        first of them, which was given.  `elsewhere`: launches that are known of other files than the program shows.
        `sampled_blocks`: the grid is that of host code, not cut, or has many blocks, of which so many are run."""
        if launch is not None:
            launch = as_called(launch)
            requests = under_launch(requests, launch, *_names(program, kernel))
        self._subject = read_subject(program, kernel, Requests(requests), launch, elsewhere)
        self._budget = budget or Budget()
        self._havoc = havoc
        self._barriers_in_turn = barriers_in_turn
        self._leaves_out_launches = leaves_out_launches
        self._sampled_blocks = sampled_blocks
        self._evidence = _shape_evidence(self._subject, is_whole=sampled_blocks > 0)
        _check_names(self._subject)

    @property
    def kernel(self) -> Kernel:
        """The instance that is launched."""
        return self._subject.kernel

    @property
    def flow(self) -> Flow:
        """Where values of that instance come from."""
        return self._subject.flow

    def smaller(self, plan: Plan) -> Attempt | None:
        """What to try where the plan's run does not end in time; None where nothing smaller is left.

        Where the blocks of the grid share work that no chosen number bounds, fewer blocks have more of it each.
        """
        if plan.grid.why == "given" or plan.attempt.is_small or plan.attempt.is_spread:
            return None
        small = Attempt(is_small=True)
        block, grid = _shapes(self._evidence, small)
        numbers = self._chosen_numbers(small, grid, block)
        now = {choice.name: choice.value for choice in plan.choices}
        bounds = (name for name, type in self.flow.leaves.items() if isinstance(type, IntegerType) and name in numbers)
        is_bounded = any(str(numbers[name].value) != now.get(name) for name in bounds)
        return Attempt(is_spread=True) if self._is_shared and not is_bounded else small

    @cached_property
    def _is_shared(self) -> bool:
        """Whether blocks know how many they are, and never wait for all."""
        found = (one for _, one in self.kernel.function.instructions())
        is_counted = any(isinstance(one, ReadSpecial) and one.register in _GRID_EXTENTS for one in found)
        return is_counted and not self._waits_for_all

    @cached_property
    def _waits_for_all(self) -> bool:
        """Whether blocks wait for all others of the grid."""
        return any(isinstance(one, GridBarrier) for _, one in self.kernel.function.instructions())

    def _chosen_numbers(self, attempt: Attempt, grid: ChosenShape, block: ChosenShape) -> Mapping[str, ChosenNumber]:
        is_small = grid.is_cut or attempt.is_small
        largest = HOST_NUMBER if self._evidence.is_whole else LARGEST_LAUNCH_NUMBER
        return _numbers(self._subject, attempt, grid, block, SMALL_LAUNCH_NUMBER if is_small else largest)

    def plan(self, attempt: Attempt | None = None) -> Plan:
        """A complete launch; `attempt` carries what earlier ones taught."""
        subject, attempt = self._subject, attempt or Attempt()
        requests = subject.requests
        block, grid = _shapes(self._evidence, attempt)
        shared = _shared_bytes(subject, attempt, block.extent)
        numbers = self._chosen_numbers(attempt, grid, block)
        ranges = straddling_ranges(subject.flow, subject.uses, _comparisons(subject, grid, block, numbers))
        seed = DEFAULT_SEED if requests.seed is None else requests.seed
        chooser = ArgumentChooser(subject, attempt, grid.extent, block.extent, seed, numbers, ranges)
        specification = LaunchSpecification(
            grid.extent,
            block.extent,
            chooser.arguments(),
            chooser.variables(),
            chooser.regions(),
            chooser.pointers(),
            0 if shared is None else int(shared.value),
            seed,
            subject.program.settings.warp_size,
            self._havoc,
            self._barriers_in_turn,
            self._budget,
            leaves_out_launches=self._leaves_out_launches,
            first_blocks=int(attempt.is_spread),
            sampled_blocks=0 if self._waits_for_all else self._sampled_blocks,
        )
        shapes = [
            Choice("grid", spelled(grid.extent), grid.why, grid.is_chosen),
            Choice("block", spelled(block.extent), block.why, block.is_chosen),
        ]
        settings = [*shapes, *([] if shared is None else [shared])]
        return Plan(
            subject.kernel,
            specification,
            (*subject.instance.choices, *settings, *chooser.choices),
            chooser.arrays,
            shared is not None and shared.is_chosen,
            block,
            grid,
            self._evidence,
            attempt,
            tuple(chooser.files),
        )


_GIVEN: Final = "given"
_GRID_EXTENTS: Final = (SpecialRegister.GRID_DIM_X, SpecialRegister.GRID_DIM_Y, SpecialRegister.GRID_DIM_Z)


def _names(program: Program, kernel: DeviceFunction) -> tuple[Sequence[str], Sequence[str]]:
    """Of its parameters, and of its template parameters."""
    parameters = program.lower(kernel.id).function.parameters
    declared = program.declaration_of(kernel.id).template_parameters
    return [parameter.name for parameter in parameters], [parameter.name for parameter in declared]


def _check_names(subject: Subject) -> None:
    """Every name that was given for this kernel must mean something."""
    function = subject.kernel.function
    known = {*subject.instance.arguments, *subject.flow.leaves, *subject.variables}
    aggregates = {parameter.name for parameter in function.parameters} - known
    for name in subject.requests.specific:
        if name in aggregates:
            members = ", ".join(f"{leaf}=…" for leaf in subject.flow.leaves if is_within(leaf, name))
            raise LaunchError(f"{name} is passed by value: give its members, as {members or f'{name}.x=…'}")
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]}?" if near else ";"
            raise LaunchError(f"{function.name} has no argument {name}{hint} it has: {', '.join(sorted(known))}")


# -- shape and shared memory -------------------------------------------------------------------------------------------


def _shape_evidence(subject: Subject, *, is_whole: bool) -> ShapeEvidence:
    constants = {
        name: int(argument.value)
        for name, argument in subject.instance.arguments.items()
        if isinstance(argument, ConstantName) and not isinstance(argument.value, float)
    }
    constants |= integer_constants(subject.program, subject.instance, speaks_of_block)
    requests = subject.requests
    threads, blocks = axes_read(subject.kernel.function, _text(subject))
    return ShapeEvidence(
        requests.block,
        requests.grid,
        subject.launches,
        subject.bound,
        constants,
        threads,
        blocks,
        subject.program.unit.path,
        lengths_by_axis(subject.flow),
        required_extents(subject.flow, subject.requirements),
        extents_computed(subject.launches, _parameters(subject), lambda name: _given_integer(subject, name)),
        axes_alike((subject.kernel.function, *subject.kernel.callees.values())),
        is_whole,
    )


def _parameters(subject: Subject) -> Sequence[str]:
    return [parameter.name for parameter in subject.kernel.function.parameters]


def _given_integer(subject: Subject, name: str) -> int | None:
    """The number that somebody gave for an integer argument."""
    type, given = subject.flow.leaves.get(name), subject.requests.argument(name)
    if given is None or not isinstance(type, IntegerType):
        return None
    return int(_given_number(name, given[0], type))


def _text(subject: Subject) -> bytes:
    """Of all functions that the kernel consists of, macros expanded."""
    functions = {frame.function for frame in subject.kernel.function.frames} | set(subject.kernel.callees)
    return b"\n".join(subject.program.declaration_of(function).snippet.text for function in sorted(functions))


def _shapes(evidence: ShapeEvidence, attempt: Attempt) -> tuple[ChosenShape, ChosenShape]:
    block = choose_block(evidence)
    if attempt.block is not None:
        block = ChosenShape(attempt.block, "chosen: others do not fit", is_chosen=True)
    if block.threads > MAX_BLOCK_THREADS:
        raise LaunchError(f"block={spelled(block.extent)}: a block has at most {MAX_BLOCK_THREADS} threads")
    grid = spread_grid(evidence) if attempt.is_spread else choose_grid(evidence, block)
    if attempt.is_small and evidence.grid is None:
        grid = ChosenShape((1, 1, 1), "one block: more would take too long", is_chosen=True)
    return block, grid


def _is_said(subject: Subject) -> bool:
    """Whether the launch that is simulated says how much shared memory there is; none is an answer, too."""
    return any(launch.name and launch.shared_bytes is not None for launch in subject.launches)


def _shared_bytes(subject: Subject, attempt: Attempt, block: Index3) -> Choice | None:
    """Of `extern __shared__` arrays; None where there are none."""
    given = subject.requests.shared_bytes
    if given is not None:
        return Choice("shared", str(given), _GIVEN, is_chosen=False)
    function = subject.kernel.function
    symbols = [symbol for symbol in function.symbols if symbol.kind is SymbolKind.DYNAMIC_SHARED]
    if not symbols:
        return None
    if attempt.shared_bytes:
        return Choice("shared", str(attempt.shared_bytes), "what accesses reach")
    if _is_said(subject):
        (launch,) = subject.launches
        return Choice("shared", str(launch.shared_bytes), launch.name, is_chosen=False)
    launched = next((launch for launch in subject.launches if launch.shared_bytes), None)
    if launched is not None:
        why = source_of(launched, subject.program.unit.path)
        return Choice("shared", str(launched.shared_bytes), why, is_chosen=launched.block != block)
    elements = [symbol.type.element if isinstance(symbol.type, ArrayType) else symbol.type for symbol in symbols]
    largest = max(size_of(element, function.structs) or 4 for element in elements)
    return Choice("shared", str(largest * block[0] * block[1] * block[2]), "one element per thread")


# -- numbers -----------------------------------------------------------------------------------------------------------


def _numbers(
    subject: Subject, attempt: Attempt, grid: ChosenShape, block: ChosenShape, most: int
) -> Mapping[str, ChosenNumber]:
    """Every scalar leaf: given, passed by host code up to `most`, or chosen."""
    found = dict(_launched_numbers(subject, most))
    for name, values in subject.initial.items():
        if values.size == 1 and name in subject.flow.leaves:
            found[name] = ChosenNumber(values.item(), "its initial value in the file", is_chosen=False)
    for name, type in subject.flow.leaves.items():
        given = subject.requests.argument(name)
        if given is not None and isinstance(type, IntegerType | FloatType | BooleanType):
            text, source = given
            found[name] = ChosenNumber(_given_number(name, text, type), source.why, is_chosen=False)
    known: dict[str, int | float] = {name: number.value for name, number in found.items()}
    trips = SMALL_TRIPS if attempt.is_small else TRIPS
    warp_size = subject.program.settings.warp_size
    inside = _comparisons(subject, grid, block, found).inside
    behind_grid = _numbers_behind_grid(subject, grid)
    mended = {name: ChosenNumber(number, "others do not fit") for name, number in attempt.numbers.items()}
    parameters, is_grid_given = _parameters(subject), subject.requests.grid is not None
    shapes = subject.launches, parameters, subject.flow.leaves, block.extent, grid.extent
    extents = {
        **extents_related(*shapes, is_grid_given=is_grid_given),
        **extents_passed(subject.launches, parameters, subject.flow.leaves, block.extent),
    }
    for name, number in {**extents, **behind_grid, **mended}.items():
        if name not in found:
            found[name] = number
            known[name] = number.value
    alike = passed_alike(subject.launches, parameters, subject.flow.leaves)
    for name, others in alike.items():
        for other in others & known.keys() if name not in known else ():
            found[name] = replace(found[other], why=f"host code passes the same as for {other}")
            known[name] = found[name].value
    chosen = choose_numbers(subject.flow, grid.extent, block.extent, warp_size, known, inside, trips, alike)
    chosen = {
        **chosen,
        **linked_numbers(subject.launches, parameters, subject.flow.leaves, {**chosen, **found}, found.keys()),
    }
    free = {name: number for name, number in {**chosen, **found}.items() if name not in attempt.numbers}
    within = numbers_within(*shapes, free, is_grid_given=is_grid_given)
    return _fulfilling(subject, grid, block, {**chosen, **found, **within}, frozenset(attempt.numbers))


def _fulfilling(
    subject: Subject,
    grid: ChosenShape,
    block: ChosenShape,
    numbers: Mapping[str, ChosenNumber],
    tried: frozenset[str],
) -> Mapping[str, ChosenNumber]:
    """The numbers with others for those that were chosen and break what the kernel asserts."""
    if not subject.requirements:
        return numbers
    registers = register_ranges(grid.extent, block.extent, subject.program.settings.warp_size)
    values: dict[str, int | float] = {name: number.value for name, number in numbers.items()}
    free = frozenset(name for name, number in numbers.items() if number.is_chosen) - tried
    estimate = Estimate(subject.flow, registers, values)
    changed = required_numbers(subject.flow, subject.requirements, estimate, values, free)
    why = "what the kernel asserts"
    return {**numbers, **{name: ChosenNumber(number, why) for name, number in changed.items()}}


def _numbers_behind_grid(subject: Subject, grid: ChosenShape) -> Mapping[str, ChosenNumber]:
    """Nothing where the grid is given: host code did not compute it."""
    if subject.requests.grid is not None:
        return {}
    return numbers_behind(subject.launches, _parameters(subject), subject.flow.leaves, grid.extent)


def _comparisons(
    subject: Subject, grid: ChosenShape, block: ChosenShape, numbers: Mapping[str, ChosenNumber]
) -> Comparisons:
    """With these numbers; the others are open."""
    registers = register_ranges(grid.extent, block.extent, subject.program.settings.warp_size)
    known: dict[str, int | float] = {name: number.value for name, number in numbers.items()}
    spans = Spans(subject.flow, subject.uses, registers, known, grid.threads * block.threads)
    return Comparisons(subject.flow, spans)


def _given_number(name: str, text: str, type: Type) -> int | float | bool:
    read = read_given(name, text)
    if not isinstance(read, GivenNumbers) or len(read.values) != 1:
        raise LaunchError(f"{name}={text}: '{name}' is one number")
    value = read.values[0]
    if not isinstance(type, IntegerType):
        return value
    if value != value or abs(value) == float("inf") or int(value) != value:
        raise LaunchError(f"{name}={text}: '{name}' is an integer")
    low, high = (-(1 << type.bits - 1), 1 << type.bits - 1) if type.signed else (0, 1 << type.bits)
    if not low <= value < high:
        raise LaunchError(f"{name}={text}: '{name}' holds {low} to {high - 1}")
    return int(value)


def _launched_numbers(subject: Subject, most: int) -> Mapping[str, ChosenNumber]:
    """What host code passes, where it is known; integers up to `most`."""
    found: dict[str, ChosenNumber] = {}
    for launch in subject.launches:
        why = source_of(launch, subject.program.unit.path)
        for parameter, value in zip(subject.kernel.function.parameters, launch.argument_values, strict=False):
            type = subject.flow.leaves.get(parameter.name)
            if value is None or parameter.name in found:
                continue
            if isinstance(type, FloatType):
                found[parameter.name] = ChosenNumber(float(value), why, is_chosen=False)
            elif isinstance(type, IntegerType) and float(value).is_integer() and abs(value) <= most:
                found[parameter.name] = ChosenNumber(int(value), why, is_chosen=False)
        for name, number in _numbers_in_objects(subject, launch):
            if name not in found and isinstance(subject.flow.leaves.get(name), IntegerType) and abs(number) <= most:
                found[name] = ChosenNumber(number, why, is_chosen=False)
    return found


def _numbers_in_objects(subject: Subject, launch: Launch) -> Iterator[tuple[str, int]]:
    """The members of arguments, and what constant memory holds, by name."""
    function, path = subject.kernel.function, subject.program.unit.path
    for position, place, number in passed_members(function, launch.members):
        parameter = function.parameters[position]
        yield parameter.name + spelled_member(function, function.types[parameter.value], place), number
    held = [one for one in launch.constants if path in (one.file, launch.path)]
    symbols = {one.name.rpartition("::")[2]: one for one in function.symbols if held}
    for constant in held_constants(function, held):
        symbol = symbols[constant.name]
        if constant.number:  # what nothing sets here may be set where nobody looks
            yield symbol.name + spelled_member(function, symbol.type, constant.place), constant.number
