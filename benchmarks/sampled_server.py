"""The server as `simt-lsp --stdio` starts it, with a thread that writes down what the others are doing.

`python -m benchmarks.sampled_server FILE`; each line of FILE is a moment, the number of a thread and its innermost
calls in our code.  The moments are those of `time.perf_counter`, which all processes of this machine share.

A thread that holds the interpreter lock in a long call of a library written in C is seen once, when that call ends.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread, get_ident
from types import FrameType
from typing import Final, TextIO

EVERY: Final = 0.002
ROOT: Final = str(Path(__file__).parent.parent) + "/"
INNERMOST: Final = 4
WAITING: Final = ("wait", "select", "_worker", "readline", "read", "run", "_do_waitpid")
"""Names of functions in which a thread does nothing."""


def _sample(file: TextIO) -> None:
    own = get_ident()
    while True:
        time.sleep(EVERY)
        now = time.perf_counter()
        for number, frame in sys._current_frames().items():  # pyright: ignore[reportPrivateUsage]  # public, whatever its name
            if number != own and frame.f_code.co_name not in WAITING:
                file.write(f"{now:.4f}\t{number}\t{' < '.join(_calls(frame))}\n")
        file.flush()


def _calls(frame: FrameType | None) -> list[str]:
    """The innermost call of all, and the innermost ones of our code."""
    found: list[str] = []
    for one in _outwards(frame):
        path = one.f_code.co_filename
        if not found or path.startswith(ROOT):
            name = path.removeprefix(ROOT).rpartition("site-packages/")[2]
            found.append(f"{name}:{one.f_lineno} {one.f_code.co_name}")
        if len(found) > INNERMOST:
            break
    return found


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def main() -> None:
    file = Path(sys.argv[1]).open("w", encoding="utf-8")  # noqa: SIM115 (open as long as the process)
    begun = 0.0

    def collected(phase: str, info: dict[str, int]) -> None:
        nonlocal begun
        if phase == "start":
            begun = time.perf_counter()
        else:
            took = 1e3 * (time.perf_counter() - begun)
            file.write(f"{begun:.4f}\t{get_ident()}\tgarbage, generation {info['generation']}: {took:.0f} ms\n")

    gc.callbacks.append(collected)
    Thread(target=_sample, args=(file,), daemon=True).start()
    from simt_lsp.__main__ import main as serve

    sys.argv[1:] = ["--stdio"]
    serve()


if __name__ == "__main__":
    main()
