r"""Where is an offset, and what is the offset of a position?

Rules    Lines end with `\n`, `\r\n` or `\r`, as LSP says (not `\f`, `\v`, U+2028).  Lines and characters count from 0.
         A character past the end of its line clamps to just before the line end; a line past the last one clamps to
         the end of the text; a character that points into the middle of an encoded character moves to its start.
         Each byte that is not valid UTF-8 counts as one character in UTF-16 and UTF-32, and as itself in UTF-8.
Cost     The line table is built on first use, in C (`splitlines`); a position decodes its own line only, and not even
         that when the line is ASCII.
"""

from bisect import bisect_right
from collections.abc import Sequence
from enum import Enum
from functools import cached_property
from itertools import accumulate
from typing import final


class PositionEncoding(Enum):
    """The unit that counts the characters of a line, as negotiated with the client."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


@final
class LineIndex:
    """The line table of one immutable text."""

    def __init__(self, text: bytes) -> None:
        self._text = text

    @property
    def line_count(self) -> int:
        """At least 1: a text that ends with a line end has an empty last line."""
        return len(self.starts)

    def line_start(self, line: int) -> int:
        """The offset of the first byte of `line`, clamped."""
        return self.starts[min(max(line, 0), len(self.starts) - 1)]

    def line_text(self, line: int) -> bytes:
        """The bytes of `line` without its line end."""
        line = min(max(line, 0), len(self.starts) - 1)
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self._text)
        return without_line_end(self._text[self.starts[line] : end])

    def line_of(self, offset: int) -> int:
        """The line that holds the byte at `offset`, clamped."""
        return max(bisect_right(self.starts, offset) - 1, 0)

    def position(self, offset: int, encoding: PositionEncoding) -> tuple[int, int]:
        """(line, character) of `offset`; an offset inside a line end is the end of that line."""
        line = self.line_of(min(max(offset, 0), len(self._text)))
        return line, units_before(self.line_text(line), offset - self.starts[line], encoding)

    def offset(self, line: int, character: int, encoding: PositionEncoding) -> int:
        """The byte offset of a position; never raises, see the rules of clamping above."""
        if line < 0:
            return 0
        if line >= len(self.starts):
            return len(self._text)
        return self.starts[line] + bytes_before(self.line_text(line), character, encoding)

    @cached_property
    def starts(self) -> Sequence[int]:
        """The offsets at which lines start."""
        return line_starts(self._text)


def line_starts(text: bytes) -> list[int]:
    """The offsets at which lines start; `bytes.splitlines` knows exactly the three line ends of LSP."""
    starts = list(accumulate(map(len, text.splitlines(keepends=True)), initial=0))
    if len(starts) > 1 and not text.endswith((b"\n", b"\r")):
        starts.pop()
    return starts


def without_line_end(line: bytes) -> bytes:
    if line.endswith(b"\n"):
        line = line[:-1]
    return line[:-1] if line.endswith(b"\r") else line


def units_before(line: bytes, length: int, encoding: PositionEncoding) -> int:
    """How many units of `encoding` the first `length` bytes of `line` hold; clamped."""
    length = min(max(length, 0), len(line))
    if encoding is PositionEncoding.UTF8 or line.isascii():
        return length
    prefix = _decode(line[: _character_start(line, length)])
    if encoding is PositionEncoding.UTF32:
        return len(prefix)
    return len(prefix.encode("utf-16-le", "surrogatepass")) // 2


def bytes_before(line: bytes, character: int, encoding: PositionEncoding) -> int:
    """How many bytes of `line` the first `character` units of `encoding` take; clamped."""
    character = max(character, 0)
    if line.isascii():
        return min(character, len(line))
    match encoding:
        case PositionEncoding.UTF8:
            return _character_start(line, min(character, len(line)))
        case PositionEncoding.UTF32:
            return len(_encode(_decode(line)[:character]))
        case PositionEncoding.UTF16:
            units = _decode(line).encode("utf-16-le", "surrogatepass")[: 2 * character]
            # Invalid bytes are low surrogates on their own, so a high one at the end is half of a pair.
            if len(units) >= 2 and 0xD8 <= units[-1] <= 0xDB:
                units = units[:-2]
            return len(_encode(units.decode("utf-16-le", "surrogatepass")))


def _character_start(line: bytes, offset: int) -> int:
    """The start of the encoded character that `offset` points into; `offset` itself in invalid text."""
    for start in range(offset - 1, max(offset - 4, -1), -1):
        if line[start] & 0xC0 != 0x80:
            width = len(_encode(_decode(line[start : start + 4])[:1]))
            return start if start + width > offset else offset
    return offset


def _decode(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
