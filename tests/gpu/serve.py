"""`python -m tests.gpu.serve FOLDER [FIRST [COUNT]]`: runs the launches of `FOLDER/launches`, from FIRST on.

Results are appended to `FOLDER/results`.  A launch that fails leaves the GPU's context unusable: it is the last one of
the process, and whoever started it starts another one for the rest.
"""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path
from typing import Final

from tests.gpu.driver import Driver, DriverError, NoKernel
from tests.gpu.launch import GpuLaunch, GpuResult

BROKEN: Final = 3
"""The status of a process that has more to do and cannot."""


def main(folder: Path, first: int, count: int | None) -> None:
    launches: list[GpuLaunch] = pickle.loads((folder / "launches").read_bytes())
    driver = Driver()
    last = len(launches) if count is None else first + count
    with (folder / "results").open("ab") as results:
        for number in range(first, last):
            try:
                result = driver.run(launches[number], folder)
            except NoKernel as problem:
                pickle.dump((number, GpuResult(problem=str(problem))), results)
                continue
            except (DriverError, TimeoutError) as problem:
                result = GpuResult(problem=str(problem))
            pickle.dump((number, result), results)
            results.flush()
            if result.problem is not None:
                os._exit(BROKEN)


if __name__ == "__main__":
    main(
        Path(sys.argv[1]),
        int(sys.argv[2]) if len(sys.argv) > 2 else 0,
        int(sys.argv[3]) if len(sys.argv) > 3 else None,
    )
