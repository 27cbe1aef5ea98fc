"""A melding over the real process, with the capabilities of real editors: what is applied, shown, and refused."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, final

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from simt_lsp.cli.patch import unified_diff
from tests.cli.shell import simt_lsp
from tests.server.test_session import COMMAND, REFRESHES, accepted, opened
from tests.support import wrong_melder
from tests.support.seldom import REASON, SELDOM

CLIENTS = ["visual-studio-code", "neovim@0.11"]

ALIKE = """\
__global__ void step(float *even, float *odd, const float *x, const float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  /* ünï 𝄞 */ if (i % 2 == 0) {
    even[i] = x[i] * x[i] + 1.0f;
  } else {
    odd[i] = y[i] * y[i] + 1.0f;
  }
}
"""
THREE_WAYS = """\
__global__ void mix(float *out, const float *a, const float *b, const float *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 3 == 0) out[i] = a[i] * 2.0f + 1.0f;
  else if (i % 3 == 1) out[i] = b[i] * 3.0f + 1.0f;
  else out[i] = c[i] * 4.0f + 1.0f;
}
"""
NEVER = ALIKE.replace("i % 2 == 0", "x[i] > 1e30f")
"""No input that is chosen by itself reaches the first arm."""
UNUSED = ALIKE.replace("__global__", "__device__")


@final
class Asked:
    """What the server asked of the editor, which applies every edit and answers no question."""

    def __init__(self, client: LanguageClient) -> None:
        self.edits: list[types.ApplyWorkspaceEditParams] = []
        self.questions: list[str] = []

        def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            self.edits.append(params)
            return types.ApplyWorkspaceEditResult(applied=True)

        def show(params: types.ShowMessageRequestParams) -> None:
            self.questions.append(params.message)

        client.feature(types.WORKSPACE_APPLY_EDIT)(apply)
        client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)(show)


async def session(client: LanguageClient, editor: str, folder: Path) -> AsyncIterator[LanguageClient]:
    for method in (types.CLIENT_REGISTER_CAPABILITY, *REFRESHES):
        client.feature(method)(accepted)
    root = types.WorkspaceFolder(folder.as_uri(), "root")
    capabilities = client_capabilities(editor)
    await client.initialize_session(types.InitializeParams(capabilities=capabilities, workspace_folders=[root]))
    yield client
    await client.shutdown_session()


@pytest_lsp.fixture(  # pyright: ignore[reportUnknownMemberType]  # untyped in pytest-lsp
    config=ClientServerConfig(server_command=COMMAND), params=CLIENTS
)
async def client(
    lsp_client: LanguageClient, request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[LanguageClient]:
    async for one in session(lsp_client, request.param, tmp_path):
        yield one


@pytest_lsp.fixture(  # pyright: ignore[reportUnknownMemberType]
    config=ClientServerConfig(server_command=[*wrong_melder.COMMAND, "--stdio"]), params=CLIENTS
)
async def wrong(
    lsp_client: LanguageClient, request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[LanguageClient]:
    """The server melds wrongly."""
    async for one in session(lsp_client, request.param, tmp_path):
        yield one


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(text.splitlines()) if "if (" in line)


def keyword(client: LanguageClient, text: str) -> types.Position:
    line = line_of(text)
    before, _, _ = text.splitlines()[line].partition("if (")
    encoding, width = columns(client)
    return types.Position(line, len(before.encode(encoding)) // width)


async def offered(client: LanguageClient, uri: str, text: str) -> types.CodeAction | None:
    """The action that melds the branch; None where there is none."""
    place = types.Position(line_of(text), 2)
    context = types.CodeActionContext([], only=[types.CodeActionKind.RefactorRewrite])
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), types.Range(place, place), context)
    found = await client.text_document_code_action_async(params) or []
    actions = [one for one in found if isinstance(one, types.CodeAction)]
    assert len(actions) <= 1
    return actions[0] if actions else None


async def chosen(client: LanguageClient, uri: str, text: str) -> types.CodeAction:
    """The same action as an editor gets it when its user chooses it."""
    action = await offered(client, uri, text)
    assert action is not None
    assert action.disabled is None
    return await client.code_action_resolve_async(action)


async def melded(client: LanguageClient, uri: str, text: str) -> Any:
    place = {"line": line_of(text), "character": 2}
    return await client.protocol.send_request_async("simt/meld", {"textDocument": {"uri": uri}, "position": place})


async def disabled(client: LanguageClient, uri: str, text: str) -> str | None:
    """The reason why the action cannot be chosen; None where it is not listed at all."""
    action = await offered(client, uri, text)
    if action is None:
        return None
    assert action.disabled is not None
    assert (action.edit, action.command, action.data) == (None, None, None)
    return action.disabled.reason


def lists_disabled(client: LanguageClient) -> bool:
    assert client.capabilities is not None
    assert client.capabilities.text_document is not None
    actions = client.capabilities.text_document.code_action
    return actions is not None and bool(actions.disabled_support)


def after(client: LanguageClient, text: str, edits: Sequence[types.TextEdit]) -> str:
    """The text that the editor shows after the edits, which are in order."""
    for edit in reversed(edits):
        start, end = (_offset(client, text, place) for place in (edit.range.start, edit.range.end))
        text = text[:start] + edit.new_text + text[end:]
    return text


def _offset(client: LanguageClient, text: str, place: types.Position) -> int:
    lines = text.splitlines(keepends=True)
    encoding, width = columns(client)
    before = lines[place.line].encode(encoding)[: width * place.character].decode(encoding)
    return len("".join(lines[: place.line])) + len(before)


def columns(client: LanguageClient) -> tuple[str, int]:
    assert client.capabilities is not None
    general = client.capabilities.general
    utf8 = general is not None and types.PositionEncodingKind.Utf8 in (general.position_encodings or ())
    return ("utf-8", 1) if utf8 else ("utf-16-le", 2)


def edits_of(action: types.CodeAction) -> list[types.TextEdit]:
    """Of the first version of the document, where the client can be told the version."""
    assert action.edit is not None
    if action.edit.changes is not None:
        (edits,) = action.edit.changes.values()
        return list(edits)
    assert action.edit.document_changes is not None
    (change,) = action.edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.version == 1
    return [edit for edit in change.edits if isinstance(edit, types.TextEdit)]


@pytest.mark.parametrize("text", [ALIKE, THREE_WAYS], ids=["two arms", "three arms"])
async def test_the_action_makes_the_same_edit_as_the_shell(client: LanguageClient, tmp_path: Path, text: str) -> None:
    file = tmp_path / "k.cu"
    file.write_text(text, "utf-8")
    opened(client, file.as_uri(), text)
    action = await chosen(client, file.as_uri(), text)
    shown = after(client, text, edits_of(action))
    assert shown != text
    shell = simt_lsp("meld", f"k.cu:{line_of(text) + 1}", "--diff", cwd=tmp_path)
    assert unified_diff(text.encode(), shown.encode(), "k.cu").decode() == shell.stdout
    assert shell.stderr.strip().endswith(action.title)


async def test_the_hover_says_where_both_versions_were_equal(client: LanguageClient, tmp_path: Path) -> None:
    uri = (tmp_path / "k.cu").as_uri()
    opened(client, uri, ALIKE)
    action = await chosen(client, uri, ALIKE)
    hover = types.HoverParams(types.TextDocumentIdentifier(uri), keyword(client, ALIKE))
    found = await client.text_document_hover_async(hover)
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert f"Checked: {action.title}: equal results under 8 policies." in found.contents.value


async def test_what_costs_more_is_not_applied_and_cannot_be_chosen_again(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri, asked = (tmp_path / "k.cu").as_uri(), Asked(client)
    opened(client, uri, SELDOM)
    action = await chosen(client, uri, SELDOM)
    assert action.edit is None
    assert client.messages[-1].message == f"Not melded: {REASON}"
    assert await disabled(client, uri, SELDOM) == (REASON if lists_disabled(client) else None)
    answer = await melded(client, uri, SELDOM)
    assert (answer.status, answer.message) == ("refuted", REASON)
    assert answer.title == f"Meld both arms (refuted: {REASON})"
    assert (asked.edits, asked.questions) == ([], [])


async def test_what_changes_results_is_not_applied_in_any_way(wrong: LanguageClient, tmp_path: Path) -> None:
    uri, asked = (tmp_path / "k.cu").as_uri(), Asked(wrong)
    opened(wrong, uri, ALIKE)
    assert (await chosen(wrong, uri, ALIKE)).edit is None
    told = wrong.messages[-1].message
    assert told.startswith("Not melded: even[0] becomes ")
    assert told.endswith(" under ipdom")
    reason = told.removeprefix("Not melded: ")
    assert await disabled(wrong, uri, ALIKE) == (reason if lists_disabled(wrong) else None)
    place = {"textDocument": {"uri": uri}, "position": {"line": line_of(ALIKE), "character": 2}}
    for unchecked in (False, True):
        command = types.ExecuteCommandParams("simt.meld", [{**place, "unchecked": unchecked}])
        answer: Any = await wrong.workspace_execute_command_async(command)
        assert (answer["status"], answer["applied"], answer["message"]) == ("refuted", False, reason)
    assert (asked.edits, asked.questions) == ([], [])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (NEVER, "no input splits a warp at this branch"),
        (UNUSED, "no kernel of this file runs the function, and kernels of other files are not looked at"),
    ],
    ids=["an arm that nothing reaches", "a function that no kernel runs"],
)
async def test_what_was_not_checked_is_applied_on_request_only(
    client: LanguageClient, tmp_path: Path, text: str, reason: str
) -> None:
    uri, asked = (tmp_path / "k.cu").as_uri(), Asked(client)
    opened(client, uri, text)
    assert (await chosen(client, uri, text)).edit is None
    again = await chosen(client, uri, text)
    assert again.title == f"Meld both arms (not checked: {reason})"
    assert edits_of(again)
    assert asked.questions == [f"The melding was not checked: {reason}"]
    assert asked.edits == []
