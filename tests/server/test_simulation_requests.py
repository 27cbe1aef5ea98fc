"""What editor extensions ask for: kernels, status, reports, lines to tint; and the process that waits for work."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.server.raw_client import NEOVIM, VSCODE, Message, RawClient, insert, server

URI = "untitled:k.cu"

TEXT = """__global__ void scale(float *x, const float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2) x[i] = y[32 * i];
  __shared__ float tile[32][32];
  tile[threadIdx.x % 32][0] = x[i];
  __syncthreads();
  x[i] = tile[0][threadIdx.x % 32];
}
// simt: block=64 n=100 y=iota
__global__ void plain(float *x, float *y, int n) { x[threadIdx.x] = y[threadIdx.x] * n; }
void run(float *x, float *y) { scale<<<dim3(4), 128, 16>>>(x, y, 512); }
"""

needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for child processes in /proc")


def simulate(client: RawClient, kernel: str = "scale", **overrides: Any) -> Message:
    argument = {"textDocument": {"uri": URI}, "kernel": kernel, **overrides}
    return client.request("workspace/executeCommand", {"command": "simt.simulate", "arguments": [argument]})


def kernels(client: RawClient) -> dict[str, Message]:
    found = client.request("simt/kernels", {"textDocument": {"uri": URI}})
    return {kernel["name"]: kernel for kernel in found["kernels"]}


def status(client: RawClient, **asked: Any) -> Message:
    return client.request("simt/status", asked)


def hover(client: RawClient, line: int, character: int) -> str:
    place = {"line": line, "character": character}
    return client.request("textDocument/hover", {"textDocument": {"uri": URI}, "position": place})["contents"]["value"]


def simulate_lens(client: RawClient) -> Message:
    lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": URI}})
    return next(lens["command"] for lens in lenses if lens["command"]["command"] == "simt.simulate")


def test_kernels_are_listed_with_what_text_and_settings_say() -> None:
    settings: dict[str | None, Message] = {
        None: {"simulate": {"seed": 9, "kernels": {"plain": {"grid": 2, "block": 32}}}}
    }
    with server(settings) as client:
        client.initialize(NEOVIM)
        client.open(URI, TEXT)
        found = client.request("simt/kernels", {"textDocument": {"uri": URI}})
        assert (found["uri"], found["version"]) == (URI, 1)
        scale, plain = found["kernels"]
        assert scale["range"] == {"start": {"line": 0, "character": 0}, "end": {"line": 7, "character": 1}}
        assert scale["selectionRange"]["start"] == {"line": 0, "character": 16}
        assert (scale["branches"], scale["divergentBranches"], scale["barriers"]) == (1, 1, 1)
        assert "1 divergent branch" in scale["summary"]
        assert set(scale["findings"]) == set(found["findings"]) == {"error", "warning", "information", "hint"}
        expected: Message = {
            "grid": [4, 1, 1], "block": [128, 1, 1], "sharedBytes": 16, "seed": 9, "arguments": {}, "from": "text"
        }  # fmt: skip
        assert scale["launch"] == expected
        assert plain["launch"]["block"] == [64, 1, 1], "the comment wins"
        assert plain["launch"]["grid"] == [2, 1, 1], "the settings of the kernel"
        assert plain["launch"]["arguments"] == {"n": "100", "y": "iota"}
        assert scale["simulation"]["state"] == "none"
        assert client.request("simt/kernels", {"textDocument": {"uri": "untitled:none"}}) is None


def test_after_a_simulation_its_launch_and_options_are_remembered() -> None:
    with server() as client:
        client.initialize(NEOVIM)
        client.open(URI, TEXT)
        options: Message = {"grid": [2, 1, 1], "arguments": {"n": "64"}, "policies": ["min-pc"], "warpSize": 16}
        answer = simulate(client, **options)
        assert answer["report"]["warp_size"] == 16
        scale = kernels(client)["scale"]
        assert scale["launch"]["from"] == "simulation"
        assert (scale["launch"]["grid"], scale["launch"]["block"]) == ([2, 1, 1], [128, 1, 1])
        assert scale["launch"]["arguments"]["n"] == "64"
        simulation = scale["simulation"]
        assert (simulation["state"], simulation["policy"], simulation["options"]) == ("finished", "min-pc", options)
        assert simulation["divergedBranches"] == 1
        assert simulation["title"].startswith("Simulate again (")
        assert "lanes active" in simulation["message"]

        lens = simulate_lens(client)
        client.change(URI, 2, insert(1, 0, "  n = n;\n"))
        again = client.request("workspace/executeCommand", {"command": lens["command"], "arguments": lens["arguments"]})
        assert list(again["report"]["policies"]) == ["min-pc"], "the lens simulates with the same options"
        assert again["report"]["grid"] == [2, 1, 1]
        assert simulate(client, again=True, grid=3)["report"]["grid"] == [3, 1, 1], "what is given wins"
        assert simulate(client)["report"]["grid"] == [4, 1, 1], "not asked to remember"


def test_kernels_are_told_when_a_simulation_begins_and_ends() -> None:
    with server() as client:
        client.initialize({**NEOVIM, "experimental": {"simtKernels": True}})
        client.open(URI, TEXT)

        def told(message: Message) -> bool:
            return message.get("method") == "simt/kernels"

        first = client.wait(told)["params"]["kernels"][0]["simulation"]
        assert first["state"] == "none"
        simulate(client)
        states = [one["params"]["kernels"][0]["simulation"]["state"] for one in client.seen if told(one)]
        while states[-1] != "finished":
            states.append(client.wait(told)["params"]["kernels"][0]["simulation"]["state"])
        assert [one for one in ("none", "running", "finished") if one in states] == ["none", "running", "finished"]


def test_status_has_the_kernel_at_the_cursor() -> None:
    with server() as client:
        client.initialize(NEOVIM)
        client.open(URI, TEXT)
        assert status(client)["document"] is None
        found = status(client, textDocument={"uri": URI}, position={"line": 9, "character": 0})
        assert found["document"]["kernels"] == 2
        assert found["kernel"]["name"] == "plain"
        assert found["server"]["version"]
        host = {"line": 10, "character": 3}
        assert status(client, textDocument={"uri": URI}, position=host)["kernel"] is None


def test_status_says_what_is_kept_and_how_often_it_was_of_use() -> None:
    with server() as client:
        client.initialize(NEOVIM)
        client.open(URI, TEXT)
        status(client, textDocument={"uri": URI})
        before = {one["name"]: one for one in status(client)["kept"]}
        assert before["roots"]["entries"] == before["roots"]["asked"] - before["roots"]["found"] == 2
        client.change(URI, 2, {"text": TEXT.replace("plain", "other")})
        status(client, textDocument={"uri": URI})
        after = {one["name"]: one for one in status(client)["kept"]}
        assert after["roots"]["found"] > before["roots"]["found"]


def test_the_report_is_there_without_running_again() -> None:
    with server() as client:
        client.initialize(NEOVIM)
        client.open(URI, TEXT)

        def report(**asked: Any) -> Any:
            return client.request("simt/simulationReport", {"textDocument": {"uri": URI}, "kernel": "scale", **asked})

        assert report() is None
        answer = simulate(client)
        page = report()
        assert (page["kernel"], page["stale"], page["format"]) == ("scale", False, "html")
        assert page["content"].startswith("<!doctype html>")
        assert report(format="json")["content"] == answer["report"]
        lines = ["".join(piece["text"] for piece in line) for line in report(format="text")["content"]]
        assert lines[0].startswith("scale  grid 4 · block 128")
        assert report(format="text")["content"][0][0]["tone"] == "title"
        client.change(URI, 2, insert(1, 0, "  n += 1;\n"))
        assert report()["stale"]
        number = client.ask("simt/simulationReport", {"textDocument": {"uri": URI}, "kernel": "scale", "format": "pdf"})
        assert "no format 'pdf'" in client.answer(number)["error"]["message"]


def test_a_launch_can_be_typed() -> None:
    with server() as client:
        client.initialize(NEOVIM)
        client.open(URI, TEXT)
        report = simulate(client, launchText="grid=2 block=64 n=40 policy=ipdom,min-pc", block=96)["report"]
        assert (report["grid"], report["block"]) == ([2, 1, 1], [96, 1, 1])
        assert list(report["policies"]) == ["ipdom", "min-pc"]
        assert report["inputs"]["n"]["value"] == "40"
        for text, problem in (("grid", "cannot read grid: expected key=value"), ("block=0", "cannot read block=0")):
            asked = {"textDocument": {"uri": URI}, "kernel": "scale", "launchText": text}
            number = client.ask("workspace/executeCommand", {"command": "simt.simulate", "arguments": [asked]})
            assert problem in client.answer(number)["error"]["message"]


def test_accesses_lines_and_the_kernels_name_tell_what_was_counted() -> None:
    with server() as client:
        client.initialize(NEOVIM)
        client.open(URI, TEXT)
        simulate(client)
        load = hover(client, 2, 21)
        assert "Simulated with 4 × 128 threads: 16 requests of warps, 16 sectors each where 2 would do" in load
        assert "8 passes" not in load
        assert "Fewer than the 32 sectors that the analysis tells for a full warp: not all lanes" in load
        store = hover(client, 4, 2)
        assert "16 requests of warps, 32 passes each over the banks of shared memory" in store
        assert "As the analysis says" in store
        assert "16 requests of warps, no bank conflict" in hover(client, 6, 12)
        assert "this line ran 16 times, 32 of 32 lanes active" in hover(client, 1, 6)
        kernel = hover(client, 0, 18)
        assert "warps split at 1 of 1 branch" in kernel
        assert "bank conflicts" in kernel
        (found,) = client.request("simt/simulation", {"textDocument": {"uri": URI}})["kernels"]
        lines = {line["line"]: line for line in found["lines"]}
        split = lines[2]
        assert (split["executed"], split["diverged"]) == (16, 16)
        assert split["range"] == {"start": {"line": 2, "character": 2}, "end": {"line": 2, "character": 30}}
        assert "diverged 16 times" in split["text"]
        assert 0 < split["share"] < 1
        assert abs(sum(line["share"] for line in found["lines"]) - 1) < 0.01
        places = {(one["position"]["line"], one["position"]["character"]): one for one in found["accesses"]}
        assert places[2, 20]["sectors"] == 256
        assert places[4, 2]["bankConflicts"] == 16 * 31


def children(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def left(client: RawClient, number: int) -> list[int]:
    """The processes when so many are left: one that was killed is listed for a moment."""
    end = time.monotonic() + 20
    while len(found := children(client.process.pid)) != number:
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def wait_until_ready(client: RawClient) -> None:
    end = time.monotonic() + 20
    while status(client)["simulator"]["state"] != "ready":
        assert time.monotonic() < end
        time.sleep(0.02)


@needs_proc
def test_one_process_waits_for_work_and_does_all_of_it() -> None:
    with server() as client:
        client.initialize(NEOVIM)
        client.open(URI, TEXT)
        assert status(client)["simulator"]["state"] == "idle"
        simulate_lens(client)
        wait_until_ready(client)
        (waiting,) = children(client.process.pid)
        for kernel in ("scale", "plain", "scale"):
            assert simulate(client, kernel)["status"] == "finished"
            assert children(client.process.pid) == [waiting]
        os.kill(waiting, signal.SIGKILL)
        assert simulate(client)["status"] == "finished", "one that died while it waited is replaced"
        (other,) = left(client, 1)
        assert other != waiting
        assert client.stop() == 0


@needs_proc
def test_a_process_that_was_stopped_is_followed_by_another() -> None:
    endless = "__global__ void k(volatile int *x) { while (true) { x[0] = 1; x[0] = 2; } }\n"
    with server() as client:
        client.initialize(VSCODE)
        client.open(URI, endless)
        asked = {"command": "simt.simulate", "arguments": [{"textDocument": {"uri": URI}, "kernel": "k"}]}
        running = client.ask("workspace/executeCommand", {**asked, "workDoneToken": "t"})
        client.wait(
            lambda message: message.get("method") == "$/progress" and message["params"]["value"]["kind"] == "report"
        )
        assert status(client)["simulator"]["running"] == [{"uri": URI, "kernel": "k"}]
        assert kernels(client)["k"]["simulation"]["state"] == "running"
        (child,) = children(client.process.pid)
        stopped = time.monotonic()
        client.notify("window/workDoneProgress/cancel", {"token": "t"})
        assert client.answer(running)["result"]["status"] == "stopped"
        assert time.monotonic() - stopped < 5
        wait_until_ready(client)
        assert child not in children(client.process.pid)
        assert kernels(client)["k"]["simulation"]["state"] == "none"


@needs_proc
def test_no_process_waits_where_the_settings_want_none() -> None:
    with server({None: {"simulate": {"keepReady": False}}}) as client:
        client.initialize(NEOVIM)
        client.open(URI, TEXT)
        simulate_lens(client)
        time.sleep(1.0)
        assert children(client.process.pid) == []
        assert simulate(client)["status"] == "finished"
        assert left(client, 0) == []


def test_a_quiet_simulation_leaves_the_message_to_the_client() -> None:
    with server() as client:
        client.initialize(NEOVIM)
        client.open(URI, TEXT)
        assert simulate(client, quiet=True)["status"] == "finished"
        assert kernels(client)["scale"]["parameters"] == ["x", "y", "n"]
        assert "window/showMessage" not in [message.get("method") for message in client.seen]
        simulate(client)
        assert "window/showMessage" in [message.get("method") for message in client.seen]
