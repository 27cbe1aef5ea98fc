"""Positions and offsets, in the three encodings that a client can ask for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.syntax.line_index import LineIndex, PositionEncoding

UTF8, UTF16, UTF32 = PositionEncoding.UTF8, PositionEncoding.UTF16, PositionEncoding.UTF32

texts = st.text(st.sampled_from("ab é€😀\n\r\t\f\x0b\u2028"), max_size=40).map(str.encode)
broken = st.one_of(texts, st.binary(max_size=30))


def test_only_the_three_line_ends_of_lsp_end_a_line() -> None:
    lines = LineIndex("a\nb\r\nc\rd\fe\x0bf\u2028g".encode())
    assert [lines.line_start(line) for line in range(lines.line_count)] == [0, 2, 5, 7]
    assert lines.line_text(1) == b"b"


def test_a_final_line_end_opens_an_empty_line() -> None:
    assert LineIndex(b"").line_count == 1
    assert LineIndex(b"a").line_count == 1
    assert LineIndex(b"a\n").line_count == 2
    assert LineIndex(b"a\r").line_count == 2


@pytest.mark.parametrize(("encoding", "character"), [(UTF8, 7), (UTF16, 4), (UTF32, 3)])
def test_units_before_a_place(encoding: PositionEncoding, character: int) -> None:
    lines = LineIndex("x\né😀ab".encode())
    assert lines.position(2 + 7, encoding) == (1, character)
    assert lines.offset(1, character, encoding) == 2 + 7


def test_a_place_inside_a_character_is_its_start() -> None:
    lines = LineIndex("😀b".encode())
    assert lines.offset(0, 1, UTF16) == 0
    assert lines.offset(0, 2, UTF8) == 0
    assert lines.position(2, UTF32) == (0, 0)


def test_positions_clamp() -> None:
    lines = LineIndex(b"ab\r\ncd")
    assert lines.offset(0, 99, UTF16) == 2
    assert lines.offset(1, 99, UTF16) == 6
    assert lines.offset(9, 0, UTF16) == 6
    assert lines.offset(-1, 5, UTF16) == 0
    assert lines.offset(0, -5, UTF16) == 0
    assert lines.position(3, UTF16) == (0, 2)
    assert lines.position(-4, UTF16) == (0, 0)
    assert lines.position(99, UTF16) == (1, 2)


def test_each_invalid_byte_is_one_character() -> None:
    lines = LineIndex(b"\xff\xe2\x82x")
    assert lines.position(3, UTF16) == (0, 3)
    assert lines.offset(0, 3, UTF32) == 3


@given(broken, st.sampled_from(PositionEncoding), st.integers(-2, 60), st.integers(-2, 60))
def test_any_position_gives_an_offset_in_the_text(
    text: bytes, encoding: PositionEncoding, line: int, character: int
) -> None:
    lines = LineIndex(text)
    offset = lines.offset(line, character, encoding)
    assert 0 <= offset <= len(text)
    assert lines.offset(*lines.position(offset, encoding), encoding) == offset


@given(texts, st.sampled_from(PositionEncoding))
def test_every_character_start_survives_the_round_trip(text: bytes, encoding: PositionEncoding) -> None:
    lines = LineIndex(text)
    offset = 0
    for character in text.decode():
        if not (character == "\n" and text[offset - 1 : offset] == b"\r"):
            assert lines.offset(*lines.position(offset, encoding), encoding) == offset
        offset += len(character.encode())
