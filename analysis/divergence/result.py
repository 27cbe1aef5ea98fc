"""The answer: levels, and for each the chain of reasons back to where divergence starts.

A chain is finite: a node's last rise was caused by a node that had reached at least that level *before*; so along a
chain the level never falls, and where it stays the same the rises get older.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast, final

from analysis.divergence.call_context import Argument
from analysis.divergence.causes import (
    BlockSubject,
    BranchSubject,
    Cause,
    CauseStep,
    ControlCause,
    ConvergenceCause,
    DataCause,
    ExitCause,
    IrreducibleCause,
    LoopSubject,
    MemoryCause,
    MemorySubject,
    NestingCause,
    Seed,
    SeedCause,
    Subject,
    SyncCause,
    TemporalCause,
    ValueSubject,
)
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import LEVELS, Level
from analysis.divergence.nodes import build_nodes
from analysis.divergence.options import DivergenceOptions
from analysis.divergence.solver import SEEDS, Rule, Solver
from analysis.divergence.waiting import Waits, has_waits
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, SourceBranchId, SymbolId, ValueId
from analysis.ir.instructions import Branch, Instruction, Load, Phi, Select, Switch
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.ir.source import NO_SPAN, Span

MAX_LOOKED_AT: Final = 400
"""Values among which a better reason than the recorded one is sought."""


_WARP: Final = int(Level.WARP)
_DECISIONS: Final = (Branch, Switch)


@final
@record
class PartedOtherwise:
    """Which values, and which decisions at the ends of blocks, agree in each warp by one of two results alone, and
    whether the rounds of a loop do."""

    values: frozenset[ValueId]
    decisions: frozenset[BasicBlockId]
    has_loops: bool


@final
class DivergenceResult:
    """Frozen facts of one function under one launch and one set of options."""

    def __init__(self, solver: Solver, launch: LaunchKnowledge) -> None:
        self._solver = solver
        self._graph = solver.graph
        self.launch = launch
        self._sites: dict[SourceBranchId, tuple[tuple[BasicBlockId, ValueId | None], ...]] | None = None
        self._waits: Waits | None = None
        # Asked more often than anything else, by every pass; so these are what answers, not methods that ask it.
        self.definition: Callable[[ValueId], Instruction | Phi | None] = self._graph.definitions.get
        """What defines the value; None for a parameter."""
        self.home = cast("Callable[[ValueId], BasicBlockId]", self._graph.home.__getitem__)
        """The block that defines the value; the entry for a parameter."""

    @property
    def function(self) -> Function:
        return self._graph.function

    @property
    def control(self) -> ControlFlow:
        return self._graph.control

    @property
    def options(self) -> DivergenceOptions:
        return self._solver.options

    @property
    def arguments(self) -> Mapping[ValueId, Argument]:
        """What is known of parameters, by their values; nothing of those of a kernel."""
        context = self._solver.options.context
        passed = () if context is None else context.arguments
        return {
            parameter.value: argument
            for parameter, argument in zip(self.function.parameters, passed, strict=context is not None)
        }

    @property
    def definitions(self) -> Mapping[ValueId, Instruction | Phi]:
        """What defines each value, parameters aside."""
        return self._graph.definitions

    def may_be_local(self, value: ValueId) -> bool:
        """May the pointer point to a local variable, of which each thread has its own at an address that agrees?"""
        return value in self._graph.memory.targets

    # -- levels -----------------------------------------------------------------------------------------------------

    def level(self, value: ValueId) -> Level:
        """Among the threads that execute the same dynamic instance of its definition."""
        return LEVELS[self._solver.level[value]]

    def agrees_in_warp(self, value: ValueId) -> bool:
        """Is the level at most WARP?"""
        return self._solver.level[value] <= _WARP

    def apart_in_warps(self) -> list[ValueId]:
        """The values of which that is not so."""
        levels = self._solver.level[: self._graph.branch_base]
        return [ValueId(value) for value, level in enumerate(levels) if level > _WARP]

    def parted_otherwise(self, other: DivergenceResult) -> PartedOtherwise:
        """Of two results about the same function: where they say different things of warps."""
        graph, pairs = self._graph, zip(self._solver.level, other._solver.level, strict=True)
        nodes = [node for node, (one, two) in enumerate(pairs) if one != two and (one <= _WARP) != (two <= _WARP)]
        blocks = range(graph.branch_base, graph.convergence_base)
        return PartedOtherwise(
            frozenset(ValueId(node) for node in nodes if node < graph.branch_base),
            frozenset(BasicBlockId(node - graph.branch_base) for node in nodes if node in blocks),
            any(graph.loop_base <= node < graph.memory_base for node in nodes),
        )

    def use_level(self, value: ValueId, block: BasicBlockId) -> Level:
        """The level of a value where `block` reads it: higher than `level` outside a loop that threads leave apart."""
        return LEVELS[self._solver.use_level(value, block)]

    def convergence(self, block: BasicBlockId) -> Level:
        """The widest group of which all live threads execute the block, or none does."""
        return LEVELS[self._solver.level[self._graph.convergence_node(block)]]

    def terminator_level(self, block: BasicBlockId) -> Level:
        """The level of the decision at the end of the block; GRID if there is none to make."""
        return LEVELS[self._solver.level[self._graph.branch_node(block)]]

    def loop_level(self, loop: Cycle) -> Level:
        """Does the trip count vary?  The join of everything that decides about leaving."""
        return LEVELS[self._solver.level[self._graph.loop_node(loop.id)]]

    def branch_level(self, branch: SourceBranchId) -> Level:
        """The join over all decisions that belong to one source branch; GRID if none is left."""
        return max((self._site_level(*site) for site in self.branch_sites(branch)), default=Level.GRID)

    def branch_convergence(self, branch: SourceBranchId) -> Level:
        """The convergence of the least convergent block that decides something for this source branch."""
        return max((self.convergence(block) for block, _ in self.branch_sites(branch)), default=Level.GRID)

    def branch_sites(self, branch: SourceBranchId) -> tuple[tuple[BasicBlockId, ValueId | None], ...]:
        """The blocks that decide for a source branch; with the condition where it is a select, None: a terminator."""
        if self._sites is None:
            self._sites = _find_sites(self.function, self.control)
        return self._sites.get(branch, ())

    def _site_level(self, block: BasicBlockId, condition: ValueId | None) -> Level:
        return self.terminator_level(block) if condition is None else self.use_level(condition, block)

    # -- waits ------------------------------------------------------------------------------------------------------

    def waited_at(self, block: BasicBlockId) -> Level:
        """The most at which threads may know, anywhere in the block, what others did (`waiting.py`)."""
        return self._found_waits().at(block) if has_waits(self._graph) else Level.GRID

    def is_observed(self, value: ValueId) -> bool:
        """May a thread learn from the value what others did?"""
        return has_waits(self._graph) and self._found_waits().is_observed(value)

    def _found_waits(self) -> Waits:
        if self._waits is None:
            graph = build_nodes(self.function, self.control, self.options)  # who reads whom was forgotten
            apart = (block for block in graph.warp_barrier_blocks if self.convergence(BasicBlockId(block)) > Level.WARP)
            self._waits = Waits(graph, self.launch, frozenset(apart))
        return self._waits

    # -- reasons ----------------------------------------------------------------------------------------------------

    def cause(self, value: ValueId) -> Cause | None:
        """What raised the value last; None for GRID."""
        return self._cause(value)

    def why(self, value: ValueId) -> tuple[CauseStep, ...]:
        """From the value back to the seed; empty for GRID."""
        return self._chain(value)

    def why_block(self, block: BasicBlockId) -> tuple[CauseStep, ...]:
        return self._chain(self._graph.convergence_node(block))

    def why_terminator(self, block: BasicBlockId) -> tuple[CauseStep, ...]:
        return self._chain(self._graph.branch_node(block))

    def why_branch(self, branch: SourceBranchId) -> tuple[CauseStep, ...]:
        """The chain of the most divergent decision of a source branch."""
        level = self.branch_level(branch)
        for block, condition in self.branch_sites(branch):
            if level > Level.GRID and self._site_level(block, condition) == level:
                return self.why_terminator(block) if condition is None else self.why(condition)
        return ()

    def _chain(self, node: int) -> tuple[CauseStep, ...]:
        steps: list[CauseStep] = []
        solver = self._solver
        told: set[int] = set()
        while True:
            cause = self._cause(node)
            if cause is None:
                return _without_detours(steps)
            if self._is_choice(node) and node not in told:
                told.add(node)
                way = self._way_to_read(node)
                steps += map(self._step_of_way, way, way[1:])
                node = way[-1] if way else node
                cause = self._cause(node)
                assert cause is not None
            subject, level = self._subject(node), LEVELS[solver.level[node]]
            steps.append(CauseStep(subject, level, cause, self._span(node), self._is_read(node)))
            if solver.rule[node] == Rule.SEED:
                return _without_detours(steps)
            node = solver.source[node]
            if node >= self._graph.memory_base and node not in self._graph.cells.values():
                node = self._through_store(steps, node)

    def beginning(self, value: ValueId) -> Seed | None:
        """The seed with which `why` ends; None where there is none."""
        solver, graph = self._solver, self._graph
        node, told = int(value), set[int]()
        while solver.rule[node] not in (Rule.NONE, Rule.SEED):
            if node not in told and self._is_choice(node):
                told.add(node)
                way = self._way_to_read(node)
                node = way[-1] if way else node
                if solver.rule[node] == Rule.SEED:
                    break
            node = solver.source[node]
            if node >= graph.memory_base and node not in graph.cells.values():
                node = solver.source[node]  # of the store
        return SEEDS[solver.source[node]] if solver.rule[node] == Rule.SEED else None

    # Which of several values a thread gets is often decided by a border (`if (i > 0) count += differs(x[i - 1]);`);
    # what it is made of says more.  A way through data goes on in the recorded chain, and only one begins at each node,
    # so the whole stays finite; where it comes back to a node, what lies between says nothing and is left out.

    def _is_choice(self, node: int) -> bool:
        """Is the value said to vary because of which one was chosen, by something that reads no memory?"""
        if node >= self._graph.branch_base or self._solver.rule[node] not in (Rule.SYNC, Rule.DATA):
            return False
        item = self.definition(ValueId(node))
        source = self._solver.source[node]
        if self._solver.rule[node] == Rule.SYNC:
            return not self._recorded_read(source)
        return isinstance(item, Select) and source == item.condition and not self._recorded_read(source)

    def _recorded_read(self, node: int) -> bool:
        """Does the recorded chain pass through what is read from memory?"""
        solver = self._solver
        while solver.rule[node] not in (Rule.NONE, Rule.SEED):
            if self._is_read(node):
                return True
            node = solver.source[node]
        return self._is_read(node)

    def _way_to_read(self, start: int) -> tuple[int, ...]:
        """The shortest way to what is read from memory; empty if there is none.

        It goes through operands that vary as much, and where a value is one of several by what decided which.
        """
        level = self._solver.level[start]
        came_from: dict[int, int] = {start: start}
        waiting = deque([start])
        while waiting and len(came_from) < MAX_LOOKED_AT:
            node = waiting.popleft()
            if node != start and self._is_read(node):
                way = [node]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return tuple(reversed(way))
            item = self.definition(ValueId(node)) if node < self._graph.branch_base else None
            sources = [*(() if item is None else item.operands), *self._decided_by(node)]
            for source in paced(sources):
                if self._solver.level[source] >= level and source not in came_from:
                    came_from[source] = node
                    waiting.append(source)
        return ()

    def _decided_by(self, node: int) -> tuple[int, ...]:
        """The branch that a phi varies by, the condition that a branch does."""
        is_branch = self._graph.branch_base <= node < self._graph.convergence_base
        is_phi = node < self._graph.branch_base and self._solver.rule[node] == Rule.SYNC
        return (self._solver.source[node],) if is_phi or (is_branch and self._solver.rule[node] == Rule.DATA) else ()

    def _is_read(self, node: int) -> bool:
        """Is it read from memory that is more than the thread's own variables?"""
        if node >= self._graph.branch_base or self._solver.rule[node] != Rule.DATA:
            return False
        return self._solver.source[node] < self._graph.branch_base and isinstance(self.definition(ValueId(node)), Load)

    def _step_of_way(self, node: int, source: int) -> CauseStep:
        is_value = source < self._graph.branch_base
        cause = DataCause(ValueId(source)) if is_value else SyncCause(*self._decision(source))
        return CauseStep(self._subject(node), LEVELS[self._solver.level[node]], cause, self._span(node))

    def _through_store(self, steps: list[CauseStep], store: int) -> int:
        """A store is told by the cell before it in the chain; go on with what made it vary."""
        cause = self._cause(store)
        if cause is not None and steps and isinstance(steps[-1].subject, MemorySubject):
            last = steps.pop()
            steps.append(CauseStep(last.subject, last.level, cause, last.span))
        return self._solver.source[store]

    def _cause(self, node: int) -> Cause | None:
        solver, graph = self._solver, self._graph
        rule, source = Rule(solver.rule[node]), solver.source[node]
        match rule:
            case Rule.NONE:
                return None
            case Rule.SEED:
                return SeedCause(SEEDS[source])
            case Rule.DATA:
                if source >= graph.memory_base:
                    return MemoryCause(SymbolId(graph.symbol_of[source]))
                return DataCause(ValueId(source))
            case Rule.TEMPORAL:
                return TemporalCause(self.control.cycles[source - graph.loop_base].header)
            case Rule.SYNC:
                return SyncCause(*self._decision(source))
            case Rule.EXIT:
                return ExitCause(*self._decision(source))
            case Rule.CONTROL:
                return ControlCause(*self._decision(source))
            case Rule.IRREDUCIBLE:
                return IrreducibleCause(*self._decision(source))
            case Rule.NESTING:
                return NestingCause(BasicBlockId(source - graph.convergence_base))
            case Rule.CONVERGENCE:
                return ConvergenceCause(BasicBlockId(source - graph.convergence_base))

    def _decision(self, node: int) -> tuple[BasicBlockId, SourceBranchId | None]:
        block = BasicBlockId(node - self._graph.branch_base)
        terminator = self.function.blocks[block].terminator
        return block, terminator.branch if isinstance(terminator, Branch | Switch) else None

    def _subject(self, node: int) -> Subject:
        graph = self._graph
        if node < graph.branch_base:
            return ValueSubject(ValueId(node))
        if node < graph.convergence_base:
            return BranchSubject(*self._decision(node))
        if node < graph.loop_base:
            return BlockSubject(BasicBlockId(node - graph.convergence_base))
        if node < graph.memory_base:
            return LoopSubject(self.control.cycles[node - graph.loop_base].header)
        return MemorySubject(SymbolId(graph.symbol_of[node]))

    def _span(self, node: int) -> Span:
        """The source text of a node: of the definition, the branch, the symbol, the first text in the block."""
        subject = self._subject(node)
        match subject:
            case ValueSubject(value=value):
                item = self.definition(value)
                if item is not None:
                    return item.span
                return next((p.span for p in self.function.parameters if p.value == value), NO_SPAN)
            case BranchSubject(block=block):
                return self.function.blocks[block].terminator.span
            case MemorySubject(symbol=symbol):
                return self.function.symbols[symbol].span
            case BlockSubject(block=block) | LoopSubject(header=block):
                body = self.function.blocks[block]
                spans = (item.span for item in (*body.instructions, body.terminator))
                return next((span for span in spans if span != NO_SPAN), NO_SPAN)


def _without_detours(steps: Sequence[CauseStep]) -> tuple[CauseStep, ...]:
    """Each subject once, with what is said of it last."""
    found: dict[Subject, CauseStep] = {}
    for step in paced(steps):
        if step.subject in found:
            while found.popitem()[0] != step.subject:
                pass
        found[step.subject] = step
    return tuple(found.values())


def _find_sites(
    function: Function, control: ControlFlow
) -> dict[SourceBranchId, tuple[tuple[BasicBlockId, ValueId | None], ...]]:
    sites: dict[SourceBranchId, list[tuple[BasicBlockId, ValueId | None]]] = {}
    for block, _, select in control.placed(Select):
        if select.branch is not None:
            sites.setdefault(select.branch, []).append((block, select.condition))
    for block in control.order:
        terminator = function.blocks[block].terminator
        if isinstance(terminator, _DECISIONS) and terminator.branch is not None:
            sites.setdefault(terminator.branch, []).append((block, None))
    return {branch: tuple(sorted(found, key=lambda site: control.rank[site[0]])) for branch, found in sites.items()}
