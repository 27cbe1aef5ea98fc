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


Piece: TypeAlias = Line | Block | Branches


class Braces(Enum):
    SAME_LINE = auto()
    OWN_LINE = auto()


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


PLAIN: Final = Style("  ", "\n", Braces.SAME_LINE, False, False, False, True, False, True)


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
    remark = remark_of(line.comment)
    remark = f"/* {remark} */" if style.block_comments else f"// {remark}"
    if style.comments_above:
        yield before + remark
        yield before + line.text
    else:
        yield f"{before}{line.text}  {remark}"


def remark_of(number: int) -> str:
    return f"remark {number} on what follows"


def _block(block: Block, style: Style, depth: int) -> Iterator[str]:
    yield from _opened(_spaced(block.head, style), style, depth)
    yield from _lines(block.body, style, depth + 1)
    yield style.indent * depth + "}" + block.tail


def _opened(head: str, style: Style, depth: int) -> Iterator[str]:
    before = style.indent * depth
    if style.braces is Braces.OWN_LINE:
        yield before + head
        yield before + "{"
    else:
        yield f"{before}{head} {{"


def _branches(branches: Branches, style: Style, depth: int) -> Iterator[str]:
    before = style.indent * depth
    closing = ""
    for head, body in branches.parts:
        head = _spaced(head, style)
        lone = body[0] if len(body) == 1 else None
        joins_else = closing and not style.else_on_own_line and style.braces is Braces.SAME_LINE
        if closing and not joins_else:
            yield before + closing
        if joins_else:
            head = f"{closing} {head}"
        closing = ""
        if style.drops_braces and isinstance(lone, Line) and not _declares(lone):
            if style.joins and not lone.comment:
                yield f"{before}{head} {lone.text}"
            else:
                yield before + head
                yield from _line(lone, style, depth + 1)
        else:
            yield from _opened(head, style, depth)
            yield from _lines(body, style, depth + 1)
            closing = "}"
    if closing:
        yield before + closing


def _declares(line: Line) -> bool:
    """A declaration needs its braces, and so do several statements on one line."""
    return line.text.count(";") != 1 or line.text.startswith("const ") or line.text.split(" ")[0] in _TYPES


_TYPES: Final = ("int", "unsigned", "short", "long", "float", "double", "__half", "signed", "auto", "bool")


def _spaced(head: str, style: Style) -> str:
    return head if style.spaced else head.replace("if (", "if(", 1).replace("for (", "for(", 1)
