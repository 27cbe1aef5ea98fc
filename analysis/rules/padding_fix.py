"""The repair of a bank conflict: one more element in the last dimension of the array.

Offered  only if the array is declared in this function and padding was found to help (`analysis.access.padding`) in
         every place where the function was inlined; if the text names the array nowhere but in its declaration and
         with all its subscripts, since `sizeof` and macros may see the layout too; if the declaration can be edited.
"""

from __future__ import annotations

import re
from typing import Final

from analysis.access.padding import padding_helps
from analysis.facts.merge import FrameView
from analysis.facts.model import AccessFact
from analysis.ir.function import Symbol
from analysis.ir.ids import SymbolId
from analysis.ir.source import Span
from analysis.refactor.edit import Replacement
from analysis.rules.diagnostic import Applicability, Fix
from analysis.rules.rule import Subject
from analysis.syntax.lexing import HIDDEN


def padding_fix(subject: Subject, access: AccessFact) -> Fix | None:
    """None where padding would not help, or might change what the function does."""
    if access.variable is None:
        return None
    declared = [_declared(view, access.variable) for view in subject.analysis.views(subject.function)]
    found = [pair for pair in declared if pair is not None]
    if not found or len(found) < len(declared) or len({(s.span.start, s.span.end) for _, _, s in found}) > 1:
        return None
    symbol = found[0][2]
    text = HIDDEN.sub(_blanks, subject.text.bytes(Span(0, subject.function.end - subject.function.start)))
    end = _end_of_dimensions(text, symbol)
    if end is None or not _is_only_indexed(text, symbol, _rank(text, symbol, end)):
        return None
    if re.search(rb"^[ \t]*#.*\b" + re.escape(symbol.name.encode()) + rb"\b", subject.analysis.document.text, re.M):
        return None
    for view, number, _ in found:
        root = view.root
        if not padding_helps(
            root.function, root.control, root.divergence, root.spaces, root.affine, root.accesses, number
        ):
            return None
    edit = _replacements(text, end, subject.function.start)
    return Fix(f"Pad the rows of `{symbol.name}` by one element", edit, Applicability.SAFE)


def _declared(view: FrameView, name: str) -> tuple[FrameView, SymbolId, Symbol] | None:
    symbols = enumerate(view.root.function.symbols)
    here = [(SymbolId(number), symbol) for number, symbol in symbols if symbol.name == name]
    own = [(number, symbol) for number, symbol in here if symbol.span.frame == view.frame]
    return (view, *own[0]) if len(own) == 1 else None


def _end_of_dimensions(text: bytes, symbol: Symbol) -> int | None:
    """Before the `]` of the last dimension; None if the declaration does not stand there as it is."""
    if text[symbol.span.start : symbol.span.end] != symbol.name.encode():
        return None
    found = _DIMENSIONS.match(text, symbol.span.end)
    return None if found is None else found.end() - 1


def _rank(text: bytes, symbol: Symbol, end: int) -> int:
    return text.count(b"[", symbol.span.end, end)


def _is_only_indexed(text: bytes, symbol: Symbol, rank: int) -> bool:
    for found in re.finditer(rb"\b" + re.escape(symbol.name.encode()) + rb"\b", text):
        position, count = found.end(), 0
        while (opening := _OPENING.match(text, position)) is not None:
            position, count = _behind(text, opening.end()), count + 1
        if count != rank:
            return False
    return True


def _behind(text: bytes, position: int) -> int:
    """Behind the bracket that closes the one just opened."""
    depth = 1
    while depth and position < len(text):
        depth += (text[position : position + 1] == b"[") - (text[position : position + 1] == b"]")
        position += 1
    return position


def _replacements(text: bytes, end: int, offset: int) -> tuple[Replacement, ...]:
    """`+ 1` behind the length, which is set in parentheses where `+` binds more closely than what stands in it."""
    begin = text.rindex(b"[", 0, end) + 1
    length = text[begin:end]
    last = begin + len(length.rstrip())
    if not _BINDS_LESS.search(length):
        return (Replacement(offset + last, offset + last, " + 1"),)
    first = begin + len(length) - len(length.lstrip())
    return (Replacement(offset + first, offset + first, "("), Replacement(offset + last, offset + last, ") + 1"))


def _blanks(match: re.Match[bytes]) -> bytes:
    return b" " * len(match[0])


_DIMENSIONS: Final = re.compile(rb"(?:\s*\[[^\[\]]*\])+")
_OPENING: Final = re.compile(rb"\s*\[")
_BINDS_LESS: Final = re.compile(rb"<<|>>|[&|^?<>=]")
