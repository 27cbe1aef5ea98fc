"""A program on a pseudo-terminal: keys go in, the screen can be read, waited for and kept as a picture."""

from __future__ import annotations

import fcntl
import html
import os
import pty
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, final

import pyte

from tests.presentation.browser import chromium_path

PATIENCE_SECONDS: Final = 120.0  # on a machine that is busy with other things
COLUMNS: Final = 150
LINES: Final = 42
_STILL_SECONDS: Final = 4.0
_CELL: Final = (9, 19)  # pixels of a character in a picture
_DEFAULT: Final = {"fg": "#e0e2ea", "bg": "#14161b"}


@final
class _Screen(pyte.Screen):
    """pyte knows no private forms of SGR, which editors send to ask for key codes."""

    def select_graphic_rendition(self, *attributes: int, private: bool = False) -> None:
        if not private:
            super().select_graphic_rendition(*attributes)


@final
class Terminal:
    """Runs until `close`; a thread takes in what the program draws."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        self._screen = _Screen(COLUMNS, LINES)
        self._stream = pyte.ByteStream(self._screen)
        self._drawn = threading.Lock()
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self._process = subprocess.Popen(
            command, cwd=folder, env=dict(environment), stdin=slave, stdout=slave, stderr=slave, start_new_session=True
        )
        os.close(slave)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def keys(self, text: str) -> None:
        os.write(self._master, text.encode())

    def type(self, text: str, seconds_per_key: float = 0.01) -> None:
        """As a person types, one key after the other."""
        for letter in text:
            self.keys(letter)
            time.sleep(seconds_per_key)

    def text(self) -> str:
        with self._drawn:
            return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    def wait_for(self, text: str, *, gone: bool = False) -> None:
        """Until `text` is on the screen, or no longer is."""
        wait_until(
            lambda: (text in self.text()) is not gone,
            lambda: f"{'still' if gone else 'no'} {text!r} on the screen:\n{self.text()}",
        )

    def picture(self, path: Path) -> None:
        """The screen as a PNG file, drawn by the browser."""
        path.parent.mkdir(parents=True, exist_ok=True)
        browser = chromium_path()
        assert browser is not None, "pictures of the screen need Chromium: install it, or name it in SIMT_LSP_CHROMIUM"
        size = f"--window-size={COLUMNS * _CELL[0] + 16},{LINES * _CELL[1] + 16}"
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking"]
        with tempfile.TemporaryDirectory() as profile:  # another run may take pictures of the same names
            page = Path(profile) / "screen.html"
            page.write_text(self._still(), encoding="utf-8")
            own = [size, f"--user-data-dir={profile}", f"--screenshot={path}"]
            subprocess.run([browser, *flags, *own, page.as_uri()], check=True, capture_output=True, timeout=120)

    def close(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join(timeout=5)
        os.close(self._master)

    def _read(self) -> None:
        with suppress(OSError):  # the other side is closed
            while chunk := os.read(self._master, 65536):
                with self._drawn:
                    self._stream.feed(chunk)

    def _still(self) -> str:
        """The page when nothing is drawn any more, or as it is after a while."""
        deadline = time.monotonic() + _STILL_SECONDS
        last, now = "", self._page()
        while last != now and time.monotonic() < deadline:
            time.sleep(_STILL_SECONDS / 20)
            last, now = now, self._page()
        return now

    def _page(self) -> str:
        with self._drawn:
            rows = [
                "".join(_cell(self._screen.buffer[row][column]) for column in range(COLUMNS)) for row in range(LINES)
            ]
        style = (
            f"body {{ margin: 8px; background: {_DEFAULT['bg']}; color: {_DEFAULT['fg']}; }}"
            f"pre {{ margin: 0; font: 15px/{_CELL[1]}px 'DejaVu Sans Mono', monospace; }}"
        )
        return f"<!doctype html><meta charset=utf-8><style>{style}</style><pre>{chr(10).join(rows)}</pre>"


def wait_until(holds: Callable[[], bool], complaint: Callable[[], str], seconds: float = PATIENCE_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, complaint()
        time.sleep(0.02)


def _cell(cell: pyte.screens.Char) -> str:
    front, back = _color(cell.fg, "fg"), _color(cell.bg, "bg")
    if cell.reverse:
        front, back = back, front
    style = f"color:{front};background:{back}"
    for wanted, words in (
        (cell.bold, ";font-weight:bold"),
        (cell.italics, ";font-style:italic"),
        (cell.underscore, ";text-decoration:underline"),
    ):
        style += words if wanted else ""
    return f'<span style="{style}">{html.escape(cell.data)}</span>'


def _color(name: str, role: str) -> str:
    if name == "default":
        return _DEFAULT[role]
    return f"#{name}" if len(name) == 6 and all(digit in "0123456789abcdef" for digit in name) else name
