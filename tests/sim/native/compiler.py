"""The system's C++ compiler: CUDA text of several units and `include/simt_native.h` to one program.

Where no compiler is installed the tests skip and say so; `SIMT_LSP_CXX` names one in an unusual place.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

import pytest

from tests.sim.native.program import NativeProgram

_NAMES: Final = ("g++", "clang++", "c++")
_INCLUDE: Final = Path(__file__).with_name("include")
# Floating-point operations are never fused; integers wrap and `char` has a sign, as on the device.
_MEANING: Final = ("-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing", "-fsigned-char")
_FLAGS: Final = ("-std=c++17", "-O1", *_MEANING, "-w", "-fmax-errors=12")
SANITIZED: Final = ("-fsanitize=undefined", "-fno-sanitize-recover=undefined", "-fno-wrapv")
_SECONDS: Final = 300
_SYSTEM_HEADER: Final = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"][^\n]*$", re.MULTILINE)
_DYNAMIC_SHARED: Final = re.compile(
    r"\bextern\s+(?:volatile\s+)?__shared__\s+(?:__align__\(\d+\)\s*)?(?P<type>[\w:\s]+?)\s*\b(?P<name>\w+)\s*\[\s*\]"
)
SHARED_BYTES: Final = 64 << 10
"""What every unit gets as dynamic shared memory."""


@final
@dataclass(frozen=True, slots=True)
class Unit:
    """CUDA text with the kernel to call; `kernel` may name an instance (`scan<float>`).

    `variables` are the `__device__` and `__constant__` variables that can be set and are handed back.
    """

    name: str
    text: str
    kernel: str = "k"
    variables: Sequence[str] = ()


def compiler_path() -> str | None:
    named = os.environ.get("SIMT_LSP_CXX")
    return named or next((path for name in _NAMES if (path := shutil.which(name))), None)


def compilers() -> list[str]:
    """All that are installed, of different makers: what one of them accepts need not be C++."""
    first = compiler_path()
    found = [] if first is None else [first]
    clang = next((path for name in ("clang++", "clang++-19") if (path := shutil.which(name))), None)
    return found if clang is None or "clang" in found[0] else [*found, clang]


def compiled(
    units: Sequence[Unit], folder: Path, flags: Sequence[str] = (), compiler: str | None = None
) -> NativeProgram:
    """The units as one program in `folder`; skips the test without a compiler, fails it where the text is not C++."""
    compiler = compiler or compiler_path()
    if compiler is None:
        pytest.skip("no C++ compiler here: install the package g++ (or clang), or name one in SIMT_LSP_CXX")
    folder.mkdir(parents=True, exist_ok=True)
    source, program = folder / "units.cpp", folder / "units"
    source.write_text(source_of(units))
    command = [compiler, *_FLAGS, *flags, "-U_FORTIFY_SOURCE", "-I", str(_INCLUDE), "-o", str(program), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    if done.returncode:
        pytest.fail(f"{' '.join(command)}\n{done.stderr[:8000]}")
    return NativeProgram(program, {unit.name: (index, unit.variables) for index, unit in enumerate(units)})


def source_of(units: Sequence[Unit]) -> str:
    """Each unit in a namespace of its own, and the table of what can be called."""
    lines = ['#include "simt_native.h"', '#include "simt/serve.h"']
    entries: list[str] = []
    variables: list[str] = []
    for index, unit in enumerate(units):
        space = f"unit_{index}"
        lines += [f"namespace cuda_text {{ namespace {space} {{", f'#line 1 "{unit.name}"']
        lines += [_SYSTEM_HEADER.sub("", unit.text), dynamic_shared(unit.text), "} }"]
        run = f"[](simt::Request& request) {{ simt::launch(&cuda_text::{space}::{unit.kernel}, request); }}"
        entries.append(f'{{"{space}", {run}}}')
        for name in unit.variables:
            address = f"cuda_text::{space}::{name}"
            variables.append(f'{{"{space}", "{name}", (void*)&{address}, sizeof {address}, {{}}}}')
    lines.append(f"int main() {{ return simt::serve({{{', '.join(entries)}}}, {{{', '.join(variables)}}}); }}")
    return "\n".join(lines) + "\n"


def dynamic_shared(text: str) -> str:
    """Definitions of the arrays that the text declares `extern __shared__`."""
    found = {match["name"]: match["type"] for match in _DYNAMIC_SHARED.finditer(text)}
    return "\n".join(
        f"thread_local __align__(128) {type} {name}[{SHARED_BYTES} / sizeof({type})];" for name, type in found.items()
    )
