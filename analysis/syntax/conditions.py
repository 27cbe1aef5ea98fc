"""Is the condition of an `#if` true?

Rules    As in C: `defined`, `__has_include`, then macro expansion, then an integer expression in which any name that is
         left is 0.  Numbers are 64 bits wide; a `u` suffix is accepted, comparisons are signed.
         `__has_attribute`, `__has_builtin` and their like are 0.  What cannot be read is false.
Bounds   Expansion has a small budget and brackets nest at most `_MAX_NESTING` deep.
"""

import re
from collections.abc import Callable
from typing import Final, final

from analysis.syntax.expansion import Budget, BudgetSpent, Expander, lex
from analysis.syntax.lexing import WORD
from analysis.syntax.macros import MacroLookup


def evaluate(condition: bytes, macros: MacroLookup, has_include: Callable[[bytes], bool]) -> bool | None:
    """Whether the condition holds; None when it cannot be read."""
    text = _DEFINED.sub(lambda match: b" 1 " if macros.get(match[1] or match[2]) else b" 0 ", condition)
    if b"__has_" in text:
        text = _HAS_INCLUDE.sub(lambda match: b" 1 " if has_include(match[1]) else b" 0 ", text)
        text = _HAS_OTHER.sub(b" 0 ", text)
    try:
        tokens = Expander(macros, Budget(5_000, 100_000), in_condition=True).expand(list(lex(text)))
        words = [token.text for token in tokens]
        if b"defined" in words:  # produced by a macro: GNU evaluates it, and so do we
            again = b" ".join(words)
            again = _DEFINED.sub(lambda match: b" 1 " if macros.get(match[1] or match[2]) else b" 0 ", again)
            words = [token.text for token in lex(again)]
        return bool(_Evaluator(words).run())
    except (BudgetSpent, _Unreadable):
        return None


class _Unreadable(Exception):
    """The expression is not one."""


@final
class _Evaluator:
    """Precedence climbing over a list of tokens."""

    def __init__(self, tokens: list[bytes]) -> None:
        self._tokens = tokens
        self._at = 0
        self._nesting = 0

    def run(self) -> int:
        value = self._conditional()
        if self._at < len(self._tokens):
            raise _Unreadable
        return value

    def _next(self) -> bytes:
        return self._tokens[self._at] if self._at < len(self._tokens) else b""

    def _expect(self, text: bytes) -> None:
        if self._next() != text:
            raise _Unreadable
        self._at += 1

    def _conditional(self) -> int:
        self._nesting += 1
        if self._nesting > _MAX_NESTING:
            raise _Unreadable
        value = self._binary(0)
        if self._next() == b"?":
            self._at += 1
            yes = self._conditional()
            self._expect(b":")
            no = self._conditional()
            value = yes if value else no
        self._nesting -= 1
        return value

    def _binary(self, level: int) -> int:
        left = self._unary()
        while True:
            operator = self._next()
            precedence = _PRECEDENCE.get(operator, -1)
            if precedence < level:
                return left
            self._at += 1
            left = _apply(operator, left, self._binary(precedence + 1))

    def _unary(self) -> int:
        signs: list[bytes] = []
        while (token := self._next()) in (b"!", b"-", b"+", b"~"):
            signs.append(token)
            self._at += 1
        value = self._primary()
        for sign in reversed(signs):
            match sign:
                case b"!":
                    value = int(not value)
                case b"-":
                    value = -value
                case b"~":
                    value = ~value
                case _:
                    pass
        return value

    def _primary(self) -> int:
        token = self._next()
        self._at += 1
        if token == b"(":
            value = self._conditional()
            self._expect(b")")
            return value
        if token[:1].isdigit():
            return _number(token)
        if token[:1] == b"'" and len(token) >= 3:
            return token[1]
        if _NAME.fullmatch(token):
            if self._next() == b"(":  # an unknown function-like name
                return self._skip_call()
            return int(token == b"true")
        raise _Unreadable

    def _skip_call(self) -> int:
        depth = 0
        while self._at < len(self._tokens):
            depth += (self._next() == b"(") - (self._next() == b")")
            self._at += 1
            if not depth:
                return 0
        raise _Unreadable


def _apply(operator: bytes, left: int, right: int) -> int:
    if operator in (b"/", b"%"):
        if not right:
            raise _Unreadable
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if operator == b"/" else left - quotient * right
    if operator in (b"<<", b">>"):
        right = min(max(right, 0), 63)
    return _wrap(int(_OPERATORS[operator](left, right)))


def _wrap(value: int) -> int:
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def _number(token: bytes) -> int:
    digits = token.rstrip(b"uUlLzZ").replace(b"'", b"")
    try:
        if digits[:1] == b"0" and digits[1:].isdigit():
            return int(digits, 8)
        return _wrap(int(digits[:40], 0))
    except ValueError:
        raise _Unreadable from None


_MAX_NESTING: Final = 60
_NAME: Final = re.compile(WORD)
_DEFINED: Final = re.compile(rb"\bdefined\s*(?:\(\s*(" + WORD + rb")\s*\)|(" + WORD + rb"))")
_HAS_INCLUDE: Final = re.compile(rb'__has_include(?:_next)?\s*\(\s*("[^"]*"|<[^>]*>)\s*\)')
_HAS_OTHER: Final = re.compile(rb"__has_[a-z_]+\s*\([^()]*\)")
_OPERATORS: Final[dict[bytes, Callable[[int, int], int]]] = {
    b"||": lambda left, right: int(bool(left or right)),
    b"&&": lambda left, right: int(bool(left and right)),
    b"|": lambda left, right: left | right,
    b"^": lambda left, right: left ^ right,
    b"&": lambda left, right: left & right,
    b"==": lambda left, right: int(left == right),
    b"!=": lambda left, right: int(left != right),
    b"<": lambda left, right: int(left < right),
    b">": lambda left, right: int(left > right),
    b"<=": lambda left, right: int(left <= right),
    b">=": lambda left, right: int(left >= right),
    b"<<": lambda left, right: left << right,
    b">>": lambda left, right: left >> right,
    b"+": lambda left, right: left + right,
    b"-": lambda left, right: left - right,
    b"*": lambda left, right: left * right,
}
_LEVELS: Final = (
    (b"||",), (b"&&",), (b"|",), (b"^",), (b"&",), (b"==", b"!="), (b"<", b">", b"<=", b">="), (b"<<", b">>"),
    (b"+", b"-"), (b"*", b"/", b"%"),
)  # fmt: skip
_PRECEDENCE: Final = {operator: level for level, row in enumerate(_LEVELS) for operator in row}
