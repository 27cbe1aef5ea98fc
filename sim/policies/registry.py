"""All policies by name, in the order in which reports list them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from sim.policies.counters import Counters
from sim.policies.ipdom import Ipdom
from sim.policies.min_pc import MinPc
from sim.policies.path_list_breadth import PathListBreadth
from sim.policies.path_list_depth import PathListDepth
from sim.policies.preserve import Preserve
from sim.policies.protocol import PolicyFactory
from sim.policies.round_robin import RoundRobin
from sim.policies.stackless import Stackless
from sim.refusals import LaunchError

_ALL: Final[tuple[PolicyFactory, ...]] = (
    Ipdom,
    Counters,
    MinPc,
    PathListDepth,
    PathListBreadth,
    RoundRobin,
    Stackless,
    Preserve,
)

POLICIES: Final[Mapping[str, PolicyFactory]] = MappingProxyType({policy.name: policy for policy in _ALL})

ALL_POLICIES: Final = "all"


def policies_named(names: Iterable[str]) -> Sequence[PolicyFactory]:
    """Each once, in the order given; `all` stands for every one.  Raises `LaunchError` for other names or none."""
    asked = [known for name in names for known in (POLICIES if name == ALL_POLICIES else (name,))]
    unknown = next((name for name in asked if name not in POLICIES), None)
    if unknown is not None or not asked:
        what = "no policy is named" if unknown is None else f"policy {unknown}: unknown"
        raise LaunchError(f"{what}; there are {', '.join(POLICIES)} and {ALL_POLICIES}")
    return [POLICIES[name] for name in dict.fromkeys(asked)]
