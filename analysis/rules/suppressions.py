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
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from fnmatch import fnmatchcase
from typing import Final, final

from analysis.facts.model import FileProblem, ProblemKind
from analysis.ir.record import record
from analysis.refactor.edit import Replacement
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


@final
@record
class NamedRule:
    """One name in the list of a suppression, what it speaks for, and how it is taken away.

    The range is empty where nothing can be said of it: of a block without an end, in a preprocessor line.
    """

    name: str
    start: int
    end: int
    range_start: int
    range_end: int
    removal: tuple[Replacement, ...]


def named_rules(document: Document) -> Iterator[NamedRule]:
    """The plain names, without globs and exclusions; those of a block stand for its end as well."""
    if _MARK not in document.text:
        return
    directives = _directives(document.text)
    ends = dict(_pairs(directives))
    for directive in directives:
        if directive.word is _Word.END or directive.globs.patterns is None:
            continue
        end = ends.get(directive)
        if directive.word is _Word.BEGIN:
            span = _Range(directive.end, directive.end if end is None else end.start, directive.globs)
        else:
            span = _line_range(document, directive)
            line = document.text[span.start : span.end].lstrip()
            span = _Range(span.start, span.start, span.globs) if line.startswith(b"#") else span
        both = [directive] if end is None else [directive, end]
        for index, (start, stop) in enumerate(_entries(document.text, directive)):
            name = document.text[start:stop].decode("utf-8", "replace")
            if re.fullmatch(r"[\w-]+", name) and not name.startswith("-"):
                removal = tuple(_removal(document, one, index) for one in both)
                yield NamedRule(name, start, stop, span.start, span.end, removal)


@final
@record
class LineList:
    """The list of a suppression that speaks for one line, `start` to `end`; `insertion` is where a name is added."""

    start: int
    end: int
    insertion: int
    is_empty: bool


def line_lists(document: Document) -> Iterator[LineList]:
    """Of `NOLINT(...)` and `NOLINTNEXTLINE(...)`, in the order of the text."""
    if _MARK not in document.text:
        return
    for directive in _directives(document.text):
        if directive.word in _OF_LINES and directive.globs.patterns is not None:
            span = _line_range(document, directive)
            yield LineList(span.start, span.end, directive.end - 1, directive.globs.patterns == ("",))


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
    pairs = [*_pairs(directives)]
    blocks = [_Range(begin.end, end.start, begin.globs) for begin, end in pairs]
    matched = {directive for pair in pairs for directive in pair}
    unmatched = [one for one in directives if one.word not in _OF_LINES and one not in matched]
    return blocks, tuple(unmatched)


def _pairs(directives: Sequence[_Directive]) -> Iterator[tuple[_Directive, _Directive]]:
    """Each block's begin and end."""
    opened: list[_Directive] = []
    for directive in directives:
        if directive.word is _Word.BEGIN:
            opened.append(directive)
        elif directive.word is _Word.END and opened and opened[-1].globs == directive.globs:
            yield opened.pop(), directive


def _entries(text: bytes, directive: _Directive) -> list[tuple[int, int]]:
    """Where the parts of its list stand, without the white space around them."""
    opening = text.index(b"(", directive.start, directive.end) + 1
    found: list[tuple[int, int]] = []
    for part in text[opening : directive.end - 1].split(b","):
        start = opening + len(part) - len(part.lstrip())
        found.append((start, max(start, opening + len(part.rstrip()))))
        opening += len(part) + 1
    return found


def _removal(document: Document, directive: _Directive, index: int) -> Replacement:
    """One part of the list goes; the last one takes the word with it, and a comment that says nothing else."""
    text = document.text
    entries = _entries(text, directive)
    if len(entries) > 1:
        if index:
            return Replacement(entries[index - 1][1], entries[index][1], "")
        return Replacement(entries[0][0], entries[1][0], "")
    start, end = directive.start, directive.end
    line = document.lines.line_of(start)
    begin, stop = document.lines.line_start(line), document.lines.line_start(line) + len(document.lines.line_text(line))
    before, after = text[begin:start].rstrip(), text[end:stop].strip()
    if not before.endswith((b"//", b"/*")) or after not in (b"", b"*/") or (after != b"") != before.endswith(b"/*"):
        return Replacement(start, end, "")
    code = before[:-2].rstrip()
    if not code and stop < len(text):
        return Replacement(begin, document.lines.line_start(line + 1), "")
    return Replacement(begin + len(code), stop, "")


def _unmatched_problem(directive: _Directive) -> FileProblem:
    if directive.word is _Word.BEGIN:
        message = "This `NOLINTBEGIN` has no `NOLINTEND` with the same list after it; it suppresses nothing."
    else:
        message = "This `NOLINTEND` closes no open `NOLINTBEGIN` with the same list."
    return FileProblem(ProblemKind.ANNOTATION, directive.start, directive.end, message)
