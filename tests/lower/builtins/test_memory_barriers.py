"""Memory barriers: a call in, IR lines out."""

from __future__ import annotations

import pytest

from tests.lower.builtins.calls import check, lowered


def test_a_barrier_is_initialised_by_storing_its_word() -> None:
    check(
        "init(cuda::barrier<2>*, s32)",
        """
        %2: ptr<global u64> = bitcast %0
        %3: u64 = convert %1
        %4: u64 = const 1048575
        %5: u64 = and %3, %4
        %6: u64 = const 1048577
        %7: u64 = mul %5, %6
        %8: u64 = const 4611686018427387904
        %9: u64 = or %7, %8
        store %2, %9
        """,
    )


def test_an_arrival_gives_the_word_and_a_wait_asks_for_its_phase() -> None:
    check(
        "cuda::barrier<2>&.arrive()",
        """
        %2: u64 = const 1
        fence device
        %4: ptr<local u64> = bitcast %0
        %3: u64 = atomic arrive %4, %2
        """,
    )
    check(
        "cuda::barrier<2>&.wait(u64)",
        """
        %3: u64 = const 63
        %4: u64 = shr %0, %3
        %6: u64 = const 0
        %7: bool = ne %4, %6
        %8: ptr<local u64> = bitcast %1
        %5: bool = phase wait %8, %7
        fence device
        """,
    )


@pytest.mark.parametrize(
    ("call", "emitted"),
    [
        ("cuda::barrier<2>&.wait_parity(bool)", "phase wait"),
        ("cuda::barrier<2>&.try_wait(u64)", "phase try"),
        ("cuda::barrier<2>&.try_wait_parity_for(bool, u64)", "phase try"),
        ("cuda::barrier<2>&.arrive_and_drop()", "atomic arrive_drop"),
        ("cuda::latch<2>&.count_down()", "atomic arrive"),
        ("cuda::latch<2>&.try_wait()", "phase test"),
        ("cuda::device::barrier_expect_tx(cuda::barrier<2>&, u64)", "atomic expect_tx"),
        ("cuda::ptx::mbarrier_try_wait_parity(u32, u32, u64*, u32)", "phase try"),
        ("cuda::ptx::mbarrier_arrive_expect_tx(u32, u32, u32, u64*, u32)", "atomic expect_tx"),
        ("__mbarrier_arrive_and_drop(u64*)", "atomic arrive_drop"),
        ("__mbarrier_test_wait(u64*, u64)", "phase test"),
    ],
)
def test_every_spelling_is_an_update_or_a_question(call: str, emitted: str) -> None:
    found = lowered(call)
    assert [line for line in found.lines if f"= {emitted} " in line]
    assert found.opaque == []


def test_a_barrier_that_calls_a_function_is_not_understood() -> None:
    assert lowered("cuda::barrier<2,f>&.arrive_and_wait()").opaque == ["arrive_and_wait"]
