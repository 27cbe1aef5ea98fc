"""Between which numbers values lie."""

from __future__ import annotations

import pytest

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from tests.affine.support import PRELUDE, ROW, affine

MOST = 2**31 - 1
ANY = (-(2**31), MOST)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s32 = add %t, %c1", (1, 256)),
        ("s32 = sub %c0, %t", (-255, 0)),
        ("s32 = mul %t, %t", (0, 255 * 255)),
        ("s32 = div %t, %c7", (0, 36)),
        ("s32 = div %below, %c7", (-36, 0)),
        ("s32 = rem %n, %c7", (-6, 6)),
        ("s32 = and %n, %c7", (0, 7)),
        ("s32 = or %t, %c7", (7, 255)),
        ("s32 = xor %t, %c7", (0, 255)),
        ("s32 = shr %t, %c1", (0, 127)),
        ("s32 = shl %t, %c1", (0, 510)),
        ("s32 = neg %t", (-255, 0)),
        ("s32 = not %t", (-256, -1)),
        ("u32 = not %tx", (2**32 - 256, 2**32 - 1)),
        ("s32 = math max %t, %n", (0, MOST)),
        ("s32 = math min %t, %n", (-(2**31), 255)),
        ("s32 = add %n, %c1", ANY),
        ("u32 = sub %tx, %tx", (0, 2**32 - 1)),
        ("s32 = div %n, %n", ANY),
        ("u8 = convert %t", (0, 255)),
        ("u8 = convert %n", (0, 255)),
        ("u32 = convert %n", (0, 2**32 - 1)),
    ],
)
def test_operations(text: str, expected: tuple[int, int]) -> None:
    assert (
        affine(PRELUDE + f"  %c7: s32 = const 7\n  %below: s32 = neg %t\n  %x: {text}\n  return", ROW).range("x")
        == expected
    )


def test_the_global_index_is_an_int() -> None:
    low, high = affine(PRELUDE + "  return").range("i")
    assert low == 0
    assert high <= MOST


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        (LaunchKnowledge(), (0, 1023)),
        (ROW, (0, 255)),
        (LaunchKnowledge((BlockShape(64), BlockShape(16, 16))), (0, 63)),
    ],
)
def test_the_launch_bounds_the_thread_index(launch: LaunchKnowledge, expected: tuple[int, int]) -> None:
    assert affine(PRELUDE + "  return", launch).range("tx") == expected


GUARDED = (
    PRELUDE
    + """  %c100: s32 = const 100
  %low: bool = ge %n, %c0
  %high: bool = lt %n, %c100
  %both: bool = land %low, %high
  branch %both, inside, outside
inside:
  %x: s32 = add %n, %c1
  jump outside
outside:
  %y: s32 = add %n, %c1
  return"""
)


def test_comparisons_on_the_way_count() -> None:
    facts = affine(GUARDED)
    assert facts.range("n", at="inside") == (0, 99)
    assert facts.range("n", at="outside") == ANY
    assert facts.range("x") == (1, 100)
    assert facts.range("y") == ANY


def test_a_comparison_does_not_count_where_other_ways_lead_too() -> None:
    facts = affine(GUARDED.replace("branch %both", "branch %high"))
    assert facts.range("n", at="inside") == (-(2**31), 99)
    assert facts.range("n", at="outside") == ANY


def counted(start: str, step: str, test: str) -> str:
    return (
        PRELUDE
        + f"""  %c16: s32 = const 16
  jump head
head:
  %k: s32 = phi entry: {start}, body: %next
  %c: bool = {test}
  branch %c, body, after
body:
  %next: s32 = {step}
  jump head
after:
  return"""
    )


@pytest.mark.parametrize(
    ("start", "step", "test", "expected"),
    [
        ("%c0", "add %k, %c1", "lt %k, %c16", (0, 16)),
        ("%c16", "sub %k, %c1", "gt %k, %c0", (0, 16)),
        ("%c16", "shr %k, %c1", "gt %k, %c0", (0, 16)),
        ("%t", "add %k, %c1", "lt %k, %n", (0, MOST)),
        ("%c0", "add %k, %n", "lt %k, %n", ANY),
        ("%c1", "add %k, %k", "lt %k, %c16", (1, 30)),
    ],
)
def test_loops(start: str, step: str, test: str, expected: tuple[int, int]) -> None:
    facts = affine(counted(start, step, test))
    assert facts.range("k") == expected


def test_code_between_two_loops_sees_the_settled_range_of_the_first() -> None:
    """The second loop starts at what the first one ends with, which is not known when it is first read."""
    facts = affine(
        counted("%c0", "add %k, %c1", "lt %k, %c16").replace(
            "after:\n  return",
            """after:
  %between: s32 = add %k, %c1
  jump again
again:
  %j: s32 = phi after: %between, more: %on
  %d: bool = lt %j, %n
  branch %d, more, end
more:
  %on: s32 = add %j, %c1
  jump again
end:
  return""",
        )
    )
    assert facts.range("between") == (17, 17)
    assert facts.range("j") == (17, MOST)
