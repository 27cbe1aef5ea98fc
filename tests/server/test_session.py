"""Each feature once, over the real process, as VS Code 1.65 (UTF-16) and Neovim 0.11 (UTF-8) would ask."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Any, cast

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.server.kernels import CLEAN, DIVERGENT

COMMAND = [sys.executable, "-I", "-m", "simt_lsp", "--stdio"]


REFRESHES = (
    types.WORKSPACE_CODE_LENS_REFRESH,
    types.WORKSPACE_INLAY_HINT_REFRESH,
    types.WORKSPACE_SEMANTIC_TOKENS_REFRESH,
)


def accepted(ls: LanguageClient, params: object) -> None:
    """What pytest-lsp leaves to its users."""


@pytest_lsp.fixture(  # pyright: ignore[reportUnknownMemberType]  # untyped in pytest-lsp
    config=ClientServerConfig(server_command=COMMAND),
    params=["visual-studio-code", "neovim@0.11"],
)
async def client(
    lsp_client: LanguageClient, request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[LanguageClient]:
    (tmp_path / "k.cu").write_text(DIVERGENT)
    for method in (types.CLIENT_REGISTER_CAPABILITY, *REFRESHES):
        lsp_client.feature(method)(accepted)
    folder = types.WorkspaceFolder(tmp_path.as_uri(), "root")
    capabilities = client_capabilities(request.param)
    await lsp_client.initialize_session(types.InitializeParams(capabilities=capabilities, workspace_folders=[folder]))
    yield lsp_client
    await lsp_client.shutdown_session()


def opened(client: LanguageClient, uri: str, text: str) -> types.TextDocumentIdentifier:
    item = types.TextDocumentItem(uri=uri, language_id="cuda", version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    return types.TextDocumentIdentifier(uri)


async def published(client: LanguageClient) -> None:
    waiting = cast("Awaitable[Any]", client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS))
    await asyncio.wait_for(waiting, 20)


async def test_a_barrier_is_reported_until_it_is_repaired(client: LanguageClient) -> None:
    uri = "untitled:halo.cu"
    document = opened(client, uri, "// ünï𝄞\n" + DIVERGENT)
    await published(client)
    (found,) = client.diagnostics[uri]
    assert (found.code, found.source, found.severity) == ("SYN101", "simt-lsp", types.DiagnosticSeverity.Error)
    assert (found.range.start.line, found.range.start.character) == (4, 4)
    if client.capabilities is not None and client.capabilities.text_document is not None:
        published_features = client.capabilities.text_document.publish_diagnostics
        assert published_features is not None
        if published_features.related_information:
            assert found.related_information

    place = types.Range(types.Position(3, 6), types.Position(3, 10))
    change = types.TextDocumentContentChangePartial(range=place, text="n")
    versioned = types.VersionedTextDocumentIdentifier(version=2, uri=document.uri)
    client.text_document_did_change(types.DidChangeTextDocumentParams(versioned, [change]))
    await published(client)
    assert not client.diagnostics[uri]


NEWER = """__global__ void k(float *x) {
#if __CUDA_ARCH__ >= 900
  if (threadIdx.x < 7) __syncthreads();
  __syncthreads();
#endif
}
"""


async def test_what_other_architectures_compile_is_reported_when_nobody_types(client: LanguageClient) -> None:
    uri = "untitled:newer.cu"
    opened(client, uri, NEWER)
    await published(client)
    assert not client.diagnostics[uri]
    await published(client)
    found = client.diagnostics[uri][0]
    assert (found.code, found.range.start.line) == ("SYN101", 2)
    assert found.message.endswith("This holds for sm_90, not for sm_80.")


MEMORY = """__global__ void k(float *x) {
  int tid = threadIdx.x;
  x[0 + 32 * tid] = 1.0f;
  if (tid % 2) x[tid] = 2.0f;
}
void host(float *x) { k<<<1, 64>>>(x); }
"""


async def test_hover_hints_lenses_symbols_and_explanations(client: LanguageClient, tmp_path: Path) -> None:
    document = opened(client, (tmp_path / "k.cu").as_uri(), DIVERGENT)
    hover = await client.text_document_hover_async(types.HoverParams(document, types.Position(5, 7)))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "varying" in hover.contents.value
    assert hover.contents.kind is types.MarkupKind.Markdown

    everything = types.Range(types.Position(0, 0), types.Position(99, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, everything))
    assert not hints, "the declaration says it, and the name is tinted"

    lenses = await client.text_document_code_lens_async(types.CodeLensParams(document))
    assert lenses is not None
    lens, simulate = lenses
    assert simulate.range == lens.range
    assert simulate.command is not None
    assert simulate.command.title == "Simulate"
    assert (lens.range.start, lens.range.end.character) == (types.Position(0, 0), 39)
    assert lens.command is not None
    answer = await client.workspace_execute_command_async(
        types.ExecuteCommandParams(lens.command.command, lens.command.arguments)
    )
    assert answer is not None

    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert symbols is not None
    assert [(symbol.name, symbol.kind) for symbol in symbols] == [("halo", types.SymbolKind.Function)]

    explained = await client.protocol.send_request_async(
        "simt/explain", {"textDocument": {"uri": document.uri}, "position": {"line": 3, "character": 0}}
    )
    assert explained.line == 4
    assert "__syncthreads" in explained.source
    assert explained.exact is None


async def test_a_line_is_explained_exactly(client: LanguageClient, tmp_path: Path) -> None:
    document = opened(client, (tmp_path / "k.cu").as_uri(), DIVERGENT)
    asked = {"textDocument": {"uri": document.uri}, "line": 4, "exact": True}
    explained = await client.protocol.send_request_async("simt/explain", asked)
    (barrier,) = explained.exact
    assert (barrier.range.start.line, barrier.range.start.character) == (3, 4)
    assert "a thread can wait here for ever (lines 2, 4)" in barrier.sentences
    text = await client.workspace_execute_command_async(
        types.ExecuteCommandParams("simt.explain", [document.uri, 4, True])
    )
    assert str(text) == explained.text
    assert "exactly, over all paths of two threads:" in explained.text
    assert explained.drawings is None


async def test_the_net_and_the_states_behind_an_exact_explanation_are_drawn(
    client: LanguageClient, tmp_path: Path
) -> None:
    document = opened(client, (tmp_path / "k.cu").as_uri(), DIVERGENT)
    asked = {"textDocument": {"uri": document.uri}, "exact": True, "drawings": True}
    explained = await client.protocol.send_request_async("simt/explain", {**asked, "line": 4})
    net, states = explained.drawings
    assert (net.title, net.problem, states.title, states.problem) == ("Petri net", None, "State space", None)
    for drawing in (net, states):
        assert drawing.svg.startswith("<svg ")
        assert "<script" not in drawing.svg
    empty = await client.protocol.send_request_async("simt/explain", {**asked, "line": 1})
    assert (empty.exact, empty.drawings) == ([], [])


async def test_forms_costs_of_memory_and_prices_of_branches_reach_an_editor(
    client: LanguageClient, tmp_path: Path
) -> None:
    document = opened(client, (tmp_path / "m.cu").as_uri(), MEMORY)
    shown = [await hovered(client, document, line, character) for line, character in ((2, 6), (2, 2), (3, 2))]
    assert "`= 32*threadIdx.x, from 0 to 2016`" in shown[0]
    assert "- store to global memory · stride 128 B: 32 sectors where 4 would do (12 %)" in shown[1]
    assert "- 2 of 2 warps split (blocks of 64 threads)" in shown[2]

    everything = types.Range(types.Position(0, 0), types.Position(99, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, everything))
    costs = [hint for hint in hints or () if hint.label == "32/4 sectors"]
    assert [(hint.position, hint.padding_left) for hint in costs] == [(types.Position(2, 17), True)]
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(document))
    titles = [lens.command.title for lens in lenses or () if lens.command]
    assert titles == ["1 uncoalesced · 1 divergent branch", "Simulate", "Simulate this launch"]


async def hovered(client: LanguageClient, document: types.TextDocumentIdentifier, line: int, character: int) -> str:
    hover = await client.text_document_hover_async(types.HoverParams(document, types.Position(line, character)))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    return hover.contents.value


async def test_a_check_of_the_workspace_shows_progress_and_publishes(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "clean.cu").write_text(CLEAN)
    token = "check-1"
    client.progress_reports[token] = []
    answer: Any = await client.workspace_execute_command_async(
        types.ExecuteCommandParams("simt.checkWorkspace", [], work_done_token=token)
    )
    assert (answer["files"], answer["diagnostics"], answer["cancelled"]) == (2, 1, False)
    assert [item.code for item in client.diagnostics[(tmp_path / "k.cu").as_uri()]] == ["SYN101"]
    kinds = [type(report).__name__ for report in client.progress_reports[token]]
    assert kinds == ["WorkDoneProgressBegin", "WorkDoneProgressReport", "WorkDoneProgressReport", "WorkDoneProgressEnd"]


async def test_a_suppression_that_is_never_closed_is_shown_where_it_stands(client: LanguageClient) -> None:
    uri = "untitled:open.cu"
    opened(client, uri, "// NOLINTBEGIN(simt-*)\n")
    await published(client)
    (found,) = client.diagnostics[uri]
    assert (found.code, found.severity) == ("annotation", types.DiagnosticSeverity.Warning)
    assert (found.range.start.line, found.range.start.character) == (0, 3)


async def test_nothing_is_said_about_other_languages(client: LanguageClient) -> None:
    item = types.TextDocumentItem(uri="untitled:x.py", language_id="python", version=1, text="print()\n")
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    assert (
        await client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(item.uri), types.Position(0, 0))
        )
        is None
    )
    assert item.uri not in client.diagnostics
