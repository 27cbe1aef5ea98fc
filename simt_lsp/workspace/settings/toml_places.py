"""Where does what stand in a TOML text?  The parser of the standard library says what the values are, not where.

Rules    The text is known to be valid TOML (`tomllib` has read it), so that a value ends where the next thing begins.
         Offsets are in bytes.  Inline tables are looked into; what lists hold is not.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Final, final

from analysis.ir.record import record

Path = tuple[str, ...]

_SPACE: Final = re.compile(rb"(?:[ \t\r\n]|#[^\n]*)*")
_BLANK: Final = re.compile(rb"[ \t]*")
_STRING: Final = re.compile(
    rb'"""(?:[^\\]|\\.)*?"{3,5}' rb"|'''.*?'{3,5}" rb'|"(?:[^"\\\n]|\\.)*"' rb"|'[^'\n]*'", re.DOTALL
)
_PART: Final = re.compile(rb"[A-Za-z0-9_-]+")
_BARE: Final = re.compile(rb"[^,\]}\r\n#]*")


@final
@record
class Entry:
    """A key with its value; `path` begins at the top of the file."""

    path: Path
    start: int
    value_start: int
    end: int


@final
@record
class Header:
    """The line `[path]` of a table."""

    path: Path
    start: int
    end: int


def toml_places(text: bytes) -> Iterator[Entry | Header]:
    """Every key and every header of a valid text, in order; an entry stands before those inside its value."""
    at, table = _skip(_SPACE, text, 0), ()
    while at < len(text):
        if text[at : at + 1] == b"[":
            brackets = 2 if text[at : at + 2] == b"[[" else 1
            table, end = _key(text, _skip(_BLANK, text, at + brackets))
            end = _skip(_BLANK, text, end) + brackets
            yield Header(table, at, end)
        else:
            entries = _entries(text, at, table)
            yield from entries
            end = entries[0].end
        at = _skip(_SPACE, text, end)


def _entries(text: bytes, at: int, table: Path) -> list[Entry]:
    """The entry that begins here, and those in its value."""
    path, end = _key(text, at)
    value = _skip(_BLANK, text, _skip(_BLANK, text, end) + 1)
    inner: list[Entry] = []
    end = _value(text, value, (*table, *path), inner)
    return [Entry((*table, *path), at, value, end), *inner]


def _key(text: bytes, at: int) -> tuple[Path, int]:
    parts: list[str] = []
    while True:
        match = _PART.match(text, at) or _STRING.match(text, at)
        if match is None:
            return tuple(parts), at
        parts.append(_name(match[0]))
        end = match.end()
        dot = _skip(_BLANK, text, end)
        if text[dot : dot + 1] != b".":
            return tuple(parts), end
        at = _skip(_BLANK, text, dot + 1)


def _name(part: bytes) -> str:
    if part[:1] not in (b'"', b"'"):
        return part.decode()
    return str(tomllib.loads(f"name = {part.decode()}")["name"])


def _value(text: bytes, at: int, path: Path, inner: list[Entry]) -> int:
    """The end of the value that begins here; entries of inline tables are added to `inner`."""
    string = _STRING.match(text, at)
    if string is not None:
        return string.end()
    opening = text[at : at + 1]
    if opening not in (b"[", b"{"):
        end = _skip(_BARE, text, at)
        return at + len(text[at:end].rstrip())
    closing = b"]" if opening == b"[" else b"}"
    at = _skip(_SPACE, text, at + 1)
    while at < len(text) and text[at : at + 1] != closing:
        if opening == b"[":
            at = _value(text, at, path, [])
        else:
            found = _entries(text, at, path)
            inner += found
            at = found[0].end
        at = _skip(_SPACE, text, at)
        if text[at : at + 1] == b",":
            at = _skip(_SPACE, text, at + 1)
    return at + 1


def _skip(pattern: re.Pattern[bytes], text: bytes, at: int) -> int:
    match = pattern.match(text, at)
    return at if match is None else match.end()
