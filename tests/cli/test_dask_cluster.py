"""Jobs on a real scheduler and real workers, some of which go down."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, Final, final

import pytest

from simt_lsp.cli import sanitize_command, sanitized_kernels
from simt_lsp.cli.exit_status import ExitStatus, UsageError
from simt_lsp.cli.fleet import dask_cluster
from simt_lsp.cli.fleet.dask_cluster import DaskCluster
from simt_lsp.cli.fleet.model import run_in_windows
from simt_lsp.cli.main import run
from simt_lsp.cli.workers import Died
from tests.cli.fleet_jobs import make
from tests.cli.shell import write

ROOT: Final = Path(__file__).parent.parent.parent
SCHEDULER: Final = """
import asyncio, sys
from distributed import Scheduler
async def main():
    async with Scheduler(host="127.0.0.1", port=int(sys.argv[1]), dashboard=False) as scheduler:
        await scheduler.finished()
asyncio.run(main())
"""
WORKER: Final = """
import asyncio, sys
from distributed import Worker
async def main():
    while True:  # as a loop around `dask worker` does it
        try:
            async with Worker(sys.argv[1], nthreads=1, dashboard=False, local_directory=sys.argv[2]) as worker:
                await worker.finished()
        except (OSError, TimeoutError):
            await asyncio.sleep(0.2)
asyncio.run(main())
"""


@final
class Cluster:
    """A scheduler and workers, each in a process of its own."""

    def __init__(self, folder: Path, workers: int) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: Final[int] = free.getsockname()[1]
        self._folder = folder
        self.scheduler = self._start(SCHEDULER, str(self.port))
        self.workers = [self._start(WORKER, self.address, str(folder)) for _ in range(workers)]

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    def start_scheduler_again(self) -> None:
        self.scheduler.kill()
        self.scheduler.wait()
        self.scheduler = self._start(SCHEDULER, str(self.port))

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()

    def _start(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "critical"}
        return subprocess.Popen([sys.executable, "-c", program, *arguments], env=environment, cwd=self._folder)


@pytest.fixture
def cluster(tmp_path: Path) -> Generator[Cluster]:
    pytest.importorskip("distributed")
    found = Cluster(tmp_path, 2)
    yield found
    found.close()


def test_workers_and_the_scheduler_may_go(cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    jobs = [f"sleep {number}" for number in range(14)]
    waiting = iter(["raise", *jobs])
    fleet = DaskCluster[str, str](cluster.address, make, patience=60.0)
    found: list[tuple[str, str | Died]] = []
    for one in run_in_windows(fleet, lambda _: next(waiting, None)):
        found.append(one)
        if len(found) == 3:
            cluster.workers[0].send_signal(signal.SIGKILL)
        if len(found) == 7:
            cluster.start_scheduler_again()
    fleet.close()
    assert sorted(job for job, _ in found) == sorted(["raise", *jobs])
    assert dict(found) == {**{job: job.upper() for job in jobs}, "raise": Died("ValueError: not today")}
    assert "is gone; connecting again" in capsys.readouterr().err


@pytest.fixture(scope="module")
def one_worker(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """The address of a cluster whose worker keeps nothing."""
    pytest.importorskip("distributed")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("SIMT_LSP_CACHE", "off")
        found = Cluster(tmp_path_factory.mktemp("elsewhere"), workers=1)
    yield found.address
    found.close()


def test_paths_and_versions_are_there_as_they_are_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], one_worker: str
) -> None:
    monkeypatch.chdir(write(tmp_path, {"src/k.cu": "__global__ void k(int *a) { a[0] = threadIdx.x; }"}))
    assert run(["sanitize", "src", "--seeds", "1", "--dask", one_worker]) == ExitStatus.FOUND
    assert "src/k.cu:1:29: error" in capsys.readouterr().out
    assert run(["sweep", "src/k.cu", "--seeds", "3", "-o", "out", "--dask", one_worker]) == ExitStatus.FOUND
    assert "3 runs of 1 kernel in out: 3 faults" in capsys.readouterr().out
    monkeypatch.setattr(dask_cluster, "version", lambda: "9.9")
    assert run(["sweep", "src/k.cu", "-o", "other", "--dask", one_worker]) == ExitStatus.USAGE
    assert "cannot run tasks: the worker has simt-lsp" in capsys.readouterr().err


KERNELS: Final = "".join(f"__global__ void k{number}(int *a) {{ a[threadIdx.x] = {number}; }}\n" for number in range(6))


KERNEL_IDS: Final = [f"k{number}(int *a)" for number in range(6)]


def test_kernels_of_one_file_are_spread_and_kept_here_as_they_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], one_worker: str
) -> None:
    monkeypatch.chdir(write(tmp_path, {"src/k.cu": KERNELS, "src/none.cu": "int nothing;\n"}))
    monkeypatch.setenv("SIMT_LSP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sanitize_command, "USUAL", 0.0)
    tasks: list[tuple[str, ...]] = []

    def breaking_off(fleet: Any, following: Any) -> Iterator[Any]:
        for job, answer in run_in_windows(fleet, following):
            tasks.append(job.kernels)
            yield job, answer
            if len(tasks) == 2:
                raise KeyboardInterrupt

    monkeypatch.setattr(sanitized_kernels, "run_in_windows", breaking_off)
    command = ["sanitize", "src", "--seeds", "1", "--format", "json"]
    assert run([*command, "--dask", one_worker]) == ExitStatus.INTERRUPTED
    capsys.readouterr()
    found: list[dict[str, float]] = []
    for how in (["--jobs", "1"], ["--dask", one_worker]):
        assert run([*command, *how]) == ExitStatus.CLEAN
        written = json.loads(capsys.readouterr().out)
        found.append({kernel["kernel"]: kernel["seconds"] for kernel in written["kernels"]})
    assert list(found[0]) == [f"k{number}" for number in range(6)]
    assert found[0] == found[1]
    assert sorted(id for task in tasks for id in task) == KERNEL_IDS[1:]


def test_where_nobody_answers_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(dask_cluster, "FIRST_CONNECTION", 0.2)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        with pytest.raises(UsageError, match="no scheduler answers there"):
            DaskCluster[str, str](f"tcp://127.0.0.1:{free.getsockname()[1]}", make)


def test_without_distributed_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r'pip install "simt-lsp\[cluster\]"'):
        DaskCluster[str, str]("tcp://127.0.0.1:1", make)


def test_a_worker_with_another_version_does_nothing() -> None:
    with pytest.raises(dask_cluster.OtherVersion, match="the job is from 9"):
        dask_cluster.run_job(b"", b"", "9.9")
