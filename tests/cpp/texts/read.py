"""Reads the texts of this folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent


def lines_of(name: str) -> tuple[str, ...]:
    """The lines of `name.cu` without its comments."""
    lines = (_FOLDER / f"{name}.cu").read_text().splitlines()
    return tuple(line for line in lines if line and not line.startswith("//"))


def one_line(name: str) -> str:
    """All of `name.cu` in one line, as pieces of programs are."""
    return " ".join(lines_of(name))
