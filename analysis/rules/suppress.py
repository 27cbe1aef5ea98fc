"""The edit that silences one finding where it stands.

Rules    The name is added to the list that already speaks for the line; else `// NOLINT(...)` is put behind the line.
         It goes into a line of its own above, as `// NOLINTNEXTLINE(...)`, where the line goes on in the next one
         (a `\\` at its end, a comment or a string that is still open), where it has a comment already, and where the
         statement begins further up, so that what is said of one line is not read as said of the whole.
         Nothing is offered where a line above would become part of a comment, of a string or of a macro.
Cost     One search for comments and strings, for all findings together.
Limits   Whether a statement begins further up is read from the operators and brackets at the ends of the two lines: the
         edit is right either way.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, final

from analysis.ir.record import record
from analysis.refactor.edit import Replacement
from analysis.rules.diagnostic import Diagnostic
from analysis.rules.suppressions import LineList, line_lists
from analysis.syntax.document import Document
from analysis.syntax.lexing import HIDDEN

_OPEN_ENDS: Final = tuple(b",([=+-*/%&|^<?!~".decode())
"""What a line ends with whose statement goes on."""
_CONTINUATIONS: Final = (b"&&", b"||", b"?", b")", b"]", b",", b".", b"==", b"!=", b"<", b"/", b"%", b"^", b"=")
"""What no statement begins with."""


@final
@record
class Suppression:
    """One edit and the findings of one rule in one line, all of which it silences."""

    code: str
    findings: tuple[Diagnostic, ...]
    edit: Replacement


def suppressing_edits(document: Document, findings: Sequence[Diagnostic]) -> Iterator[Suppression]:
    """For each rule and line of the findings where that can be done, in their order."""
    places: dict[tuple[int, str], list[Diagnostic]] = {}
    for one in findings:
        places.setdefault((document.lines.line_of(one.start), one.code), []).append(one)
    if not places:
        return
    lists = [*line_lists(document)]
    hidden = [match.span() for match in HIDDEN.finditer(document.text)]
    for (line, code), together in places.items():
        edit = _edit(_Line(document, hidden, line), lists, f"simt-{code}")
        if edit is not None:
            yield Suppression(code, tuple(together), edit)


def _edit(line: _Line, lists: Sequence[LineList], name: str) -> Replacement | None:
    for known in lists:
        if known.start <= line.start < known.end:
            return Replacement(known.insertion, known.insertion, name if known.is_empty else f", {name}")
    if line.can_be_followed and not line.continues_a_statement:
        return Replacement(line.stop, line.end, f"  // NOLINT({name})")
    if line.can_be_preceded:
        comment = f"{line.indentation}// NOLINTNEXTLINE({name}){line.line_end}"
        return Replacement(line.start, line.start, comment)
    return Replacement(line.stop, line.end, f"  // NOLINT({name})") if line.can_be_followed else None


@final
class _Line:
    """One line: from `start`, to `stop` without white space at its end, to `end` without its line end."""

    def __init__(self, document: Document, hidden: Sequence[tuple[int, int]], number: int) -> None:
        self._text = document.text
        self._hidden = hidden
        code = document.lines.line_text(number)
        self._code = code
        self._above = document.lines.line_text(number - 1) if number else b""
        self.start = document.lines.line_start(number)
        self.stop = self.start + len(code.rstrip())
        self.end = self.start + len(code)

    @property
    def indentation(self) -> str:
        return self._code[: len(self._code) - len(self._code.lstrip())].decode("utf-8", "replace")

    @property
    def line_end(self) -> str:
        """As this line ends, or the one above where the text ends here."""
        following = self._text[self.end : self.end + 2]
        if not following:
            following = self._text[self.start - 2 : self.start] if self.start > 1 else b""
        return "\r\n" if following == b"\r\n" else "\n"

    @property
    def can_be_followed(self) -> bool:
        """A comment behind it says something, and stands alone."""
        if self._code.rstrip().endswith(b"\\"):
            return False
        start, end = self._hidden_before(self.stop)
        return end < self.stop or (end == self.stop and not self._text.startswith((b"//", b"/*"), start))

    @property
    def can_be_preceded(self) -> bool:
        """A line above it is code."""
        return not self._above.rstrip().endswith(b"\\") and self._hidden_before(self.start)[1] <= self.start

    @property
    def continues_a_statement(self) -> bool:
        if self._code.lstrip().startswith(_CONTINUATIONS):
            return True
        above = self._start_of_code_above()
        return self._text[above - 1 : above].decode("latin-1") in _OPEN_ENDS

    def _start_of_code_above(self) -> int:
        """Where the last code above ends, whatever blanks and comments follow it."""
        place = self.start
        while True:
            place = len(self._text[:place].rstrip())
            start, end = self._hidden_before(place)
            if end < place or not self._text.startswith((b"//", b"/*"), start):
                return place
            place = start

    def _hidden_before(self, offset: int) -> tuple[int, int]:
        """The last comment, string or character that begins before it."""
        index = bisect_left(self._hidden, (offset, 0))
        return self._hidden[index - 1] if index else (-1, -1)
