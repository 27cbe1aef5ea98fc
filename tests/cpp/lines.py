"""Declarations and lines of C++ that compilers accept or refuse, each line for itself."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from typing import Final

from tests.sim.native.compiler import compilers

_SECONDS: Final = 300
_ERROR: Final = re.compile(r"^set_(?P<set>\d+):(?P<line>\d+):(?:\d+:)? error: (?P<what>.*)", re.MULTILINE)
_DECLARED: Final = 1000
"""Lines from here on are declarations."""


def refused(
    head: Sequence[str], sets: Sequence[tuple[Sequence[str], Sequence[str]]]
) -> list[dict[tuple[int, int], str]]:
    """For each compiler what it refuses, by the numbers of set and line; all declarations must be right."""
    lines = [*head]
    for number, (declared, used) in enumerate(sets):
        lines += [f"namespace set_{number} {{", f'#line {_DECLARED} "set_{number}"', *declared]
        lines += [f'#line {index + 1} "set_{number}"\n{line}' for index, line in enumerate(used)]
        lines.append("}")
    return [_errors(compiler, "\n".join(lines)) for compiler in compilers()]


def _errors(compiler: str, text: str) -> dict[tuple[int, int], str]:
    limit = "-ferror-limit=0" if "clang" in compiler else "-fmax-errors=0"
    flags = ("-std=c++20", "-fsyntax-only", "-w", "-pedantic-errors", limit, "-x", "c++", "-")
    done = subprocess.run([compiler, *flags], input=text, capture_output=True, text=True, timeout=_SECONDS, check=False)
    errors = {(int(found["set"]), int(found["line"]) - 1): found["what"] for found in _ERROR.finditer(done.stderr)}
    assert not done.returncode or errors, done.stderr[:3000]
    broken = [(at, what) for at, what in errors.items() if at[1] >= _DECLARED - 1]
    assert not broken, broken[:5]
    return errors
