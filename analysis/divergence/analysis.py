"""Divergence: within which group of threads does a value agree, and does a block run for all or none?

Lattice   GRID < BLOCK < WARP < VARYING (`levels.py`), for values, branches, blocks, loops and tracked local memory.
Meaning   A value is uniform among the threads of the group that execute one dynamic instance of its definition: the
          same block in the same iteration of all loops around it.  A block is convergent for a group if, for every
          instance, all live threads of the group execute it or none does.  The two are independent: `n > 3` under
          `if (tid < 4)` is GRID in a block that is VARYING.
Rules     sources and sinks in `nodes.py` and `collectives.py`, the fixpoint in `solver.py`, exact values of
          thread-index functions in `thread_index.py`, memory after waiting in `waiting.py`.
Loads     the level of the address; the address of shared memory is BLOCK, of untracked local memory VARYING; volatile
          loads are VARYING; tracked local memory joins what is stored, where, and whether all threads store.
Undefined contributes nothing: a value that no thread may rely on cannot make reliable values differ.
Assumes   freedom from races; legal participation in exchanges and barriers.
Cost      below 5 microseconds per instruction; enumeration of thread-index functions apart, kept between calls.
Gives up  calls, opaque code, memory that escapes: VARYING.  A rule may be noisy, never blind.
Source    Lee et al., CGO 2013; Rosemann, Moll and Hack, POPL 2021; Karrenberg and Hack, CC 2012.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from analysis.divergence.causes import Seed
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.nodes import NodeGraph, build_nodes, with_other_parameters
from analysis.divergence.options import DivergenceOptions
from analysis.divergence.result import DivergenceResult
from analysis.divergence.solver import Solver, start_levels
from analysis.divergence.thread_index import Structured
from analysis.divergence.waiting import has_waits, waiting_loads
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import ValueId

DEFAULT_OPTIONS = DivergenceOptions()
NOTHING_KNOWN: Mapping[ValueId, Level] = {}


def analyze_divergence(
    function: Function,
    control: ControlFlow,
    launch: LaunchKnowledge,
    options: DivergenceOptions = DEFAULT_OPTIONS,
    known: Mapping[ValueId, Level] = NOTHING_KNOWN,
) -> DivergenceResult:
    """`known`: levels that another analysis proved; no value rises above what is known of it."""
    asked = DivergenceProblem(function, control, launch, options)
    found = asked.solved(known)
    asked.close()
    return found


@final
class DivergenceProblem:
    """What reads what in one function, to be solved again when another analysis knows more levels."""

    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        launch: LaunchKnowledge,
        options: DivergenceOptions,
        structured: Structured | None = None,
    ) -> None:
        """`structured` is given by who asks more than one question about the function."""
        self._graph = build_nodes(function, control, options)
        self._structured = (structured or Structured(function, control)).levels(launch)
        self._launch = launch
        self._options = options

    def solved(self, known: Mapping[ValueId, Level] = NOTHING_KNOWN) -> DivergenceResult:
        """The levels, if no value rises above what is known of it."""
        return self._solved(self._graph, self._options, known)

    def solved_under(self, options: DivergenceOptions, known: Mapping[ValueId, Level]) -> DivergenceResult:
        """The same for options that say something else of parameters and of who comes, and nothing else."""
        return self._solved(with_other_parameters(self._graph, self._options, options), options, known)

    def _solved(self, graph: NodeGraph, options: DivergenceOptions, known: Mapping[ValueId, Level]) -> DivergenceResult:
        solver = Solver(graph, options, self._launch)
        for value, level in self._structured.items():
            solver.limit(value, level)
        for value, level in known.items():
            solver.limit(value, level)
        start_levels(solver)
        solver.run()
        _settle_waits(graph, solver, self._launch)
        return DivergenceResult(solver, self._launch)

    def close(self) -> None:
        """Nothing is solved any more."""
        self._graph.forget_users()


def _settle_waits(graph: NodeGraph, solver: Solver, launch: LaunchKnowledge) -> None:
    """Raises loads after waits.  A warp barrier is a wait only where its warp is not together, so this repeats."""
    known: frozenset[int] | None = None if has_waits(graph) else frozenset()
    while True:
        loose = frozenset(
            block for block in graph.warp_barrier_blocks if solver.level[graph.convergence_node(block)] > Level.WARP
        )
        if loose == known:
            return
        known = loose
        for load, level in waiting_loads(graph, launch, loose).items():
            solver.seed(load, level, Seed.WAITING)
        solver.run()
