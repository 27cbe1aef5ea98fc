"""Are costs of requests true?  Sectors, passes over banks, patterns, strides, spaces: what the analysis says, in a run.

Upper bounds hold for every request.  Where a claim is exact and all of a warp takes part, some warp reaches it if every
warp of the grid came and the policy keeps lanes together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar, final

import numpy as np

from analysis.access.analysis import ACCESSES
from analysis.access.model import Access, AccessKind, AccessPattern, Basis, Participation
from analysis.access.moved import moved_bytes
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.instructions import Atomic, Load, Store
from analysis.ir.types import MemorySpace
from sim.arrays import Lanes, Values
from sim.launch.specification import LaunchSpecification
from sim.observers.protocol import AccessEvent, AddressBook, Events, Observer, Run
from sim.observers.request_cost import count_bank_ways, count_sectors
from tests.sim.random.witness import Codes, keeps_together


@final
class AccessClaims(Observer):
    events: ClassVar[Events] = Events.ACCESSES

    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        accesses: Sequence[Access],
        launch: LaunchSpecification,
        *,
        knows_shape: bool,
    ) -> None:
        """`knows_shape`: the analysis was told the shape of the launch, and no other."""
        instructions = [one for block in control.order for one in function.blocks[block].instructions]
        sites = [one for one in instructions if type(one) in ACCESSES]
        self._claims = {id(one): access for one, access in zip(sites, accesses, strict=True)}
        self._function = function
        self._width = launch.warp_size
        self._launch = launch
        self._knows_shape = knows_shape
        self._keeps_together = False
        self._addresses: AddressBook | None = None
        self._most: dict[int, int] = {}
        """By instruction, what its costliest request needed: sectors, or passes."""
        self._warps: dict[int, set[int]] = {}
        self._wrong: dict[str, None] = {}
        self.sums: Counter[MemorySpace] = Counter()
        """Sectors of all requests, and passes for shared memory, counted one by one."""
        self.checked: Counter[str] = Counter()

    def begin(self, run: Run, addresses: AddressBook) -> None:
        self._addresses = addresses
        self._keeps_together = keeps_together(run)

    def access(self, event: AccessEvent) -> None:
        claim = self._claims.get(id(event.site.instruction))
        if claim is None:
            return
        shape = len(event.rows), self._width
        lanes = np.ones(shape, np.bool_) if event.lanes is None else np.broadcast_to(event.lanes, shape)
        rows = lanes.any(axis=1)
        if not rows.any():
            return
        addresses = np.broadcast_to(event.addresses, shape)[rows].astype(np.int64)
        self._look(claim, event.site.instruction, event.rows[rows], addresses, lanes[rows])

    # -- one event --------------------------------------------------------------------------------------------------

    def _look(self, claim: Access, instruction: object, rows: Codes, addresses: Values, lanes: Lanes) -> None:
        assert self._addresses is not None
        first = int(addresses[0, lanes[0].argmax()])
        found = self._addresses.find(first)
        if found is not None and claim.space is not MemorySpace.GENERIC:
            self.checked["space"] += 1
            if found.space != claim.space.value:
                self._report(claim, f"{found.name} lies in {found.space} memory")
        self._check_pattern(claim, addresses, lanes)
        if claim.space in (MemorySpace.GENERIC, MemorySpace.LOCAL):
            return
        assert isinstance(instruction, Load | Store | Atomic)
        value = instruction.value if isinstance(instruction, Store) else instruction.result
        size, width = moved_bytes(self._function.types[value], self._function.structs)
        assert size is not None
        assert width is not None
        if claim.space is MemorySpace.SHARED:
            cost = count_bank_ways(addresses, lanes, width, is_atomic=claim.kind is AccessKind.ATOMIC)
        else:
            cost, _ = count_sectors(addresses, lanes, size)
        self.sums[claim.space] += int(cost.sum())
        self._most[id(instruction)] = max(int(cost.max()), self._most.get(id(instruction), 0))
        self._warps.setdefault(id(instruction), set()).update(rows.tolist())
        self._check_bound(claim, int(cost.max()))

    def _check_pattern(self, claim: Access, addresses: Values, lanes: Lanes) -> None:
        if claim.request is not None and claim.request.basis is not Basis.KNOWN_SHAPE:
            return
        if claim.space is MemorySpace.LOCAL:
            return
        first = np.take_along_axis(addresses, lanes.argmax(axis=1)[:, None], axis=1)
        if claim.pattern is AccessPattern.BROADCAST:
            self.checked["broadcast"] += 1
            if (lanes & (addresses != first)).any():
                self._report(claim, "lanes address different places")
        if claim.stride is not None and self._launch.block[1:] == (1, 1) and claim.form is not None:
            self.checked["stride"] += 1
            lane = np.arange(self._width) - lanes.argmax(axis=1)[:, None]
            if claim.form.exact and (lanes & (addresses != first + lane * claim.stride)).any():
                self._report(claim, f"the distance between lanes is not {claim.stride}")

    def _check_bound(self, claim: Access, cost: int) -> None:
        request = claim.request
        if request is None or request.basis is not Basis.KNOWN_SHAPE:
            return
        if claim.space is not MemorySpace.SHARED and request.sectors_max is not None:
            self.checked["most sectors"] += 1
            if cost > request.sectors_max:
                self._report(claim, f"{cost} sectors")
        if claim.space is MemorySpace.SHARED and request.bank_ways is not None and request.is_exact:
            self.checked["most passes"] += 1
            if cost > request.bank_ways:
                self._report(claim, f"{cost} passes over the banks")

    def _report(self, claim: Access, what: str) -> None:
        self._wrong[f"{what}, but the analysis says {claim}"] = None

    # -- after the run ----------------------------------------------------------------------------------------------

    def refuted(self) -> Iterator[str]:
        yield from list(self._wrong)[:3]
        warps = self._launch.blocks * self._launch.warps_per_block
        for key, claim in self._claims.items():
            if claim.outside is not None and claim.outside.extent == self._launch.block:
                yield f"no access is out of bounds, but the analysis says {claim}"
            request = claim.request if self._knows_shape and self._keeps_together else None
            came = len(self._warps.get(key, ())) == warps
            if request is None or not came or not request.is_exact or claim.participation is not Participation.FULL:
                continue
            if request.basis is not Basis.KNOWN_SHAPE:
                continue
            if claim.space is MemorySpace.SHARED and request.bank_ways is not None:
                self.checked["exact passes"] += 1
                if self._most[key] != request.bank_ways:
                    yield f"{self._most[key]} passes over the banks, but the analysis says {claim}"
            elif request.sectors is not None and request.sectors == request.sectors_max:
                self.checked["exact sectors"] += 1
                if self._most[key] != request.sectors:
                    yield f"{self._most[key]} sectors, but the analysis says {claim}"
