"""Asks nvcc about the cases: `python -m tests.sides.nvcc [NVCC]`; prints those of which it says something else.

About two seconds of processor time for each case.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

from tests.sides.cases import CASES, DECLARED


def main(arguments: list[str]) -> int:
    compiler = arguments[0] if arguments else which("nvcc")
    if compiler is None:
        print("no nvcc")
        return 2
    wrong = 0
    with TemporaryDirectory() as folder:
        source = Path(folder) / "case.cu"
        for case in CASES:
            end = "" if case.is_linked else "\nint main() { return 0; }\n"
            source.write_text(DECLARED + case.text + end, encoding="utf-8")
            command = [
                compiler,
                "-std=c++17",
                "--extended-lambda",
                "-rdc=true",
                "-c",
                "-o",
                f"{folder}/case.o",
                str(source),
            ]
            run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
            is_right = (run.returncode == 0) is case.is_accepted
            if not case.is_linked:
                command.remove("-c")
                linking = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
                is_right = is_right and "undefined reference" in linking.stderr
            if not is_right:
                wrong += 1
                print(f"{case.name}: nvcc says {'yes' if run.returncode == 0 else 'no'}\n{run.stderr}")
    print(f"{len(CASES)} cases, {wrong} of which the compiler says something else")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
