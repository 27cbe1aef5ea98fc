"""`python -m benchmarks.responsiveness [PATTERN]`: does a kernel that never ends hold anybody up?

Every kernel of `hard_cases.py` whose name contains PATTERN is simulated by the server and by the shell, with a time
budget.  Measured: hovers while the server simulates, the answer after a cancel, the end of the command after Ctrl-C,
how much later than its budget each answer comes, and the most memory a process needed.
Times     on the wall, as a user waits; on a machine that does other things too they are longer than they need be
Late      counted from the first progress of a run, so that start and analysis of the file are not part of it
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, final

from benchmarks.hard_cases import HardCase, hard_cases
from benchmarks.server_process import ServerProcess, server_process
from benchmarks.table import Row, print_table, write_json

HOVER_MS, CANCEL_MS, LATE_SECONDS, MEMORY_MB = 100.0, 100.0, 0.5, 5_000.0
PAUSE: Final = 0.02
"""Seconds between two hovers."""
CANCEL_AFTER: Final = 0.4
"""Seconds of simulation before it is cancelled."""
LONG: Final = 60.0
"""The time budget of what is cancelled."""

Times = list[tuple[float, str]]


@final
@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds and megabytes, each with the name of the case."""

    hover: Times = field(default_factory=list[tuple[float, str]])
    cancel: Times = field(default_factory=list[tuple[float, str]])
    server_late: Times = field(default_factory=list[tuple[float, str]])
    interrupt: Times = field(default_factory=list[tuple[float, str]])
    shell_late: Times = field(default_factory=list[tuple[float, str]])
    memory: Times = field(default_factory=list[tuple[float, str]])


def measure(cases: Sequence[HardCase], seconds: float, *, verbose: bool) -> Measured:
    found = Measured()
    with TemporaryDirectory() as name:
        folder = Path(name)
        for case in cases:
            path = folder / "k.cu"
            path.write_text(case.text)
            with server_process() as server:
                server.initialize(folder)
                uri = server.open(path, case.text)
                server.wait_for_diagnostics(uri)
                said = _simulated(server, uri, case, seconds, found)
                _cancelled(server, uri, case, found)
            _shell(path, case, seconds, found)
            _interrupted(path, case, found)
            if verbose:
                print(f"{case.name}: {said}", flush=True)
    return found


# -- the server --------------------------------------------------------------------------------------------------------


def _simulate(server: ServerProcess, uri: str, case: HardCase, seconds: float) -> int:
    argument = {"textDocument": {"uri": uri}, "kernel": "k", "seconds": seconds, **case.overrides()}
    parameters = {"command": "simt.simulate", "arguments": [argument], "workDoneToken": "simulation"}
    return server.ask("workspace/executeCommand", parameters)


def _simulated(server: ServerProcess, uri: str, case: HardCase, seconds: float, found: Measured) -> str:
    """Hovers until the answer comes; what it says."""
    number = _simulate(server, uri, case, seconds)
    server.wait_for_progress(number)
    started = time.perf_counter()
    place = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 3}}
    while not server.has_answered(number):
        asked = time.perf_counter()
        server.request("textDocument/hover", place)
        if not server.has_answered(number):
            found.hover.append((time.perf_counter() - asked, case.name))
            time.sleep(PAUSE)
    found.server_late.append((time.perf_counter() - started - seconds, case.name))
    return _words(server.answer(number))


def _words(answer: dict[str, Any]) -> str:
    if "error" in answer:
        return f"error: {answer['error']['message']}"
    result = answer["result"]
    if result["report"] is None:
        return f"{result['status']}: {result['message']}"
    (run,) = result["report"]["policies"].values()
    faults = ", ".join(f"{fault['kind']} in line {fault['line']}" for fault in run["faults"][:3])
    ended = run["truncated"]
    end = "finished" if ended is None else f"ended early ({ended['reason']}, line {ended['line']})"
    return f"{end}; {len(run['faults'])} faults {faults}"


def _cancelled(server: ServerProcess, uri: str, case: HardCase, found: Measured) -> None:
    number = _simulate(server, uri, case, LONG)
    server.wait_for_progress(number)
    time.sleep(CANCEL_AFTER)
    asked = time.perf_counter()
    server.notify("window/workDoneProgress/cancel", {"token": "simulation"})
    if server.answer(number).get("result", {}).get("status") == "stopped":
        found.cancel.append((time.perf_counter() - asked, case.name))


# -- the shell ---------------------------------------------------------------------------------------------------------


def _command(path: Path, case: HardCase, seconds: float) -> list[str]:
    command = [sys.executable, "-P", "-m", "simt_lsp", "simulate", f"{path}:k", "--json", "--timeout", str(seconds)]
    return [*command, *case.options]


def _shell(path: Path, case: HardCase, seconds: float, found: Measured) -> None:
    """Late is what the command takes beyond its budget, the analysis of the file, and a kernel that does nothing."""
    idle = HardCase("nothing", case.text + "__global__ void nothing() {}\n")
    path.write_text(idle.text)
    base, _ = _timed([*_command(path, idle, seconds)[:5], f"{path}:nothing"])
    wall, memory = _timed(_command(path, case, seconds))
    found.shell_late.append((wall - base - seconds, case.name))
    found.memory.append((memory, case.name))


def _timed(command: Sequence[str]) -> tuple[float, float]:
    """Seconds, and megabytes at the peak."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return time.perf_counter() - started, usage.ru_maxrss / 1024


def _interrupted(path: Path, case: HardCase, found: Measured) -> None:
    """Ctrl-C once the command is at work; commands that end before that are left out."""
    process = subprocess.Popen(_command(path, case, LONG), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    with suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=_start_seconds() + CANCEL_AFTER)
        return
    asked = time.perf_counter()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    if b"Traceback" in said:
        raise AssertionError(f"{case.name}: Ctrl-C shows a traceback: {said.decode()}")
    found.interrupt.append((time.perf_counter() - asked, case.name))


_started: list[float] = []


def _start_seconds() -> float:
    """Of the command, imports included."""
    if not _started:
        _started.append(_timed([sys.executable, "-P", "-c", "import simt_lsp.cli.simulate_command"])[0])
    return _started[0]


# -- the table ---------------------------------------------------------------------------------------------------------


def rows_of(found: Measured) -> list[Row]:
    rows: list[Row] = []
    for name, times, bar in (
        ("hover while simulating", found.hover, HOVER_MS),
        ("cancel in the editor", found.cancel, CANCEL_MS),
        ("Ctrl-C in the shell", found.interrupt, CANCEL_MS),
    ):
        if times:
            values = sorted(1e3 * seconds for seconds, _ in times)
            rows.append(Row(f"{name}, p50 of {len(values)}", statistics.median(values), "ms", bar))
            rows.append(Row(f"{name}, p95", values[int(0.95 * (len(values) - 1))], "ms", bar))
            rows.append(Row(f"{name}, worst: {max(times)[1]}", values[-1], "ms"))
    for name, times in (("answer of the server", found.server_late), ("answer of the shell", found.shell_late)):
        if times:
            rows.append(Row(f"{name} beyond its budget, worst: {max(times)[1]}", max(times)[0], "s", LATE_SECONDS))
    if found.memory:
        rows.append(Row(f"memory at the peak: {max(found.memory)[1]}", max(found.memory)[0], "MB", MEMORY_MB))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.responsiveness", description=__doc__)
    parser.add_argument("pattern", nargs="?", default="", metavar="PATTERN")
    parser.add_argument("--seconds", type=float, default=2.0, metavar="S", help="the time budget of each run (2)")
    parser.add_argument("--list", action="store_true", help="print what the server says to each kernel")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows to this file")
    options = parser.parse_args()
    cases = [case for case in hard_cases() if options.pattern in case.name]
    rows = rows_of(measure(cases, options.seconds, verbose=options.list))
    print_table(rows)
    if options.json is not None:
        write_json(rows, options.json)


if __name__ == "__main__":
    main()
