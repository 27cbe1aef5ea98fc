"""Sweeps in this process: what is written, what is not run twice, and what is said."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from presentation.html.sweep import sweep_page
from sim.sweep.columns import COLUMNS
from sim.sweep.model import Form, Outcome, SweptKernel
from sim.sweep.points import Axes
from sim.sweep.runs import How
from simt_lsp.cli.exit_status import ExitStatus
from simt_lsp.cli.fleet.local import ThisProcess
from simt_lsp.cli.main import run
from simt_lsp.cli.sweep.folder import SweepFolder, open_folder
from simt_lsp.cli.sweep.part_files import PartFormat, read_part, write_part
from simt_lsp.cli.sweep.run import Plan, SweepRun
from simt_lsp.cli.sweep.work import Answer, Job, RunAnswer, RunJob, SweepWork, SweptFile
from simt_lsp.cli.workers import Died
from tests.schemas.fits import wrong

ROOT = Path(__file__).parent.parent.parent
KERNELS = """
__global__ void scale(int n, float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = a[i];
  if (i % 2) { x = x * 2.0f + 1.0f; x = x * x - 3.0f; x = x * 0.5f; x = x - 7.0f; }
  else { x = x * 3.0f + 2.0f; x = x * x - 4.0f; x = x * 0.25f; x = x - 9.0f; }
  a[i] = x;
}
__global__ void racy(int *out) {
  __shared__ int s;
  s = threadIdx.x;
  out[threadIdx.x] = s;
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "k.cu"
    path.write_text(KERNELS)
    return path


def swept(place: str | Path, out: Path, *more: str) -> int:
    return run(["sweep", str(place), "-o", str(out), "--jobs", "1", "--format", "jsonl", *more])


def rows_in(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for part in sorted(folder.glob("*.jsonl")) for line in part.read_text().splitlines()]


SMALL = ("--grid", "1", "--grid", "2", "--block", "64", "--seeds", "2", "--policy", "ipdom,min-pc")


class TestRows:
    def test_every_point_has_its_row(self, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        page = tmp_path / "page.html"
        given = ("--arg", "n=50", "--arg", "n=70", "--warp-size", "16", "--warp-size", "32", "--meld")
        status = swept(f"{source}:scale", tmp_path / "out", *SMALL, *given, "--html", str(page))
        rows = rows_in(tmp_path / "out")
        assert status == ExitStatus.CLEAN
        assert len(rows) == len({row["point"] for row in rows}) == 2 * 2 * 2 * 2 * 2 * 2
        assert {row["outcome"] for row in rows} == {"clean"}
        assert [problem for row in rows for problem in wrong(row, "sweep-1")] == []
        assert "64 runs of 1 kernel" in capsys.readouterr().out
        sums = {form.value: sum(row["warp_instructions"] for row in rows if row["form"] == form.value) for form in Form}
        assert sums["melded"] < sums["as written"]
        assert {row["melds"] for row in rows if row["form"] == "melded"} == {1}
        assert page.read_text().count("<polyline") == 2 * 2 * 2 * 2  # warps, plots, policies, forms

    def test_what_does_not_fit_is_a_row_with_the_reason(self, source: Path, tmp_path: Path) -> None:
        status = swept(source, tmp_path / "out", "--arg", "n=50", "--block", "64", "--block", "5000")
        rows = rows_in(tmp_path / "out")
        assert status == ExitStatus.CLEAN
        assert sorted((row["kernel"], row["asked_block"], row["outcome"]) for row in rows) == [
            ("racy", "5000,1,1", "does not fit"),
            ("racy", "64,1,1", "does not fit"),
            ("scale", "5000,1,1", "does not fit"),
            ("scale", "64,1,1", "clean"),
        ]
        assert all(row["reason"] for row in rows if row["outcome"] == "does not fit")
        assert [problem for row in rows for problem in wrong(row, "sweep-1")] == []

    def test_faults_decide_the_status(self, source: Path, tmp_path: Path) -> None:
        assert swept(f"{source}:racy", tmp_path / "out", "--block", "64") == ExitStatus.FOUND
        (row,) = rows_in(tmp_path / "out")
        assert list(json.loads(row["faults"])) == ["data-race"]

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("--policy", "fast"), "--policy: policy fast: unknown"),
            (("--arg", "n"), "--arg n: write NAME=VALUE"),
            (("--warp-size", "5"), "warpSize = 5 is not allowed"),
        ],
    )
    def test_what_is_wrong_is_said(
        self, source: Path, tmp_path: Path, arguments: Sequence[str], said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert swept(source, tmp_path / "out", *arguments) == ExitStatus.USAGE
        assert said in capsys.readouterr().err
        assert not (tmp_path / "out").exists()


class TestGoingOn:
    def test_only_what_is_missing_is_run(
        self, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "out"
        swept(f"{source}:scale", out, *SMALL)
        before = {row["point"]: row for row in rows_in(out)}
        (out / "half.jsonl.unfinished").write_text("{")
        lost, *kept = sorted(out.glob("*.jsonl"))
        untouched = {path: path.stat().st_mtime_ns for path in kept}
        lines = lost.read_text().splitlines(keepends=True)
        lost.write_text("".join(lines[:1]))  # as if its task had been shorter
        capsys.readouterr()
        swept(f"{source}:scale", out, *SMALL)
        rows = rows_in(out)
        assert {row["point"]: row["memory_digest"] for row in rows} == {
            point: row["memory_digest"] for point, row in before.items()
        }
        assert len(rows) == len(before)
        assert {path: path.stat().st_mtime_ns for path in kept} == untouched
        assert "1 task in this run" in capsys.readouterr().out
        assert not list(out.glob("*.unfinished"))

    def test_a_run_that_was_interrupted_goes_on(
        self, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        answers = ThisProcess[Job, Answer].answers
        asked = 0

        def interrupted(fleet: ThisProcess[Job, Answer]) -> Any:
            nonlocal asked
            asked += 1
            if asked == 2:
                raise KeyboardInterrupt
            return answers(fleet)

        more = (*SMALL, "--seeds", "12")
        monkeypatch.setattr(ThisProcess, "answers", interrupted)
        assert swept(f"{source}:scale", tmp_path / "out", *more) == ExitStatus.INTERRUPTED
        done = len(rows_in(tmp_path / "out"))
        assert 0 < done < 48
        assert f"{done} runs of 48 are in" in capsys.readouterr().err
        monkeypatch.undo()
        assert swept(f"{source}:scale", tmp_path / "out", *more) == ExitStatus.CLEAN
        rows = rows_in(tmp_path / "out")
        assert len(rows) == len({row["point"] for row in rows}) == 48

    def test_a_folder_belongs_to_one_sweep(
        self, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "out"
        swept(f"{source}:racy", out)
        assert swept(f"{source}:racy", out, "--grid", "3") == ExitStatus.USAGE
        assert "holds another sweep (axes differ)" in capsys.readouterr().err
        source.write_text(KERNELS + "\n")
        assert swept(f"{source}:racy", out) == ExitStatus.USAGE
        assert "holds another sweep (texts differ)" in capsys.readouterr().err
        assert swept(f"{source}:racy", tmp_path) == ExitStatus.USAGE
        assert "holds something else (k.cu)" in capsys.readouterr().err

    def test_one_run_at_a_time_writes(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], source: Path) -> None:
        pytest.importorskip("fcntl")
        folder = open_folder(str(tmp_path / "out"), {}, PartFormat.JSON_LINES)
        assert swept(f"{source}:racy", tmp_path / "out") == ExitStatus.USAGE
        assert "another run writes into it" in capsys.readouterr().err
        folder.close()


class Unlucky:
    """A fleet whose processes die with some jobs, and that takes only the first launches of others."""

    def __init__(self, work: SweepWork, dies: Callable[[RunJob], bool], most: int) -> None:
        self._inner = ThisProcess[Job, Answer](work)
        self._dies = dies
        self._most = most
        self._jobs: list[Job] = []
        self.died: list[int] = []

    workers = 3

    def submit(self, job: Job) -> int:
        self._jobs.append(job)
        return self._inner.submit(job)

    def answers(self) -> list[tuple[int, Answer | Died]]:
        ((number, answer),) = self._inner.answers()
        job = self._jobs[number]
        assert isinstance(job, RunJob)
        assert isinstance(answer, RunAnswer)
        if self._dies(job):
            self.died.append(len(job.task.units))
            return [(number, Died("it was killed"))]
        most = sum(unit.runs for unit in answer.units[: self._most])
        return [(number, RunAnswer(answer.rows[:most], answer.units[: self._most], answer.seconds[: self._most]))]

    def close(self) -> None:
        self._inner.close()


def unlucky_sweep(source: Path, out: Path, dies: Callable[[RunJob], bool], most: int) -> tuple[Unlucky, SweepFolder]:
    from hashlib import sha256

    from simt_lsp.cli.engine import EngineOptions

    file = SweptFile(str(source), sha256(source.read_bytes()).hexdigest())
    (id,) = (row["kernel_id"] for row in known_rows(source, out.parent / "known"))
    axes = Axes(grids=((1, 1, 1),), blocks=((64, 1, 1),), seeds=tuple(range(1, 11)))
    plan = Plan(((SweptKernel("k.cu", id, "scale"), file, 32),), axes)
    fleet = Unlucky(SweepWork(((32, EngineOptions()),), How(), None), dies, most)
    folder = open_folder(str(out), {}, PartFormat.JSON_LINES)
    SweepRun(plan, folder, fleet, lambda: None).run()
    return fleet, folder


def known_rows(source: Path, out: Path) -> list[dict[str, Any]]:
    swept(f"{source}:scale", out)
    return rows_in(out)


def test_a_launch_that_ends_processes_costs_its_own_rows(source: Path, tmp_path: Path) -> None:
    def dies(job: RunJob) -> bool:
        return any(unit.launch.seed == 7 for unit in job.task.units)

    fleet, folder = unlucky_sweep(source, tmp_path / "out", dies, most=100)
    rows = list(folder.rows())
    assert sorted(int(str(row["seed"])) for row in rows) == list(range(1, 11))
    assert [(row["seed"], row["reason"]) for row in rows if row["outcome"] == Outcome.FAILED.value] == [
        (7, "it was killed")
    ]
    assert fleet.died[-1] == 1
    assert len(fleet.died) <= 5
    folder.close()
    kept = len(list((tmp_path / "out").glob("*.jsonl")))
    _, folder = unlucky_sweep(source, tmp_path / "out", lambda _: False, most=100)
    assert sorted((int(str(row["seed"])), row["outcome"]) for row in folder.rows()) == [
        (seed, Outcome.CLEAN.value) for seed in range(1, 11)
    ]
    assert len(list((tmp_path / "out").glob("*.jsonl"))) == kept  # the part with the failure is another one now
    folder.close()


def test_what_a_task_does_not_come_to_is_run_later(source: Path, tmp_path: Path) -> None:
    _, folder = unlucky_sweep(source, tmp_path / "out", lambda _: False, most=1)
    assert sorted(int(str(row["seed"])) for row in folder.rows()) == list(range(1, 11))
    folder.close()


def test_a_file_that_is_another_one_there_is_not_run(source: Path) -> None:
    job = RunJob(SweptFile(str(source), "0" * 64), _task())
    answer = SweepWork((), How(), None)()(job)
    assert isinstance(answer, RunAnswer)
    assert [row.outcome for row in answer.rows] == [Outcome.FAILED]
    assert "another file here" in answer.rows[0].reason


def _task() -> Any:
    from sim.sweep.backlog import Task
    from sim.sweep.points import units_of

    return Task(tuple(units_of(Axes(), [(SweptKernel("k.cu", "k", "k"), 32)])), "ipdom")


def test_parquet_has_what_json_lines_have(source: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = known_rows(source, tmp_path / "out")
    write_part(str(tmp_path / "part.parquet"), rows, PartFormat.PARQUET)
    assert list(read_part(str(tmp_path / "part.parquet"))) == rows
    assert parquet.read_schema(tmp_path / "part.parquet").names == [column.name for column in COLUMNS]


def test_the_page_for_users_has_all_columns() -> None:
    table = re.findall(r"^\| `(\w+)` \| (\w+) \| (.*) \|$", (ROOT / "docs" / "sweep.md").read_text("utf-8"), re.M)
    assert table == [(column.name, column.kind.value, column.meaning) for column in COLUMNS]


def test_names_on_the_page_are_text(source: Path, tmp_path: Path) -> None:
    (row,) = known_rows(source, tmp_path / "out")
    evil = '<script>alert("x")</script>'
    hostile = {**row, "path": evil, "kernel": evil, "policy": evil, "asked_arguments": json.dumps({evil: "3"})}
    failed = {**hostile, "outcome": "failed", "reason": evil, "warp_instructions": None, "threads": None}
    page = sweep_page([hostile, failed])
    assert "<script>alert" not in page
    assert page.count("<script") == 1
    assert "&lt;script&gt;alert" in page
    assert "Nothing ran." in sweep_page([failed])
    assert sweep_page([]).startswith("<!doctype html>")
