"""Where a value's variance comes from, in the words of a message and as related places."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import WhyStep
from analysis.ir.pace import paced
from analysis.rules.diagnostic import Related
from analysis.rules.source_text import one_line


def origin_text(
    analysis: FileAnalysis, steps: Sequence[WhyStep], condition: str | None, line: int | None
) -> str | None:
    """What a chain ends in, with its line: "`threadIdx.x` (line 4)".

    That is what the condition gets from memory, where the condition does not say so itself: the contents differ, not
    only the addresses.  None where it says nothing: for an empty chain, for a source in another file, for the condition
    itself.  `line` was just named in the sentence and is not named again.
    """
    if not steps or steps[-1].location.path != analysis.facts.path:
        return None
    named = steps[-1] if condition is None else _first_read(analysis, steps)
    found = _written(analysis, named)
    if condition is not None and found in condition:
        named = steps[-1]
        found = _written(analysis, named)
    if not found or found == condition:
        return None
    its_line = analysis.document.lines.line_of(named.location.start) + 1
    return f"`{found}`" if its_line == line else f"`{found}` (line {its_line})"


def _first_read(analysis: FileAnalysis, steps: Sequence[WhyStep]) -> WhyStep:
    """Of one in another file what this file says of it: the call that leads there.  The end where nothing is read."""
    read = next((index for index, step in enumerate(steps) if step.is_read), None)
    here = [step for step in steps[: 0 if read is None else read + 1] if step.location.path == analysis.facts.path]
    return here[-1] if here else steps[-1]


def _written(analysis: FileAnalysis, step: WhyStep) -> str:
    return one_line(analysis.document.text[step.location.start : step.location.end])


def ends_in_opaque(analysis: FileAnalysis, steps: Sequence[WhyStep]) -> bool:
    """Whether a chain ends in something that is not understood rather than in something that varies."""
    if not steps or steps[-1].location.path != analysis.facts.path:
        return False
    last = steps[-1].location
    function = analysis.facts.function_at(last.start)
    if function is None:
        return False
    place = last.start - function.start, last.end - function.start
    return any((fact.span.start, fact.span.end) == place for fact in paced(function.opaque))


def cause_text(condition: str | None, origin: str | None) -> str:
    """Why threads disagree at a branch: "`i < n` depends on `threadIdx.x` (line 4)"."""
    subject = "its condition" if condition is None else f"`{condition}`"
    return f"{subject} varies between threads" if origin is None else f"{subject} depends on {origin}"


def chain_of(steps: Sequence[WhyStep]) -> tuple[Related, ...]:
    """The chain as related places, from the nearest cause to the source."""
    return tuple(Related(step.location, step.text) for step in one_step_per_place(steps))


def one_step_per_place(steps: Sequence[WhyStep]) -> tuple[WhyStep, ...]:
    """Of several links at one place (a value, its conversion, its seed) the last says the most."""
    return tuple({step.location: step for step in steps}.values())
