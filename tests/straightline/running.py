"""One kernel optimised, and its code behind each step."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.ir.verifier import verify
from analysis.straightline.facts import straight_facts
from analysis.straightline.listing import code_lines
from analysis.straightline.optimise import Optimised, Step, optimise
from analysis.straightline.unroll import unrolled
from tests.support.cuda import inlined


def optimised(text: str, steps: tuple[Step, ...] = tuple(Step), shapes: Sequence[BlockShape] = ()) -> Optimised:
    """The kernel `k`; every stage is well formed."""
    facts = straight_facts(unrolled(inlined(text)), LaunchKnowledge(tuple(shapes)))
    result = optimise(facts.code(), facts.counter, facts.permissions, steps)
    for stage in result.stages:
        assert verify(stage.code.finish()) == ()
    return result


def lines_after(result: Optimised, step: Step | None = None) -> list[str]:
    """The code behind a step, or behind all; without loads, stores and the way out."""
    code = result.code
    if step is not None:
        (code,) = (stage.code for stage in result.stages if stage.step is step)
    return [line.strip() for line in code_lines(code) if line.strip()[0] in "px"]
