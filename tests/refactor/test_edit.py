"""Changes of a text as data: two changes as one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analysis.refactor.edit import Replacement, apply_replacements, composed


@st.composite
def changes(draw: st.DrawFn, length: int) -> list[Replacement]:
    """In order and without overlaps, insertions at one place included."""
    ends = sorted(draw(st.lists(st.integers(0, length), max_size=8)))
    places = zip(ends[::2], ends[1::2], strict=False)
    return [Replacement(start, end, draw(st.text("äxyz", max_size=3))) for start, end in places]


@given(st.data(), st.text("abcdef", max_size=12))
def test_one_change_does_what_two_do(data: st.DataObject, text: str) -> None:
    before = text.encode()
    first = data.draw(changes(len(before)))
    between = apply_replacements(before, first)
    second = [one for one in data.draw(changes(len(between))) if is_between_characters(between, one)]
    assert apply_replacements(before, composed(first, second)) == apply_replacements(between, second)


def test_what_stays_is_not_named() -> None:
    first = [Replacement(2, 2, "12"), Replacement(8, 9, "")]
    second = [Replacement(3, 4, ""), Replacement(6, 6, "y")]
    assert composed(first, second) == (Replacement(2, 2, "1"), Replacement(4, 4, "y"), Replacement(8, 9, ""))


def is_between_characters(text: bytes, edit: Replacement) -> bool:
    return all(place == len(text) or text[place] & 0xC0 != 0x80 for place in (edit.start, edit.end))
