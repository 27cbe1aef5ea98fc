"""Functions of the thread index, decided by enumeration."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.divergence.integers import wrap
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.options import DivergenceOptions
from analysis.divergence.thread_index import EXACT, NATURAL, operate
from analysis.ir.instructions import Binary, Compare, ValueId
from analysis.ir.operators import BinaryOperator, CompareOperator
from analysis.ir.source import NO_SPAN
from analysis.ir.types import BOOLEAN, S8, S32, U8, U32, U64, IntegerType
from tests.support.evaluator import arithmetic
from tests.support.textual import analyze

ROW = LaunchKnowledge((BlockShape(256),))
LINE = LaunchKnowledge(one_dimensional=True)
NOTHING = LaunchKnowledge()


def level(text: str, launch: LaunchKnowledge) -> Level:
    return analyze(
        f"""entry:
  %t: u32 = special thread.x
  %ty: u32 = special thread.y
  %dx: u32 = special block_dim.x
  %c5: u32 = const 5
  %c31: u32 = const 31
  %c32: u32 = const 32
  %c33: u32 = const 33
  %c64: u32 = const 64
  %c2000: u32 = const 2000
{text}
  return""",
        launch=launch,
    ).level("x")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  %x: u32 = div %t, %c32", Level.WARP),
        ("  %x: u32 = shr %t, %c5", Level.WARP),
        ("  %m: u32 = not %c31\n  %x: u32 = and %t, %m", Level.WARP),
        ("  %x: bool = lt %t, %c64", Level.WARP),
        ("  %x: bool = lt %t, %c33", Level.VARYING),
        ("  %x: bool = lt %t, %c2000", Level.GRID),
        ("  %x: u32 = and %t, %c31", Level.VARYING),
        ("  %x: u32 = sub %t, %t", Level.GRID),
    ],
)
@pytest.mark.parametrize("launch", [ROW, LINE])
def test_one_dimension_known_or_assumed(text: str, expected: Level, launch: LaunchKnowledge) -> None:
    assert level(text, launch) is expected


def test_without_a_shape_nothing_is_decided() -> None:
    assert level("  %x: u32 = div %t, %c32", NOTHING) is Level.VARYING


def test_the_row_of_a_block_that_is_a_multiple_of_a_warp_wide() -> None:
    assert level("  %x: u32 = add %ty, %c5", LaunchKnowledge((BlockShape(32, 8),))) is Level.WARP
    assert level("  %x: u32 = add %ty, %c5", LaunchKnowledge((BlockShape(16, 16),))) is Level.VARYING
    assert level("  %x: u32 = add %ty, %c5", ROW) is Level.GRID
    assert level("  %x: u32 = add %ty, %c5", LINE) is Level.GRID


def test_the_linear_id_of_a_block_in_two_dimensions() -> None:
    linear = "  %r: u32 = mul %ty, %dx\n  %i: u32 = add %r, %t\n  %x: u32 = div %i, %c32"
    assert level(linear, LaunchKnowledge((BlockShape(16, 16),))) is Level.WARP
    assert level(linear, LaunchKnowledge((BlockShape(10, 10),))) is Level.WARP


def test_all_known_shapes_must_agree() -> None:
    shapes = LaunchKnowledge((BlockShape(32, 8), BlockShape(16, 16)))
    assert level("  %x: u32 = add %ty, %c5", shapes) is Level.VARYING


def test_the_warp_of_another_machine() -> None:
    assert level("  %x: u32 = div %t, %c64", LaunchKnowledge((BlockShape(256),), warp_size=64)) is Level.WARP
    assert level("  %x: u32 = div %t, %c32", LaunchKnowledge((BlockShape(256),), warp_size=64)) is Level.VARYING


def test_a_partial_last_warp_counts() -> None:
    at_the_end = "  %x: bool = lt %t, %c33"
    assert level(at_the_end, LaunchKnowledge((BlockShape(33),))) is Level.GRID
    assert level(at_the_end, LaunchKnowledge((BlockShape(34),))) is Level.VARYING


def test_unsigned_arithmetic_wraps() -> None:
    assert level("  %d: u32 = sub %t, %c64\n  %x: bool = lt %d, %c64", ROW) is Level.WARP
    assert level("  %d: u32 = sub %t, %c33\n  %x: bool = lt %d, %c2000", ROW) is Level.VARYING


def test_signed_division_rounds_toward_zero() -> None:
    """(t - 33) / 32 is 0 for t in 2 .. 64, which cuts through two warps; rounding down would cut elsewhere."""
    text = "  %s: s32 = convert %t\n  %k: s32 = const 31\n  %z: s32 = const 0\n  %w: s32 = const 32\n"
    quotient = f"{text}  %d: s32 = sub %s, %k\n  %q: s32 = div %d, %w\n  %x: bool = lt %q, %z"
    assert level(quotient, ROW) is Level.GRID


def test_division_by_zero_and_wide_shifts_are_not_decided() -> None:
    assert level("  %z: u32 = sub %t, %t\n  %x: u32 = div %z, %z", ROW) is Level.GRID
    assert level("  %z: u32 = sub %t, %t\n  %x: u32 = div %t, %z", ROW) is Level.VARYING
    assert level("  %x: u32 = shr %t, %c33", ROW) is Level.VARYING


def test_a_structured_value_does_not_change_in_a_varying_loop() -> None:
    facts = analyze(
        """entry:
  %t: u32 = special thread.x
  %c5: u32 = const 5
  jump loop
loop:
  %w: u32 = shr %t, %c5
  %stay: bool = lt %t, %c5
  branch %stay, loop, after
after:
  %x: u32 = add %w, %c5
  return""",
        launch=ROW,
    )
    assert facts.level("x") is Level.WARP


def test_a_structured_condition_makes_its_block_convergent_for_the_warp() -> None:
    facts = analyze(
        """entry:
  %t: u32 = special thread.x
  %c64: u32 = const 64
  %c: bool = lt %t, %c64
  branch %c, then, join !0 if
then:
  jump join
join:
  return""",
        launch=LINE,
        options=DivergenceOptions(),
    )
    assert facts.branch(0) is Level.WARP
    assert facts.convergence("then") is Level.WARP


def test_a_block_that_no_device_runs_is_refused() -> None:
    with pytest.raises(ValueError, match="no device"):
        BlockShape(2048)


NUMBERS = st.integers(-(2**31), 2**31 - 1)
SMALL = st.integers(-3, 40)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([*EXACT, *NATURAL, "land", "lor"]),
    st.sampled_from([U8, S8, U32, S32, U64]),
    st.lists(NUMBERS | SMALL, min_size=2, max_size=6),
    st.lists(SMALL, min_size=1, max_size=1) | st.lists(SMALL | NUMBERS, min_size=2, max_size=6),
)
def test_whole_columns_are_computed_as_threads_compute_them(
    word: str, type_: IntegerType, left: list[int], right: list[int]
) -> None:
    """The fast ways over all threads at once agree with the reference evaluator, which takes one at a time."""
    length = max(len(left), len(right))
    left, right = [(side * length)[:length] for side in (left, right)]
    left = [wrap(value, type_) for value in left]
    right = [wrap(value, type_) for value in right]
    one, two, three = ValueId(0), ValueId(1), ValueId(2)
    instruction = (
        Compare(three, CompareOperator(word), one, two, NO_SPAN)
        if word in {operator.value for operator in CompareOperator}
        else Binary(three, BinaryOperator(word), one, two, NO_SPAN)
    )
    result_type = BOOLEAN if isinstance(instruction, Compare) else type_
    expected = [
        None if word in ("shl", "shr") and not 0 <= b < type_.bits else arithmetic(instruction, [a, b], result_type)
        for a, b in zip(left, right, strict=True)
    ]
    column = right[0] if len(set(right)) == 1 else tuple(right)
    found = operate(word, result_type, [tuple(left), column])
    assert found == (None if None in expected else tuple(expected))
