"""What one run of a kernel issued: instructions, their price in issue slots, ALU lanes, requests to memory.

Issued      warp instructions; constants, addresses of variables, phis and jumps are none (`sim/code/segments.py`).
Slots       the same, each weighed with its price (`analysis/verdict/latency.py`): what an SM spends to issue them.
Utilisation active lanes of arithmetic instructions over the lanes that these instructions were issued for.
            Arithmetic is what an ALU does: operators, comparisons, selects, conversions, mathematical functions and the
            computation of addresses; loads, stores, branches and barriers are not.
Requests    of a warp, or the active part of one, to shared memory and to all other memory.
"""

from __future__ import annotations

from typing import ClassVar, final

from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.instructions import (
    Binary,
    Compare,
    Convert,
    ElementAddress,
    FieldAddress,
    Instruction,
    Math,
    PointerDifference,
    Select,
    Terminator,
    Unary,
)
from analysis.ir.record import record
from analysis.ir.types import MemorySpace
from analysis.memory.spaces import infer_spaces
from analysis.verdict.latency import latency, terminator_latency
from sim.arrays import population
from sim.events import AddressBook, Events, Observer, Run, Segment, SegmentEvent
from sim.kernel import Kernel
from sim.observers.places import issued_in
from sim.observers.requests import RequestAnswer, RequestObserver
from sim.policies.ipdom import Ipdom
from sim.result import Result
from sim.simulate import simulate
from sim.specification import LaunchSpecification

ARITHMETIC = (Binary, Unary, Compare, Select, Convert, Math, ElementAddress, FieldAddress, PointerDifference)


@final
@record
class Counts:
    """Of one run; `memory` is the digest of all arrays after it."""

    issued: int
    slots: int
    arithmetic_lanes: int
    arithmetic_slots: int
    shared_requests: int
    global_requests: int
    memory: str

    @property
    def utilisation(self) -> float:
        return self.arithmetic_lanes / self.arithmetic_slots if self.arithmetic_slots else 1.0


class RunError(Exception):
    """A run that proves nothing: it faulted or did not end."""


def count_run(kernel: Kernel, launch: LaunchSpecification) -> Counts:
    """One run under the mask stack, which is the order of execution that the paper assumes."""
    work, requests = _WorkObserver(), RequestObserver()
    result = simulate(kernel, launch, Ipdom, [work, requests])
    check_run(result)
    return Counts(
        result.warp_instructions,
        work.slots,
        work.arithmetic_lanes,
        work.arithmetic_slots,
        _requests(requests.answer(), is_shared=True),
        _requests(requests.answer(), is_shared=False),
        result.memory_digest,
    )


def check_run(result: Result) -> None:
    """Raises RunError."""
    if result.truncated is not None:
        raise RunError(f"{result.kernel}: {result.truncated.reason.value}")
    for fault in result.faults:
        raise RunError(f"{result.kernel}: {type(fault).__name__}")


def _requests(answer: RequestAnswer, *, is_shared: bool) -> int:
    return sum(site.count.requests for site in answer.sites if (site.space is MemorySpace.SHARED) is is_shared)


@final
class _WorkObserver(Observer):
    """Counts segments while they run, and weighs them when somebody asks."""

    events: ClassVar[Events] = Events.SEGMENTS

    def __init__(self) -> None:
        self._weights: list[tuple[int, int]] = []
        """Of each segment: its slots and its arithmetic instructions."""
        self._warp_size = 0
        self.slots = 0
        self.arithmetic_lanes = 0
        self.arithmetic_slots = 0

    def begin(self, run: Run, addresses: AddressBook) -> None:
        self._warp_size = run.launch.warp_size
        prices = {
            function.id: _Prices(function, run.launch.warp_size)
            for function in {segment.function.id: segment.function for segment in run.segments}.values()
        }
        self._weights = [prices[segment.function.id].of(segment) for segment in run.segments]

    def segment(self, event: SegmentEvent) -> None:
        slots, arithmetic = self._weights[event.segment]
        warps = len(event.rows)
        self.slots += warps * slots
        self.arithmetic_slots += warps * arithmetic * self._warp_size
        self.arithmetic_lanes += int(population(event.active).sum()) * arithmetic


@final
class _Prices:
    def __init__(self, function: Function, warp_size: int) -> None:
        control = ControlFlow.of(function)
        self._divergence = analyze_divergence(function, control, LaunchKnowledge(warp_size=warp_size))
        self._spaces = infer_spaces(function, control)

    def of(self, segment: Segment) -> tuple[int, int]:
        issued = issued_in(segment)
        slots = sum(self._price(item) for item in issued)
        return slots, sum(isinstance(item, ARITHMETIC) for item in issued)

    def _price(self, item: Instruction | Terminator) -> int:
        if isinstance(item, Terminator):
            return terminator_latency(item)
        return latency(self._divergence, self._spaces, item)
