"""Operations in which the lanes of a warp meet: what is wrong with their masks, and what is missing between lanes.

Rules     who takes part (`participation.py`), what masks are made of (`masks.py`), locks that lanes of one warp wait
          for (`spin_locks.py`), locks without fences (`unfenced_locks.py`), data that lanes exchange through memory
          (`memory_exchange.py`), what was written for warps of 32 lanes where they have 64 (`wide_warps.py`).
Cost      nothing for a function without such operations, atomics that are compared and volatile shared memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.affine.result import AffineResult
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Atomic, Load, Store
from analysis.ir.source import Span
from analysis.memory.spaces import SpaceResult
from analysis.verdict.barriers import Tier
from analysis.warp.masks import MISTYPED, active_mask_behind, is_legacy
from analysis.warp.memory_exchange import find_unordered_exchanges
from analysis.warp.model import WARP_OPERATIONS, WarpOperation, WarpProblem, WarpProblemKind
from analysis.warp.participation import Judged, Participation
from analysis.warp.spin_locks import ACQUIRING, find_spin_locks
from analysis.warp.unfenced_locks import find_unfenced_locks
from analysis.warp.wide_warps import CUDA_WARP, find_wide_warp_problems

_SURE: Final = frozenset({WarpProblemKind.CALLER, WarpProblemKind.ABSENT})


def find_warp_problems(
    function: Function,
    control: ControlFlow,
    divergence: DivergenceResult,
    affine: AffineResult,
    spaces: SpaceResult,
    knowledge: LaunchKnowledge,
    *,
    callers_known: bool,
) -> tuple[WarpProblem, ...]:
    """In the order of the blocks.  `divergence` is what remains if the callers of a device function agree."""
    found: list[WarpProblem] = []
    operations: dict[BasicBlockId, list[WarpOperation]] = {}
    for block, _, operation in control.placed(*WARP_OPERATIONS):
        operations.setdefault(block, []).append(operation)
    has_lock = any(item.operator in ACQUIRING for _, _, item in control.placed(Atomic))
    has_volatile = any(item.volatile for _, _, item in control.placed(Load, Store))
    if operations:
        judge = Participation(function, control, divergence, knowledge, callers_known=callers_known)
        for block, here in operations.items():
            found += _masks(judge, divergence, block, here)
    if knowledge.warp_size > CUDA_WARP:
        found += find_wide_warp_problems(function, control, divergence, affine)
    is_alone = bool(knowledge.shapes) and all(shape.threads == 1 for shape in knowledge.shapes)
    if has_lock and control.cycles and not is_alone:
        found += find_spin_locks(function, control, divergence, affine)
    if has_lock:
        found += find_unfenced_locks(function, control, divergence, spaces)
    if has_volatile and callers_known:
        found += find_unordered_exchanges(function, control, divergence, spaces, knowledge)
    return tuple(found)


def _masks(
    judge: Participation, divergence: DivergenceResult, block: BasicBlockId, operations: list[WarpOperation]
) -> Iterator[WarpProblem]:
    judged = {id(one.operation): one for one in judge.judged(block, operations)}
    for operation in operations:
        known = judged.get(id(operation))
        if known is not None:
            yield from known.problems
        kinds: list[tuple[WarpProblemKind, Span | None]] = []
        if is_legacy(operation):
            kinds.append((WarpProblemKind.LEGACY, None))
        active = active_mask_behind(operation, divergence)
        if active is not None:
            kinds.append((WarpProblemKind.ACTIVE_MASK, active))
        if _is_suspicious(judge, operation, known):
            kinds.append((WarpProblemKind.SUSPICIOUS, None))
        for kind, other in kinds:
            guards = judge.guards(block, operation)
            yield WarpProblem(kind, block, operation, None, None, guards, judge.is_convergent(block), other)


def _is_suspicious(judge: Participation, operation: WarpOperation, known: Judged | None) -> bool:
    """Not where the lanes are known: then the mask is right, or another rule says what is wrong."""
    if operation.mask is None or judge.constant(operation.mask) not in MISTYPED:
        return False
    if known is None or known.is_exact:
        return False
    return not any(problem.kind in _SURE and problem.tier is Tier.PROVEN for problem in known.problems)
