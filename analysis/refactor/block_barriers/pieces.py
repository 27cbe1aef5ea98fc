"""A function's body taken apart at its barriers: pieces that all threads run, and pieces under a guard; and as text.

Rules     The author's lines keep their comments and, where they stay at their depth, every byte.
          Neighbours under one guard share it; what stands under a guard and what stands under its opposite become the
          two arms of one branch.
          One simple statement stands in the line of its guard where that is short, anything else in braces, which stand
          where the author puts them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, assert_never, final

from analysis.ir.record import record
from analysis.refactor.block_barriers.expressions import Condition, conjunction

MAX_COLUMNS: Final = 100
_TAB: Final = 4


@final
@record
class Lines:
    """Lines of the author, which now begin with `indent`."""

    lines: tuple[str, ...]
    indent: str


@final
@record
class Open:
    """What all threads run; `is_meeting`: the barrier itself."""

    text: Lines
    is_meeting: bool = False


@final
@record
class Guarded:
    """What those alone run for whom all `conditions` hold; `opposite` is what holds for exactly all others.

    `is_simple`: one statement that may follow a condition without braces.
    """

    conditions: tuple[Condition, ...]
    texts: tuple[Lines, ...]
    is_simple: bool
    opposite: tuple[Condition, ...] | None = None


@final
@record
class Nested:
    """A block with a head: a loop, a branch on which all threads agree, or (without a head) a plain one."""

    head: str
    body: tuple[Piece, ...]
    foot: str = ""
    otherwise: Nested | None = None
    remark: str = ""
    """A comment at the end of the head's line."""


Piece: TypeAlias = Open | Guarded | Nested


@final
@record
class Style:
    """`unit` is one step of indentation; `is_below`: an opening brace has a line of its own."""

    unit: str
    is_below: bool


def written(pieces: Sequence[Piece], indent: str, style: Style) -> Iterator[str]:
    """The lines, without their ends."""
    merged = list(_merged(pieces))
    index = 0
    while index < len(merged):
        piece = merged[index]
        index += 1
        match piece:
            case Open(text=text):
                yield from _moved(text, indent)
            case Guarded():
                other = merged[index] if index < len(merged) else None
                if isinstance(other, Guarded) and other.conditions == piece.opposite:
                    index += 1
                    yield from _guarded(piece, indent, style, other)
                else:
                    yield from _guarded(piece, indent, style, None)
            case Nested():
                yield from _nested(piece, indent, style)
            case _:
                assert_never(piece)


def _merged(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Neighbours under one guard as one."""
    last: Piece | None = None
    for piece in pieces:
        if isinstance(last, Guarded) and isinstance(piece, Guarded) and last.conditions == piece.conditions:
            last = replace(last, texts=(*last.texts, *piece.texts), is_simple=False)
            continue
        if last is not None:
            yield last
        last = piece
    if last is not None:
        yield last


def _guarded(piece: Guarded, indent: str, style: Style, other: Guarded | None) -> Iterator[str]:
    inner = indent + style.unit
    lines = [line for text in piece.texts for line in _moved(text, inner)]
    while lines and not lines[0].strip():
        yield lines.pop(0)
    head = f"if ({conjunction(piece.conditions)})"
    if other is None:
        if piece.is_simple and len(lines) == 1 and len(f"{indent}{head} {lines[0].strip()}") <= MAX_COLUMNS:
            yield f"{indent}{head} {lines[0].strip()}"
            return
        yield from _block(head, lines, "", indent, style)
        return
    others = [line for text in other.texts for line in _moved(text, inner)]
    while others and not others[0].strip():
        others.pop(0)
    yield from _arms(head, lines, others, indent, style)


def _nested(piece: Nested, indent: str, style: Style) -> Iterator[str]:
    body = list(written(piece.body, indent + style.unit, style))
    if piece.otherwise is None:
        yield from _block(piece.head, body, piece.foot, indent, style, piece.remark)
    else:
        others = list(written(piece.otherwise.body, indent + style.unit, style))
        yield from _arms(piece.head, body, others, indent, style)


def _block(head: str, body: Sequence[str], foot: str, indent: str, style: Style, remark: str = "") -> Iterator[str]:
    yield from _opened(head, indent, style, remark)
    yield from body
    yield f"{indent}}}{foot}"


def _arms(head: str, body: Sequence[str], others: Sequence[str], indent: str, style: Style) -> Iterator[str]:
    yield from _opened(head, indent, style)
    yield from body
    if style.is_below:
        yield f"{indent}}}"
        yield from _opened("else", indent, style)
    else:
        yield f"{indent}}} else {{"
    yield from others
    yield f"{indent}}}"


def _opened(head: str, indent: str, style: Style, remark: str = "") -> Iterator[str]:
    remark = f" {remark}" if remark else ""
    if not head:
        yield f"{indent}{{"
    elif style.is_below:
        yield f"{indent}{head}{remark}"
        yield f"{indent}{{"
    else:
        yield f"{indent}{head} {{{remark}"


def _moved(text: Lines, indent: str) -> Iterator[str]:
    for line in text.lines:
        if text.indent == indent or not line.strip():
            yield line
        elif line.startswith(text.indent):
            yield indent + line[len(text.indent) :]
        else:
            deeper = max(0, _width(line) - len(text.indent.expandtabs(_TAB)))
            yield indent + " " * deeper + line.lstrip()


def _width(line: str) -> int:
    """Of the white space that it begins with."""
    return len(line[: len(line) - len(line.lstrip())].expandtabs(_TAB))
