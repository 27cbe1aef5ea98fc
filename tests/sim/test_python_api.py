"""The examples of docs/python-api.md and docs/agents.md run, and what they show is so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.events import Observer
from sim.kernel import kernel_from_source
from sim.observers.races import RaceObserver
from sim.policies.ipdom import Ipdom
from sim.result import Result
from sim.simulate import simulate
from sim.specification import Array, LaunchSpecification

DOCS = Path(__file__).parents[2] / "docs"


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    executed("python-api.md")
    assert (tmp_path / "out" / "y.npy").exists()


def test_candidates_are_judged_as_the_page_says() -> None:
    verdict = executed("agents.md")["verdict"]
    assert [verdict(number) for number in range(4)] == ["equal", "equal", "faults: DataRace", "faults: DataRace"]


def executed(page: str) -> dict[str, Any]:
    """The names that the example of a page defines."""
    (example,) = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(example, page, "exec"), names)
    return names


def test_a_kernel_needs_one_name() -> None:
    source = '#include "h.h"\n__global__ void a(int *p) { p[0] = N; }\n'
    assert kernel_from_source(source, "a", headers={"h.h": "#define N 3"}).function.name == "a"
    with pytest.raises(KeyError, match="b"):
        kernel_from_source(source, "b")


RACE = """
__global__ void mirror(float *x) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  BARRIER
  x[threadIdx.x] = s[63 - threadIdx.x];
}
"""


def mirrored(barrier: str, *observers: Observer) -> Result:
    kernel = kernel_from_source(RACE.replace("BARRIER", barrier), "mirror")
    launch = LaunchSpecification((1, 1, 1), (64, 1, 1), {"x": Array(np.zeros(64, np.float32))})
    return simulate(kernel, launch, Ipdom, observers)


def test_races_fail_a_test() -> None:
    mirrored("__syncthreads();", RaceObserver()).assert_race_free()
    with pytest.raises(AssertionError, match=r"mirror: 1 data races, the first: byte .* of s in shared memory: thread"):
        mirrored("", RaceObserver()).assert_race_free()
    with pytest.raises(ValueError, match="were not watched"):
        mirrored("__syncthreads();").assert_race_free()
