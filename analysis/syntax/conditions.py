"""Is the condition of an `#if` true?

Rules    As in C++: `defined`, `__has_include`, then macro expansion, then an integer expression in which any name that
         is left is 0.  Numbers are 64 bits wide, with or without a sign; where one of two has none, neither has.
         What `&&`, `||` and `?` leave out may divide by zero.
         `__has_attribute`, `__has_builtin` and their like are 0.  What cannot be read is false.
Bounds   Expansion has a small budget and brackets nest at most `_MAX_NESTING` deep.
Source   C++ standard, "Conditional inclusion" and "Integer literals".
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, final

from analysis.ir.integers import quotient, remainder, wrapped
from analysis.syntax.expansion import Budget, BudgetSpent, Expander, lex
from analysis.syntax.lexing import WORD
from analysis.syntax.macros import MacroLookup, is_defined


def evaluate(condition: bytes, macros: MacroLookup, has_include: Callable[[bytes], bool]) -> bool | None:
    """Whether the condition holds; None when it cannot be read."""
    text = _DEFINED.sub(lambda match: b" 1 " if is_defined(match[1] or match[2], macros) else b" 0 ", condition)
    if b"__has_" in text:
        text = _HAS_INCLUDE.sub(lambda match: b" 1 " if has_include(match[1]) else b" 0 ", text)
        text = _HAS_OTHER.sub(b" 0 ", text)
    try:
        tokens = Expander(macros, Budget(5_000, 100_000), in_condition=True).expand(list(lex(text)))
        words = [token.text for token in tokens]
        if b"defined" in words:  # produced by a macro: GNU evaluates it, and so do we
            again = b" ".join(words)
            again = _DEFINED.sub(lambda match: b" 1 " if is_defined(match[1] or match[2], macros) else b" 0 ", again)
            words = [token.text for token in lex(again)]
    except BudgetSpent:
        return None
    return _holds(tuple(words))


@lru_cache(maxsize=1 << 12)
def _holds(words: tuple[bytes, ...]) -> bool | None:
    """Whether an expression without names that mean anything holds; None when it is none."""
    try:
        return bool(_Evaluator(words).run().value)
    except _Unreadable:
        return None


class _Unreadable(Exception):
    """The expression is not one."""


class _Number(NamedTuple):
    """64 bits as a number, with or without a sign."""

    value: int
    unsigned: bool = False


def _wrapped(value: int, *, unsigned: bool = False) -> _Number:
    return _Number(wrapped(value, 64, not unsigned), unsigned)


@final
class _Evaluator:
    """Precedence climbing over a list of tokens."""

    def __init__(self, tokens: Sequence[bytes]) -> None:
        self._tokens = tokens
        self._at = 0
        self._nesting = 0
        self._left_out = 0
        """How many operators around what is read leave it out."""

    def run(self) -> _Number:
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

    def _conditional(self, *, left_out: bool = False) -> _Number:
        self._nesting += 1
        if self._nesting > _MAX_NESTING:
            raise _Unreadable
        self._left_out += left_out
        value = self._binary(0)
        if self._next() == b"?":
            self._at += 1
            yes = self._conditional(left_out=not value.value)
            self._expect(b":")
            no = self._conditional(left_out=bool(value.value))
            value = _wrapped((yes if value.value else no).value, unsigned=yes.unsigned or no.unsigned)
        self._left_out -= left_out
        self._nesting -= 1
        return value

    def _binary(self, level: int) -> _Number:
        left = self._unary()
        while True:
            operator = self._next()
            precedence = _PRECEDENCE.get(operator, -1)
            if precedence < level:
                return left
            self._at += 1
            left_out = (operator == b"&&" and not left.value) or (operator == b"||" and bool(left.value))
            self._left_out += left_out
            right = self._binary(precedence + 1)
            self._left_out -= left_out
            left = self._apply(operator, left, right)

    def _unary(self) -> _Number:
        signs: list[bytes] = []
        while (token := self._next()) in (b"!", b"-", b"+", b"~"):
            signs.append(token)
            self._at += 1
        value = self._primary()
        for sign in reversed(signs):
            match sign:
                case b"!":
                    value = _Number(int(not value.value))
                case b"-":
                    value = _wrapped(-value.value, unsigned=value.unsigned)
                case b"~":
                    value = _wrapped(~value.value, unsigned=value.unsigned)
                case _:
                    pass
        return value

    def _primary(self) -> _Number:
        token = self._next()
        self._at += 1
        if token == b"(":
            value = self._conditional()
            self._expect(b")")
            return value
        if token[:1].isdigit():
            return _number(token)
        if token[:1] == b"'" and len(token) >= 3:
            return _Number(token[1])
        if _NAME.fullmatch(token):
            if self._next() == b"(":  # an unknown function-like name
                return self._skip_call()
            return _Number(int(token == b"true"))
        raise _Unreadable

    def _skip_call(self) -> _Number:
        depth = 0
        while self._at < len(self._tokens):
            depth += (self._next() == b"(") - (self._next() == b")")
            self._at += 1
            if not depth:
                return _Number(0)
        raise _Unreadable

    def _apply(self, operator: bytes, left: _Number, right: _Number) -> _Number:
        if operator in (b"<<", b">>"):
            return _wrapped(_shifted(left.value, right.value, operator), unsigned=left.unsigned)
        unsigned = left.unsigned or right.unsigned
        if operator not in (b"&&", b"||"):
            left, right = _wrapped(left.value, unsigned=unsigned), _wrapped(right.value, unsigned=unsigned)
        if operator in (b"/", b"%"):
            return _wrapped(self._divided(left.value, right.value, operator), unsigned=unsigned)
        value = int(_OPERATORS[operator](left.value, right.value))
        return _Number(value) if operator in _COMPARING else _wrapped(value, unsigned=unsigned)

    def _divided(self, left: int, right: int, operator: bytes) -> int:
        if not right:
            if self._left_out:
                return 0
            raise _Unreadable
        return quotient(left, right) if operator == b"/" else remainder(left, right)


def _shifted(value: int, by: int, operator: bytes) -> int:
    by = min(max(by, 0), 63)
    return value << by if operator == b"<<" else value >> by


def _number(token: bytes) -> _Number:
    """A number that only fits without a sign has none, unless it is decimal."""
    digits = token.rstrip(b"uUlLzZ")
    unsigned = b"u" in token[len(digits) :].lower()
    digits = digits.replace(b"'", b"")
    try:
        is_octal = digits[:1] == b"0" and digits[1:].isdigit()
        value = int(digits[:80], 8) if is_octal else int(digits[:80], 0)
    except ValueError:
        raise _Unreadable from None
    is_decimal = digits[:1] != b"0"
    return _wrapped(value, unsigned=unsigned or (value >= 1 << 63 and not is_decimal))


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
    b"+": lambda left, right: left + right,
    b"-": lambda left, right: left - right,
    b"*": lambda left, right: left * right,
}
_COMPARING: Final = frozenset({b"==", b"!=", b"<", b">", b"<=", b">=", b"&&", b"||"})
_LEVELS: Final = (
    (b"||",), (b"&&",), (b"|",), (b"^",), (b"&",), (b"==", b"!="), (b"<", b">", b"<=", b">="), (b"<<", b">>"),
    (b"+", b"-"), (b"*", b"/", b"%"),
)  # fmt: skip
_PRECEDENCE: Final = {operator: level for level, row in enumerate(_LEVELS) for operator in row}
