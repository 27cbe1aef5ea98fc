"""Where a value's variance comes from, in the words of a message and as related places."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.facts.model import WhyStep
from analysis.rules.diagnostic import Related
from analysis.rules.source_text import FunctionText, one_line


def origin_text(source: FunctionText, steps: Sequence[WhyStep]) -> str | None:
    """The source text at the end of a chain with its line: "`threadIdx.x` (line 4)"; None for an empty chain."""
    if not steps:
        return None
    last = steps[-1]
    if last.location.path != source.path:
        return last.text
    written = one_line(source.document.text[last.location.start : last.location.end])
    line = source.document.lines.line_of(last.location.start) + 1
    return f"`{written}` (line {line})" if written else f"{last.text} (line {line})"


def chain_of(steps: Sequence[WhyStep]) -> tuple[Related, ...]:
    """The chain as related places, from the nearest cause to the source; a place is named once."""
    places: dict[tuple[str, int, int], Related] = {}
    for step in steps:
        key = (step.location.path, step.location.start, step.location.end)
        places.setdefault(key, Related(step.location, step.text))
    return tuple(places.values())
