"""`simt-lsp simulate`: what the shell is told, for each way in which it can end."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simt_lsp.cli.exit_status import ExitStatus
from tests.cli.shell import simt_lsp, write

KERNELS = {
    "clean": "x[blockIdx.x * blockDim.x + threadIdx.x] = 1;",
    "faulty": "x[-1] = 1;",
    "noted": "x[threadIdx.x] = blockIdx.x;",
    "endless": "for (volatile int i = 0; ; i++) { if (i < 0) x[0] = i; }",
    "late": "if (threadIdx.x == 0) x[-1] = 1; for (volatile int i = 0; ; i++) { if (i < 0) x[0] = i; }",
    "refused": 'asm volatile("frobnicate.b32 %0, 1;" : "=r"(x[0]));',
}


def file_with(*names: str) -> dict[str, str]:
    return {"a.cu": "".join(f"__global__ void {name}(int *x) {{ {KERNELS[name]} }}\n" for name in names)}


@pytest.mark.parametrize(
    ("kernels", "status"),
    [
        (("clean",), 0),
        (("noted",), 0),
        (("faulty",), 1),
        (("refused",), 3),
        (("endless",), 4),
        (("late",), 1),
        (("clean", "refused"), 3),
        (("refused", "endless"), 4),
        (("clean", "endless", "faulty"), 1),
    ],
)
def test_status(tmp_path: Path, kernels: tuple[str, ...], status: int) -> None:
    write(tmp_path, file_with(*kernels))
    done = simt_lsp("simulate", "a.cu", "--max-steps", "20000", "--block", "32", "--no-study", cwd=tmp_path)
    assert done.returncode == status, done.stderr
    shown = {line.split()[0] for line in done.stdout.splitlines() if " lanes · " in line}
    assert shown == set(kernels) - {"refused"}
    assert ("simt-lsp: refused: a.cu:" in done.stderr) == ("refused" in kernels)


@pytest.mark.parametrize(
    "wrong",
    [("a.cu:nobody",), ("a.cu", "--policy", "best"), ("a.cu", "--arg", "y=3"), ("b.cu",), ("a.cu", "--grid", "0")],
)
def test_what_cannot_be_done_is_2(tmp_path: Path, wrong: tuple[str, ...]) -> None:
    write(tmp_path, file_with("clean"))
    done = simt_lsp("simulate", *wrong, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("simt-lsp: ")
    assert done.stdout == ""


def test_interrupted_is_130(tmp_path: Path) -> None:
    write(tmp_path, file_with("endless"))
    command = [
        sys.executable,
        "-I",
        "-m",
        "simt_lsp",
        "simulate",
        "a.cu",
        "--timeout",
        "60",
        "--max-steps",
        str(10**12),
    ]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        time.sleep(3.0)  # it runs by then, or is about to: both end the same way
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.strip().splitlines()[-1] == "simt-lsp: interrupted"


def test_help_lists_every_status(tmp_path: Path) -> None:
    told = simt_lsp("simulate", "--help", cwd=tmp_path).stdout
    assert [line.split()[0] for line in told.splitlines() if line.startswith("  ") and line.split()[0].isdigit()] == [
        "0", "1", "2", "3", "4", "130",
    ]  # fmt: skip


def test_the_page_lists_the_same_statuses_in_the_same_words(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "report.md").read_text("utf-8")
    documented = dict(re.findall(r"^\| (\d+) \| (.*?) \|$", page, re.MULTILINE))
    assert documented.keys() == {"0", "1", "2", "3", "4", "130"}
    assert {int(status) for status in documented} == {*ExitStatus} - {ExitStatus.BROKEN_PIPE}
