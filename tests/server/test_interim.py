"""What a simulation that takes long has counted so far: shown while it runs, gone or kept when it ends."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from analysis.facts.settings import AnalysisSettings
from simt_lsp.server.simulations.identity import FunctionLines
from simt_lsp.server.simulations.job import LaunchOverrides, SimulationJob, SourceText
from simt_lsp.server.simulations.outcome import Finished
from simt_lsp.server.simulations.results import Identity, Running, Simulated, SimulationResults
from simt_lsp.server.simulations.work import Worker
from simt_lsp.workspace.file_index import FileIndex
from tests.server.raw_client import NEOVIM, Message, RawClient, replace, server
from tests.server.test_simulation import (
    ENDLESS,
    URI,
    children,
    command,
    faults,
    hover,
    published,
    shown,
    titles,
)

LONG = """__global__ void k(int *x, int n) {
  __shared__ int tile[32];
  tile[threadIdx.x + 1] = 1;
  for (long j = 0; j < 1000000000; ++j) {
    if (threadIdx.x < n) x[threadIdx.x] += 1;
    if (threadIdx.x % 2) x[threadIdx.x] += 1;
  }
}
"""
"""One thread stores past `tile` in line 2 at once; of the branches in lines 4 and 5 (from 0) the second splits warps.
It outlasts every budget."""

LAUNCH: Message = {"grid": [1], "block": [32], "arguments": {"n": "32"}, "seconds": 120}
SHOWS = {**NEOVIM, "experimental": {"simtSimulation": True, "simtKernels": True}}


def begun(client: RawClient, text: str = LONG, **overrides: Any) -> int:
    """Simulates `k` and waits until its fault and a split were counted; the request."""
    client.initialize(SHOWS)
    client.open(URI, text)
    running = client.ask("workspace/executeCommand", {**command(**{**LAUNCH, **overrides}), "workDoneToken": "t"})
    client.wait(lambda message: is_interim(message) and _has_all(message))
    return running


def _has_all(message: Message) -> bool:
    """On a busy machine a run may not have come that far when it is looked at first."""
    (kernel,) = message["params"]["kernels"]
    return kernel["faults"] > 0 and any(line["diverged"] for line in kernel["lines"])


def is_interim(message: Message) -> bool:
    return message.get("method") == "simt/simulation" and any(one["interim"] for one in message["params"]["kernels"])


def stop(client: RawClient, running: int) -> None:
    client.notify("window/workDoneProgress/cancel", {"token": "t"})
    assert client.answer(running)["result"]["status"] == "stopped"


def kernel_of(client: RawClient) -> Message:
    (kernel,) = client.request("simt/kernels", {"textDocument": {"uri": URI}})["kernels"]
    return kernel


def report(client: RawClient, format: str) -> Message:
    return client.request("simt/simulationReport", {"textDocument": {"uri": URI}, "kernel": "k", "format": format})


def test_a_run_that_takes_long_shows_what_it_has_counted() -> None:
    with server() as client:
        running = begun(client)
        (first,) = shown(client)["kernels"]
        assert (first["kernel"], first["line"], first["interim"], first["stale"]) == ("k", 0, True, False)
        lines = {line["line"]: line for line in first["lines"]}
        assert lines[5]["diverged"] > 0 == lines[4]["diverged"]
        assert titles(client) == [
            f"Simulating… (so far {100 * first['simdEfficiency']:.1f} % of lanes active, 1 fault)"
        ]
        split, unsplit = hover(client, 5, 4), hover(client, 4, 4)
        assert "Simulated so far with 1 × 32 threads: diverged" in split
        assert "The analysis calls this branch varying; so far no warp split at it" in unsplit
        assert "in this run" not in unsplit
        kernel = kernel_of(client)
        assert kernel["simulation"]["state"] == "running"
        assert kernel["simulation"]["simdEfficiency"] < 1
        found = faults(published(client))
        assert found["out-of-bounds"]["range"]["start"]["line"] == 2
        assert "truncated" not in found
        page = report(client, "html")
        assert page["interim"]
        assert "so far, after" in page["content"]
        stop(client, running)


def test_the_next_counts_replace_the_last() -> None:
    def executed(message: Message) -> int:
        (kernel,) = message["params"]["kernels"]
        return max(line["executed"] for line in kernel["lines"])

    def later(message: Message) -> bool:
        return is_interim(message) and executed(message) > first

    with server() as client:
        running = begun(client)
        first = 0
        first = max(executed(message) for message in client.seen if is_interim(message))
        client.wait(later)
        stop(client, running)


def test_the_end_replaces_them_all() -> None:
    with server() as client:
        running = begun(client, seconds=4)
        answer = client.answer(running)["result"]
        assert answer["status"] == "finished"
        assert not answer["report"]["interim"]
        (kernel,) = shown(client)["kernels"]
        assert (kernel["interim"], kernel["truncated"]) == (False, True)
        assert titles(client)[0].startswith("Simulate again (")
        assert "in this run no warp split at it" in hover(client, 4, 4)
        assert "its budget (time) is used up" in faults(published(client))["truncated"]["message"]
        assert not report(client, "html")["interim"]


def test_stopping_keeps_what_was_counted() -> None:
    own = "so far, after"
    with server() as client:
        running = begun(client, LONG.replace("+ 1] = 1;", f"+ 1] = 1; // {own}"))
        stop(client, running)
        (kernel,) = shown(client)["kernels"]
        assert (kernel["interim"], kernel["truncated"], bool(kernel["lines"])) == (False, True, True)
        active = f"{100 * kernel['simdEfficiency']:.1f} % of lanes active"
        assert titles(client) == [f"Simulate again ({active}, 1 fault, ended early)"]
        assert "Simulated with 1 × 32 threads: diverged" in hover(client, 5, 4)
        assert "you stopped it" in faults(published(client))["truncated"]["message"]
        content = report(client, "json")["content"]
        assert content["policies"]["ipdom"]["truncated"]["reason"] == "cancelled"
        assert not content["interim"]
        text = "".join(piece["text"] for line in report(client, "text")["content"] for piece in line)
        for words in (report(client, "html")["content"], text):
            assert "in part, stopped after" in words
            assert "stopped before its end" in words
            assert own in words
            others = words.replace(own, "")
            assert "so far" not in others
            assert "still running" not in others
        assert kernel_of(client)["simulation"]["state"] == "finished"


def test_an_edit_during_the_run_makes_it_stale_and_the_next_counts_too() -> None:
    with server() as client:
        running = begun(client)
        added = LONG.splitlines()[4].index("1;")
        client.change(URI, 2, replace((4, added), (4, added + 1), "2"))
        told = client.notification("simt/simulation", uri=URI, version=2)
        assert [(one["stale"], one["lines"]) for one in told["kernels"]] == [(True, [])]
        assert "Simulated" not in hover(client, 5, 4)
        client.seen.clear()
        client.wait(is_interim)
        (kernel,) = shown(client)["kernels"]
        assert (kernel["stale"], kernel["lines"]) == (True, [])
        client.change(URI, 3, replace((4, added), (4, added + 1), "1"))
        assert "Simulated so far" in hover(client, 5, 4), "an undone edit brings it back"
        stop(client, running)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for child processes in /proc")
def test_they_go_with_the_process() -> None:
    with server() as client:
        running = begun(client)
        (child,) = children(client.process.pid)
        os.kill(child, signal.SIGKILL)
        assert client.answer(running)["result"]["status"] == "failed"
        assert shown(client)["kernels"] == []
        assert kernel_of(client)["simulation"]["state"] == "failed"
        assert "Simulated" not in hover(client, 5, 4)


def job(text: str, **overrides: Any) -> SimulationJob:
    return SimulationJob(
        source=SourceText("/k.cu", text.encode(), False, {}, FileIndex({}), AnalysisSettings(), None),
        path="/k.cu",
        start=0,
        kernel="k",
        overrides=LaunchOverrides(**overrides),
        launches=(),
    )


def told_by_the_worker(text: str, *, began: float, **overrides: Any) -> list[Message]:
    """By the job's last frame and those before; `began` is in seconds from now."""
    told: list[Message] = []
    started = time.monotonic() + began
    last = Worker().simulated(job(text, **overrides), started, lambda share: None, told.append)
    return [*told, last]


def test_a_fast_kernel_has_no_counts_but_its_last() -> None:
    (only,) = told_by_the_worker("__global__ void k(int *x) { x[threadIdx.x] = 1; }\n", began=3600.0)
    assert not only["report"]["interim"]


def test_a_slow_one_has_some_in_the_form_of_its_last() -> None:
    *told, last = told_by_the_worker(ENDLESS, began=-1.0, seconds=3.0)
    assert told
    for one in told:
        assert one.keys() == {*last.keys(), "stopped"}
        assert one["report"].keys() == last["report"].keys()
        assert one["report"]["interim"]
    assert not last["report"]["interim"]


def identity(kernel: str) -> Identity:
    return Identity((kernel, b"", 0), b"", {(kernel, b"", 0): FunctionLines(0, 1)})


def result(run: Running, *, is_interim: bool) -> Simulated:
    report: Any = {"interim": is_interim, "truncated": is_interim, "policies": {"ipdom": {"truncated": None}}}
    return Simulated(run, Finished(report, "", (), ()), LaunchOverrides())


def test_counts_never_replace_what_a_later_simulation_found() -> None:
    results = SimulationResults()
    older, newer = Running(identity("k"), 0), Running(identity("k"), 1)
    results.begin(URI, older)
    results.begin(URI, newer)
    results.put(URI, result(older, is_interim=True))
    results.put(URI, result(newer, is_interim=False))
    results.put(URI, result(older, is_interim=True))
    (kept,) = results.of(URI)
    assert kept.run is newer
    results.end(URI, older)
    assert results.of(URI) == (kept,)


def test_stopping_before_anything_was_counted_keeps_the_result_before() -> None:
    results = SimulationResults()
    before, stopped = Running(identity("k"), 0), Running(identity("k"), 1)
    known = result(before, is_interim=False)
    results.begin(URI, before)
    results.put(URI, known)
    results.end(URI, before)
    results.begin(URI, stopped)
    results.end(URI, stopped)
    assert results.of(URI) == (known,)


def test_only_the_counts_of_the_simulation_that_ends_are_ended() -> None:
    results = SimulationResults()
    one, other = Running(identity("k"), 0), Running(identity("other"), 1)
    for run in (one, other):
        results.begin(URI, run)
        results.put(URI, result(run, is_interim=True))
    results.end(URI, one)
    ended, going_on = results.of(URI)
    assert isinstance(ended.outcome, Finished)
    assert isinstance(going_on.outcome, Finished)
    assert (ended.outcome.is_interim, going_on.outcome.is_interim) == (False, True)
    assert ended.outcome.report["policies"]["ipdom"]["truncated"] == {"reason": "cancelled", "line": None}
