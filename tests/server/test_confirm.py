""" "Confirm by a run" through the protocol: what is offered, shown in the finding, told, and dropped by an edit."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from tests.server.raw_client import PUSHED, Message, RawClient, insert, server
from tests.server.test_meld import heard

URI: Final = "file:///work/k.cu"
RACE: Final = """__global__ void k(float *out, const int *flag) {
  __shared__ float s[128];
  int t = threadIdx.x;
  /* 𝄞 */ if (flag[t]) {
    s[t] = out[t];
    out[t] = s[127 - t];
  }
}
void host(float *a, int *b) { k<<<2, 128>>>(a, b); }
__global__ void other(float *x) { x[threadIdx.x] = 1.0f; }
"""
FOUND: Final = 5
HIDDEN: Final = RACE.replace("if (flag[t])", "if (flag[t] == 123456789)")
ENDLESS: Final = RACE.replace("  int t =", "  for (long i = 0; i < 1000000000000; i++) out[i & 1] += i;\n  int t =")
TIERS: Final = {"tiers": ["proven", "possible", "assumed"]}


@contextmanager
def editor(text: str, options: object = TIERS) -> Generator[RawClient]:
    with server() as client:
        literals = {"codeActionKind": {"valueSet": ["quickfix"]}}
        action = {"codeAction": {"codeActionLiteralSupport": literals}}
        client.initialize(
            {**PUSHED, "textDocument": {**PUSHED["textDocument"], **action}, "window": {"workDoneProgress": True}},
            options=options,
        )
        client.open(URI, text)
        yield client


def offered(client: RawClient, line: int = FOUND) -> list[Message]:
    place = {"line": line, "character": 0}
    asked: Message = {
        "textDocument": {"uri": URI},
        "range": {"start": place, "end": place},
        "context": {"diagnostics": []},
    }
    found = client.request("textDocument/codeAction", asked)
    return [one for one in found if one["title"] == "Confirm by a run"]


def run(client: RawClient, action: Message) -> Message:
    command = {"command": action["command"]["command"], "arguments": action["command"]["arguments"]}
    return client.request("workspace/executeCommand", command)


def confirmed(client: RawClient) -> Message:
    """The diagnostic of the race once it says that a run confirms it."""

    def says_so(message: Message) -> bool:
        if message.get("method") != "textDocument/publishDiagnostics":
            return False
        return any("confirmed by a run" in one["message"] for one in message["params"]["diagnostics"])

    known = [message for message in client.seen if says_so(message)]
    (found,) = races((known[-1] if known else client.wait(says_so))["params"]["diagnostics"])
    return found


def races(found: list[Message]) -> list[Message]:
    return [one for one in found if one["code"] == "RAC301"]


def test_a_confirmed_race_says_so_until_its_kernel_is_edited() -> None:
    with editor(RACE) as client:
        (before,) = races(client.diagnostics(URI, version=1))
        assert "confirmed" not in before["message"]
        (action,) = offered(client)
        assert [one["code"] for one in action["diagnostics"]] == ["RAC301"]
        assert run(client, action)["run"]["verdict"] == "confirmed"
        shown = confirmed(client)
        assert "(confirmed by a run of k (grid 2, block 128): thread " in shown["message"]
        assert shown["data"]["run"]["evidence"]["kernel"] == "k"
        assert offered(client) == []

        client.change(URI, 2, insert(9, 0, "// below\n"))
        (moved,) = races(client.diagnostics(URI, version=2))
        assert "confirmed by a run" in moved["message"]
        client.change(URI, 3, insert(4, 0, "    out[0] = 1.0f;\n"))
        assert all("confirmed" not in one["message"] for one in races(client.diagnostics(URI, version=3)))
        assert client.stop() == 0


def test_what_no_run_shows_is_told_and_changes_nothing() -> None:
    with editor(HIDDEN) as client:
        (before,) = races(client.diagnostics(URI, version=1))
        (action,) = offered(client)
        assert run(client, action)["run"]["verdict"] == "not-seen"
        assert heard(client, "window/showMessage")["message"] == "RAC301: not seen in 3 runs"
        assert "not seen" not in before["message"]
        assert offered(client) == []


def test_findings_that_are_not_shown_or_proven_get_no_offer() -> None:
    with editor(RACE, options={}) as client:
        assert races(client.diagnostics(URI, version=1)) == []
        assert offered(client) == []
    with editor(RACE.replace("if (flag[t])", "")) as client:
        (proven,) = races(client.diagnostics(URI, version=1))
        assert proven["data"]["tier"] == "proven"
        assert offered(client) == []


def test_it_can_be_cancelled() -> None:
    with editor(ENDLESS) as client:
        (action,) = offered(client, FOUND + 1)
        command = {"command": "simt.confirm", "arguments": action["command"]["arguments"], "workDoneToken": "t"}
        running = client.ask("workspace/executeCommand", command)
        client.wait(lambda message: message.get("method") == "$/progress")
        client.notify("window/workDoneProgress/cancel", {"token": "t"})
        assert client.answer(running)["result"] == {"run": None}
        assert client.stop() == 0


def test_wrong_arguments_are_refused() -> None:
    with editor(RACE) as client:
        for arguments in (
            [],
            [{"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}, "code": "RAC301"}],
        ):
            asked = client.ask("workspace/executeCommand", {"command": "simt.confirm", "arguments": arguments})
            assert "simt.confirm" in client.answer(asked)["error"]["message"]
