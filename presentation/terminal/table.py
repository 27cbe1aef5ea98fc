"""Tables of the terminal report: columns under titles, in a given width."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Final, TypeAlias

_NARROWEST: Final = 6
_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Tone(Enum):
    """What a piece of text is; how it looks is the shell's choice."""

    PLAIN = "plain"
    TITLE = "title"
    HEADING = "heading"
    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"
    MUTED = "muted"


Piece: TypeAlias = tuple[str, Tone]
Line: TypeAlias = tuple[Piece, ...]


def table(titles: Sequence[str], rows: Sequence[Line], width: int, *, right: set[int], stretch: int) -> Iterator[Line]:
    """Columns two apart under their titles; the first title is the section's.

    The column `stretch` gives way to the width, and where that is not enough, the others that hold words.
    """
    texts = [[text for text, _ in row] for row in rows]
    widths = [max(len(row[at]) for row in texts) for at in range(len(titles))]
    widths[1:] = [max(width, len(title)) for width, title in zip(widths[1:], titles[1:], strict=True)]
    widths[0] = max(widths[0], len(titles[0]) - 2 if titles[1] else 0)
    for at in (stretch, *(at for at in range(len(widths) - 1, -1, -1) if at not in right)):
        surplus = 2 + sum(widths) + 2 * (len(widths) - 1) - width
        widths[at] = min(widths[at], max(widths[at] - max(surplus, 0), _NARROWEST))
    yield _head(titles, widths, right)
    for row in rows:
        yield tuple(_pieces(row, widths, right))


def heading(title: str) -> Line:
    return ((title, Tone.HEADING),)


def cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def _head(titles: Sequence[str], widths: Sequence[int], right: set[int]) -> Line:
    """The section's title may reach into a second column without one."""
    spanned = 1 if titles[1] else 2
    first = titles[0].ljust(sum(widths[:spanned]) + 2 * spanned)
    columns = list(enumerate(zip(titles, widths, strict=True)))[spanned:]
    cells = [_placed(cut(title, width), width, at in right) for at, (title, width) in columns]
    rest = "  ".join(cells).rstrip()
    return ((first, Tone.HEADING), ("  " + rest, Tone.MUTED)) if rest else heading(titles[0])


def _pieces(row: Line, widths: Sequence[int], right: set[int]) -> Iterator[Piece]:
    last = max((at for at, (text, _) in enumerate(row) if text), default=0)
    for at, (text, tone) in enumerate(row[: last + 1]):
        cell = _placed(cut(text, widths[at]), widths[at], at in right)
        yield "  " + (cell.rstrip() if at == last else cell), tone


def _placed(text: str, width: int, is_right: bool) -> str:
    return text.rjust(width) if is_right else text.ljust(width)


def clean(text: str) -> str:
    """Nothing that a terminal would obey: the text comes from the kernel's file."""
    return _UNPRINTABLE.sub("·", text.expandtabs(4))
