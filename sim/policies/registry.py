"""All policies by name, in the order in which reports list them."""

from __future__ import annotations

from collections.abc import Mapping
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
