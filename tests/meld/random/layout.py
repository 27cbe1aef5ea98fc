"""Statements as text, in one of several formatting styles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, TypeAlias, final

from tests.sim.random.choices import Choices


@final
@dataclass(frozen=True, slots=True)
class Line:
    """`comment` numbers the remark that stands beside it or above it, 0 for none."""

    text: str
    comment: int = 0


@final
@dataclass(frozen=True, slots=True)
class Block:
    """`head {` ... `}` with something behind the brace: loops, switches."""

    head: str
    body: tuple[Piece, ...]
    tail: str = ""


@final
@dataclass(frozen=True, slots=True)
class Branches:
    """`if (...)`, `else if (...)`, `else`, each with its statements."""

    parts: tuple[tuple[str, tuple[Piece, ...]], ...]
    comments: tuple[int, ...] = ()
    """What is said of each part, 0 for nothing."""


Piece: TypeAlias = Line | Block | Branches


class Braces(Enum):
    SAME_LINE = auto()
    OWN_LINE = auto()


class Places(Enum):
    """Where the comment of a statement or of an arm stands."""

    AROUND = auto()
    """Above or beside a statement; behind the brace of an arm."""
    WITHIN = auto()
    """Inside a statement, and inside the condition of an arm."""
    BETWEEN = auto()
    """In front of the semicolon; in front of the brace of an arm."""


@final
@dataclass(frozen=True, slots=True)
class Style:
    """`drops_braces`: a lone statement stands without; `joins`: it stands on the line of its `if`, too."""

    indent: str
    newline: str
    braces: Braces
    else_on_own_line: bool
    drops_braces: bool
    joins: bool
    spaced: bool
    block_comments: bool
    comments_above: bool
    places: Places


PLAIN: Final = Style("  ", "\n", Braces.SAME_LINE, False, False, False, True, False, True, Places.AROUND)


def random_style(choices: Choices) -> Style:
    return Style(
        choices.pick(("  ", "    ", "\t")),
        "\r\n" if choices.chance(8) else "\n",
        choices.pick(tuple(Braces)),
        choices.chance(3),
        choices.chance(2),
        choices.chance(4),
        not choices.chance(4),
        choices.chance(3),
        not choices.chance(2),
        choices.pick((Places.AROUND, *Places)),
    )


def laid_out(pieces: Sequence[Piece], style: Style) -> str:
    """The lines of a function's body."""
    return "".join(line.rstrip() + style.newline for line in _lines(pieces, style, 1))


def _lines(pieces: Sequence[Piece], style: Style, depth: int) -> Iterator[str]:
    for piece in pieces:
        match piece:
            case Line():
                yield from _line(piece, style, depth)
            case Block():
                yield from _block(piece, style, depth)
            case Branches():
                yield from _branches(piece, style, depth)


def _line(line: Line, style: Style, depth: int) -> Iterator[str]:
    before = style.indent * depth
    if not line.comment:
        yield before + line.text
        return
    if style.places is not Places.AROUND and (within := _within(line, style.places)):
        yield before + within
        return
    remark = remark_of(line.comment)
    remark = f"/* {remark} */" if style.block_comments else f"// {remark}"
    if style.comments_above:
        yield before + remark
        yield before + line.text
    else:
        yield f"{before}{line.text}  {remark}"


def _within(line: Line, places: Places) -> str:
    """The line with its comment inside; nothing where it has no place for one."""
    remark = f"/* {remark_of(line.comment)} */"
    if line.text.startswith("#"):
        return ""
    if places is Places.WITHIN and " = " in line.text and "(" not in line.text.partition(" = ")[0]:
        return line.text.replace(" = ", f" = {remark} ", 1)
    return f"{line.text[:-1]} {remark};" if line.text.endswith(");") or line.text[-2:-1].isalnum() else ""


def remark_of(number: int) -> str:
    return f"remark {number} on what follows"


def _block(block: Block, style: Style, depth: int) -> Iterator[str]:
    yield from _opened(_spaced(block.head, style), style, depth)
    yield from _lines(block.body, style, depth + 1)
    yield style.indent * depth + "}" + block.tail


def _opened(head: str, style: Style, depth: int, behind: str = "") -> Iterator[str]:
    before = style.indent * depth
    if style.braces is Braces.OWN_LINE:
        yield before + head
        yield f"{before}{{{behind}"
    else:
        yield f"{before}{head} {{{behind}"


def _said(head: str, comment: int, style: Style) -> tuple[str, str]:
    """The head of an arm with its comment, or what stands behind its brace."""
    if not comment:
        return head, ""
    remark = f"/* {remark_of(comment)} */"
    match style.places:
        case Places.AROUND:
            return head, f" {remark}"
        case Places.WITHIN if head.endswith(")"):
            return f"{head[:-1]} {remark})", ""
        case _:
            return f"{head} {remark}", ""


def _branches(branches: Branches, style: Style, depth: int) -> Iterator[str]:
    before = style.indent * depth
    closing = ""
    comments = (*branches.comments, *(0 for _ in branches.parts))
    for (head, body), comment in zip(branches.parts, comments, strict=False):
        head, behind = _said(_spaced(head, style), comment, style)
        lone = body[0] if len(body) == 1 else None
        joins_else = closing and not style.else_on_own_line and style.braces is Braces.SAME_LINE
        if closing and not joins_else:
            yield before + closing
        if joins_else:
            head = f"{closing} {head}"
        closing = ""
        if style.drops_braces and isinstance(lone, Line) and not _declares(lone):
            if style.joins and not lone.comment:
                yield f"{before}{head}{behind} {lone.text}"
            else:
                yield before + head + behind
                yield from _line(lone, style, depth + 1)
        elif style.drops_braces and isinstance(lone, Block):
            yield before + head + behind
            yield from _block(lone, style, depth + 1)
        else:
            yield from _opened(head, style, depth, behind)
            yield from _lines(body, style, depth + 1)
            closing = "}"
    if closing:
        yield before + closing


def _declares(line: Line) -> bool:
    """A declaration needs its braces, and so do several statements on one line."""
    is_several = line.text.count(";") != 1 or line.text.startswith(("const ", "BOTH(", "#"))
    return is_several or line.text.split(" ")[0] in _TYPES


_TYPES: Final = (
    *("int", "unsigned", "short", "long", "float", "double", "__half", "signed", "auto", "bool", "volatile"),
    *("constexpr", "[[maybe_unused]]", "using", "typedef", "Shade", "Tint", "LET(int,"),
)


def _spaced(head: str, style: Style) -> str:
    return head if style.spaced else head.replace("if (", "if(", 1).replace("for (", "for(", 1)
