"""The text that the nodes of a picture show, whatever file it stands in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

from analysis.features.control_flow_graph.grouping import Group, Grouping, instructions_of
from analysis.features.control_flow_graph.model import SourceLine
from analysis.features.control_flow_graph.statements import Statements
from analysis.ir.function import Definition
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Branch, Jump, Phi, Return, Switch
from analysis.ir.record import record
from analysis.ir.source import FrameId, Span
from analysis.syntax.items import Item

_LEAVING = ("break", "continue", "goto", "return", "co_return")


@final
@record
class FrameText:
    """One inlined body's text; `line_of` takes an offset in it."""

    text: bytes
    statements: Statements
    line_of: Callable[[int], int]


@final
class SourceText:
    """Answers for one grouping; `items` gives the declaration behind a frame, `line_of` a line (from 1) of a file."""

    def __init__(
        self, grouping: Grouping, item_of: Callable[[FrameId], Item | None], line_of: Callable[[str, int], int]
    ) -> None:
        self._grouping = grouping
        self._function = grouping.view.root.function
        self._item_of = item_of
        self._line_of = line_of
        self._frames: dict[FrameId, FrameText | None] = {}
        self._copies = _copies_by_value(grouping)

    def lines(self, group: Group, decision: Span | None) -> tuple[SourceLine, ...]:
        """The statements of a group in text order, without what its decision shows anyway."""
        spans = [
            instruction.span
            for _, instruction in instructions_of(self._function, group)
            if instruction.span.frame in self._grouping.own
        ]
        spans += self._copies_on_the_way_out(group)
        spans += self._leaving(group)
        found: dict[Span, SourceLine] = {}
        for span in dict.fromkeys(spans):
            if decision is not None and _covers(decision, span):
                continue
            statement = self._statement(span)
            if statement is not None and not (decision is not None and _covers(decision, statement)):
                line = self.line(statement)
                if line is not None:
                    found[statement] = line
        kept = [span for span in found if not any(other != span and _covers(other, span) for other in found)]
        return tuple(found[span] for span in sorted(kept, key=lambda span: (span.frame, span.start)))

    def line(self, span: Span) -> SourceLine | None:
        """The text of a span; None where it is empty or unknown."""
        frame = self._frame(span.frame)
        if frame is None or span.start >= span.end:
            return None
        text = frame.statements.text(span)
        return SourceLine(frame.line_of(span.start), text) if text else None

    def condition(self, terminator: Branch | Switch) -> Span:
        """The text of what is decided on; a `switch` stands for its whole construct."""
        span = terminator.span
        frame = self._frame(span.frame)
        opened = -1 if frame is None else frame.text.find(b"(", span.start, span.end)
        if frame is None or isinstance(terminator, Branch) or opened < 0:
            return span
        inside = frame.statements.around(Span(opened + 1, opened + 2))
        return span if inside is None else Span(inside.start, inside.end, span.frame)

    def keyword(self, span: Span) -> str:
        frame = self._frame(span.frame)
        return "" if frame is None else frame.text[span.start : span.end].decode("utf-8", "replace")

    def _statement(self, span: Span) -> Span | None:
        frame = self._frame(span.frame)
        if frame is None or span.start >= span.end:
            return None
        found = frame.statements.around(span)
        return None if found is None else Span(found.start, found.end, span.frame)

    def _leaving(self, group: Group) -> Sequence[Span]:
        """`break;`, `return x;` and their like: jumps that the programmer wrote."""
        if group.last is None:
            return ()
        terminator = self._function.blocks[group.last].terminator
        if not isinstance(terminator, Jump | Return) or terminator.span.frame not in self._grouping.own:
            return ()
        word = self.keyword(terminator.span)
        return (terminator.span,) if word.startswith(_LEAVING) else ()

    def _copies_on_the_way_out(self, group: Group) -> Sequence[Span]:
        """`best = x;` is no instruction: it is shown where its value goes into a phi.

        A value may be copied in several places; it is the one inside the construct whose branch leads here.
        """
        if group.last is None or not isinstance(self._function.blocks[group.last].terminator, Jump):
            return ()
        (target,) = self._function.blocks[group.last].terminator.successors
        extents = self._extents_around(group.blocks[0])
        return [
            definition.span
            for phi in self._function.blocks[target].phis
            for value in _incoming(phi, group.last)
            for definition in self._copies.get(value, ())
            if any(_covers(extent, definition.span) for extent in extents)
        ]

    def _extents_around(self, block: BasicBlockId) -> Sequence[Span]:
        found: list[Span] = []
        for controller in self._grouping.view.root.control.controllers(block):
            terminator = self._function.blocks[controller].terminator
            if isinstance(terminator, Branch | Switch) and terminator.branch is not None:
                found.append(self._function.branches[terminator.branch].extent)
        return found

    def _frame(self, frame: FrameId) -> FrameText | None:
        if frame not in self._frames:
            self._frames[frame] = self._read(frame)
        return self._frames[frame]

    def _read(self, frame: FrameId) -> FrameText | None:
        item = self._item_of(frame)
        if item is None:
            return None
        branches = [branch for branch in self._function.branches if branch.keyword.frame == frame]
        path, start = item.path, item.span.start
        return FrameText(item.text, Statements(item.text, branches), lambda offset: self._line_of(path, start + offset))


def _covers(outer: Span, inner: Span) -> bool:
    return outer.frame == inner.frame and outer.start <= inner.start and inner.end <= outer.end


def _incoming(phi: Phi, block: BasicBlockId) -> Sequence[ValueId]:
    return [value for source, value in phi.incoming if source == block]


def _copies_by_value(grouping: Grouping) -> dict[ValueId, list[Definition]]:
    """The definitions whose value no instruction inside them makes."""
    root = grouping.view.root
    found: dict[ValueId, list[Definition]] = {}
    for definition in root.function.definitions:
        if definition.span.frame not in grouping.own:
            continue
        made = root.divergence.definition(definition.value)
        if made is None or isinstance(made, Phi) or not _covers(definition.span, made.span):
            found.setdefault(definition.value, []).append(definition)
    return found
