"""SYN106."""

from __future__ import annotations

import pytest

from analysis.refactor.edit import apply_replacements
from analysis.rules.diagnostic import Applicability, Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

RULE = RuleSettings(select=frozenset({"SYN106"}))
MARK = "  //~ partial-barrier-count"

KERNEL = """
template <int N> __device__ void meet(int id) {
  asm volatile("bar.sync %0, %1;" :: "r"(id), "n"(N) : "memory");
}
__global__ void k(float *out, int n) {
  STATEMENTS
}
void host(float *a) { k<<<1, SHAPE>>>(a, 100); }
"""

FIRING = {
    "part of a warp": f'asm volatile("bar.sync 1, 80;");{MARK}',
    "part of a warp that only arrives": f'if (threadIdx.x < 32) asm volatile("bar.arrive 1, 48;");{MARK}',
    "an operand": f'asm volatile("barrier.sync %0, %1;" :: "r"(1), "r"(66));{MARK}',
    "nobody": f'asm volatile("bar.sync 1, 0;");{MARK}',
    "more than the block has": f'asm volatile("bar.sync 1, 160;");{MARK}',
    "the intrinsic": f"__barrier_sync_count(2, 100);{MARK}",
}
SILENT = {
    "a warp": 'if (threadIdx.x < 32) asm volatile("bar.sync 1, 32;");',
    "the block": 'asm volatile("bar.sync 1, 128;");',
    "no count": 'asm volatile("bar.sync 1;");',
    "computed": 'asm volatile("bar.sync 1, %0;" :: "r"(n));',
    "some arrive twice": """
  if (threadIdx.x < 32) { asm volatile("bar.arrive 1, 160;"); asm volatile("bar.arrive 1, 160;"); }
  else asm volatile("bar.sync 1, 160;");""",
    "called with whole warps": "meet<64>(n);",
    "another kind of barrier": "__syncthreads();",
}


def text_of(statements: str, shape: str = "128") -> str:
    return KERNEL.replace("STATEMENTS", statements).replace("SHAPE", shape)


@pytest.mark.parametrize("statements", FIRING.values(), ids=FIRING)
def test_firing(statements: str) -> None:
    check_fixture(text_of(statements), RULE)


@pytest.mark.parametrize("statements", SILENT.values(), ids=SILENT)
def test_silent(statements: str) -> None:
    check_fixture(text_of(statements), RULE)


def test_a_block_of_unknown_shape_may_have_enough_threads() -> None:
    check_fixture(text_of('asm volatile("bar.sync 1, 160;");', "dim3(a == nullptr ? 256 : 512)"), RULE)


def test_a_count_is_reported_where_the_barrier_stands() -> None:
    marked = text_of("meet<100>(1);").replace(': "memory");', f': "memory");{MARK}')
    check_fixture(marked, RULE)


def test_the_messages() -> None:
    text = text_of(f'asm volatile("bar.sync 1, 80;");{MARK}\n  asm volatile("bar.sync 2, 160;");{MARK}')
    found = check_fixture(text, RULE)
    assert {one.severity for one in found} == {Severity.ERROR}
    assert [one.message for one in found] == [
        "This barrier waits for 80 threads, no multiple of the warp size 32.",
        "This barrier waits for 160 threads, and the warps of the block have 128.",
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('asm volatile("bar.sync 1, 80;");', 'asm volatile("bar.sync 1, 96;");'),
        (
            'asm volatile("barrier.sync %0, %1;" :: "r"(1), "r"(66));',
            'asm volatile("barrier.sync %0, %1;" :: "r"(1), "r"(96));',
        ),
        ('asm volatile("bar.sync 1, 160;");', 'asm volatile("bar.sync 1, 128;");'),
        ("__barrier_sync_count(2, 100);", "__barrier_sync_count(2, 128);"),
        ('asm volatile("bar.sync 1, 1;");', None),
    ],
)
def test_the_fix_writes_a_count_that_a_barrier_can_have(before: str, after: str | None) -> None:
    (found,) = check_fixture(text_of(before + MARK), RULE)
    if after is None:
        assert found.fix is None
        return
    assert found.fix is not None
    assert found.fix.applicability is Applicability.UNSAFE
    mended = apply_replacements(text_of(before).encode(), found.fix.replacements).decode()
    assert mended == text_of(after)
    check_fixture(mended, RULE)
