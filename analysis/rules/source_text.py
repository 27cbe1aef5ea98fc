"""Where a function's facts stand in its file: offsets, lines and the text behind a span."""

from __future__ import annotations

import re
from typing import Final, final

from analysis.facts.model import FunctionFacts, Location
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.syntax.document import Document
from analysis.syntax.lexing import without_comments

_BLANKS: Final = re.compile(r"\s+")
_PARTIAL_WORD: Final = re.compile(r"^\w*\s*")
MAX_QUOTED: Final = 60
MIN_AROUND: Final = 12
"""Fewer characters around a part say nothing about where it stands."""


@final
@record
class FunctionText:
    """The text of one function, addressed by the spans of its facts."""

    path: str
    document: Document
    function: FunctionFacts

    def start(self, span: Span) -> int:
        return self.function.start + span.start

    def end(self, span: Span) -> int:
        return self.function.start + span.end

    def location(self, span: Span) -> Location:
        return Location(self.path, self.start(span), self.end(span))

    def line(self, span: Span) -> int:
        """The line, from 1, where a span starts."""
        return self.document.lines.line_of(self.start(span)) + 1

    def bytes(self, span: Span) -> bytes:
        return self.document.text[self.start(span) : self.end(span)]

    def quoted(self, span: Span) -> str:
        """The text of a span on one line, shortened to fit into a sentence."""
        return one_line(self.bytes(span))


def excerpt(line: bytes, start: int, end: int) -> str:
    """A line with the part `start:end` in it, as `one_line` shows it; of a long line what stands around the part."""
    before, part, after = _flat(line[:start]), one_line(line[start:end]), line[end:]
    whole = _flat(line)
    if len(whole) <= MAX_QUOTED:
        return whole
    room = MAX_QUOTED - len(part)
    if room < MIN_AROUND:
        return part
    blank = " " if line[start - 1 : start].isspace() else ""
    head = before + blank if before else ""
    if len(head) > room // 2:
        head = "…" + _PARTIAL_WORD.sub("", head[len(head) - room // 2 + 1 :])
    tail = (" " if after[:1].isspace() else "") + _flat(after)
    room -= len(head)
    if len(tail) > room:
        tail = tail[: room - 1].rstrip() + "…"
    return (head + part + tail).strip()


def one_line(text: bytes) -> str:
    """Source text for use inside a sentence: no comments, single blanks, at most `MAX_QUOTED` characters."""
    flat = _flat(text)
    return flat if len(flat) <= MAX_QUOTED else flat[: MAX_QUOTED - 1].rstrip() + "…"


def _flat(text: bytes) -> str:
    return _BLANKS.sub(" ", without_comments(text).decode("utf-8", "replace")).strip()
