"""Kernels simulated through the protocol: what comes back, what goes stale, and that nothing holds the server up."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.server.raw_client import NEOVIM, PUSHED, VSCODE, Message, RawClient, insert, replace, server

URI = "untitled:k.cu"

SPLIT = """__device__ float twice(float x) { return 2.0f * x; }
__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2) x[i] = twice(x[i]);
  if (i < n) x[i] += 1.0f;
}
__global__ void other(float *x) { x[threadIdx.x] = 0.0f; }
"""
"""Every warp splits in line 3 (from 0); no warp splits in line 4, where all threads are in bounds."""

STRAY = """__shared__ int tile[32];
__global__ void k(int *x) {
  x[threadIdx.x] = tile[threadIdx.x + 1];
}
"""
"""Thread 31 of a block reads behind `tile` in line 2, and nothing has written the rest."""

ENDLESS = """__global__ void k(volatile unsigned *x) {
  unsigned i = 0;
  while (i < 4294967295u) { x[threadIdx.x] = i; i += 2; i -= 1; }
}
"""


def simulate(client: RawClient, kernel: str = "k", uri: str = URI, **overrides: Any) -> Any:
    return client.request("workspace/executeCommand", command(kernel, uri, **overrides))


def command(kernel: str = "k", uri: str = URI, **overrides: Any) -> Message:
    argument = {"textDocument": {"uri": uri}, "kernel": kernel, **overrides}
    return {"command": "simt.simulate", "arguments": [argument]}


def hover(client: RawClient, line: int, character: int) -> str:
    place = {"line": line, "character": character}
    answer = client.request("textDocument/hover", {"textDocument": {"uri": URI}, "position": place})
    return answer["contents"]["value"]


def shown(client: RawClient) -> Any:
    return client.request("simt/simulation", {"textDocument": {"uri": URI}})


def titles(client: RawClient) -> list[str]:
    lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": URI}})
    return [lens["command"]["title"] for lens in lenses if lens["command"]["command"] == "simt.simulate"]


def begun(client: RawClient) -> None:
    """The first percentage of a run has come."""

    def is_report(message: Message) -> bool:
        if message.get("method") != "$/progress":
            return False
        value: Message = message["params"]["value"]
        return value["kind"] == "report"

    client.wait(is_report)


def test_a_simulation_answers_the_contract_and_shows_progress() -> None:
    with server() as client:
        client.initialize(VSCODE)
        client.open(URI, SPLIT)
        answer = simulate(client, grid=[4], block=64, seed=7, policies=["ipdom", "min-pc"])
        report = answer["report"]
        assert answer["status"] == "finished"
        assert (report["grid"], report["block"], report["seed"]) == ([4, 1, 1], [64, 1, 1], 7)
        assert list(report["policies"]) == ["ipdom", "min-pc"]
        assert report["policies_agree"]
        branches = {branch["line"]: branch for branch in report["policies"]["ipdom"]["branches"]}
        assert (branches[4]["executed"], branches[4]["diverged"]) == (8, 8)
        assert (branches[5]["executed"], branches[5]["diverged"]) == (8, 0)
        kinds = [message["params"]["value"]["kind"] for message in client.seen if message.get("method") == "$/progress"]
        assert (kinds[0], kinds[-1]) == ("begin", "end")
        assert client.stop() == 0


def test_the_page_comes_on_request() -> None:
    with server() as client:
        client.initialize(NEOVIM)
        client.open(URI, SPLIT)
        assert simulate(client)["html"] is None
        assert "<html" in simulate(client, html=True)["html"]


def test_counts_stand_in_the_hover_of_a_branch_beside_the_static_verdict() -> None:
    with server() as client:
        client.initialize(NEOVIM)
        client.open(URI, SPLIT)
        assert "Simulated" not in hover(client, 3, 2)
        simulate(client, grid=[4], block=[64])
        counted = hover(client, 3, 2)
        assert "Simulated with 4 × 64 threads: diverged 8 of 8 times, 32 of 32 lanes active on average" in counted
        assert "no warp split" not in counted
        unsplit = hover(client, 4, 2)
        assert "never diverged in 8 times" in unsplit
        assert "The analysis calls this branch varying; in this run no warp split at it" in unsplit


def test_lines_to_tint_follow_edits_and_go_stale_with_the_kernel_alone() -> None:
    with server() as client:
        client.initialize({**NEOVIM, "experimental": {"simtSimulation": True}})
        client.open(URI, SPLIT)
        simulate(client)
        (kernel,) = told(client)["kernels"]
        assert (kernel["kernel"], kernel["line"], kernel["stale"]) == ("k", 1, False)
        lines = {line["line"]: line for line in kernel["lines"]}
        assert lines[3]["simdEfficiency"] < 1.0 == lines[4]["simdEfficiency"]
        assert lines[3]["sectors"] > lines[3]["idealSectors"] > 0
        assert lines[0]["warpInstructions"] > 0, "the function it calls is counted where it stands"

        client.change(URI, 2, insert(0, 0, "// moved\n"), replace((7, 0), (7, 99), "__global__ void other() {}"))
        (moved,) = shown(client)["kernels"]
        assert (moved["line"], moved["stale"]) == (2, False)
        assert {line["line"] - 1 for line in moved["lines"]} == set(lines)
        assert "diverged" in hover(client, 4, 2)
        assert titles(client)[0] == f"Simulate again ({100 * moved['simdEfficiency']:.1f} % of lanes active)"

        client.change(URI, 3, replace((1, 41), (1, 45), "4.0f"))  # in the function that the kernel calls
        (stale,) = shown(client)["kernels"]
        assert (stale["line"], stale["stale"], stale["lines"], stale["branches"]) == (None, True, [], [])
        assert "Simulated" not in hover(client, 4, 2)
        assert titles(client) == ["Simulate", "Simulate"]

        client.change(URI, 4, replace((1, 41), (1, 45), "2.0f"))
        assert not shown(client)["kernels"][0]["stale"], "an undone edit brings the result back"
        client.change(URI, 5, insert(2, 0, "// simt: block=128\n"))
        assert shown(client)["kernels"][0]["stale"], "another launch"


def told(client: RawClient) -> Message:
    """What the server told of a run by itself, before or after it answered the command."""
    came = [one["params"] for one in client.seen if one.get("method") == "simt/simulation"]
    return came[-1] if came else client.notification("simt/simulation", uri=URI)


def published(client: RawClient) -> list[Message]:
    """The newest diagnostics of the document that came, before or after the answer to a command."""
    came = [one["params"] for one in client.seen if one.get("method") == "textDocument/publishDiagnostics"]
    return came[-1]["diagnostics"] if came and came[-1]["diagnostics"] else client.diagnostics(URI)


def faults(diagnostics: list[Message]) -> dict[str, Message]:
    return {one["code"]: one for one in diagnostics if one["source"] == "simt-sim"}


def test_faults_are_pushed_beside_the_static_findings_until_the_kernel_changes() -> None:
    with server() as client:
        client.initialize(PUSHED)
        client.open(URI, STRAY)
        assert not faults(client.diagnostics(URI))
        assert simulate(client, block=[32])["status"] == "finished"
        found = faults(published(client))
        stray = found["out-of-bounds"]
        assert stray["severity"] == 1
        assert stray["range"]["start"]["line"] == stray["range"]["end"]["line"] == 2
        assert "thread 31,0,0 of block" in stray["message"]
        assert "tile" in stray["message"]
        assert found["uninitialised-read"]["severity"] == 2
        client.change(URI, 2, replace((2, 36), (2, 40), ""))
        assert not faults(client.diagnostics(URI, version=2))


def test_faults_are_pulled_by_clients_that_pull() -> None:
    with server() as client:
        client.initialize(VSCODE)
        client.open(URI, STRAY)
        simulate(client, block=[32])
        client.wait(lambda message: message.get("method") == "workspace/diagnostic/refresh")
        answer = client.request("textDocument/diagnostic", {"textDocument": {"uri": URI}})
        assert "out-of-bounds" in faults(answer["items"])
        assert not any(message.get("method") == "textDocument/publishDiagnostics" for message in client.seen)


def test_a_refusal_names_the_construct_and_its_line() -> None:
    with server() as client:
        client.initialize(NEOVIM)
        client.open(URI, "__global__ void k(int *x) {\n  x[0] = unheard_of(x);\n}\n")
        answer = simulate(client)
        assert (answer["status"], answer["line"], answer["report"]) == ("refused", 2, None)
        assert "unheard_of" in answer["message"]
        told = [message["params"] for message in client.seen if message.get("method") == "window/showMessage"]
        assert told == [{"type": 2, "message": answer["message"]}]
        assert simulate(client, havoc=True)["status"] == "finished"


FILL = "__global__ void k(int *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n"


def test_the_comments_above_a_kernel_belong_to_it() -> None:
    def at(line: int) -> Message:
        argument = {"textDocument": {"uri": URI}, "position": {"line": line, "character": 3}}
        return {"command": "simt.simulate", "arguments": [argument]}

    with server() as client:
        client.initialize(NEOVIM)
        client.open(URI, "// a file\n\n// what k does\n  // simt: grid=3 block=64\n" + FILL)
        for line in (2, 3):
            report = client.request("workspace/executeCommand", at(line))["report"]
            assert (report["kernel"], report["grid"], report["block"]) == ("k", [3, 1, 1], [64, 1, 1])
        refused = client.answer(client.ask("workspace/executeCommand", at(0)))
        assert "no kernel at this position; the file has: k" in refused["error"]["message"]


def test_what_does_not_fit_is_an_error_or_a_refusal_in_words() -> None:
    with server() as client:
        client.initialize(NEOVIM)
        client.open(URI, SPLIT)
        wrong: list[tuple[Message, str]] = [
            (command("gone"), "no kernel named gone; the file has: k, other"),
            (command(block=[0]), "block is a positive number"),
            (command(arguments={"n": []}), "arguments.n"),
            (command(uri="untitled:none"), "not an open CUDA document"),
        ]
        for asked, words in wrong:
            number = client.ask("workspace/executeCommand", asked)
            assert words in client.answer(number)["error"]["message"]
        assert "k has no argument m; it has: n, x" in simulate(client, arguments={"m": "3"})["message"]
        assert "min-pc" in simulate(client, policies=["fastest"])["message"]


def test_an_endless_loop_ends_within_its_budget_while_hovers_are_answered() -> None:
    with server() as client:
        client.initialize(NEOVIM)
        client.open(URI, ENDLESS)
        hover(client, 2, 2)
        started = time.monotonic()
        running = client.ask("workspace/executeCommand", command(seconds=3))
        begun(client)
        waits: list[float] = []
        for _ in range(10):
            asked = time.monotonic()
            assert "uniform" in hover(client, 2, 2)
            waits.append(time.monotonic() - asked)
        answer = client.answer(running)["result"]
        assert time.monotonic() - started < 20
        assert answer["report"]["truncated"]
        assert sorted(waits)[len(waits) // 2] < 1.0, "not behind the simulation"
        ended = faults(published(client))["truncated"]
        assert ended["severity"] == 3
        assert ended["range"]["start"]["line"] == 2
        assert "its budget (time) is used up" in ended["message"]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for child processes in /proc")
def test_a_process_that_is_killed_is_a_message_and_none_outlives_the_server() -> None:
    with server() as client:
        client.initialize(NEOVIM)
        client.open(URI, ENDLESS)
        running = client.ask("workspace/executeCommand", command(seconds=60))
        begun(client)
        (child,) = children(client.process.pid)
        os.kill(child, signal.SIGKILL)
        answer = client.answer(running)["result"]
        assert answer["status"] == "failed"
        assert "killed (signal 9)" in answer["message"]
        assert "uniform" in hover(client, 2, 2)

        client.ask("workspace/executeCommand", command(seconds=60))
        begun(client)
        (child,) = children(client.process.pid)
        client.process.kill()
        end = time.monotonic() + 20
        while alive(child):
            assert time.monotonic() < end
            time.sleep(0.02)


def children(process: int) -> list[int]:
    """The processes that a process started."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def alive(process: int) -> bool:
    """A process that nobody has waited for yet is dead all the same."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_both_ways_to_cancel_end_it_at_once() -> None:
    with server() as client:
        client.initialize(NEOVIM)
        client.open(URI, ENDLESS)
        running = client.ask("workspace/executeCommand", {**command(seconds=60), "workDoneToken": "t"})
        begun(client)
        client.notify("window/workDoneProgress/cancel", {"token": "t"})
        assert client.answer(running)["result"]["status"] == "stopped"

        running = client.ask("workspace/executeCommand", {**command(seconds=60), "workDoneToken": "u"})
        begun(client)
        client.notify("$/cancelRequest", {"id": running})
        assert client.answer(running)["error"]["code"] == -32800
        assert client.stop() == 0


def test_unsaved_texts_are_what_runs(tmp_path: Path) -> None:
    header, kernel = tmp_path / "h.cuh", tmp_path / "k.cu"
    header.write_text("#define WIDTH 8\n")
    kernel.write_text("never")
    with server() as client:
        client.initialize(PUSHED, tmp_path)
        client.open(header.as_uri(), "#define WIDTH 16\n")
        client.open(
            kernel.as_uri(), '#include "h.cuh"\n__global__ void k(int *x) { if (threadIdx.x % WIDTH) x[0]++; }\n'
        )
        client.open("untitled:other", SPLIT)
        (run,) = simulate(client, uri=kernel.as_uri(), grid=1, block=32)["report"]["policies"].values()
        assert run["lines"][0]["line"] == 2
        (branch,) = run["branches"]
        assert (branch["executed"], branch["diverged"]) == (1, 1)


def test_arrays_of_comments_lie_below_the_source_and_nothing_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    np.save(tmp_path / "outside.npy", np.zeros(64, np.float32))
    np.save(folder / "inside.npy", np.full(64, 3, np.float32))
    text = "// simt: x=@%s\n__global__ void k(float *x) { if (x[threadIdx.x] == 3.0f) x[threadIdx.x] = 4; }\n"
    before = sorted(tmp_path.rglob("*"))
    with server() as client:
        client.initialize(PUSHED, folder)
        uri = (folder / "k.cu").as_uri()
        client.open(uri, text % "../outside.npy")
        client.open(URI, text % "inside.npy")
        answer = simulate(client, uri=uri)
        assert answer["status"] == "refused"
        assert "below the folder" in answer["message"]
        assert "save this text first" in simulate(client)["message"]
        client.change(uri, 2, {"text": text % "inside.npy"})
        (run,) = simulate(client, uri=uri, grid=1, block=64)["report"]["policies"].values()
        assert run["branches"][0]["diverged"] == 0
        assert client.stop() == 0
    assert sorted(tmp_path.rglob("*")) == before


def test_without_numpy_the_answer_says_how_to_install_it(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise ModuleNotFoundError(\"No module named 'numpy'\", name='numpy')\n")
    start = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from simt_lsp.__main__ import main; main()"
    with server(command=(sys.executable, "-I", "-c", start, "--stdio")) as client:
        client.initialize(NEOVIM)
        client.open(URI, SPLIT)
        answer = simulate(client)
        assert answer["status"] == "failed"
        assert "pip install numpy" in answer["message"]
        assert "varying" in hover(client, 3, 2)
