"""Semantic tokens as LSP sends them: five numbers each, relative to the token before; and what changed since.

Rules    Tokens come in text order without overlaps, each within one line.  Characters and lengths count in the
         negotiated encoding.  A delta is one edit of whole tokens: what the two streams share at both ends stays.
Cost     O(tokens + lines), and the bytes of lines that are not ASCII.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from analysis.ir.pace import paced
from analysis.syntax.line_index import LineIndex, PositionEncoding, units_before

if TYPE_CHECKING:
    from analysis.features.semantic_tokens import SemanticToken

TOKEN_TYPES: Final = ("variable", "parameter", "keyword", "operator")
TOKEN_MODIFIERS: Final = ("uniform", "affine", "varying", "divergentBlock", "splitBlock")
LEGEND: Final = types.SemanticTokensLegend(token_types=TOKEN_TYPES, token_modifiers=TOKEN_MODIFIERS)

_NUMBERS: Final = 5
_TYPE: Final[Mapping[str, int]] = {name: index for index, name in enumerate(TOKEN_TYPES)}
_BIT: Final[Mapping[str, int]] = {name: 1 << index for index, name in enumerate(TOKEN_MODIFIERS)}


def encode_tokens(
    tokens: Iterable[SemanticToken], text: bytes, lines: LineIndex, encoding: PositionEncoding
) -> list[int]:
    """The numbers of `SemanticTokens.data`."""
    starts = lines.starts
    plain = encoding is PositionEncoding.UTF8 or text.isascii()
    last_line = len(starts) - 1
    line = previous_line = previous_character = 0
    data: list[int] = []
    whole, decoded = b"", -1
    counted = units = 0
    divergent, split = _BIT["divergentBlock"], _BIT["splitBlock"]
    for token in paced(tokens):
        while line < last_line and starts[line + 1] <= token.start:
            line += 1
        begin = token.start - starts[line]
        if plain:
            character, length = begin, token.end - token.start
        else:
            if line != decoded:
                whole, decoded, counted, units = lines.line_text(line), line, 0, 0
            end = token.end - starts[line]
            character = units + units_before(whole[counted:begin], begin - counted, encoding)
            length = units_before(whole[begin:end], end - begin, encoding)
            counted, units = end, character + length
        if line != previous_line:
            previous_character = 0
        modifiers = _BIT[token.variance.value] | (divergent if token.in_divergent_block else 0)
        modifiers |= split if token.in_split_block else 0
        data += (line - previous_line, character - previous_character, length, _TYPE[token.kind.value], modifiers)
        previous_line, previous_character = line, character
    return data


def token_edits(old: Sequence[int], new: Sequence[int]) -> list[types.SemanticTokensEdit]:
    """At most one edit that turns `old` into `new`."""
    if old == new:
        return []
    shorter = min(len(old), len(new))
    start = next((index for index in range(shorter) if old[index] != new[index]), shorter)
    start -= start % _NUMBERS
    room = shorter - start
    end = next((index for index in range(room) if old[-1 - index] != new[-1 - index]), room)
    end -= end % _NUMBERS
    data = list(new[start : len(new) - end])
    return [types.SemanticTokensEdit(start=start, delete_count=len(old) - end - start, data=data)]
