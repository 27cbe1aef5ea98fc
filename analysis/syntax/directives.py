"""What one preprocessor directive says.

Rules    A directive is a frozen value, parsed from its text alone, so it is parsed once however often its file is read.
         A directive that is malformed or has no effect here (`#line`, `#error`, unknown ones) is `Other`.
"""

import re
from enum import Enum
from functools import lru_cache
from typing import Final, TypeAlias, final

from analysis.ir.record import record
from analysis.syntax.lexing import IDENTIFIER, WORD, logical_line


class Conditional(Enum):
    """The six ways to open a branch of a conditional."""

    IF = "if"
    IFDEF = "ifdef"
    IFNDEF = "ifndef"
    ELIF = "elif"
    ELIFDEF = "elifdef"
    ELIFNDEF = "elifndef"


@final
@record
class Opening:
    """`#if`, `#ifdef`, `#ifndef`; the condition is an expression or a name."""

    kind: Conditional
    condition: bytes


@final
@record
class Alternative:
    """`#elif` and its relatives."""

    kind: Conditional
    condition: bytes


@final
@record
class Else:
    """`#else`."""


@final
@record
class EndIf:
    """`#endif`."""


@final
@record
class Define:
    """`#define`; `parameters` is None for an object macro. A variadic macro's last parameter takes the rest."""

    name: bytes
    parameters: tuple[bytes, ...] | None
    variadic: bool
    body: bytes


@final
@record
class Undefine:
    """`#undef`."""

    name: bytes


@final
@record
class Include:
    """`#include`; `argument` keeps its quotes or angle brackets, or is a macro to expand."""

    argument: bytes


@final
@record
class PragmaOnce:
    """`#pragma once`."""


@final
@record
class Pragma:
    """Any other `#pragma`."""

    text: bytes


@final
@record
class Other:
    """A directive without effect on the analysis."""


Directive: TypeAlias = Opening | Alternative | Else | EndIf | Define | Undefine | Include | PragmaOnce | Pragma | Other


@lru_cache(maxsize=1 << 14)
def parse_directive(text: bytes) -> Directive:
    """The meaning of a directive's text, from its `#` to the end of its logical line."""
    match = _KEYWORD.match(logical_line(text))
    if match is None:
        return Other()
    keyword, rest = match[1], match[2].strip()
    match keyword:
        case b"define":
            return _define(rest)
        case b"if" | b"ifdef" | b"ifndef":
            return Opening(Conditional(keyword.decode()), rest)
        case b"elif" | b"elifdef" | b"elifndef":
            return Alternative(Conditional(keyword.decode()), rest)
        case b"else":
            return Else()
        case b"endif":
            return EndIf()
        case b"undef":
            name = IDENTIFIER.match(rest)
            return Undefine(name[0]) if name else Other()
        case b"include" | b"include_next" | b"import":
            return Include(rest)
        case b"pragma":
            return PragmaOnce() if rest == b"once" else Pragma(rest)
        case _:
            return Other()


def _define(text: bytes) -> Define | Other:
    match = _DEFINE.match(text)
    if match is None:
        return Other()
    name, listed, body = match[1], match[2], match[3].strip()
    if listed is None:
        return Define(name, None, False, body)
    parameters = [parameter.strip() for parameter in listed.split(b",")] if listed.strip() else []
    variadic = bool(parameters) and parameters[-1].endswith(b"...")
    if variadic:
        parameters[-1] = parameters[-1][:-3].strip() or b"__VA_ARGS__"
    return Define(name, tuple(parameters), variadic, body)


_KEYWORD: Final = re.compile(rb"#\s*([a-z_]+)\b(.*)", re.DOTALL)
_DEFINE: Final = re.compile(rb"(" + WORD + rb")(?:\(([^()]*)\))?(.*)", re.DOTALL)
