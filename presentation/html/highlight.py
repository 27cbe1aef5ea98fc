"""Colour for CUDA text, token by token: only to be read more easily, so a wrong guess costs nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from presentation.html.markup import Content, Markup, element, joined

_KEYWORDS: Final = re.compile(
    r"alignas|asm|auto|bool|break|case|catch|char|class|const|constexpr|continue|default|delete|do|double|else|enum"
    r"|explicit|extern|false|final|float|for|friend|goto|half|if|inline|int|long|mutable|namespace|new|nullptr"
    r"|operator|private|protected|public|register|return|short|signed|sizeof|static|static_cast|struct|switch"
    r"|template|this|true|typedef|typename|union|unsigned|using|virtual|void|volatile|while"
    r"|__(?:global|device|host|shared|constant|managed|restrict|forceinline|noinline|launch_bounds)__"
    r"|u?int(?:8|16|32|64)_t|size_t|uint|uchar|(?:u?int|float|double)[1-4]|dim3"
)
_BUILTINS: Final = re.compile(
    r"threadIdx|blockIdx|blockDim|gridDim|warpSize|__(?:sync|shfl|ballot|any|all)\w*|atomic\w*"
)
_TOKEN: Final = re.compile(
    r"""(?P<comment>//.*|/\*.*?(?:\*/|$))"""
    r"""|(?P<string>"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)"""
    r"""|(?P<directive>^\s*\#\s*\w+)"""
    r"""|(?P<number>\b\d[\w.']*|\.\d[\w.]*)"""
    r"""|(?P<word>[A-Za-z_]\w*)"""
)


def highlighted(lines: Sequence[str]) -> list[Markup]:
    """Each line as markup; comments may span lines."""
    found: list[Markup] = []
    is_comment = False
    for line in lines:
        markup, is_comment = _line(line, is_comment)
        found.append(markup)
    return found


def _line(line: str, is_comment: bool) -> tuple[Markup, bool]:
    pieces: list[Content] = []
    at = 0
    if is_comment:
        end = line.find("*/")
        at = len(line) if end < 0 else end + 2
        pieces.append(element("span", line[:at], class_="c"))
        if end < 0:
            return joined(*pieces), True
    opened = False
    while (match := _TOKEN.search(line, at)) is not None:
        pieces.append(line[at : match.start()])
        pieces.append(_token(match))
        opened = match.lastgroup == "comment" and _stays_open(match.group())
        at = match.end()
    pieces.append(line[at:])
    return joined(*pieces), opened


def _stays_open(comment: str) -> bool:
    return comment.startswith("/*") and not (len(comment) >= 4 and comment.endswith("*/"))


def _token(match: re.Match[str]) -> Content:
    text = match.group()
    match match.lastgroup:
        case "comment":
            return element("span", text, class_="c")
        case "string":
            return element("span", text, class_="s")
        case "number":
            return element("span", text, class_="n")
        case "directive":
            return element("span", text, class_="k")
        case _:
            if _KEYWORDS.fullmatch(text):
                return element("span", text, class_="k")
            return element("span", text, class_="b") if _BUILTINS.fullmatch(text) else text
