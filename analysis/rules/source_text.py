"""Where a function's facts stand in its file: offsets, lines and the text behind a span."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, final

from analysis.facts.model import FunctionFacts, Location
from analysis.ir.source import Span
from analysis.syntax.document import Document
from analysis.syntax.lexing import without_comments

_BLANKS: Final = re.compile(r"\s+")
MAX_QUOTED: Final = 60


@final
@dataclass(frozen=True, slots=True)
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


def one_line(text: bytes) -> str:
    """Source text for use inside a sentence: no comments, single blanks, at most `MAX_QUOTED` characters."""
    flat = _BLANKS.sub(" ", without_comments(text).decode("utf-8", "replace")).strip()
    return flat if len(flat) <= MAX_QUOTED else flat[: MAX_QUOTED - 1].rstrip() + "…"
