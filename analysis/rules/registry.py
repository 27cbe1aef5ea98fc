"""The table of rules: codes and slugs are stable, the order is that of the catalogue."""

from __future__ import annotations

from typing import Final

from analysis.rules.bank_conflict import BankConflict
from analysis.rules.barrier_in_divergent_call import BarrierInDivergentCall
from analysis.rules.barrier_in_varying_loop import BarrierInVaryingLoop
from analysis.rules.divergent_barrier import DivergentBarrier
from analysis.rules.divergent_branch import DivergentBranch
from analysis.rules.divergent_loop import DivergentLoop
from analysis.rules.early_exit_before_barrier import EarlyExitBeforeBarrier
from analysis.rules.generic_pointer import GenericPointer
from analysis.rules.meldable_branch import MeldableBranch
from analysis.rules.out_of_bounds_lane import OutOfBoundsLane
from analysis.rules.rule import Finding
from analysis.rules.suppressions import RuleNames
from analysis.rules.uncoalesced_access import UncoalescedAccess
from analysis.rules.warp_uniform import WarpUniform

RULES: Final[tuple[type[Finding], ...]] = (
    DivergentBarrier,
    BarrierInVaryingLoop,
    EarlyExitBeforeBarrier,
    BarrierInDivergentCall,
    DivergentBranch,
    DivergentLoop,
    MeldableBranch,
    WarpUniform,
    UncoalescedAccess,
    BankConflict,
    GenericPointer,
    OutOfBoundsLane,
)

NAMES: Final[tuple[RuleNames, ...]] = tuple(RuleNames(rule.code, rule.slug) for rule in RULES)
