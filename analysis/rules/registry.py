"""The table of rules: codes and slugs are stable, the order is that of the catalogue."""

from __future__ import annotations

from typing import Final

from analysis.rules.accidental_double import AccidentalDouble
from analysis.rules.activemask_as_mask import ActivemaskAsMask
from analysis.rules.architecture_test_on_host import ArchitectureTestOnHost
from analysis.rules.array_in_local_memory import ArrayInLocalMemory
from analysis.rules.bad_width import BadWidth
from analysis.rules.bank_conflict import BankConflict
from analysis.rules.barrier_in_divergent_call import BarrierInDivergentCall
from analysis.rules.barrier_in_varying_loop import BarrierInVaryingLoop
from analysis.rules.barrier_orders_nothing import BarrierOrdersNothing
from analysis.rules.caller_not_in_mask import CallerNotInMask
from analysis.rules.contended_atomic import ContendedAtomic
from analysis.rules.costly_division import CostlyDivision
from analysis.rules.costly_power import CostlyPower
from analysis.rules.device_only_on_host import DeviceOnlyOnHost
from analysis.rules.device_variable_on_host import DeviceVariableOnHost
from analysis.rules.different_barriers_in_arms import DifferentBarriersInArms
from analysis.rules.divergent_barrier import DivergentBarrier
from analysis.rules.divergent_branch import DivergentBranch
from analysis.rules.divergent_loop import DivergentLoop
from analysis.rules.early_exit_before_barrier import EarlyExitBeforeBarrier
from analysis.rules.fixed_warp_size import FixedWarpSize
from analysis.rules.generic_pointer import GenericPointer
from analysis.rules.global_race import GlobalRace
from analysis.rules.host_call_on_device import HostCallOnDevice
from analysis.rules.host_variable_on_device import HostVariableOnDevice
from analysis.rules.illegal_call import IllegalCall
from analysis.rules.index_overflow import IndexOverflow
from analysis.rules.inter_block_race import InterBlockRace
from analysis.rules.intra_warp_spin_lock import IntraWarpSpinLock
from analysis.rules.launch_arguments import LaunchArguments
from analysis.rules.launch_over_limits import LaunchOverLimits
from analysis.rules.legacy_warp_intrinsic import LegacyWarpIntrinsic
from analysis.rules.mask_names_absent_lane import MaskNamesAbsentLane
from analysis.rules.masks_differ import MasksDiffer
from analysis.rules.meldable_branch import MeldableBranch
from analysis.rules.missing_syncwarp import MissingSyncwarp
from analysis.rules.narrow_ballot import NarrowBallot
from analysis.rules.out_of_bounds_lane import OutOfBoundsLane
from analysis.rules.partial_barrier_count import PartialBarrierCount
from analysis.rules.read_of_inactive_lane import ReadOfInactiveLane
from analysis.rules.repeated_index_arithmetic import RepeatedIndexArithmetic
from analysis.rules.rule import Finding
from analysis.rules.shared_over_limit import SharedOverLimit
from analysis.rules.shared_race import SharedRace
from analysis.rules.small_grid import SmallGrid
from analysis.rules.suppressions import RuleNames
from analysis.rules.suspicious_mask import SuspiciousMask
from analysis.rules.uncoalesced_access import UncoalescedAccess
from analysis.rules.unfenced_lock import UnfencedLock
from analysis.rules.varying_store import VaryingStore
from analysis.rules.warp_uniform import WarpUniform
from analysis.rules.wide_access import WideAccess
from analysis.rules.wide_division import WideDivision

RULES: Final[tuple[type[Finding], ...]] = (
    DivergentBarrier,
    BarrierInVaryingLoop,
    EarlyExitBeforeBarrier,
    BarrierInDivergentCall,
    DifferentBarriersInArms,
    PartialBarrierCount,
    BarrierOrdersNothing,
    CallerNotInMask,
    MaskNamesAbsentLane,
    MasksDiffer,
    ActivemaskAsMask,
    BadWidth,
    SuspiciousMask,
    ReadOfInactiveLane,
    LegacyWarpIntrinsic,
    MissingSyncwarp,
    IntraWarpSpinLock,
    NarrowBallot,
    FixedWarpSize,
    SharedRace,
    VaryingStore,
    InterBlockRace,
    UnfencedLock,
    GlobalRace,
    DivergentBranch,
    DivergentLoop,
    MeldableBranch,
    WarpUniform,
    UncoalescedAccess,
    BankConflict,
    GenericPointer,
    OutOfBoundsLane,
    ContendedAtomic,
    ArrayInLocalMemory,
    WideDivision,
    RepeatedIndexArithmetic,
    IndexOverflow,
    AccidentalDouble,
    CostlyPower,
    CostlyDivision,
    WideAccess,
    IllegalCall,
    HostCallOnDevice,
    HostVariableOnDevice,
    DeviceVariableOnHost,
    LaunchArguments,
    LaunchOverLimits,
    SharedOverLimit,
    SmallGrid,
    DeviceOnlyOnHost,
    ArchitectureTestOnHost,
)

OF_COST: Final = frozenset(
    {
        "ARI601",
        "ARI602",
        "DIV401",
        "DIV402",
        "DIV403",
        "DIV404",
        "MEM501",
        "MEM502",
        "MEM503",
        "MEM505",
        "MEM506",
        "ARI604",
        "ARI605",
        "ARI606",
        "ARI607",
    }
)
"""Rules about what code costs: of what is never run they are hints.  All others are about what it does."""

OF_ONE_FUNCTION: Final = frozenset({"ARI601", "ARI602", "ARI603", "ARI604", "ARI605", "ARI606", "ARI607"})
"""Rules that follow from the facts and the text of a function, whose places all lie in it and whose texts name no
lines: what they find moves with the function, wherever others stand."""

NAMES: Final[tuple[RuleNames, ...]] = tuple(RuleNames(rule.code, rule.slug) for rule in RULES)
