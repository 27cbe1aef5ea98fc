"""`python -m tests.gpu [SUBJECT…] [--random COUNT] [--seed N] [--folder FOLDER]`: the simulator against a GPU.

Needs nvcc and an NVIDIA GPU; where one of them is missing it says so and does nothing (status 0).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.gpu import batch
from tests.gpu.branches import branches
from tests.gpu.driver import device_name
from tests.gpu.preparation import prepared
from tests.gpu.subjects import SUBJECTS, Subject, random_kernels
from tests.gpu.toolkit import nvcc_path


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.gpu", description=__doc__)
    names = ("random", "branches", *SUBJECTS)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=f"{', '.join(names)}; all of them")
    parser.add_argument("--random", type=int, default=500, metavar="COUNT", help="random kernels of each kind (500)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the first random kernel (0)")
    parser.add_argument("--folder", type=Path, metavar="FOLDER", help="keep machine code, launches and results there")
    options = parser.parse_args()
    unknown = set(options.subjects) - set(names)
    if unknown:
        parser.error(f"no such subject: {', '.join(sorted(unknown))}")
    missing = what_is_missing()
    if missing is not None:
        print(f"nothing was compared: {missing}")
        return 0
    subjects = _subjects(options.subjects, range(options.seed, options.seed + options.random))
    with tempfile.TemporaryDirectory() as scratch:
        return _compare(subjects, options.folder or Path(scratch))


def what_is_missing() -> str | None:
    if nvcc_path() is None:
        return "there is no nvcc here (SIMT_LSP_NVCC names one in an unusual place)"
    return None if device_name() is not None else "there is no NVIDIA GPU here"


def _subjects(names: list[str], seeds: range) -> Iterator[Subject]:
    for name, make in SUBJECTS.items():
        if not names or name in names:
            yield from make()
    if not names or "random" in names:
        yield from random_kernels(seeds)
    if not names or "branches" in names:
        yield from branches(seeds)


def _compare(subjects: Iterator[Subject], folder: Path) -> int:
    """How many cases differ."""
    ready = prepared(subjects, folder)
    if ready.unknown:
        print(f"nvcc has no {', '.join(sorted(set(ready.unknown)))}")
    batch.run(folder, len(ready.launches))
    failed = Counter[str]()
    for (subject, number), result in zip(ready.order, batch.read(folder), strict=True):
        lines = list(subject.problems(number, result))
        failed[subject.name.partition("_")[0]] += bool(lines)
        for line in lines:
            print(line, flush=True)
    print(f"{device_name()}: {len(ready.launches)} kernels, {failed.total()} differ from the simulator")
    return min(failed.total(), 1)


if __name__ == "__main__":
    sys.exit(main())
