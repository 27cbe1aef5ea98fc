"""`simt/controlFlowGraph` and semantic tokens, as a client asks for them."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from tests.features.dot_language import read_dot
from tests.server.kernels import DIVERGENT
from tests.server.raw_client import NEOVIM, PUSHED, VSCODE, Message, RawClient, replace, server

URI = "untitled:k.cu"
DOCUMENT = {"textDocument": {"uri": URI}}
TEXT = "// ü𝄞\n" + DIVERGENT + "int main() { return 0; }\n"


def picture(client: RawClient, line: int, **options: Any) -> Message:
    return client.request("simt/controlFlowGraph", {**DOCUMENT, "position": {"line": line, "character": 3}, **options})


def words(text: str, data: list[int], unit: str) -> list[str]:
    """The text of each token, cut out as a client does that counts in UTF-8 or UTF-16."""
    lines = text.split("\n")
    width = 2 if unit == "utf-16-le" else 1
    found: list[str] = []
    line = character = 0
    for index in range(0, len(data), 5):
        line, character = line + data[index], data[index + 1] if data[index] else character + data[index + 1]
        encoded = lines[line].encode(unit)
        found.append(encoded[character * width : (character + data[index + 2]) * width].decode(unit))
    return found


def test_the_function_at_a_place_is_drawn_in_each_format() -> None:
    with server() as client:
        client.initialize(PUSHED)
        client.open(URI, TEXT)
        svg = picture(client, 3)
        assert (svg["kernel"], svg["format"]) == ("halo", "svg")
        assert ElementTree.fromstring(svg["content"]).tag.endswith("svg")
        dot = picture(client, 3, format="dot")
        assert len(read_dot(dot["content"]).nodes) == 3
        assert "block barrier (unsafe)" in dot["content"]
        assert "flowchart TD" in picture(client, 3, format="mermaid", inlined=True)["content"]
        assert picture(client, 0) is None
        assert picture(client, 8) is None
        assert client.stop() == 0


@pytest.mark.parametrize(
    "params",
    [
        {},
        DOCUMENT,
        {**DOCUMENT, "position": {"line": 2}},
        {**DOCUMENT, "position": {"line": 2, "character": 0}, "format": "png"},
        {**DOCUMENT, "position": {"line": 2, "character": 0}, "format": ["svg"]},
    ],
)
def test_a_request_without_place_or_with_an_unknown_format_is_an_error(params: Message) -> None:
    with server() as client:
        client.initialize(PUSHED)
        client.open(URI, TEXT)
        assert "error" in client.answer(client.ask("simt/controlFlowGraph", params))
        assert picture(client, 3) is not None


def test_a_kernel_as_vectors() -> None:
    text = "__global__ void k(int *x, int n) {\n  if (threadIdx.x < n)\n    x[threadIdx.x] = n;\n}\nint f();\n"
    with server() as client:
        client.initialize(PUSHED)
        client.open(URI, text)

        def vectors(line: int) -> Message:
            return client.request("simt/simdView", {**DOCUMENT, "position": {"line": line, "character": 0}})

        found = vectors(1)
        assert (found["kernel"], found["refused"]) == ("k", None)
        (store,) = (line for line in found["lines"] if line["code"].startswith("store("))
        assert (store["source_path"], store["source_line"]) == (None, 3)
        assert "if any(m1):" in found["text"]
        assert vectors(4) is None
        assert "error" in client.answer(client.ask("simt/simdView", DOCUMENT))


@pytest.mark.parametrize(("capabilities", "unit"), [(NEOVIM, "utf-8"), (VSCODE, "utf-16-le")])
def test_tokens_name_the_words_in_the_encoding_of_the_client(capabilities: Message, unit: str) -> None:
    text = TEXT.replace("if (lane", "if (/*ü𝄞*/ lane")
    with server() as client:
        result = client.initialize(capabilities)
        provider = result["capabilities"]["semanticTokensProvider"]
        assert provider["full"] == {"delta": True}
        assert provider["range"] is True
        client.open(URI, text)
        data = client.request("textDocument/semanticTokens/full", DOCUMENT)["data"]
        assert words(text, data, unit) == ["out", "n", "lane", "out", "lane", "if", "lane", "out", "lane", "n"]
        modifiers = provider["legend"]["tokenModifiers"]
        (lane,) = {data[index + 4] for index in (10, 20, 30)} - {data[4]}
        assert modifiers[lane.bit_length() - 1] == "affine"
        place = {"start": {"line": 3, "character": 0}, "end": {"line": 4, "character": 0}}
        part = client.request("textDocument/semanticTokens/range", {**DOCUMENT, "range": place})["data"]
        assert words(text, part, unit) == ["if", "lane"]


def test_a_delta_follows_an_edit() -> None:
    with server() as client:
        client.initialize(PUSHED)
        client.open(URI, TEXT)
        first = client.request("textDocument/semanticTokens/full", DOCUMENT)
        asked = {**DOCUMENT, "previousResultId": first["resultId"]}
        same = client.request("textDocument/semanticTokens/full/delta", asked)
        assert (same["edits"], same["resultId"]) == ([], first["resultId"])
        client.change(URI, 2, replace((3, 6), (3, 10), "n"))
        delta = client.request("textDocument/semanticTokens/full/delta", asked)
        data = list(first["data"])
        for edit in delta["edits"]:
            data[edit["start"] : edit["start"] + edit["deleteCount"]] = edit.get("data", [])
        whole = client.request("textDocument/semanticTokens/full", DOCUMENT)
        assert (whole["data"], whole["resultId"]) == (data, delta["resultId"])
        assert data != first["data"]
        old = client.request("textDocument/semanticTokens/full/delta", asked)
        assert old["data"] == data


def test_tokens_are_off_by_setting_and_nothing_elsewhere() -> None:
    with server() as client:
        client.initialize(PUSHED, options={"semanticTokens": False})
        client.open(URI, TEXT)
        assert client.request("textDocument/semanticTokens/full", DOCUMENT) is None
        place = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
        assert client.request("textDocument/semanticTokens/range", {**DOCUMENT, "range": place}) is None
