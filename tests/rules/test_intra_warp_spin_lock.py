"""WRP210."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from sim.faults import Livelock
from tests.rules.warp_fixture import faults, reported, silent

CODE, SLUG = "WRP210", "intra-warp-spin-lock"


def test_the_message() -> None:
    found = reported(
        "while (atomicCAS(y, 0, 1) != 0) {} v += y[1]; __threadfence(); atomicExch(y, 0);", CODE, SLUG
    )  # //~ intra-warp-spin-lock
    assert found.severity is Severity.WARNING
    assert found.message == (
        "Lanes of one warp wait here for a lock that another lane of the warp may hold, which releases it only behind "
        "the loop."
    )


@pytest.mark.parametrize(
    "statement",
    [
        "while (atomicCAS(y, 0, 1) != 0) {} v += y[1]; __threadfence(); atomicExch(y, 0);",
        "while (atomicCAS(y, 0, 1)); v += y[1]; atomicExch(y, 0);",
        "do {} while (atomicExch(y, 1) != 0); v += y[1]; y[0] = 0;",
        "int old; do { old = atomicCAS(&y[2], 0, 1); } while (old == 1); v += y[1]; atomicExch(&y[2], 0);",
    ],
)
def test_proven_findings_happen_in_a_run(statement: str) -> None:
    reported(statement, CODE, SLUG)
    assert any(isinstance(fault, Livelock) for fault in faults(statement))


@pytest.mark.parametrize(
    "statement",
    [
        "for (bool done = false; !done;) if (atomicCAS(y, 0, 1) == 0) { v += y[1]; atomicExch(y, 0); done = true; }",
        "if (t == 0) { while (atomicCAS(y, 0, 1) != 0) {} v += y[1]; atomicExch(y, 0); }",
        "int old = y[1], seen; do { seen = old; old = atomicCAS(&y[1], seen, seen + 1); } while (old != seen);",
        "atomicExch(y, 0); v += y[1];",
    ],
)
def test_silent(statement: str) -> None:
    silent(statement, CODE)
    assert not any(isinstance(fault, Livelock) for fault in faults(statement))


@pytest.mark.parametrize("statement", ["while (atomicCAS(&y[lane], 0, 1) != 0) {} v += 1; atomicExch(&y[lane], 0);"])
def test_what_only_some_arguments_or_data_lead_to_is_possible(statement: str) -> None:
    silent(statement, CODE)
    reported(statement, CODE, SLUG, surely=False)


def test_the_release_is_a_related_place() -> None:
    found = reported("while (atomicCAS(y, 0, 1) != 0) {} v += y[1]; atomicExch(y, 0);", CODE, SLUG)
    assert [place.message for place in found.related] == ["The lock is released here."]


def test_a_block_of_one_thread_has_no_other_lane() -> None:
    kernel = "__global__ void k(int *y) {\n  STATEMENT\n}\nvoid host(int *y) { k<<<8, 1>>>(y); }"
    silent("while (atomicCAS(y, 0, 1) != 0) {} y[1]++; atomicExch(y, 0);", CODE, kernel=kernel)
