"""Source code of any size that looks like what people write: kernels, device functions, macros, headers, templates.

Rules    The same seed yields the same text on every machine.  Each unit (a kernel with its helpers) is drawn from
         `shapes.SHAPES` with names, types, constants and an amount of straight-line code of its own, so that no two are
         equal and caches keyed by text cannot cheat.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

from benchmarks.shapes import HEADER, MATH_HEADER, SHAPES, Draw

SIZES = (500, 2_000, 20_000)


def source_file(lines: int, seed: int = 1) -> str:
    """A `.cu` file of about `lines` lines (at most one unit more)."""
    random = Random(seed)
    parts = ['#include "common.h"\n#include "vector_math.cuh"\n']
    count = 3
    number = 0
    while count < lines:
        shape = SHAPES[random.randrange(len(SHAPES))]
        part = "\n" + shape(Draw(random, number))
        parts.append(part)
        count += part.count("\n")
        number += 1
    return "".join(parts)


def write_tree(folder: Path, lines: int, *, lines_per_file: int = 400, seed: int = 1) -> list[Path]:
    """A tree with two headers and as many files as make up `lines`; the paths of the `.cu` files."""
    write_headers(folder)
    paths: list[Path] = []
    written = 0
    while written < lines:
        text = source_file(min(lines_per_file, lines - written), seed + len(paths))
        path = folder / f"kernels_{len(paths):03}.cu"
        path.write_text(text)
        paths.append(path)
        written += text.count("\n")
    return paths


def write_headers(folder: Path) -> None:
    """The headers that every generated file includes."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "common.h").write_text(HEADER)
    (folder / "vector_math.cuh").write_text(MATH_HEADER)
