"""Which part of what a kernel does is lost at one access to memory?

Global    sectors that are moved and not used, as a part of all sectors that the kernel moves: of a request whose lanes
          are as far apart as they can be, so it is what a person would gain at most.  An access of which nothing is
          known counts as one sector for each lane, a texture as the sectors of neighbours.
Shared    passes over the banks beyond the first, as a part of the kernel's issue slots and all such passes.
Atomics   the same of lanes that update one address, one after the other.
Rounds    as for branches: trips of loops that nobody knows stay open (`shares.py`).
Steady    a load that reads the same in every round of a loop counts once for each entry of it (`hoisting.py`).
Few       what one block of a row of the grid does alone (`if (blockIdx.x == 0)`) is nothing beside what all do.
Limits    an estimate, as all shares are: caches may keep what is counted as lost.
Cost      O(accesses + blocks).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, final

from analysis.access.model import SECTOR_BYTES, Access, AccessKind, AccessPattern
from analysis.affine.atoms import RegisterAtom
from analysis.affine.result import AffineResult
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import CycleId
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Branch, Compare, Texture
from analysis.ir.operators import CompareOperator, SpecialRegister
from analysis.ir.types import MemorySpace
from analysis.verdict.hoisting import Hoisting
from analysis.verdict.shares import NOTHING, LoopTree, Share
from analysis.verdict.weights import BlockWeights

_EQUALITIES: Final = (CompareOperator.EQUAL, CompareOperator.NOT_EQUAL)
_INDICES_OF_BLOCKS: Final = (SpecialRegister.BLOCK_X, SpecialRegister.BLOCK_Y, SpecialRegister.BLOCK_Z)
MAX_DEPTH: Final = 40
"""Branches around an access that are asked for a block index."""
SECTORS_OF_NEIGHBOURS: Final = 4
"""Of a warp of 32 lanes with 4 bytes each."""
SECTORS_OF_STRANGERS: Final = 32
"""One for each lane."""


def memory_losses(
    function: Function,
    control: ControlFlow,
    divergence: DivergenceResult,
    affine: AffineResult,
    weights: BlockWeights,
    accesses: Sequence[Access],
) -> tuple[Share, ...]:
    """For each access; nothing where it is not known, or where nothing is lost."""
    if not any(map(_lost, accesses)):
        return (NOTHING,) * len(accesses)
    finder = _Finder(function, control, divergence, affine, weights)
    sectors, slots = finder.sectors(accesses), finder.slots(accesses)
    return tuple(
        finder.share(slots if loses_slots(access) else sectors, access) if _lost(access) else NOTHING
        for access in accesses
    )


def _is_global(access: Access) -> bool:
    return access.space is MemorySpace.GLOBAL or access.space is MemorySpace.GENERIC


def _is_on_one_address(access: Access) -> bool:
    return access.kind is AccessKind.ATOMIC and access.pattern is AccessPattern.BROADCAST


def loses_slots(access: Access) -> bool:
    """Whether issue slots are lost there, not sectors."""
    return access.space is MemorySpace.SHARED or _is_on_one_address(access)


def moved_sectors(access: Access) -> int:
    """Of one request; nothing where the access is surely to other memory than global memory."""
    return _moved(access) if _is_global(access) else 0


def _moved(access: Access) -> int:
    """Sectors of one request."""
    request = access.request
    if request is None:
        return 1 if access.pattern is AccessPattern.BROADCAST else SECTORS_OF_STRANGERS
    if request.is_exact:
        return request.sectors or 1
    return request.sectors_max or 1 if request.far_apart is None else request.far_apart.sectors


def _lost(access: Access) -> int:
    """Of one request: sectors that are not used, or passes that are not the first."""
    request = access.request
    if request is None or access.bytes is None:
        return 0
    if access.space is MemorySpace.SHARED:
        return request.bank_conflicts or 0
    if not _is_global(access):
        return 0
    if _is_on_one_address(access):
        return request.lanes - 1
    used = -(-request.lanes * max(access.bytes, access.used_bytes or 0) // SECTOR_BYTES)
    return max(0, _moved(access) - used)


@final
class _Finder:
    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        divergence: DivergenceResult,
        affine: AffineResult,
        weights: BlockWeights,
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._affine = affine
        self._weights = weights
        self._hoisting = Hoisting(function, control, divergence, weights.spaces)
        self._few: dict[BasicBlockId, bool] = {}

    def sectors(self, accesses: Iterable[Access]) -> LoopTree:
        """Of all requests of the kernel."""
        found: defaultdict[CycleId | None, float] = defaultdict(float)
        for access in accesses:
            if access.block not in self._weights.unreached:
                found[self._hoisting.cycle(access)] += moved_sectors(access)
        for block, _, _ in self._control.placed(Texture):
            if block not in self._weights.unreached:
                found[self._cycle(block)] += SECTORS_OF_NEIGHBOURS
        return self._weights.tree_of(found)

    def slots(self, accesses: Sequence[Access]) -> LoopTree:
        """All that the kernel issues, and the passes that are not the first."""
        found = defaultdict(float, self._weights.whole)
        for access in accesses:
            if loses_slots(access) and access.block not in self._weights.unreached:
                found[self._hoisting.cycle(access)] += _lost(access)
        return self._weights.tree_of(found)

    def share(self, tree: LoopTree, access: Access) -> Share:
        if access.block in self._weights.unreached or self._is_of_few_blocks(access.block):
            return NOTHING
        return tree.share({self._hoisting.cycle(access): _lost(access)})

    def _cycle(self, block: BasicBlockId) -> CycleId | None:
        cycle = self._control.innermost_cycle(block)
        return None if cycle is None else cycle.id

    def _is_of_few_blocks(self, block: BasicBlockId, depth: int = 0) -> bool:
        known = self._few.get(block)
        if known is None and depth == MAX_DEPTH:
            return False
        if known is None:
            self._few[block] = False  # a loop decides about itself: what is asked while the answer is sought is no
            above = [controller for controller in self._control.controllers(block) if controller != block]
            known = bool(above) and all(
                self._singles_out(controller, block) or self._is_of_few_blocks(controller, depth + 1)
                for controller in above
            )
            self._few[block] = known
        return known

    def _singles_out(self, controller: BasicBlockId, block: BasicBlockId) -> bool:
        """Does one block alone of a row of the grid go from a branch to here?"""
        terminator = self._function.blocks[controller].terminator
        if not isinstance(terminator, Branch) or self._divergence.terminator_level(controller) is not Level.BLOCK:
            return False
        item = self._divergence.definition(terminator.condition)
        if not isinstance(item, Compare) or item.operator not in _EQUALITIES:
            return False
        home = self._divergence.home(terminator.condition)
        left, right = self._affine.form_at(item.left, home), self._affine.form_at(item.right, home)
        way = terminator.if_true if item.operator is CompareOperator.EQUAL else terminator.if_false
        if left is None or right is None or not self._control.post_dominates(block, way):
            return False
        return any(
            isinstance(atom, RegisterAtom) and atom.register in _INDICES_OF_BLOCKS
            for monomial, _ in (left.base - right.base).terms
            for atom in monomial
        )
