"""Melding through the protocol: what is offered, what is checked, what is applied, and what the user is told."""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.server.raw_client import COMMAND, NEOVIM, VSCODE, Message, RawClient, insert, repairs, server

URI = "untitled:k.cu"
WIRED: Message = {
    "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "refactor.rewrite"]}},
    "dataSupport": True,
    "disabledSupport": True,
    "resolveSupport": {"properties": ["edit"]},
}
LITERALS_ONLY: Message = {"codeActionLiteralSupport": WIRED["codeActionLiteralSupport"]}

ALIKE = """__global__ void step(float *even, float *odd, const float *x, const float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = i; /* 𝄞 */ if (i % 2 == 0) {
    even[i] = x[i] * x[i] + 1.0f;
  } else {
    odd[i] = y[i] * y[i] + 1.0f;
  }
}
"""
MELDED = """__global__ void step(float *even, float *odd, const float *x, const float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = i; /* 𝄞 */ const bool is_even = i % 2 == 0;
  const float value = (is_even ? x : y)[i];
  (is_even ? even : odd)[i] = value * value + 1.0f;
}
"""
KEYWORD = 22
"""Its column in UTF-16."""
UNREACHED = ALIKE.replace("i % 2 == 0", "x[i] > 1e30f")
"""No input that is chosen by itself reaches the first arm."""
SWITCH = """__global__ void step(float *out, const float *x, const float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  switch (i % 2) {
    case 0:
      out[i] = x[i] * x[i] + 1.0f;
      break;
    default:
      out[i] = y[i] * y[i] + 1.0f;
  }
}
"""
SWITCH_MELDED = """__global__ void step(float *out, const float *x, const float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = (i % 2 == 0 ? x : y)[i];
  out[i] = value * value + 1.0f;
}
"""
DIFFERENT = """__global__ void step(float *x, int n) {
  int i = threadIdx.x;
  if (i % 2 == 0) {
    x[i] = sqrtf(x[i]);
  } else {
    n += i;
  }
  x[i + 64] = n;
}
"""


class Editor(RawClient):
    """Applies edits as an editor does; `answers` are the buttons that its user presses, by the server's question."""

    def __init__(self, settings: Mapping[str | None, Any] | None = None, command: Any = COMMAND) -> None:
        self.applied: list[Message] = []
        self.pressed: str | None = None
        super().__init__(settings, command)

    def reply(self, message: Message) -> Any:
        if message["method"] == "workspace/applyEdit":
            self.applied.append(message["params"])
            return {"applied": True}
        if message["method"] == "window/showMessageRequest":
            return None if self.pressed is None else {"title": self.pressed}
        return super().reply(message)


@contextmanager
def editor(base: Message = VSCODE, text: str = ALIKE, wired: Message = WIRED, **more: Any) -> Generator[Editor]:
    client = Editor(**more)
    try:
        workspace = {**base["workspace"], "workspaceEdit": {"documentChanges": True}, "applyEdit": True}
        text_document = {**base["textDocument"], "codeAction": wired}
        client.initialize({**base, "workspace": workspace, "textDocument": text_document})
        client.open(URI, text)
        yield client
    finally:
        client.process.kill()
        client.process.wait()


def actions(client: RawClient, line: int = 2, only: list[str] | None = None, last: int | None = None) -> list[Message]:
    context: Message = {"diagnostics": []} if only is None else {"diagnostics": [], "only": only}
    start, end = ({"line": one, "character": 0} for one in (line, line if last is None else last))
    place = {"textDocument": {"uri": URI}, "range": {"start": start, "end": end}}
    return repairs(client.request("textDocument/codeAction", {**place, "context": context}))


def heard(client: RawClient, method: str) -> Message:
    """The parameters of the last message of `method`; waits for one where none has come."""
    for message in reversed(client.seen):
        if message.get("method") == method:
            return message["params"]
    return client.wait(lambda message: message.get("method") == method)["params"]


def meld(client: RawClient, line: int = 2) -> Message:
    place = {"line": line, "character": 2}
    return client.request("simt/meld", {"textDocument": {"uri": URI}, "position": place})


def after(text: str, edits: list[Message], encoding: str) -> str:
    """The text that an editor shows after the edits, which are in order; columns count units of `encoding`."""
    for edit in reversed(edits):
        start, end = (_offset(text, edit["range"][side], encoding) for side in ("start", "end"))
        text = text[:start] + edit["newText"] + text[end:]
    return text


def _offset(text: str, place: Message, encoding: str) -> int:
    lines = text.splitlines(keepends=True)
    codec, width = ("utf-8", 1) if encoding == "utf-8" else ("utf-16-le", 2)
    line = lines[int(place["line"])]
    before = line.encode(codec)[: width * int(place["character"])].decode(codec)
    return len("".join(lines[: int(place["line"])])) + len(before)


@pytest.mark.parametrize(("base", "encoding"), [(VSCODE, "utf-16"), (NEOVIM, "utf-8")], ids=["vscode", "neovim"])
def test_the_action_is_checked_when_it_is_chosen(base: Message, encoding: str) -> None:
    with editor(base) as client:
        (action,) = actions(client)
        assert (action["title"], action["kind"]) == ("Meld divergent arms", "refactor.rewrite")
        assert not {"edit", "command"} & set(action)
        assert [found["code"] for found in action["diagnostics"]] == ["DIV403"]
        resolved = client.request("codeAction/resolve", action)
        assert resolved["title"].startswith("Meld both arms: ")
        assert "fewer issued instructions, checked on " in resolved["title"]
        (change,) = resolved["edit"]["documentChanges"]
        assert change["textDocument"] == {"uri": URI, "version": 1}
        assert after(ALIKE, change["edits"], encoding) == MELDED
        assert client.stop() == 0


def test_a_switch_has_the_action_the_finding_and_the_hover() -> None:
    with editor(text=SWITCH) as client:
        (action,) = actions(client)
        assert (action["title"], action["kind"]) == ("Meld divergent arms", "refactor.rewrite")
        assert [found["code"] for found in action["diagnostics"]] == ["DIV403"]
        assert "The arms can be melded: one converged sequence would save about " in hover(client, character=2)
        resolved = client.request("codeAction/resolve", action)
        assert resolved["title"].startswith("Meld all arms: ")
        (change,) = resolved["edit"]["documentChanges"]
        assert after(SWITCH, change["edits"], "utf-16") == SWITCH_MELDED
        assert resolved["title"] in hover(client, character=2)


def test_what_was_checked_is_said_by_the_action_and_the_hover_until_the_kernel_changes() -> None:
    with editor() as client:
        resolved = client.request("codeAction/resolve", actions(client)[0])
        assert [action["title"] for action in actions(client)] == [resolved["title"]]
        assert resolved["title"] in hover(client)
        client.change(URI, 2, insert(0, 0, "// above\n"))
        assert [action["title"] for action in actions(client, line=3)] == [resolved["title"]]
        (change,) = client.request("codeAction/resolve", actions(client, line=3)[0])["edit"]["documentChanges"]
        assert (change["textDocument"]["version"], change["edits"][0]["range"]["start"]["line"]) == (2, 3)
        client.change(URI, 3, insert(4, 20, " "))
        assert [action["title"] for action in actions(client, line=3)] == ["Meld divergent arms"]
        assert resolved["title"] not in hover(client, line=3)


def hover(client: RawClient, line: int = 2, character: int = KEYWORD) -> str:
    place = {"line": line, "character": character}
    return client.request("textDocument/hover", {"textDocument": {"uri": URI}, "position": place})["contents"]["value"]


def test_the_finding_and_the_hover_say_what_it_would_save() -> None:
    with editor() as client:
        found = client.request("textDocument/diagnostic", {"textDocument": {"uri": URI}})["items"]
        (hint,) = [one for one in found if one["code"] == "DIV403"]
        assert hint["severity"] == 4
        assert hint["range"] == {
            "start": {"line": 2, "character": KEYWORD},
            "end": {"line": 2, "character": KEYWORD + 2},
        }
        assert "% of this kernel's issue slots." in hint["message"]
        assert "The arms can be melded: one converged sequence would save about " in hover(client)


def test_only_in_the_lines_and_of_the_kinds_that_are_asked_for() -> None:
    with editor() as client:
        for only in (["refactor"], ["refactor.rewrite"], [""], ["quickfix", "refactor"]):
            assert len(actions(client, only=only)) == 1
        for only in (["refactor.extract"], ["quickfix"], ["source"], ["refactor.rewrite.more"], ["ref"]):
            assert actions(client, only=only) == []
        assert actions(client, line=3) == []
        assert len(actions(client, line=1, last=4)) == 1


def test_different_arms_have_no_action_and_the_request_says_why() -> None:
    with editor(text=DIFFERENT) as client:
        assert [action["title"] for action in actions(client)] == ["Insert `__syncwarp()` after the branch"]
        answer = meld(client)
        assert (answer["status"], answer["edits"], answer["text"]) == ("refused", None, None)
        assert answer["message"].startswith("step: ")
        number = client.ask(
            "simt/meld", {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
        )  # fmt: skip
        assert client.answer(number)["error"]["message"] == "simt/meld: no branch splits a warp in this line"


def test_the_request_has_both_texts_and_their_figures() -> None:
    with editor() as client:
        answer = meld(client)
        assert (answer["uri"], answer["version"], answer["status"]) == (URI, 1, "confirmed")
        assert answer["range"] == {
            "start": {"line": 2, "character": KEYWORD},
            "end": {"line": 2, "character": KEYWORD + 2},
        }
        assert answer["text"] == MELDED == after(ALIKE, answer["edits"], "utf-16")
        before, melded = answer["before"], answer["after"]
        assert set(before) == set(melded) == {"warpInstructions", "activeLanes", "memoryRequests", "sectors"}
        assert melded["warpInstructions"] < before["warpInstructions"]
        assert melded["activeLanes"] == answer["launch"]["warpSize"] == 32
        assert 2 * melded["memoryRequests"] <= before["memoryRequests"]


def test_the_size_of_a_warp_is_that_of_the_settings() -> None:
    with editor(settings={None: {"warpSize": 64}}) as client:
        assert meld(client)["launch"]["warpSize"] == 64


def test_the_method_and_the_threshold_are_settings() -> None:
    with editor(settings={None: {"meldMethod": "tail", "meldThreshold": 0.5}}) as client:
        assert actions(client) == []
    with editor(settings={None: {"rules": {"DIV403": "off"}}}) as client:
        found = client.request("textDocument/diagnostic", {"textDocument": {"uri": URI}})["items"]
        assert "DIV403" not in [one["code"] for one in found]
        assert len(actions(client)) == 1


def test_a_client_that_resolves_nothing_gets_the_command() -> None:
    with editor(wired=LITERALS_ONLY) as client:
        (action,) = actions(client)
        command = action["command"]
        assert command["command"] == "simt.meld"
        answer = client.request(
            "workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]}
        )
        assert (answer["status"], answer["applied"]) == ("confirmed", True)
        (params,) = client.applied
        (change,) = params["edit"]["documentChanges"]
        assert change["textDocument"]["version"] == 1
        assert after(ALIKE, change["edits"], "utf-16") == MELDED
        assert answer["title"] == params["label"] == heard(client, "window/showMessage")["message"]


def test_what_was_not_checked_is_applied_after_a_question_or_the_second_time() -> None:
    with editor(text=UNREACHED) as client:
        (action,) = actions(client)
        assert "edit" not in client.request("codeAction/resolve", action)
        asked = heard(client, "window/showMessageRequest")
        assert asked["message"].startswith("The melding was not checked: ")
        assert [button["title"] for button in asked["actions"]] == ["Meld Unchecked"]
        assert client.applied == []
        (again,) = actions(client)
        assert again["title"].startswith("Meld both arms (not checked: ")
        assert client.request("codeAction/resolve", again)["edit"]
    with editor(text=UNREACHED) as client:
        client.pressed = "Meld Unchecked"
        client.request("codeAction/resolve", actions(client)[0])
        heard(client, "workspace/applyEdit")
        assert len(client.applied) == 1


def test_an_edit_while_it_is_checked_takes_it_back() -> None:
    with editor() as client:
        (action,) = actions(client)
        number = client.ask("codeAction/resolve", action)
        client.wait(lambda message: message.get("method") == "$/progress")
        client.change(URI, 2, insert(0, 0, "// above\n"))
        assert client.answer(number)["error"]["code"] == -32801
        assert "the text changed" in heard(client, "window/showMessage")["message"]
        number = client.ask("codeAction/resolve", action)
        assert client.answer(number)["error"]["code"] == -32801, "the action is of version 1"


def test_a_check_can_be_cancelled_and_others_are_answered_meanwhile() -> None:
    text = ALIKE.replace("x[i] * x[i]", "x[i] * SUM").replace("y[i] * y[i]", "y[i] * SUM")
    loop = "for (int k = 0; k < 100000; ++k) even[i + 4096] += k;\n  if (i % 2"
    with editor(text=text.replace("SUM", "2.0f").replace("if (i % 2", loop)) as client:
        number = client.ask("codeAction/resolve", actions(client, line=3)[0])
        client.wait(lambda message: message.get("method") == "$/progress")
        assert hover(client, 3, 2)
        client.notify("$/cancelRequest", {"id": number})
        assert client.answer(number)["error"]["code"] == -32800
        assert hover(client, 3, 2)
        assert client.stop() == 0


def test_without_numpy_the_user_is_told(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise ModuleNotFoundError(\"No module named 'numpy'\", name='numpy')\n")
    start = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from simt_lsp.__main__ import main; main()"
    command = (sys.executable, "-I", "-c", start, "--stdio")
    with editor(command=command) as client:
        assert "edit" not in client.request("codeAction/resolve", actions(client)[0])
        told = heard(client, "window/showMessage")["message"]
        assert told.startswith("Not melded: simulating needs NumPy")


@pytest.mark.parametrize("arguments", [[], [{}], [{"textDocument": {"uri": URI}}], [1], [[], []]])
def test_odd_arguments_are_refused(arguments: list[Any]) -> None:
    with server() as client:
        client.initialize(VSCODE)
        number = client.ask("workspace/executeCommand", {"command": "simt.meld", "arguments": arguments})
        assert client.answer(number)["error"]["message"] == "simt.meld needs textDocument.uri and position"


def test_the_preview_is_offered_to_clients_that_can_show_it(tmp_path: Path) -> None:
    with server() as client:
        text_document = {**VSCODE["textDocument"], "codeAction": WIRED}
        client.initialize(
            {**VSCODE, "textDocument": text_document, "experimental": {"simtMeldPreview": True}}, tmp_path
        )
        client.open(URI, ALIKE)
        _, preview = actions(client)
        assert preview["command"]["command"] == "simt.meldPreview"
        assert preview["command"]["arguments"][0]["position"] == {"line": 2, "character": KEYWORD}
