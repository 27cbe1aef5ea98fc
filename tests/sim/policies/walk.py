"""Walks a policy over a control-flow graph without an engine: every lane decides for itself at every branch.

The walk checks the protocol as it goes: a row runs lanes that stand where the policy says, each lane once, and nothing
is left standing at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import cast, final

import networkx as nx
import numpy as np

from sim.policies.protocol import EXIT, NOTHING, Policy, PolicyFactory, SegmentGraph

Decide = Callable[[int, int, int, int], int]
"""(row, lane, segment, visit of that lane to that segment) to the index of a successor."""

STEP_LIMIT = 200_000


@final
@dataclass(frozen=True, slots=True)
class Step:
    row: int
    segment: int
    lanes: int


@final
@dataclass(frozen=True, slots=True)
class Walk:
    graph: SegmentGraph
    width: int
    start: tuple[int, ...]
    """The lanes of each row."""
    decide: Decide
    meetings: frozenset[int] = field(default_factory=frozenset[int])
    """Segments after which lanes wait until nothing else of their row can run."""
    seed: int = 0
    """Decides which of the waiting lanes go on first, and when `follows` is asked."""


def graph_of(*successors: Sequence[int], polling: frozenset[int] = frozenset()) -> SegmentGraph:
    """Immediate post-dominators from networkx; segments without successors leave."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    for node, targets in enumerate(successors):
        for target in targets or (EXIT,):
            graph.add_edge(target, node)
    above = cast(dict[int, int], nx.immediate_dominators(graph, EXIT))  # pyright: ignore[reportUnknownMemberType]
    joins = [above.get(node, EXIT) for node in range(len(successors))]
    return SegmentGraph(tuple(tuple(targets) for targets in successors), tuple(joins), polling)


def members(lanes: int) -> list[int]:
    return [lane for lane in range(64) if lanes >> lane & 1]


def lane_bits(lanes: Sequence[int]) -> int:
    return sum(1 << lane for lane in lanes)


def own_path(walk: Walk, row: int, lane: int) -> list[int]:
    """Where the lane goes when nobody else is there."""
    path, visits, segment = [0], {0: 1}, 0
    while targets := walk.graph.successors[segment]:
        segment = targets[walk.decide(row, lane, segment, visits[segment])]
        visits[segment] = visits.get(segment, 0) + 1
        path.append(segment)
    return path


@final
class Walker:
    """One wave under one policy; `steps` is what ran so far."""

    def __init__(self, policy: PolicyFactory, walk: Walk) -> None:
        rows = len(walk.start)
        self.walk = walk
        self.policy: Policy = policy(rows, walk.width, walk.graph)
        self.steps: list[Step] = []
        self._random = Random(walk.seed)
        self._position = [dict.fromkeys(members(lanes), 0) for lanes in walk.start]
        self._visits: dict[tuple[int, int, int], int] = {}
        self._waiting: list[dict[int, int]] = [{} for _ in walk.start]
        self.policy.start(np.arange(rows), np.array(walk.start, np.uint64), 0)

    def run(self) -> list[Step]:
        while self.step():
            assert len(self.steps) < STEP_LIMIT, "the walk does not end"
        assert not any(self._position)
        assert not any(self._waiting)
        assert (self.policy.segment == NOTHING).all()
        return self.steps

    def step(self) -> bool:
        """Runs the lowest segment of all rows that stand there; False if no row can go on."""
        self._release()
        runnable = self.policy.segment[self.policy.segment != NOTHING]
        if not len(runnable):
            return False
        segment = int(runnable.min())
        rows = np.flatnonzero(self.policy.segment == segment)
        while True:
            targets = self._execute(rows, segment)
            if segment in self.walk.meetings:
                self._wait(rows, targets)
                return True
            ways = {target for lanes in targets for target in lanes.values()}
            target = ways.pop()
            if not ways and self._random.random() < 0.5 and self.policy.follows(rows, target):
                # The engine goes on without telling, and tells once at the end.
                segment = target
                if self._random.random() < 0.5:
                    continue
                self.policy.advance(rows, segment, [(segment, self.policy.active[rows].copy())])
                assert (self.policy.segment[rows] == segment).all()
                return True
            self._advance(rows, segment, targets)
            return True

    def _execute(self, rows: Sequence[int] | np.ndarray[tuple[int], np.dtype[np.intp]], segment: int):
        """Checks that the lanes stand here, and asks where they go."""
        answer: list[dict[int, int]] = []
        for row in map(int, rows):
            lanes = int(self.policy.active[row])
            assert lanes, "a row that runs has lanes"
            self.steps.append(Step(row, segment, lanes))
            targets: dict[int, int] = {}
            for lane in members(lanes):
                assert self._position[row].get(lane) == segment, f"lane {lane} of row {row} is not at {segment}"
                visit = self._visits[row, lane, segment] = self._visits.get((row, lane, segment), 0) + 1
                successors = self.walk.graph.successors[segment]
                target = successors[self.walk.decide(row, lane, segment, visit)] if successors else EXIT
                targets[lane] = target
                if target == EXIT:
                    del self._position[row][lane]
                else:
                    self._position[row][lane] = target
            answer.append(targets)
        return answer

    def _advance(self, rows: np.ndarray[tuple[int], np.dtype[np.intp]], segment: int, targets: list[dict[int, int]]):
        order = self.walk.graph.successors[segment] or (EXIT,)
        split = [
            (
                way,
                np.array(
                    [lane_bits([lane for lane, goal in lanes.items() if goal == way]) for lanes in targets], np.uint64
                ),
            )
            for way in dict.fromkeys(order)
        ]
        self.policy.advance(rows, segment, split)

    def _wait(self, rows: np.ndarray[tuple[int], np.dtype[np.intp]], targets: list[dict[int, int]]) -> None:
        self.policy.block(rows)
        for row, lanes in zip(map(int, rows), targets, strict=True):
            for lane, target in lanes.items():
                self._waiting[row][lane] = target
                self._position[row].pop(lane, None)

    def _release(self) -> None:
        """Rows that stand still because lanes wait: some that go to one place go on."""
        for row, waiting in enumerate(self._waiting):
            while waiting and self.policy.segment[row] == NOTHING:
                target = self._random.choice(list(waiting.values()))
                lanes = [lane for lane, place in waiting.items() if place == target]
                if self._random.random() < 0.4:
                    lanes = self._random.sample(lanes, self._random.randint(1, len(lanes)))
                for lane in lanes:
                    self._position[row][lane] = waiting.pop(lane)
                self.policy.release(np.array([row]), np.array([lane_bits(lanes)], np.uint64), target)
