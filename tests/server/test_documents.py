"""The document store against the model of a text, and which documents are CUDA."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from analysis.syntax.document import Edit, WholeText
from analysis.syntax.line_index import PositionEncoding
from simt_lsp.server.documents.store import DocumentStore
from simt_lsp.server.documents.uris import path_of, uri_of
from tests.server.text_model import ENCODINGS, apply, edits, texts


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=texts(), notifications=st.lists(st.lists(edits(), max_size=4), max_size=5))
def test_edits_change_what_they_say(encoding: str, text: str, notifications: list[list[dict[str, Any]]]) -> None:
    store = DocumentStore()
    seen = store.open("u", 1, "cuda", text)
    before = text
    for version, notification in enumerate(notifications, 2):
        store.change("u", version, [_edit(change, PositionEncoding(encoding)) for change in notification])
        for change in notification:
            text = apply(text, change, encoding)
        assert store.current["u"].document.text.decode() == text
    assert seen.document.text.decode() == before


def _edit(change: dict[str, Any], encoding: PositionEncoding) -> Edit | WholeText:
    if "range" not in change:
        return WholeText(change["text"])
    start, end = change["range"]["start"], change["range"]["end"]
    numbers = [max(number, 0) for number in (start["line"], start["character"], end["line"], end["character"])]
    return Edit(numbers[0], numbers[1], numbers[2], numbers[3], encoding, change["text"])


def test_a_map_of_documents_keeps_what_it_showed() -> None:
    store = DocumentStore()
    store.open("file:///a/h.h", 1, "cuda", "one")
    kept = store.current
    store.change("file:///a/h.h", 2, [WholeText("two")])
    assert store.overlay() == {"/a/h.h": b"two"}
    store.close("file:///a/h.h")
    assert store.overlay() == {}
    assert kept["file:///a/h.h"].document.text == b"one"
    assert store.change("file:///a/h.h", 3, []) is None
    assert store.close("file:///a/h.h") is None


@given(st.text(alphabet=st.characters(exclude_characters="\0", codec="utf-8"), min_size=1))
def test_paths_survive_the_way_to_a_uri_and_back(name: str) -> None:
    path = "/" + name.replace("/", "_")
    assume(re.fullmatch("/[A-Za-z]:", path) is None)  # a drive
    assert path_of(uri_of(path)) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a%20b/c.cu", "/a b/c.cu"),
        ("file:///a;b?c#d.cu", "/a;b"),
        ("file:///C%3A/x.cu", "C:/x.cu"),
        ("file:///c:/x.cu", "c:/x.cu"),
        ("file:///c:", "c:"),
        ("file:///c:x.cu", "/c:x.cu"),
        ("file://server/share/x.cu", "//server/share/x.cu"),
        ("file://localhost/x.cu", "/x.cu"),
        ("file:///%FF.cu", "/\udcff.cu"),
        ("file:///a%00b", None),
        ("untitled:x", None),
        ("http://[x", None),
        ("", None),
    ],
)
def test_only_file_uris_have_a_path(uri: str, path: str | None) -> None:
    assert path_of(uri) == path
