"""What of random programs a C++ compiler accepts: checks that it refuses are taken out, whole programs dropped.

So generators need not know which calls are ambiguous: they write what they like, and the compiler is the judge.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.cpp.program import CppProgram
from tests.sim.native.compiler import compilers

_INCLUDE: Final = Path(__file__).parents[1] / "sim" / "native" / "include"
_FLAGS: Final = (
    "-std=c++20",
    "-fsyntax-only",
    "-w",
    "-pedantic-errors",
    "-fsigned-char",
    "-ftemplate-depth=200",
)
_GCC_LIMITS: Final = ("-fmax-errors=0", "-fconstexpr-ops-limit=50000")
_CLANG_LIMITS: Final = ("-ferror-limit=0", "-fconstexpr-steps=50000")
_SECONDS: Final = 300
_ROUNDS: Final = 8
_PLACE: Final = re.compile(r"unit_(?P<unit>\d+):(?P<piece>\d+):(?:\d+:)? (?P<what>.*)")


def accepted(programs: Sequence[CppProgram]) -> list[CppProgram | None]:
    """Each program with the checks that are C++; None where its declarations are not, or no check is left."""
    if not compilers():
        pytest.skip("no C++ compiler here: install the package g++ (or clang), or name one in SIMT_LSP_CXX")
    found: list[CppProgram | None] = list(programs)
    left = dict(enumerate(programs))
    for _ in range(_ROUNDS):
        refused = _refused(left, compilers()[0])
        for index, pieces in refused.items():
            found[index] = _without(found[index], pieces)
        # What was not refused is not asked again: programs know nothing of each other.
        left = {index: program for index in refused if (program := found[index]) is not None}
        if not left:
            return found
    raise AssertionError("a compiler refuses what it accepted before")


def disputed(programs: Sequence[CppProgram | None]) -> set[int]:
    """The places of programs that a second compiler refuses: what compilers do not agree on proves nothing."""
    given = {index: program for index, program in enumerate(programs) if program is not None}
    return {index for other in compilers()[1:] for index in _refused(given, other)} if given else set()


def _without(program: CppProgram | None, pieces: set[int]) -> CppProgram | None:
    assert program is not None
    first = program.first_check
    if any(not first <= piece < first + len(program.checks) for piece in pieces):
        return None
    left = program.without({piece - first for piece in pieces})
    return left if left.checks or left.numbers else None


def _refused(programs: dict[int, CppProgram], compiler: str) -> dict[int, set[int]]:
    """By program the pieces with an error."""
    lines = ['#include "simt_native.h"']
    for index, program in programs.items():
        lines.append(f"namespace unit_{index} {{")
        for number, piece in enumerate(program.pieces()):
            # A line break within a piece would count on, so only directives have them.
            lines += [f'#line {number} "unit_{index}"', piece]
        lines.append("}")
    limits = _CLANG_LIMITS if "clang" in Path(compiler).name else _GCC_LIMITS
    command = [compiler, *_FLAGS, *limits, "-isystem", str(_INCLUDE), "-x", "c++", "-"]
    done = subprocess.run(
        command, input="\n".join(lines), capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    refused = _places(done.stderr, programs)
    assert refused or not done.returncode, done.stderr[:4000]
    return refused


def _places(messages: str, programs: dict[int, CppProgram]) -> dict[int, set[int]]:
    """An error inside a template counts for the check that asked for the instance."""
    refused: defaultdict[int, set[int]] = defaultdict(set)
    asked: set[tuple[int, int]] = set()
    for match in _PLACE.finditer(messages):
        unit, piece, what = int(match["unit"]), int(match["piece"]), match["what"]
        if "error:" not in what:
            if what.lstrip().startswith("required from"):
                asked.add((unit, piece))
            continue
        first = programs[unit].first_check
        by_check = {one for at, one in asked if at == unit and one >= first}
        refused[unit] |= by_check if piece < first and by_check else {piece}
        asked.clear()
    return dict(refused)
