"""RAC304."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.refactor.edit import apply_replacements
from analysis.rules.check import check
from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from sim.faults import DataRace
from sim.observers.races import RaceObserver
from sim.policies.ipdom import Ipdom
from tests.rules.fixture import analyze, check_fixture
from tests.sim.running import run

LOCKS = RuleSettings(select=frozenset({"RAC304"}), tiers=frozenset(Tier))
PROVEN = RuleSettings(select=frozenset({"RAC304"}))
KERNEL = """
__global__ void k(int *lock, int *total, volatile int *seen, int n) {
  if (threadIdx.x == 0) {
    STATEMENTS
  }
}
"""
TAKE, GIVE = "while (atomicCAS(lock, 0, 1) != 0) {}", "atomicExch(lock, 0);"
MARK = "  //~ unfenced-lock"
FENCE = "__threadfence();"

FIRING = {
    "no fence at all": f"{TAKE}{MARK}\ntotal[0] += 1;\n{GIVE}{MARK}",
    "none before the release": f"{TAKE}\n{FENCE}\ntotal[0] += 1;\n{GIVE}{MARK}",
    "none on one way to the release": f"{TAKE}\n{FENCE}\ntotal[0] += 1;\nif (n > 3) {FENCE}\n{GIVE}{MARK}",
    "the lock is taken by an exchange": f"""
    while (atomicExch(lock, 1)) {{}}
    {FENCE}
    total[0] = total[0] + 1;
    atomicExch(lock, 0);{MARK}""",
    "the lock is released in the round that took it": f"""
    for (bool done = false; !done;)
      if (atomicCAS(&lock[2], 0, 1) == 0) {{{MARK}
        total[0] += 1;
        atomicExch(lock + 2, 0);{MARK}
        done = true;
      }}""",
    "only written": f"{TAKE}\n{FENCE}\ntotal[0] = n + blockIdx.x;\n{GIVE}{MARK}",
}
SILENT = {
    "fences on both sides": f"{TAKE}\n{FENCE}\ntotal[0] += 1;\n{FENCE}\n{GIVE}",
    "volatile data": f"{TAKE}\nseen[0] = seen[0] + 1;\n{GIVE}",
    "atomic data": f"{TAKE}\natomicAdd(total, 1);\n{GIVE}",
    "a call that may hold a fence": f"{TAKE}\nmystery();\ntotal[0] += 1;\nmystery();\n{GIVE}",
    "what is read before the lock is taken": f"int old = total[0];\n{TAKE}\natomicMax(total, old);\n{GIVE}",
    "what comes after the release": f"{TAKE}\natomicAdd(total, 1);\n{GIVE}\ntotal[1] = total[2];",
    "an exchange that is no lock": "if (atomicExch(lock, 1) == 0) total[0] += 1;",
    "a loop of compare-and-swap": """
    int old = lock[1], seen_last;
    do { seen_last = old; old = atomicCAS(&lock[1], seen_last, seen_last + n); } while (old != seen_last);
    total[0] += 1;""",
    "another word is set back": f"{TAKE}\ntotal[0] += 1;\natomicExch(&lock[1], 0);",
}


def text_of(statements: str) -> str:
    return KERNEL.replace("STATEMENTS", statements)


def races(text: str) -> list[DataRace]:
    observer = RaceObserver()
    arrays = {name: np.zeros(4, np.int32) for name in ("lock", "total", "seen")}
    run(text, {**arrays, "n": 1}, grid=4, block=32, policy=Ipdom, observers=(observer,))
    return [fault for fault in observer.faults() if isinstance(fault, DataRace) and fault.buffer == "total"]


@pytest.mark.parametrize("statements", FIRING.values(), ids=FIRING)
def test_findings_are_races_in_a_run_and_the_fix_mends_them(statements: str) -> None:
    text = text_of(statements)
    found = check_fixture(text, LOCKS)
    assert {one.severity for one in found} == {Severity.WARNING}
    assert races(text)
    edits = [edit for one in found if one.fix is not None for edit in one.fix.replacements]
    mended = apply_replacements(text.encode(), sorted(edits, key=lambda edit: edit.start)).decode()
    assert not check(analyze(mended), LOCKS)
    assert not races(mended)


def test_a_read_that_may_come_before_the_taking_is_possible() -> None:
    text = text_of(f"{TAKE}{MARK}\ntotal[0] += 1;\n{FENCE}\n{GIVE}")
    (found,) = check_fixture(text, LOCKS)
    assert found.tier is Tier.POSSIBLE
    check_fixture(text.replace(MARK, ""), PROVEN)


def test_a_release_by_a_store() -> None:
    check_fixture(text_of(f"{TAKE}\n{FENCE}\ntotal[0] += 1;\n*lock = 0;{MARK}"), PROVEN)


@pytest.mark.parametrize("statements", SILENT.values(), ids=SILENT)
def test_silent(statements: str) -> None:
    check_fixture(text_of(statements), LOCKS)


def test_the_messages() -> None:
    taking, release = check_fixture(text_of(FIRING["no fence at all"]), LOCKS)
    assert taking.message == (
        "The lock is taken here with no `__threadfence()` before what is read under it: the read may see what was "
        "there before."
    )
    assert release.message == (
        "The lock is released here with no `__threadfence()` behind what is written under it: others may get the lock "
        "before the data."
    )
    assert [place.message for one in (taking, release) for place in one.related] == ["The read.", "The write."]


def test_a_lock_that_methods_take_and_give_back() -> None:
    check_fixture(
        """
struct Lock {
  int *word;
  __device__ void take() { while (atomicCAS(word, 0, 1) != 0); }  //~ unfenced-lock
  __device__ void give() { atomicExch(word, 0); }  //~ unfenced-lock
};
__global__ void k(Lock lock, float *sum, float v) {
  if (threadIdx.x == 0) { lock.take(); *sum += v; lock.give(); }
}
""",
        LOCKS,
    )


def test_no_fence_is_written_between_a_condition_and_its_statement() -> None:
    text = text_of(f"{TAKE}\n{FENCE}\ntotal[0] = n;\nif (n > 0)\n{GIVE}{MARK}")
    (found,) = check_fixture(text, LOCKS)
    assert found.fix is not None
    mended = apply_replacements(text.encode(), found.fix.replacements).decode()
    assert f"total[0] = n;\n{FENCE}\nif (n > 0)\n" in mended
