"""Jobs on processes of this machine, in windows."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from simt_lsp.cli.fleet.local import LocalProcesses, ThisProcess
from simt_lsp.cli.fleet.model import PER_WORKER, Fleet, run_in_windows
from simt_lsp.cli.workers import Died
from tests.cli.fleet_jobs import make


def answers(fleet: Fleet[str, str], jobs: Iterable[str]) -> dict[str, str | Died]:
    waiting = iter(jobs)
    found: dict[str, str | Died] = {}
    for job, answer in run_in_windows(fleet, lambda _: next(waiting, None)):
        assert job not in found
        found[job] = answer
    fleet.close()
    return found


def test_a_process_that_dies_costs_its_job_which_is_tried_once_again(tmp_path: Path) -> None:
    once, jobs = f"die-once {tmp_path / 'marker'}", [f"job {number}" for number in range(9)]
    found = answers(LocalProcesses(make, 2, 60.0), [*jobs[:3], once, "die", *jobs[3:]])
    assert found.pop("die") == Died("the worker process ended with status 7")
    assert found == {job: job.upper() for job in (*jobs, once)}


def test_one_worker_needs_no_process() -> None:
    assert answers(ThisProcess(make), ["a", "b", "c"]) == {"a": "A", "b": "B", "c": "C"}


def test_no_more_is_submitted_than_a_window() -> None:
    class Counting:
        workers = 3

        def __init__(self) -> None:
            self.open: list[int] = []
            self.submitted = 0
            self.most = 0

        def submit(self, job: int) -> int:
            self.open.append(self.submitted)
            self.most = max(self.most, len(self.open))
            self.submitted += 1
            return self.submitted - 1

        def answers(self) -> list[tuple[int, int | Died]]:
            return [(self.open.pop(), 0)]

        def close(self) -> None: ...

    fleet, jobs = Counting(), iter(range(50))
    assert len(list(run_in_windows(fleet, lambda _: next(jobs, None)))) == 50
    assert fleet.most == PER_WORKER * 3


def test_a_job_that_is_found_while_others_run_is_run() -> None:
    waiting, found = ["a"], list[str]()
    fleet = ThisProcess(make)
    for job, _ in run_in_windows(fleet, lambda _: waiting.pop() if waiting else None):
        found.append(job)
        if len(found) < 4:
            waiting.append(job + "b")
    assert found == ["a", "ab", "abb", "abbb"]
