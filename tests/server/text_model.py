"""What a text is after an edit, said as simply as possible: code points, one line after the other."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import strategies as st

ENCODINGS = ("utf-8", "utf-16", "utf-32")

_LINE_END = re.compile(r"\r\n|\r|\n")


def apply(text: str, edit: dict[str, Any], encoding: str) -> str:
    """`text` after one content change; lone surrogates arrive as question marks, as the server keeps them."""
    if "range" not in edit:
        return _printable(edit["text"])
    start, end = sorted(
        offset(text, edit["range"][side]["line"], edit["range"][side]["character"], encoding)
        for side in ("start", "end")
    )
    return text[:start] + _printable(edit["text"]) + text[end:]


def offset(text: str, line: int, character: int, encoding: str) -> int:
    """The code point a position means; positions out of range clamp, and one inside a character is its start."""
    line = max(line, 0)  # the server clamps each number on its own
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    if line >= len(starts):
        return len(text)
    body = re.match(r"[^\r\n]*", text[starts[line] :])
    assert body is not None
    units = 0
    for index, letter in enumerate(body.group()):
        units += {"utf-8": len(letter.encode()), "utf-16": 1 + (ord(letter) > 0xFFFF), "utf-32": 1}[encoding]
        if units > character:
            return starts[line] + index
    return starts[line] + len(body.group())


def _printable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


_LETTERS = st.sampled_from(
    ["a", "{", "}", ";", "\n", "\r", "\r\n", "ü", "你", "𝄞", "\u2028", "\f", "__global__ void k(){", "\0"]
)


def texts() -> st.SearchStrategy[str]:
    return st.lists(_LETTERS, max_size=30).map("".join)


def edits() -> st.SearchStrategy[dict[str, Any]]:
    number = st.integers(-2, 12) | st.sampled_from([2**31 - 1, 2**33])
    place = st.tuples(number, number).map(lambda pair: {"line": pair[0], "character": pair[1]})
    text = texts() | st.just("\ud800")
    return st.tuples(place, place, text).map(_ranged) | text.map(lambda whole: {"text": whole})


def _ranged(parts: tuple[dict[str, int], dict[str, int], str]) -> dict[str, Any]:
    return {"range": {"start": parts[0], "end": parts[1]}, "text": parts[2]}
