"""Drives one warp of a policy by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.policies.protocol import Policy, PolicyFactory, SegmentGraph
from tests.sim.policies.walk import lane_bits

ROW = np.array([0])


def bits(row: str) -> int:
    """A row of a slide, "1 1 0 0": the leftmost is lane 0."""
    return lane_bits([lane for lane, bit in enumerate(row.split()) if bit == "1"])


def advance(policy: Policy, split: Sequence[tuple[int, str]]) -> None:
    """What runs goes to the targets; lanes as a row of a slide."""
    segment = int(policy.segment[0])
    policy.advance(ROW, segment, [(target, np.array([bits(lanes)], np.uint64)) for target, lanes in split])


def started(policy: PolicyFactory, graph: SegmentGraph, width: int = 4) -> Policy:
    made = policy(1, width, graph)
    made.start(ROW, np.array([(1 << width) - 1], np.uint64), 0)
    return made


def runs(policy: Policy) -> tuple[int, int]:
    return int(policy.segment[0]), int(policy.active[0])
