"""The five numbers of each token, in every encoding, and edits between two streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.features.semantic_tokens import SemanticToken, TokenKind, Variance
from analysis.syntax.line_index import LineIndex, PositionEncoding
from simt_lsp.server.transport.token_stream import LEGEND, encode_tokens, token_edits

if TYPE_CHECKING:
    from collections.abc import Sequence

Position = tuple[int, int, int]

numbers = st.lists(st.tuples(*[st.integers(0, 3)] * 5), max_size=12).map(lambda rows: [n for row in rows for n in row])


def decoded(data: Sequence[int]) -> list[Position]:
    """(line, character, length) of each token, as a client reads the stream."""
    found: list[Position] = []
    line = character = 0
    for index in range(0, len(data), 5):
        down, right, length = data[index : index + 3]
        line, character = line + down, right if down else character + right
        found.append((line, character, length))
    return found


def units(text: str, encoding: PositionEncoding) -> int:
    match encoding:
        case PositionEncoding.UTF8:
            return len(text.encode())
        case PositionEncoding.UTF16:
            return len(text.encode("utf-16-le")) // 2
        case PositionEncoding.UTF32:
            return len(text)


@given(
    st.lists(st.sampled_from(["a", "bc", " ", "ü", "𝄞", "漢x", "\n", "\r\n", "\r", "e\u0301"]), max_size=30),
    st.sampled_from(PositionEncoding),
)
def test_a_client_finds_every_word_again(parts: list[str], encoding: PositionEncoding) -> None:
    tokens: list[SemanticToken] = []
    expected: list[Position] = []
    text, line, column = "", 0, 0
    for part in parts:
        if part in ("\n", "\r\n", "\r"):
            line, column = line + (0 if part == "\n" and text.endswith("\r") else 1), 0
        else:
            width = units(part, encoding)
            if part != " ":
                start = len(text.encode())
                end = start + len(part.encode())
                tokens.append(SemanticToken(start, end, TokenKind.VARIABLE, Variance.UNIFORM, False, False))
                expected.append((line, column, width))
            column += width
        text += part
    assert decoded(encode_tokens(tokens, text.encode(), LineIndex(text.encode()), encoding)) == expected


@pytest.mark.parametrize("variance", Variance)
@pytest.mark.parametrize("kind", TokenKind)
def test_types_and_modifiers_are_those_of_the_legend(kind: TokenKind, variance: Variance) -> None:
    token = SemanticToken(0, 1, kind, variance, True, True)
    data = encode_tokens([token], b"x", LineIndex(b"x"), PositionEncoding.UTF16)
    assert LEGEND.token_types[data[3]] == kind.value
    modifiers = {name for bit, name in enumerate(LEGEND.token_modifiers) if data[4] >> bit & 1}
    assert modifiers == {variance.value, "divergentBlock", "splitBlock"}


@given(numbers, numbers)
def test_an_edit_turns_the_old_stream_into_the_new(old: list[int], new: list[int]) -> None:
    result = list(old)
    for edit in token_edits(old, new):
        assert (edit.start % 5, edit.delete_count % 5, len(edit.data or []) % 5) == (0, 0, 0)
        result[edit.start : edit.start + edit.delete_count] = edit.data or []
    assert result == new


@given(numbers, numbers, numbers)
def test_an_edit_leaves_alone_what_both_ends_share(before: list[int], old: list[int], after: list[int]) -> None:
    new = [number + 4 for number in old]
    edits = token_edits(before + old + after, before + new + after)
    assert [(edit.start, edit.delete_count) for edit in edits] == ([(len(before), len(old))] if old else [])
