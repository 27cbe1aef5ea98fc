"""The runs of one kernel, and what each shows of a claim.

Rules     A data race counts if the two accesses are those of the claim, they do not write the same, and no read merely
          guesses what a compare-and-swap expects.  Threads that miss a barrier race behind it: a run with such threads
          says nothing about races.
          What was chosen is behind a fault if it decides where the accesses go or whether threads come there; a chosen
          block always is, for it decides which threads there are.  Chosen contents of arrays that decide where an
          access goes can never confirm a race: real ones may keep threads apart, as a permutation does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, assert_never, final

from analysis.facts.model import Location
from analysis.inputs.dependence import Dependence, Dependences
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Atomic, Load, Store
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.lower.program import Program
from analysis.rules.run_claim import BarrierClaim, InactiveLaneClaim, MaskClaim, RaceClaim, RunClaim
from sim.confirm.model import Sighting
from sim.faults import (
    BarrierDivergence,
    DataRace,
    Deadlock,
    FailedAssertion,
    Fault,
    IllegalWarpMask,
    InactiveLaneRead,
    Livelock,
    Misaligned,
    OutOfBounds,
    ReadOnlyWrite,
    StackOverflow,
    Trapped,
)
from sim.launch.causes import names_of
from sim.launch.planner import Plan, Planner
from sim.report.faults import fault_report
from sim.report.model import FaultReport
from sim.report.origins import Origins
from sim.report.places import SourcePlaces
from sim.report.races import RaceReports
from sim.result import Result

_ASTRAY: Final = (OutOfBounds, Misaligned, ReadOnlyWrite, FailedAssertion, Trapped, StackOverflow)
_STUCK: Final = (BarrierDivergence, Deadlock, Livelock)


@final
@record
class Seen:
    """A run shows the claim.  `never`: chosen contents decide where an access goes.  `behind`: other choices that may
    decide it."""

    sighting: Sighting
    never: frozenset[str]
    behind: frozenset[str]


@final
class KernelRun:
    """One launch that is over."""

    def __init__(self, program: Program, planner: Planner, plan: Plan, result: Result, chosen: frozenset[str]) -> None:
        """`chosen`: names of what nobody said, also where it was asked for to be another one than before."""
        self._planner = planner
        self._plan = plan
        self._result = result
        self._places = SourcePlaces(program, planner.kernel)
        self._dependences = Dependences(planner.flow)
        self._path = program.unit.path
        self._chosen = chosen
        self._choices = tuple(replace(one, is_chosen=one.name in chosen) for one in plan.choices)

    def misfit(self, claim: RunClaim) -> str | None:
        """Why the run says nothing about the claim; None if it does."""
        kinds = (*_ASTRAY, *_STUCK) if isinstance(claim, RaceClaim) else _ASTRAY
        for fault in self._result.faults:
            if isinstance(fault, kinds):
                report = fault_report(fault, self._places)
                where = "" if report.place is None else f" in line {report.place.line}"
                return f"with the inputs that were chosen it ends in another fault{where}: {report.message}"
        return None

    def seen(self, claim: RunClaim) -> Seen | None:
        """The first fault that shows the claim, those first that rest on the fewest choices."""
        found = list(self._all_seen(claim))
        return min(found, key=lambda one: (len(one.never), len(one.behind)), default=None)

    def _all_seen(self, claim: RunClaim) -> Iterator[Seen]:
        for fault in self._result.faults:
            if not self._shows(fault, claim):
                continue
            report = self._report(fault)
            if report is None:
                continue
            own, guards = self._dependence(fault)
            never = own.contents & self._chosen
            behind = (names_of(own) | names_of(guards) | {"block"}) & self._chosen - never
            yield Seen(self._sighting(report), never | self._chosen_template_numbers(), behind)

    def _report(self, fault: Fault) -> FaultReport | None:
        """None for a race that matters to no result."""
        if not isinstance(fault, DataRace):
            origins = Origins(self._planner.flow, self._choices, self._plan.arrays)
            return origins.labelled(fault_report(fault, self._places), fault)
        (report,) = RaceReports(self._planner.flow, self._choices, self._places).of([fault])
        is_harmless = report.is_note and not report.chosen
        return None if fault.same_value or is_harmless else report

    def _sighting(self, fault: FaultReport) -> Sighting:
        launch = self._plan.specification
        return Sighting(
            kernel=self._result.kernel,
            path=self._path,
            grid=launch.grid,
            block=launch.block,
            warp_size=launch.warp_size,
            seed=launch.seed,
            choices=self._choices,
            fault=fault,
        )

    # -- which fault shows which claim -------------------------------------------------------------------------------

    def _shows(self, fault: Fault, claim: RunClaim) -> bool:
        match claim:
            case RaceClaim(pairs=pairs):
                return isinstance(fault, DataRace) and self._is_pair(fault, pairs)
            case BarrierClaim(barrier=barrier):
                if not isinstance(fault, BarrierDivergence | Deadlock):
                    return False
                spans = [fault.evidence.span, *(span for span, _ in fault.waiting)]
                return barrier in [self._location(fault.evidence.function, span) for span in spans]
            case MaskClaim(operation=operation):
                return isinstance(fault, IllegalWarpMask) and self._stands_at(fault, operation)
            case InactiveLaneClaim(operation=operation):
                return isinstance(fault, InactiveLaneRead) and self._stands_at(fault, operation)
            case _:
                assert_never(claim)

    def _is_pair(self, race: DataRace, pairs: Sequence[tuple[Location, Location]]) -> bool:
        places = {self._location(one.function, one.span) for one in (race.evidence, race.other)}
        return any({first, second} == places for first, second in pairs)

    def _stands_at(self, fault: Fault, place: Location) -> bool:
        return self._location(fault.evidence.function, fault.evidence.span) == place

    def _location(self, function: str, span: Span) -> Location | None:
        found = self._places.stretch(function, span)
        return None if found is None else Location(*found)

    # -- what decides it ---------------------------------------------------------------------------------------------

    def _dependence(self, fault: Fault) -> tuple[Dependence, Dependence]:
        """Of the places of the accesses, and of the conditions under which threads come there."""
        spans = {fault.evidence.span}
        if isinstance(fault, DataRace):
            spans.add(fault.other.span)
        elif isinstance(fault, BarrierDivergence | Deadlock):
            spans.update(span for span, _ in fault.waiting)
        blocks = list(self._blocks_of(spans))
        own = self._dependences.of(list(_addresses(fault)))
        return own, self._dependences.guards(blocks)

    def _blocks_of(self, spans: Iterable[Span]) -> Iterator[BasicBlockId]:
        wanted = set(spans)
        for block in self._planner.flow.control.order:
            instructions = self._planner.flow.function.blocks[block].instructions
            if any(instruction.span in wanted for instruction in instructions):
                yield block

    def _chosen_template_numbers(self) -> frozenset[str]:
        """They are constants in the instance that ran: no value of it depends on them."""
        known = {*self._planner.flow.leaves, "grid", "block", "shared"}
        return frozenset(
            choice.name
            for choice in self._choices
            if choice.is_chosen and choice.name not in known and _is_number(choice.value)
        )


def _addresses(fault: Fault) -> Iterator[ValueId]:
    if isinstance(fault, DataRace):
        for site in fault.sites:
            if isinstance(site.instruction, Load | Store | Atomic):
                yield site.instruction.address


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdecimal() or text in ("true", "false")
