"""Which loops keep the indices of an array from being numbers, and what would unroll them?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, final

from analysis.affine.atoms import IterationAtom
from analysis.facts.merge import FrameView
from analysis.graph.cycles import Cycle
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Binary, Branch, Convert, Phi, Select, Switch, Unary
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.rules.rule import Subject
from analysis.verdict.loops import is_bounded

MAX_LOOKS: Final = 60
_PRAGMA: Final = re.compile(
    rb"#[ \t]*pragma[ \t]+unroll[ \t]*(?:\(?[ \t]*(\d+)[ \t]*\)?)?[ \t]*(?://[^\n]*)?\n[ \t]*\Z"
)


@final
@record
class PartlyUnrolled:
    """A loop of so many rounds with `#pragma unroll` and a smaller number, which stands at `number` in the function."""

    keyword: Span
    rounds: int
    times: int
    number: Span


def counters(view: FrameView, index: ValueId) -> Iterator[Cycle]:
    """The loops whose counters an index is computed from."""
    control, definition = view.root.control, view.root.divergence.definition
    seen, waiting = {index}, [index]
    while waiting and len(seen) <= MAX_LOOKS:
        current = waiting.pop()
        item = definition(current)
        if isinstance(item, Phi):
            home = view.root.divergence.home(current)
            cycle = control.innermost_cycle(home)
            if cycle is not None and cycle.header == home:
                yield cycle
        if isinstance(item, Binary | Unary | Convert | Select | Phi):
            new = [one for one in item.operands if one not in seen]
            seen.update(new)
            waiting.extend(new)


def keyword_of(view: FrameView, cycle: Cycle) -> Span | None:
    """Where a loop begins in the text of the frame."""
    root = view.root
    for block in root.control.exit_branches(cycle):
        terminator = root.function.blocks[block].terminator
        if isinstance(terminator, Branch | Switch) and terminator.branch is not None:
            branch = root.function.branches[terminator.branch]
            if branch.keyword.frame == view.frame and block == cycle.header:
                return branch.keyword
    return None


def open_loop(view: FrameView, index: ValueId) -> Span | None:
    """The loop of unknown length that alone keeps an index from being a number."""
    found = {cycle.id: cycle for cycle in counters(view, index) if not is_bounded(view.root.affine, cycle)}
    return keyword_of(view, next(iter(found.values()))) if len(found) == 1 else None


def partly_unrolled(subject: Subject, view: FrameView, index: ValueId) -> PartlyUnrolled | None:
    """Where the text asks for fewer copies than the loop has rounds."""
    for cycle in counters(view, index):
        keyword = keyword_of(view, cycle)
        rounds = view.root.affine.atom_range(IterationAtom(cycle.id)).high
        if keyword is None or not is_bounded(view.root.affine, cycle):
            continue
        found = _PRAGMA.search(subject.text.bytes(Span(0, keyword.start)))
        if found is not None and found[1] and int(found[1]) < rounds:
            return PartlyUnrolled(keyword, rounds, int(found[1]), Span(found.start(1), found.end(1)))
    return None
