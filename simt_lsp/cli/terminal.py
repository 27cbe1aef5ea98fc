"""Writing for people: colour when a terminal shows it, plain text everywhere else.

Rules    Colour follows `--color`, then NO_COLOR, then TERM, then whether the stream is a terminal.
         rich is imported when something is coloured or a progress bar is drawn, and not before.
         Characters that the stream's encoding lacks are written as escapes, never as an exception.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from enum import Enum
from typing import TextIO, TypeVar

Item = TypeVar("Item")


class Style(Enum):
    """What a piece of text is; the value is how a terminal shows it."""

    PLAIN = ""
    PLACE = "bold"
    ERROR = "bold red"
    WARNING = "bold yellow"
    INFORMATION = "bold blue"
    HINT = "bold cyan"
    MARGIN = "dim"
    CARET = "bold green"
    NOTE = "cyan"
    GOOD = "green"


Piece = tuple[str, Style]
Line = tuple[Piece, ...]
Writer = Callable[[Iterable[Line]], None]


def prepare_streams() -> None:
    """Make writing safe on terminals whose encoding is not UTF-8, and where a stream was closed (`>&-`)."""
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]  # as Python starts without it
        unwritable = os.open(os.devnull, os.O_RDONLY)  # what is written there is an error, and not lost
        sys.stdout = open(unwritable, "w")  # noqa: SIM115  # for the life of the process
    if sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def can_write(text: str, stream: TextIO) -> bool:
    """Whether the stream's encoding has these characters."""
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def wants_color(stream: TextIO, choice: str = "auto") -> bool:
    if choice != "auto":
        return choice == "always"
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def writer(stream: TextIO, choice: str = "auto") -> Writer:
    """A function that writes styled lines to `stream`."""
    if not wants_color(stream, choice):
        return lambda lines: stream.writelines("".join(text for text, _ in line) + "\n" for line in lines)
    return _colored_writer(stream, no_color=False if choice == "always" else None)


def _colored_writer(stream: TextIO, *, no_color: bool | None) -> Writer:
    """`no_color` as rich has it: None asks NO_COLOR."""
    from rich.console import Console
    from rich.text import Text

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would end the process with a status of its own

    # The lines are laid out already: rich must neither wrap nor crop them.
    console = Terminal(file=stream, force_terminal=True, no_color=no_color, highlight=False, soft_wrap=True)

    def write(lines: Iterable[Line]) -> None:
        for line in lines:
            console.print(Text.assemble(*((text, style.value) for text, style in line), no_wrap=True), crop=False)

    return write


def shows_progress() -> bool:
    """Whether standard error is a terminal that can draw a bar."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def progress(title: str, total: int) -> Generator[Callable[[], None]]:
    """A function to call after each step; it moves a bar on standard error if that is a terminal."""
    if total < 2 or not shows_progress():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)


@contextmanager
def share_progress(title: str) -> Generator[Callable[[float], bool] | None]:
    """A function to call with the share that is done; None where standard error is no terminal for a bar."""
    if not shows_progress():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(title, total=1.0)

        def show(share: float) -> bool:
            bar.update(task, completed=share)
            return True

        yield show
