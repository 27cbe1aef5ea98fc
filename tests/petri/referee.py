"""What must hold of the verdicts on one random graph.

Fixpoint    What `analysis.divergence` calls convergent, the net never calls divergent, given the same facts: the same
            levels of branches, and barriers that wait exactly where the fixpoint assumes that they are reached.
Paths       A verdict `Divergent` comes with two paths that are possible together and differ.  Where two short paths
            are possible together and differ, the verdict is `Divergent`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.options import DivergenceOptions
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId
from analysis.petri.flow_graph import FlowGraph, flow_graph
from analysis.petri.state_space import GaveUp
from analysis.petri.verdict import Convergent, Divergent, ExactVerdict, NoRunEnds, block_verdict
from tests.petri.paths import paths, possible_together, steps

GROUPS: Final = (Level.GRID, Level.BLOCK, Level.WARP)
LONGEST_PATH: Final = 14
MOST_PATHS: Final = 40
MOST_STATES: Final = 4_000


def refute(function: Function, counts: Counter[str]) -> Iterator[str]:
    """What is wrong; `counts` collects how the two analyses compare."""
    control = ControlFlow.of(function)
    for assumed in (False, True):
        divergence = analyze_divergence(
            function, control, LaunchKnowledge(), DivergenceOptions(assume_barriers=assumed)
        )
        for group in GROUPS:
            graph = flow_graph(divergence, group, barriers_wait=assumed)
            verdicts = {block: block_verdict(graph, block, limit=MOST_STATES) for block in control.order}
            for block, verdict in verdicts.items():
                convergent = divergence.convergence(block) <= group
                counts[_compared(verdict, convergent, assumed)] += 1
                if isinstance(verdict, Divergent) and convergent:
                    yield f"block {block} in {group.name}, barriers wait {assumed}: convergent, but {verdict}"
            yield from refute_by_paths(graph, verdicts)


def refute_by_paths(graph: FlowGraph, verdicts: dict[BasicBlockId, ExactVerdict]) -> Iterator[str]:
    for block, verdict in verdicts.items():
        if isinstance(verdict, Divergent):
            one, other = verdict.witness.first, verdict.witness.second
            if not (
                one.count(block) > other.count(block)
                and one[-1] in graph.returns
                and other[-1] in graph.returns
                and possible_together(graph, steps(graph, one), steps(graph, other))
            ):
                yield f"block {block}: {verdict} is no witness"
    found = list(paths(graph, LONGEST_PATH, MOST_PATHS))
    walked = [steps(graph, path) for path in found]
    for index, one in enumerate(found):
        for number in range(index):
            other = found[number]
            differing = [
                block
                for block, verdict in verdicts.items()
                if not isinstance(verdict, Divergent | GaveUp) and one.count(block) != other.count(block)
            ]
            if differing and possible_together(graph, walked[index], walked[number]):
                yield f"block {differing[0]}: {verdicts[differing[0]]}, but {one} and {other} are possible"


def _compared(verdict: ExactVerdict, convergent: bool, assumed: bool) -> str:
    mode = "barriers wait" if assumed else "barriers are plain code"
    fixpoint = "convergent" if convergent else "divergent"
    match verdict:
        case Convergent():
            return f"{mode}: fixpoint {fixpoint}, net convergent"
        case Divergent():
            return f"{mode}: fixpoint {fixpoint}, net divergent"
        case NoRunEnds():
            return f"{mode}: fixpoint {fixpoint}, net finds no run that ends"
        case GaveUp():
            return f"{mode}: fixpoint {fixpoint}, net gave up"
