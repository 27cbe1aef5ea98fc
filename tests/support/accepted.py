"""Does a compiler accept CUDA texts?  `nvcc` where it is installed, else a C++ compiler with the native tests' headers.

Many texts are compiled at once, each in a namespace of its own; where there is no compiler the tests do without.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.sim.native.compiler import compiler_path, dynamic_shared

_STUBS: Final = Path(__file__).parents[1] / "sim" / "native" / "include"
_INCLUDE: Final = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<[^>\n]*>[^\n]*$", re.MULTILINE)
_SECONDS: Final = 300


def assert_accepted(texts: Mapping[str, str]) -> None:
    """Every text, by the name that messages give it."""
    nvcc, plain = nvcc_path(), compiler_path()
    with tempfile.TemporaryDirectory() as folder:
        if nvcc is not None:
            includes = dict.fromkeys(found for text in texts.values() for found in _INCLUDE.findall(text))
            source = Path(folder, "texts.cu")
            source.write_text("\n".join([*includes, *(_unit(*one) for one in enumerate(texts.items()))]))
            command = [
                nvcc,
                "-arch=sm_80",
                "-std=c++17",
                "-w",
                "-ptx",
                "-o",
                str(Path(folder, "texts.ptx")),
                str(source),
            ]
        elif plain is not None:
            source = Path(folder, "texts.cpp")
            units = (_unit(number, one, dynamic_shared(one[1])) for number, one in enumerate(texts.items()))
            source.write_text("\n".join(['#include "simt_native.h"', "namespace cuda_text {", *units, "}"]))
            command = [plain, "-std=c++17", "-w", "-fsyntax-only", "-I", str(_STUBS), str(source)]
        else:
            return
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
        assert done.returncode == 0, done.stderr[:8000] + done.stdout[:2000]


def nvcc_path() -> str | None:
    return shutil.which("nvcc")


def _unit(number: int, named: tuple[str, str], more: str = "") -> str:
    name, text = named
    return f'namespace unit_{number} {{\n#line 1 "{name}"\n{_INCLUDE.sub("", text)}\n{more}\n}}'
