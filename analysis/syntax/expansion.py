"""Macro expansion of token lists, after the algorithm that the C standard describes (Prosser, 1986).

Rules    A name is not expanded again inside its own expansion: each token carries the set of names it came from.
         Arguments are expanded before they replace a parameter, except next to `#` and `##`.
         `__VA_ARGS__`, `__VA_OPT__(...)` and GNU's `, ## __VA_ARGS__` are known.
         A token remembers the source range it stands for: tokens of an argument their own, tokens of a macro's body the
         range of the use.
Bounds   A `Budget` counts every token that any expansion produces; when it is spent, `BudgetSpent` ends the use and the
         caller leaves the macro as it is written.
Limits   A directive inside a macro's arguments is ignored.  `__COUNTER__` is 0.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple, final

from analysis.ir.pace import paced, popped
from analysis.syntax.lexing import CHARACTER, COMMENT, NUMBER, RAW_STRING, STRING, WORD
from analysis.syntax.macros import MacroDefinition, MacroLookup


class Token(NamedTuple):
    """One preprocessing token and the source range that it stands for."""

    text: bytes
    start: int
    end: int
    space: bool
    hidden: frozenset[bytes] = frozenset()


class BudgetSpent(Exception):
    """An expansion grew past its bound; never leaves this package."""


@final
class Budget:
    """How many more tokens and bytes expansions may produce."""

    def __init__(self, tokens: int = 200_000, size: int = 2_000_000) -> None:
        self.tokens = tokens
        self.size = size

    def spend(self, tokens: list[Token]) -> None:
        self.tokens -= len(tokens)
        self.size -= sum([len(token.text) for token in tokens])
        if self.tokens < 0 or self.size < 0:
            raise BudgetSpent


MAX_TOKENS_PER_USE: Final = 50_000
MAX_NESTING: Final = 100
MAX_CHAIN: Final = 1_000
"""A macro that stands for another one, and so on: each token of the last one knows them all."""


def lex(text: bytes, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """The tokens of `text` with their own offsets; comments are space."""
    space = False
    for match in TOKEN.finditer(text, start, len(text) if end is None else end):
        if match.lastgroup == "space":
            space = True
            continue
        yield Token(match[0], match.start(), match.end(), space)
        space = False


@final
class Expander:
    """Expands the uses of macros in one text."""

    def __init__(self, macros: MacroLookup, budget: Budget | None = None, in_condition: bool = False) -> None:
        self._macros = macros
        self._in_condition = in_condition
        self._budget = Budget() if budget is None else budget
        self.used: dict[bytes, MacroDefinition] = {}

    def expand(self, tokens: list[Token]) -> list[Token]:
        """All tokens of a closed list, expanded."""
        return self._expand(tokens, None, 0)

    def expand_use(self, first: Token, rest: Iterator[Token]) -> list[Token]:
        """Expand the macro use that begins with `first`; tokens are taken from `rest` only for its arguments.

        Raises BudgetSpent.  The caller continues after the last token taken (see `Source`).
        """
        return self._expand([first], rest, 0)

    def _expand(self, tokens: list[Token], rest: Iterator[Token] | None, nesting: int) -> list[Token]:
        if nesting > MAX_NESTING:
            raise BudgetSpent
        pending = tokens[::-1]
        done: list[Token] = []
        for token in popped(pending):
            if self._in_condition and token.text == b"defined":
                done.append(token)
                while pending and done[-1].text in (b"defined", b"("):
                    done.append(pending.pop())
                continue
            if token.text[0] not in _WORD_START or token.text in token.hidden:
                done.append(token)
                continue
            definition = self._macros.get(token.text)
            if definition is None:
                done.append(token)
                continue
            if definition.parameters is None:
                end = token.end
                arguments: list[list[Token]] = []
            else:
                found = self._arguments(definition, pending, rest)
                if found is None:
                    done.append(token)
                    continue
                arguments, end = found
                end = max(end, token.end)
            self.used[token.text] = definition
            body = self._substitute(definition, arguments, token, end, nesting)
            self._budget.spend(body)
            pending.extend(reversed(body))
        return done

    def _arguments(
        self, definition: MacroDefinition, pending: list[Token], rest: Iterator[Token] | None
    ) -> tuple[list[list[Token]], int] | None:
        """The arguments of a use and where it ends; None, with nothing taken, when no `(` follows."""
        assert definition.parameters is not None
        if pending:
            if pending[-1].text != b"(":
                return None
        else:
            opening = next(rest, None) if rest is not None else None
            if opening is None:
                return None
            if opening.text != b"(":
                pending.append(opening)
                return None
            pending.append(opening)
        taken = [pending.pop()]
        arguments: list[list[Token]] = [[]]
        count = len(definition.parameters)
        depth = 1
        while True:
            token = pending.pop() if pending else (next(rest, None) if rest is not None else None)
            if token is None or len(taken) > MAX_TOKENS_PER_USE:
                pending.extend(reversed(taken))  # no closing parenthesis
                return None
            taken.append(token)
            if token.text == b"(":
                depth += 1
            elif token.text == b")":
                depth -= 1
                if not depth:
                    break
            elif token.text == b"," and depth == 1 and not (definition.variadic and len(arguments) >= count):
                arguments.append([])
                continue
            arguments[-1].append(token)
        if not count and arguments == [[]]:
            arguments = []
        if definition.variadic and len(arguments) == count - 1:
            arguments.append([])
        return (arguments, taken[-1].end) if len(arguments) == count else self._mismatch(pending, taken)

    def _mismatch(self, pending: list[Token], taken: list[Token]) -> None:
        pending.extend(reversed(taken))

    def _substitute(
        self, definition: MacroDefinition, arguments: list[list[Token]], use: Token, end: int, nesting: int
    ) -> list[Token]:
        hidden = use.hidden | {definition.name}
        if len(hidden) > MAX_CHAIN:
            raise BudgetSpent
        parameters = definition.parameters or ()
        by_name = dict(zip(parameters, arguments, strict=False))
        if definition.variadic and definition.parameters:
            by_name.setdefault(b"__VA_ARGS__", arguments[-1])
        expanded: dict[bytes, list[Token]] = {}
        out: list[Token] = []
        body = _body_tokens(definition.body)
        if definition.variadic:
            body = _without_va_opt(body, bool(arguments and arguments[-1]))
        index = 0
        turns = paced(body)  # a round takes one token of it or more
        while index < len(body):
            next(turns)
            text, space = body[index]
            follows_paste = index > 0 and body[index - 1][0] == b"##"
            before_paste = index + 1 < len(body) and body[index + 1][0] == b"##"
            if text == b"#" and definition.parameters is not None and index + 1 < len(body):
                argument = by_name.get(body[index + 1][0])
                if argument is not None:
                    out.append(Token(_stringified(argument), use.start, end, space, hidden))
                    index += 2
                    continue
            if text == b"##" and out and index + 1 < len(body):
                index += 1
                right, _ = body[index]
                operand = by_name.get(right)
                pasted = [Token(right, use.start, end, False, hidden)] if operand is None else [*operand]
                _paste(out, pasted, by_name.get(body[index - 2][0]), use, end, hidden)
                index += 1
                continue
            argument = by_name.get(text)
            if argument is None:
                out.append(Token(text, use.start, end, space, hidden))
            else:
                if not (before_paste or follows_paste):
                    if text not in expanded:
                        expanded[text] = self._expand(argument, None, nesting + 1)
                    argument = expanded[text]
                added = [Token(each.text, each.start, each.end, each.space, each.hidden | hidden) for each in argument]
                if added:
                    added[0] = added[0]._replace(space=space)
                elif before_paste:
                    added = [Token(b"", use.start, end, space, hidden)]
                self._budget.spend(added)
                out.extend(added)
            index += 1
        return [token for token in out if token.text]


def _paste(
    out: list[Token],
    right: list[Token],
    left_argument: list[Token] | None,
    use: Token,
    end: int,
    hidden: frozenset[bytes],
) -> None:
    left = out.pop()
    if left.text == b"," and left_argument is None:
        # GNU: a comma before an empty variadic argument goes away, and pastes with nothing otherwise.
        if right:
            out.append(left)
            out.extend(right)
        return
    if not right:
        out.append(left)
        return
    out.append(Token(left.text + right[0].text, use.start, end, left.space, hidden))
    out.extend(right[1:])


def _stringified(argument: list[Token]) -> bytes:
    parts: list[bytes] = []
    for token in argument:
        if token.space and parts:
            parts.append(b" ")
        text = token.text
        if text[:1] in b"\"'" and text:
            text = text.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
        parts.append(text)
    return b'"' + b"".join(parts) + b'"'


def _without_va_opt(body: tuple[tuple[bytes, bool], ...], present: bool) -> tuple[tuple[bytes, bool], ...]:
    if not any(text == b"__VA_OPT__" for text, _ in body):
        return body
    out: list[tuple[bytes, bool]] = []
    index = 0
    while index < len(body):
        if body[index][0] != b"__VA_OPT__" or body[index + 1 : index + 2] == () or body[index + 1][0] != b"(":
            out.append(body[index])
            index += 1
            continue
        depth = 0
        close = index + 1
        while close < len(body):
            depth += (body[close][0] == b"(") - (body[close][0] == b")")
            if not depth:
                break
            close += 1
        if present:
            out.extend(body[index + 2 : close])
        index = close + 1
    return tuple(out)


@lru_cache(maxsize=1 << 14)
def _body_tokens(body: bytes) -> tuple[tuple[bytes, bool], ...]:
    return tuple([(token.text, token.space) for token in paced(lex(body))])


_WORD_START: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$")

TOKEN: Final = re.compile(
    rb"(?P<space>(?:[ \t\r\n\f\v]+|\\\r?\n|" + COMMENT + rb")+)"
    rb"|"
    + RAW_STRING
    + rb"|"
    + WORD
    + rb"|"
    + NUMBER
    + rb"|"
    + STRING
    + rb"|"
    + CHARACTER
    + rb"|<<<|>>>|<<=|>>=|\.\.\."
    rb"|->\*?|##|::|[-+*/%&|^=!<>]=|\+\+|--|&&|\|\||<<|>>|.",
    re.DOTALL,
)
