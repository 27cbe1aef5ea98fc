"""`python -m benchmarks.hostile [PATTERN] [--command check|facts|explain] [--growth]`: does any file hold anybody up?

Every file of `hostile_files.py` whose name contains PATTERN is given to a command of the shell, with limits on time and
memory.  With `--growth` each is given at half of its size as well: what takes more than 2.5 times as long for twice the
text is marked.
Times     processor seconds of the command, so that another process does not disturb; the limit is on the wall
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, final

from analysis.ir.record import record
from benchmarks.hostile_files import HOSTILE, Hostile

LIMIT_SECONDS: Final = 60.0
LIMIT_BYTES: Final = 4 << 30
SECONDS, MEGABYTES, GROWTH = 10.0, 1_000.0, 2.5
START_SECONDS: Final = 0.5
"""Shorter than this, times say nothing about growth."""

_SAID: Final = re.compile(r"k\.cu:\d+:\d+: (?:too-large|preprocessor|missing-include|syntax-error|internal): .*")


@final
@record
class Ended:
    """How a command ended; `status` is None where it was killed."""

    seconds: float
    megabytes: float
    status: int | None
    output: str
    errors: str


def run(command: list[str], folder: Path) -> Ended:
    """The command under the limits, its children included."""
    out, err = folder / "out", folder / "err"
    with out.open("wb") as output, err.open("wb") as errors:
        process = subprocess.Popen(command, stdout=output, stderr=errors, stdin=subprocess.DEVNULL)
        resource.prlimit(process.pid, resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
        ends = time.monotonic() + LIMIT_SECONDS
        while not (found := os.wait4(process.pid, os.WNOHANG))[0] and time.monotonic() < ends:
            time.sleep(0.01)
        is_killed = not found[0]
        if is_killed:
            process.kill()
            found = os.wait4(process.pid, 0)
    process.returncode = found[1]
    usage = found[2]
    status = None if is_killed else os.waitstatus_to_exitcode(found[1])
    texts = [path.read_text("utf-8", "replace") for path in (out, err)]
    return Ended(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, status, *texts)


def command_of(name: str, path: Path, text: str) -> list[str]:
    """The command as the shell takes it; `explain` asks about the barrier of the harmless kernel."""
    start = [sys.executable, "-P", "-m", "simt_lsp"]
    match name:
        case "facts":
            return [*start, "facts", "--json", str(path)]
        case "explain":
            return [*start, "explain", f"{path}:{text.count(chr(10)) - 2}"]
        case _:
            return [*start, "check", str(path)]


def measure(case: Hostile, size: int, command: str) -> Ended:
    with TemporaryDirectory() as name:
        path = Path(name) / "k.cu"
        text = case.text(size)
        path.write_text(text)
        return run(command_of(command, path, text), Path(name))


def line_of(case: Hostile, ended: Ended, half: Ended | None) -> str:
    marks = ["SLOW"] * (ended.seconds > SECONDS or ended.status is None) + ["LARGE"] * (ended.megabytes > MEGABYTES)
    marks += ["FAILED"] * (ended.status not in (0, 1, 2, None) or "Traceback" in ended.errors)
    growth = ""
    if half is not None and half.seconds > 2 * START_SECONDS:
        ratio = (ended.seconds - START_SECONDS) / (half.seconds - START_SECONDS)
        growth = f" x{ratio:4.1f}"
        marks += ["GROWS"] * (ratio > GROWTH)
    said = _SAID.search(ended.output)
    words = said.group().partition(": ")[2] if said else ""
    figures = f"{ended.seconds:6.1f} s {ended.megabytes:6.0f} MB{growth}"
    return f"{case.name:26} {case.size:>8,} {figures} {' '.join(marks):6} {words[:110]}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile", description=__doc__)
    parser.add_argument("pattern", nargs="?", default="", metavar="PATTERN")
    parser.add_argument("--command", choices=("check", "facts", "explain"), default="check")
    parser.add_argument("--growth", action="store_true", help="measure half of each size as well")
    options = parser.parse_args()
    is_bad = False
    for case in HOSTILE:
        if options.pattern in case.name:
            ended = measure(case, case.size, options.command)
            half = measure(case, case.size // 2, options.command) if options.growth else None
            line = line_of(case, ended, half)
            is_bad = is_bad or any(mark in line for mark in ("SLOW", "LARGE", "FAILED"))
            print(line, flush=True)
    return int(is_bad)


if __name__ == "__main__":
    sys.exit(main())
