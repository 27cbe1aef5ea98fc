"""Kernels that want more time or memory than anybody has: what responsiveness is measured on, and what tests run.

Files that are annoying to read, whether or not they run, are in `hostile_files.py`.

Most are written out in `kernels/hard_cases.cu`, each behind a line `//// name | options of simulate`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

TEXTS: Final = Path(__file__).parent / "kernels" / "hard_cases.cu"


@final
@dataclass(frozen=True, slots=True)
class HardCase:
    """One kernel `k`; `options` as the shell takes them."""

    name: str
    text: str
    options: tuple[str, ...] = ()

    def overrides(self) -> dict[str, Any]:
        """The options as the server takes them."""
        found: dict[str, Any] = {"arguments": {}}
        for option, value in zip(self.options[::2], self.options[1::2], strict=True):
            match option:
                case "--arg":
                    name, _, text = value.partition("=")
                    found["arguments"][name] = text
                case "--shared":
                    found["sharedBytes"] = int(value)
                case _:
                    found[option.removeprefix("--")] = [int(extent) for extent in value.split(",")]
        return found


def hard_cases() -> tuple[HardCase, ...]:
    return (*_written(), *_generated())


def _written() -> Iterator[HardCase]:
    for part in TEXTS.read_text(encoding="utf-8").split("//// ")[1:]:
        title, _, text = part.partition("\n")
        name, _, options = title.partition(" | ")
        yield HardCase(name, text, tuple(shlex.split(options)))


def _generated() -> Iterator[HardCase]:
    statements = (f"  a{n % 7} = a{(n + 3) % 7} * {n + 3} + a{(n + 1) % 7}; x[i] += a{n % 7};" for n in range(5000))
    yield HardCase("5,000 statements", _kernel("  int " + ", ".join(f"a{n} = i" for n in range(7)) + ";", *statements))
    opened = (f"  if (x[i] > {n}) {{ x[i] += i;" for n in range(100))
    yield HardCase("100 nested ifs", _kernel(*opened, "  x[i] = 0;", "  " + "}" * 100))
    cases = (f"    case {n}: x[i] += {n * 7 % 1009}; break;" for n in range(3000))
    yield HardCase("switch of 3,000 cases", _kernel("  switch (x[i] * 31 % 3001) {", *cases, "  }"))


def _kernel(*lines: str) -> str:
    start = "__global__ void k(int *x) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    return start + "\n".join(lines) + "\n}\n"
