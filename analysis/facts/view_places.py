"""What stands at a place of one view: the values that its text has, and the block that runs it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import final

from analysis.divergence.levels import Level
from analysis.facts.merge import FrameView
from analysis.facts.span_index import SpanIndex
from analysis.ir.function import ENTRY, Function
from analysis.ir.instructions import BasicBlockId, Opaque, ValueId
from analysis.ir.pace import paced
from analysis.ir.source import OWN_FRAME, FrameId, Span


def places_of(views: Sequence[FrameView]) -> dict[int, ViewPlaces]:
    """Of each view, by its identity; a root is walked once for all that were inlined into it."""
    roots = {id(view.root): view.root for view in views}
    records = {key: _RootRecords(root.function) for key, root in roots.items()}
    return {id(view): ViewPlaces(view, records[id(view.root)]) for view in views}


@final
class _RootRecords:
    """The expressions and definitions of a root by their frames."""

    def __init__(self, function: Function) -> None:
        self._function = function

    def of(self, frame: FrameId) -> Sequence[tuple[Span, ValueId]]:
        return self._by_frame.get(frame, ())

    @cached_property
    def _by_frame(self) -> dict[FrameId, list[tuple[Span, ValueId]]]:
        found: dict[FrameId, list[tuple[Span, ValueId]]] = {}
        for record in paced((*self._function.expressions, *self._function.definitions)):
            found.setdefault(record.span.frame, []).append((record.span, record.value))
        return found


@final
class ViewPlaces:
    """One walk over a view, for all places that are asked about."""

    def __init__(self, view: FrameView, records: _RootRecords) -> None:
        self.view = view
        self._of_root = records

    def records_at(self, offset: int) -> list[tuple[Span, ValueId]]:
        """The expressions and definitions of this frame whose text contains the offset."""
        return [record for _, _, record in self._records.around(offset, offset + 1)]

    def block_at(self, span: Span, value: ValueId) -> BasicBlockId:
        """The block that runs the text at `span`: that of the smallest instruction around it; of several in which the
        fewest arrive together.

        The block that defines `value` is not enough: a name may be read far from there.
        """
        smallest: tuple[int, Level, BasicBlockId] | None = None
        for start, end, block in self._blocks.around(span.start, span.end):
            convergence = self.view.root.divergence.convergence(block)
            if smallest is None or (end - start, -convergence) < (smallest[0], -smallest[1]):
                smallest = end - start, convergence, block
        return self._block_of(value) if smallest is None else smallest[2]

    @cached_property
    def opaques(self) -> tuple[Opaque, ...]:
        """The opaque constructs of this frame."""
        found = (instruction for _, instruction in self.view.root.function.instructions())
        return tuple(one for one in found if isinstance(one, Opaque) and one.span.frame == self.view.frame)

    @cached_property
    def _records(self) -> SpanIndex[tuple[Span, ValueId]]:
        return SpanIndex((span.start, span.end, (span, value)) for span, value in self._all_records())

    def _all_records(self) -> Iterator[tuple[Span, ValueId]]:
        yield from self._of_root.of(self.view.frame)
        if self.view.frame == OWN_FRAME:
            for parameter in self.view.root.function.parameters:
                yield parameter.span, parameter.value

    @cached_property
    def _blocks(self) -> SpanIndex[BasicBlockId]:
        return SpanIndex(self._all_blocks())

    def _all_blocks(self) -> Iterator[tuple[int, int, BasicBlockId]]:
        calls = self._calls_seen_from_here()
        last: tuple[int, int, int] | None = None
        for index, block in enumerate(paced(self.view.root.function.blocks)):
            for found in paced((*block.instructions, block.terminator)):
                around = found.span if found.span.frame == self.view.frame else calls[found.span.frame]
                if around is not None:
                    here = around.start, around.end, BasicBlockId(index)
                    if here != last:  # a body that was inlined here says the same with each instruction
                        yield here
                    last = here

    def _calls_seen_from_here(self) -> list[Span | None]:
        """For each frame, the call in the view's frame that leads to it; None for frames that no such call leads to."""
        calls: list[Span | None] = []
        for index, entered in enumerate(paced(self.view.root.function.frames)):
            if index in (OWN_FRAME, self.view.frame):
                calls.append(None)
            elif entered.parent == self.view.frame:
                calls.append(Span(entered.call.start, entered.call.end, self.view.frame))
            else:
                calls.append(calls[entered.parent])  # a parent's number is smaller
        return calls

    def _block_of(self, value: ValueId) -> BasicBlockId:
        """The block that defines `value`; the entry for parameters."""
        return self._homes.get(value, ENTRY)

    @cached_property
    def _homes(self) -> dict[ValueId, BasicBlockId]:
        return {
            found.result: BasicBlockId(index)
            for index, block in enumerate(paced(self.view.root.function.blocks))
            for found in paced((*block.phis, *block.instructions))
            if found.result is not None
        }
