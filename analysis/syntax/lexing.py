"""The lexical shapes of C++ that several passes share, as compiled patterns.

Rules    Only shapes that hide text from a reader of structure matter here: comments, strings, characters, directives.
         An unterminated string or character ends with its line, an unterminated comment or raw string with the file.
Cost     A search skips to the next character that some alternative can start with, if each starts with a character
         that it spells: three times faster than where one starts with a class, a group or an assertion.
Limits   Trigraphs are not read.  A digit separator (`1'000`) counts as an opening quote when it stands alone on a line.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from analysis.ir.pace import paced, spend

COMMENT: Final = rb"//[^\\\n]*(?:\\(?:\r\n|.)[^\\\n]*)*|/\*.*?(?:\*/|\Z)"
STRING: Final = rb'"[^"\\\n]*(?:\\(?:\r\n|.)[^"\\\n]*)*"?'
CHARACTER: Final = rb"'[^'\\\n]*(?:\\.[^'\\\n]*)*'"
RAW_STRING: Final = rb'\bu?8?[LUu]?R"(?P<raw>[^()\\\s]{0,16})\(.*?(?:\)(?P=raw)"|\Z)'
STRING_BODY: Final = (
    rb'"(?:(?:(?<=\bR")|(?<=\b[LUu]R")|(?<=\bu8R"))(?P<raw>[^()\\\s]{0,16})\(.*?(?:\)(?P=raw)"|\Z)'
    rb'|[^"\\\n]*(?:\\(?:\r\n|.)[^"\\\n]*)*"?)'
)
"""A string, raw or not, without what stands before its first quote."""
NUMBER: Final = rb"\.?[0-9](?:[eEpP][+-]|'[0-9a-fA-F]|[0-9a-zA-Z_.])*"
WORD: Final = rb"[A-Za-z_$][A-Za-z0-9_$]*"

SKIPPED: Final = re.compile(rb"(?:[ \t\r\n\f\v]+|\\\r?\n|" + COMMENT + rb")*", re.DOTALL)
"""White space and comments between tokens; always matches."""

DIRECTIVE: Final = re.compile(rb"#[^\n\\/]*(?:(?:\\(?:\r\n|.)|//[^\n\\]*|/\*.*?(?:\*/|\Z)|/)[^\n\\/]*)*", re.DOTALL)
"""A directive from its `#` to the end of its logical line."""

IDENTIFIER: Final = re.compile(WORD)

STRETCH: Final = 100_000
BYTES_OF_A_ROUND: Final = 100
"""One pass of a pattern over so many takes a microsecond or two."""

HIDDEN: Final = re.compile(COMMENT + rb"|" + STRING_BODY + rb"|" + CHARACTER, re.DOTALL)
"""What hides text; the `R` of a raw string is left out."""

LAUNCH: Final = re.compile(rb"<<[ \t]*<")
"""What opens the configuration of a launch; formatters that do not know CUDA put a blank into it."""
LAUNCH_END: Final = re.compile(rb">>[ \t]*>")

_BETWEEN_WORDS: Final = re.compile(rb"[^\w$]")
_CONTINUATION: Final = re.compile(rb"\\\r?\n")
_COMMENT_OR_TEXT: Final = re.compile(rb"(" + COMMENT + rb")|" + STRING + rb"|" + CHARACTER, re.DOTALL)


def without_comments(text: bytes) -> bytes:
    """`text` with every comment replaced by one space, as translation phase 3 does."""
    if b"/" not in text:
        return text
    return _COMMENT_OR_TEXT.sub(lambda match: b" " if match[1] is not None else match[0], text)


def logical_line(text: bytes) -> bytes:
    """A directive's text without comments and with continued lines joined."""
    if b"\\" in text:
        text = _CONTINUATION.sub(b"", text)
    return without_comments(text)


def starts_line(text: bytes, offset: int) -> bool:
    """Whether only blanks stand before `offset` in its line."""
    while offset > 0:
        before = text[offset - 1]
        if before == 0x0A or before == 0x0D:
            return True
        if before != 0x20 and before != 0x09:
            return False
        offset -= 1
    return True


def replaced(pattern: re.Pattern[bytes], by: Callable[[re.Match[bytes]], bytes], text: bytes) -> bytes:
    """`pattern.sub(by, text)`, with turns for others in a long text."""
    if len(text) <= STRETCH:
        return pattern.sub(by, text)
    pieces: list[bytes] = []
    end = 0
    for found in paced(pattern.finditer(text)):
        pieces += (text[end : found.start()], by(found))
        end = found.end()
    spend(len(text) // BYTES_OF_A_ROUND)
    return b"".join([*pieces, text[end:]]) if pieces else text


def without_hidden(text: bytes) -> bytes:
    """The text with a blank for each comment, string and character."""
    return replaced(HIDDEN, lambda _: b" ", text)


def occurrences(text: bytes, word: bytes) -> int:
    """How often a text names an identifier."""
    if word not in text:
        return 0
    return sum(IDENTIFIER.findall(text, start, end).count(word) for start, end in stretches(text))


def identifiers(text: bytes) -> frozenset[bytes]:
    """Every identifier of `text`, also those in comments and strings: cheap, and never too few."""
    if len(text) <= STRETCH:
        return frozenset(IDENTIFIER.findall(text))
    found = set[bytes]()
    for start, end in stretches(text):
        found.update(IDENTIFIER.findall(text, start, end))
    return frozenset(found)


def stretches(text: bytes) -> Iterator[tuple[int, int]]:
    """The text in pieces that end with lines, or else between words, with turns for others between them."""
    start = 0
    while start < len(text):
        line_end = text.find(b"\n", start + STRETCH, start + 2 * STRETCH)
        between = _BETWEEN_WORDS.search(text, start + STRETCH) if line_end < 0 else None
        end = line_end + 1 if line_end >= 0 else len(text) if between is None else between.end()
        yield start, end
        spend((end - start) // BYTES_OF_A_ROUND)
        start = end
