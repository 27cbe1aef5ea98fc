"""The combined fixpoint of variance and convergence.

Lattice   Every node (`nodes.py`) starts at GRID and only rises; higher levels are propagated first, so that most nodes
          rise once.
Rules     data         a value joins its operands.
          sync         a phi joins every branch whose disjoint paths meet in its block (`graph/joins.py`), even if its
                       inputs are constants.
          temporal     a use outside a loop of a value from inside joins the loop's level: threads leave with the
                       values of different iterations.  (No phi of the loop can read such a value over an edge from
                       outside: what comes back to a header after leaving belongs to the same loop.)
          exit         a loop joins its exit branches, and the branches in it that those are control dependent on.
          control      a block's convergence joins the branches that it is control dependent on within the iteration
                       (`graph/post_dominance.py`), and the convergence of their blocks.
          irreducible  a branch inside an irreducible cycle, or whose paths meet in it, raises everything in the cycle:
                       which of its entries counts iterations is a convention that no fact may depend on.  No other
                       rule covers this: threads that enter apart count apart although no exit varies, and `joins`
                       follows threads that stay to the exits of natural loops only.
          one warp     where every known block is one warp, what agrees in the warp agrees in the block.
          one thread   where every known block is one thread, everything agrees in the block, whatever the thread
                       observes (`kernel<<<1, 1>>>` that waits for the host).
Cost      O(values + uses), plus O(blocks + edges) once per branch that is not grid-uniform.
Source    Lee et al., section 3.2 and Fig. 3 (their rule "every instruction in a divergent block varies" is replaced by
          the exact sync and temporal rules); Rosemann, Moll and Hack, POPL 2021.
"""

from __future__ import annotations

from collections import deque
from enum import IntEnum
from typing import final

from analysis.divergence.causes import Seed
from analysis.divergence.collectives import exchange_level
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.nodes import NodeGraph
from analysis.divergence.options import DivergenceOptions
from analysis.graph.cycles import Cycle
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Constant, Jump, ReadSpecial, Return, Shuffle
from analysis.ir.operators import SpecialRegister
from analysis.ir.pace import paced, spend

HIGHEST = int(Level.VARYING)
WARP = int(Level.WARP)


class Rule(IntEnum):
    """Which rule raised a node; `Solver.source` holds the node (or seed) that it came from."""

    NONE = 0
    SEED = 1
    DATA = 2
    SYNC = 3
    TEMPORAL = 4
    EXIT = 5
    CONTROL = 6
    NESTING = 7
    CONVERGENCE = 8
    IRREDUCIBLE = 9


SEEDS = tuple(Seed)
SEED_INDEX = {seed: index for index, seed in enumerate(SEEDS)}


@final
class Solver:
    """Levels of all nodes, each with the rule and the source of its last rise."""

    def __init__(
        self, graph: NodeGraph, options: DivergenceOptions, launch: LaunchKnowledge, *, joins_only: bool = False
    ) -> None:
        """`joins_only`: exchanges join their operands, as everything else does (to ask what depends on what)."""
        self.joins_only = joins_only
        self.graph = graph
        self.control = graph.control
        self.options = options
        self.warp_size = launch.warp_size
        self._agreed_in_warp = int(Level.BLOCK) if launch.is_one_warp else WARP
        self.level = [0] * graph.count
        highest = int(Level.BLOCK) if launch.is_one_thread and not joins_only else HIGHEST
        self.cap = bytearray([highest]) * graph.count
        """No node rises above its cap (values known by enumeration, asserted barriers)."""
        self.rule = bytearray(graph.count)
        self.source = [0] * graph.count
        self._queues: tuple[deque[int], ...] = tuple(deque() for _ in range(HIGHEST + 1))

    def seed(self, node: int, level: int, seed: Seed) -> None:
        self.lift(node, level, Rule.SEED, SEED_INDEX[seed])

    def limit(self, node: int, level: int) -> None:
        """The node does not rise above `level`."""
        self.cap[node] = min(self.cap[node], self._agreed_in_warp if level == WARP else level)

    def lift(self, node: int, level: int, rule: Rule, source: int) -> None:
        if level == WARP:
            level = self._agreed_in_warp
        cap = self.cap[node]
        if level > cap:
            level = cap
        if level > self.level[node]:
            self.level[node] = level
            self.rule[node] = rule
            self.source[node] = source
            self._queues[level].append(node)

    def run(self) -> None:
        graph, level, cap = self.graph, self.level, self.cap
        rule, source, queues = self.rule, self.source, self._queues
        users, exchange_users = graph.users, graph.exchange_users
        branch_base, memory_base = graph.branch_base, graph.memory_base
        data = int(Rule.DATA)
        current = HIGHEST
        while current:
            queue = queues[current]
            if not queue:
                current -= 1
                continue
            node = queue.popleft()
            if level[node] != current:
                continue
            if branch_base <= node < memory_base:
                self._spread(node, current)
                current = HIGHEST
                continue
            spend(1)
            for user in users[node]:
                if level[user] < current:
                    new = cap[user]
                    if new > current:
                        new = current
                    if level[user] < new:
                        level[user] = new
                        rule[user] = data
                        source[user] = node
                        queues[new].append(user)
            if node in exchange_users:  # all else that joins it rises no higher than it
                self._exchange(exchange_users[node], node)
                current = HIGHEST

    def _spread(self, node: int, level: int) -> None:
        graph = self.graph
        if node < graph.convergence_base:
            self._spread_branch(node, node - graph.branch_base, level)
        elif node < graph.loop_base:
            self._spread_convergence(node, node - graph.convergence_base, level)
        else:
            self._spread_loop(node, self.control.cycles[node - graph.loop_base], level)

    # -- branches ---------------------------------------------------------------------------------------------------

    def _spread_branch(self, node: int, block: int, level: int) -> None:
        graph, control = self.graph, self.control
        branch = BasicBlockId(block)
        joins = control.joins(branch)
        for join in sorted(joins):
            for phi in graph.function.blocks[join].phis:
                if len({value for _, value in phi.incoming} - {phi.result}) > 1:
                    self.lift(phi.result, level, Rule.SYNC, node)
        if not (self.options.exit_optimization and self._leaves_at_once(branch)):
            for dependent in control.dependents(branch):
                self.lift(graph.convergence_base + dependent, level, Rule.CONTROL, node)
        for cycle in control.cycles_around(branch):
            if branch in control.exit_influences(cycle):
                self.lift(graph.loop_base + cycle.id, level, Rule.EXIT, node)
        for cycle in control.irreducible_cycles:
            if block in cycle.blocks or not joins.isdisjoint(cycle.blocks):
                self._raise_cycle(cycle, level, node)

    def _leaves_at_once(self, branch: BasicBlockId) -> bool:
        return any(self._only_returns(target) for target in self.control.successors[branch])

    def _only_returns(self, block: BasicBlockId) -> bool:
        """Nothing is left to do from here but return."""
        for _ in range(len(self.control.successors)):
            body = self.graph.function.blocks[block]
            if body.phis or any(not isinstance(instruction, Constant) for instruction in body.instructions):
                return False
            match body.terminator:
                case Return():
                    return True
                case Jump(target=target):
                    block = target
                case _:
                    return False
        return False

    def _raise_cycle(self, cycle: Cycle, level: int, node: int) -> None:
        graph = self.graph
        self.lift(graph.loop_base + cycle.id, level, Rule.IRREDUCIBLE, node)
        for block in paced(sorted(cycle.blocks)):
            self.lift(graph.convergence_base + block, level, Rule.IRREDUCIBLE, node)
            for value in paced(self._defined(block)):
                if not graph.timeless[value]:
                    self.lift(value, level, Rule.IRREDUCIBLE, node)

    # -- convergence ------------------------------------------------------------------------------------------------

    def _spread_convergence(self, node: int, block: int, level: int) -> None:
        graph = self.graph
        for dependent in self.control.dependents(BasicBlockId(block)):
            self.lift(graph.convergence_base + dependent, level, Rule.NESTING, node)
        for store in graph.stores_of.get(block, ()):
            self.lift(store, level, Rule.CONVERGENCE, node)
        if node in graph.exchange_users:
            self._exchange(graph.exchange_users[node], node)

    # -- loops ------------------------------------------------------------------------------------------------------

    def _spread_loop(self, node: int, cycle: Cycle, level: int) -> None:
        graph, inside = self.graph, cycle.blocks
        users, home_of = graph.users, graph.home.__getitem__
        for block in paced(sorted(inside)):
            for value in paced(self._defined(block)):
                if graph.timeless[value]:
                    continue
                if not inside.issuperset(map(home_of, users[value])):
                    for user in users[value]:
                        if home_of(user) not in inside:
                            self.lift(user, level, Rule.TEMPORAL, node)
                for index in graph.exchange_users.get(value, ()):
                    if graph.exchanges[index][1] not in inside:
                        self._exchange([index], node)

    def _defined(self, block: int) -> list[ValueId]:
        body = self.graph.function.blocks[block]
        results = [phi.result for phi in body.phis]
        results += [i.result for i in body.instructions if i.result is not None]
        return results

    def use_level(self, value: ValueId, block: int) -> int:
        """The level of the value where it is read."""
        level = self.level[value]
        graph = self.graph
        if level == HIGHEST or graph.timeless[value]:
            return level
        cycle = self.control.innermost_cycle(BasicBlockId(graph.home[value]))
        while cycle is not None and block not in cycle.blocks:
            level = max(level, self.level[graph.loop_base + cycle.id])
            cycle = None if cycle.parent is None else self.control.cycles[cycle.parent]
        return level

    # -- exchanges --------------------------------------------------------------------------------------------------

    def start_exchanges(self) -> None:
        """An exchange is not uniform in the block even if nothing it reads has been raised."""
        for index, (_, block) in enumerate(self.graph.exchanges):
            self._exchange([index], self.graph.convergence_node(block))

    def _exchange(self, indices: list[int], node: int) -> None:
        graph = self.graph
        for index in indices:
            instruction, block = graph.exchanges[index]
            if self.joins_only:
                self.lift(instruction.result, self.level[node], Rule.DATA, node)
                continue
            convergent = self.level[graph.convergence_base + block] <= WARP
            if isinstance(instruction, ReadSpecial):
                new = WARP if convergent else HIGHEST
            else:
                alone = self.control.innermost_cycle(BasicBlockId(block)) is None and self.options.entry_level <= WARP
                whole = isinstance(instruction, Shuffle) and self._is_whole_warp(instruction)
                new = exchange_level(
                    instruction,
                    lambda value, at=block: self.use_level(value, at),
                    convergent,
                    convergent or alone,
                    whole,
                )
            is_value = node < graph.branch_base
            rule = Rule.DATA if is_value else Rule.TEMPORAL if node >= graph.loop_base else Rule.CONVERGENCE
            if new == WARP and self.level[instruction.result] < new:
                self.lift(instruction.result, new, Rule.SEED, SEED_INDEX[Seed.WARP_OPERATION])
            else:
                self.lift(instruction.result, new, rule, node)

    def _is_whole_warp(self, shuffle: Shuffle) -> bool:
        if shuffle.width is None:
            return True
        body = self.graph.function.blocks[self.graph.home[shuffle.width]]
        for instruction in body.instructions:
            if instruction.result == shuffle.width:
                if isinstance(instruction, Constant):
                    return instruction.value == self.warp_size
                return isinstance(instruction, ReadSpecial) and instruction.register is SpecialRegister.WARP_SIZE
        return False


def start_levels(solver: Solver) -> None:
    """Seeds that depend on the options: what every analysis begins with."""
    graph, options = solver.graph, solver.options
    if options.assume_barriers:
        for block, level in graph.barrier_blocks.items():
            solver.limit(graph.convergence_base + block, level)
    for node, level, seed in graph.seeds:
        solver.seed(node, level, seed)
    solver.start_exchanges()
    if not options.use_variance:
        for block in graph.control.order:
            if len(graph.control.successors[block]) > 1:
                solver.seed(graph.branch_node(block), Level.VARYING, Seed.STRUCTURE)
    if options.entry_level > Level.GRID:
        seed = Seed.ENTRY if options.context is None else Seed.APART
        for block in graph.control.order:
            solver.seed(graph.convergence_node(block), options.entry_level, seed)
