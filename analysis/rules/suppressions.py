"""Which diagnostics did the programmer ask not to see?

Rules    As clang-tidy: `NOLINT` speaks for its own line, `NOLINTNEXTLINE` for the next one, and a `NOLINTBEGIN` for
         all up to the `NOLINTEND` with the same list.  Blocks nest; the innermost open block must be closed first.
         Without a list all rules are meant, `NOLINT()` means none.  In a list of globs the last match decides, and
         `-` before a glob excludes.  A `(` counts only right after the word and with a `)` on the same line.
         Each diagnostic answers to `simt-<slug>`, `<slug>`, `simt-<code>` and `<code>`, so a list of other tools'
         names leaves ours alone.
         Other than clang-tidy, only comments count: a `NOLINT` in a string is data.
Cost     One search for the word; comments are told from strings only in a file that has it.
Limits   A suppression stands where the diagnostic starts: not at related places, nor inside macro bodies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum
from fnmatch import fnmatchcase
from typing import Final, final

from analysis.facts.model import FileProblem, ProblemKind
from analysis.ir.record import record
from analysis.syntax.document import Document
from analysis.syntax.lexing import HIDDEN

_MARK: Final = b"NOLINT"
_DIRECTIVE: Final = re.compile(rb"(?<![A-Za-z0-9_])NOLINT(NEXTLINE|BEGIN|END)?(?![A-Za-z0-9_])(?:\(([^)\r\n]*)\))?")


class _Word(Enum):
    LINE = None
    NEXT_LINE = b"NEXTLINE"
    BEGIN = b"BEGIN"
    END = b"END"


@final
@record
class RuleNames:
    """The names one rule answers to."""

    code: str
    slug: str

    def spellings(self) -> tuple[str, ...]:
        return (f"simt-{self.slug}", self.slug, f"simt-{self.code}", self.code)


@final
@record
class _Globs:
    """`patterns` is None where no list was given."""

    patterns: tuple[str, ...] | None

    def cover(self, rule: RuleNames) -> bool:
        if self.patterns is None:
            return True
        for pattern in reversed(self.patterns):
            glob = pattern.removeprefix("-")
            if any(fnmatchcase(name, glob) for name in rule.spellings()):
                return glob == pattern
        return False


@final
@record
class _Directive:
    word: _Word
    start: int
    end: int
    globs: _Globs


@final
@record
class _Range:
    """`globs` are silent for diagnostics that start in here."""

    start: int
    end: int
    globs: _Globs


@final
@record
class Suppressions:
    """The suppressions of one text; `unmatched` are block ends without a partner."""

    ranges: tuple[_Range, ...]
    unmatched: tuple[_Directive, ...]

    def cover(self, rule: RuleNames, start: int) -> bool:
        """Whether a diagnostic of `rule` that starts at this offset is silenced."""
        return any(span.start <= start < span.end and span.globs.cover(rule) for span in self.ranges)

    def problems(self, rules: Iterable[RuleNames]) -> tuple[FileProblem, ...]:
        """Unmatched block ends that mean any of `rules`; those of other tools are theirs to report."""
        names = tuple(rules)
        return tuple(
            _unmatched_problem(directive)
            for directive in self.unmatched
            if any(directive.globs.cover(rule) for rule in names)
        )


NO_SUPPRESSIONS: Final = Suppressions((), ())


def read_suppressions(document: Document) -> Suppressions:
    """Every `NOLINT` comment of the document."""
    if _MARK not in document.text:
        return NO_SUPPRESSIONS
    directives = _directives(document.text)
    lines = [_line_range(document, directive) for directive in directives if directive.word in _OF_LINES]
    blocks, unmatched = _blocks(directives)
    return Suppressions((*lines, *blocks), unmatched)


_OF_LINES: Final = (_Word.LINE, _Word.NEXT_LINE)


def _directives(text: bytes) -> list[_Directive]:
    found: list[_Directive] = []
    for hidden in HIDDEN.finditer(text):
        if text[hidden.start()] != 0x2F:  # not a comment: strings and characters start with a quote or a prefix
            continue
        found += [
            _Directive(_Word(match[1]), match.start(), match.end(), _globs(match[2]))
            for match in _DIRECTIVE.finditer(text, hidden.start(), hidden.end())
        ]
    return found


def _globs(text: bytes | None) -> _Globs:
    if text is None:
        return _Globs(None)
    return _Globs(tuple(part.strip() for part in text.decode("utf-8", "replace").split(",")))


def _line_range(document: Document, directive: _Directive) -> _Range:
    line = document.lines.line_of(directive.start)
    if directive.word is _Word.NEXT_LINE:
        line += 1
        if line >= document.lines.line_count:
            return _Range(0, 0, directive.globs)
    start = document.lines.line_start(line)
    end = document.lines.line_start(line + 1) if line + 1 < document.lines.line_count else len(document.text) + 1
    return _Range(start, end, directive.globs)


def _blocks(directives: Sequence[_Directive]) -> tuple[list[_Range], tuple[_Directive, ...]]:
    opened: list[_Directive] = []
    blocks: list[_Range] = []
    unmatched: list[_Directive] = []
    for directive in directives:
        if directive.word is _Word.BEGIN:
            opened.append(directive)
        elif directive.word is _Word.END:
            if opened and opened[-1].globs == directive.globs:
                blocks.append(_Range(opened.pop().end, directive.start, directive.globs))
            else:
                unmatched.append(directive)
    unmatched += opened
    return blocks, tuple(sorted(unmatched, key=lambda directive: directive.start))


def _unmatched_problem(directive: _Directive) -> FileProblem:
    if directive.word is _Word.BEGIN:
        message = "This `NOLINTBEGIN` has no `NOLINTEND` with the same list after it; it suppresses nothing."
    else:
        message = "This `NOLINTEND` closes no open `NOLINTBEGIN` with the same list."
    return FileProblem(ProblemKind.ANNOTATION, directive.start, directive.end, message)
