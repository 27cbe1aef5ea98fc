"""Edits make new documents; the incremental tree of a sound text is the tree of that text."""

from threading import Thread

from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.syntax.document import Document, Edit, WholeText
from analysis.syntax.line_index import LineIndex, PositionEncoding
from analysis.syntax.parsing import MAX_PARSED_BYTES, parse
from analysis.syntax.tree import convert

UTF16 = PositionEncoding.UTF16

fragments = st.lists(
    st.sampled_from(["a", "1", " ", "\n", "\r", "\r\n", "{", "}", "(", '"', "//", "é", "😀", "int x;", "f();", "<"]),
    max_size=6,
).map("".join)
places = st.tuples(st.integers(0, 8), st.integers(0, 12))
edits = st.tuples(places, places, st.sampled_from(PositionEncoding), fragments).map(
    lambda parts: Edit(*parts[0], *parts[1], parts[2], parts[3])
)


def edited_slowly(text: bytes, edit: Edit) -> bytes:
    lines = LineIndex(text)
    first = lines.offset(edit.start_line, edit.start_character, edit.encoding)
    last = lines.offset(edit.end_line, edit.end_character, edit.encoding)
    return text[: min(first, last)] + edit.text.encode() + text[max(first, last) :]


@given(st.lists(fragments, max_size=8).map("".join), st.lists(edits, max_size=6))
def test_edits_change_the_text_one_after_the_other(text: str, changes: list[Edit]) -> None:
    expected = text.encode()
    for change in changes:
        expected = edited_slowly(expected, change)
    assert Document.open(text.encode()).edit(changes).text == expected


SOUND = "__global__ void k(int *p) {\n  int i = 1;\n  p[i] = i;\n}\nint g;\nvoid h() {}\n"
sound_edits = st.tuples(
    st.integers(0, 6),
    st.sampled_from(PositionEncoding),
    st.sampled_from(["int é;\n", "/* 😀 */", "void q() { }\n", "\n"]),
).map(lambda parts: Edit(parts[0], 0, parts[0], 0, parts[1], parts[2]))


@settings(deadline=None)
@given(st.lists(sound_edits, min_size=1, max_size=4))
def test_the_incremental_tree_of_a_sound_text_is_the_full_tree(changes: list[Edit]) -> None:
    document = Document.open(SOUND.encode())
    assert document.tree is not None
    after = document.edit(changes)
    fresh = parse(after.text)
    assert after.tree is not None
    assert fresh is not None
    assert not fresh.root_node.has_error
    assert ranges(after.text, after) == ranges(after.text, Document.open(after.text))


def ranges(text: bytes, document: Document) -> list[tuple[str, int, int]]:
    assert document.tree is not None
    return [(node.kind, node.start, node.end) for node in convert(document.tree, text).walk()]


@settings(deadline=None)
@given(st.lists(edits, max_size=4))
def test_any_edit_leaves_a_tree_that_spans_the_text(changes: list[Edit]) -> None:
    document = Document.open(SOUND.encode())
    assert document.tree is not None
    after = document.edit(changes)
    assert after.tree is not None
    assert after.tree.root_node.end_byte == len(after.text)


def test_a_whole_replacement_among_edits() -> None:
    document = Document.open(b"old").edit(
        [Edit(0, 0, 0, 1, UTF16, "x"), WholeText("new"), Edit(0, 3, 0, 3, UTF16, "er")]
    )
    assert document.text == b"newer"


def test_the_old_document_stays_as_it_was_also_for_another_thread() -> None:
    old = Document.open(SOUND.encode())
    before = ranges(old.text, old)
    seen: list[bool] = []
    thread = Thread(target=lambda: seen.extend(ranges(old.text, old) == before for _ in range(50)))
    thread.start()
    new = old
    for _ in range(50):
        new = new.edit([Edit(0, 0, 0, 0, UTF16, "int y; ")])
        assert new.tree is not None
    thread.join()
    assert seen == [True] * 50
    assert old.text == SOUND.encode()
    assert ranges(old.text, old) == before


def test_an_edit_that_joins_a_line_end_counts_for_the_next_edit() -> None:
    joined = Document.open(b"a\rb").edit([Edit(1, 0, 1, 0, UTF16, "\n"), Edit(1, 0, 1, 0, UTF16, "X")])
    assert joined.text == b"a\r\nXb"
    parted = Document.open(b"a\r\nb").edit([Edit(0, 1, 1, 0, UTF16, "\r"), Edit(1, 0, 1, 0, UTF16, "X")])
    assert parted.text == b"a\rXb"


def test_a_lone_surrogate_from_a_client_does_no_harm() -> None:
    assert Document.open(b"").edit([Edit(0, 0, 0, 0, UTF16, "a\ud800b")]).text == b"a?b"


def test_a_text_above_the_bound_has_no_tree() -> None:
    assert Document.open(b" " * (MAX_PARSED_BYTES + 1)).tree is None
