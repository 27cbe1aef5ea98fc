"""Tokens of the textual form, and the cursor that the parser reads them with."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import final

from analysis.ir.record import record


class TokenKind(Enum):
    """The values are how an error message calls them."""

    VALUE = "a value"
    SYMBOL = "a symbol"
    BRANCH = "a source branch"
    VARIABLE = "a variable"
    STRING = "a string"
    NUMBER = "a number"
    WORD = "a word"
    PUNCTUATION = "punctuation"
    NEWLINE = "the end of the line"
    END = "the end of the text"


@final
@record
class Token:
    kind: TokenKind
    text: str
    line: int
    column: int


@final
class IrSyntaxError(Exception):
    """The text is not the textual form of a function; `line` and `column` count from 1."""

    def __init__(self, line: int, column: int, expected: str, found: str) -> None:
        super().__init__(f"{line}:{column}: expected {expected}, found {found}")
        self.line = line
        self.column = column
        self.expected = expected
        self.found = found


_TOKEN = re.compile(
    r"""
      (?P<blank>[ \t\r]+|//[^\n]*)
    | (?P<NEWLINE>\n)
    | (?P<VALUE>%\w+)
    | (?P<SYMBOL>\$\w+)
    | (?P<BRANCH>!\d+)
    | (?P<VARIABLE>\#\d+)
    | (?P<STRING>"(?:[^"\\\n]|\\.)*")
    | (?P<NUMBER>-inf\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    | (?P<WORD>[A-Za-z_]\w*(?:[.-]\w+)*)
    | (?P<PUNCTUATION>->|[@:,=(){}<>\[\]/?])
    """,
    re.VERBOSE | re.ASCII,
)


def tokenize(text: str) -> Iterator[Token]:
    line, line_start, position = 1, 0, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        column = position - line_start + 1
        if match is None:
            raise IrSyntaxError(line, column, "a token", repr(text[position]))
        name = match.lastgroup
        assert name is not None
        if name != "blank":
            yield Token(TokenKind[name], match.group(), line, column)
        position = match.end()
        if name == "NEWLINE":
            line, line_start = line + 1, position
    yield Token(TokenKind.END, "", line, position - line_start + 1)


@final
class Cursor:
    """Reads tokens one by one; the `take` methods raise `IrSyntaxError` at anything else than asked for."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._position = 0

    @property
    def token(self) -> Token:
        return self._tokens[self._position]

    @property
    def following(self) -> Token:
        return self._tokens[min(self._position + 1, len(self._tokens) - 1)]

    def error(self, expected: str, token: Token | None = None) -> IrSyntaxError:
        at = token or self.token
        found = repr(at.text) if at.text.strip() else at.kind.value
        return IrSyntaxError(at.line, at.column, expected, found)

    def at(self, text: str) -> bool:
        """True at this word or punctuation."""
        return self.token.text == text and self.token.kind in (TokenKind.WORD, TokenKind.PUNCTUATION)

    def at_kind(self, kind: TokenKind) -> bool:
        return self.token.kind is kind

    def take_kind(self, kind: TokenKind) -> Token:
        if self.token.kind is not kind:
            raise self.error(kind.value)
        return self.advance()

    def take(self, text: str) -> Token:
        if not self.at(text):
            raise self.error(repr(text))
        return self.advance()

    def accept(self, text: str) -> bool:
        """Takes the token if it is this word or punctuation."""
        if self.at(text):
            self.advance()
            return True
        return False

    def word(self, expected: str = TokenKind.WORD.value) -> str:
        if self.token.kind is not TokenKind.WORD:
            raise self.error(expected)
        return self.advance().text

    def name(self) -> str:
        """A word or a quoted string."""
        if self.token.kind is TokenKind.STRING:
            return self.string()
        return self.word("a name")

    def string(self) -> str:
        token = self.take_kind(TokenKind.STRING)
        try:
            return str(json.loads(token.text))
        except ValueError:
            raise self.error("a string", token) from None

    def integer(self) -> int:
        token = self.take_kind(TokenKind.NUMBER)
        try:
            return int(token.text)
        except ValueError:
            raise self.error("an integer", token) from None

    def end_line(self) -> None:
        """Takes the end of this line and the empty lines after it."""
        if self.token.kind not in (TokenKind.NEWLINE, TokenKind.END):
            raise self.error(TokenKind.NEWLINE.value)
        self.skip_newlines()

    def skip_newlines(self) -> None:
        while self.token.kind is TokenKind.NEWLINE:
            self.advance()

    def advance(self) -> Token:
        token = self.token
        if token.kind is not TokenKind.END:
            self._position += 1
        return token
