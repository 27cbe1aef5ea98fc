"""Linear forms, in the words of the text."""

from __future__ import annotations

import pytest

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from tests.affine.support import PRELUDE, ROW, SQUARE, affine

GRID_STRIDE = (
    PRELUDE
    + """  %wide: u32 = mul %gx, %dx
  %step: s32 = convert %wide
  jump head
head:
  %k: s32 = phi entry: %i, body: %next
  %inside: bool = lt %k, %n
  branch %inside, body, after
body:
  %x: ptr<global s32> = element %p, %k
  %next: s32 = add %k, %step
  jump head
after:
  %late: s32 = add %k, %c1
  return"""
)


def test_a_row_and_a_column_unify_and_cancel() -> None:
    facts = affine(
        PRELUDE
        + """  %row: s32 = convert %bx
  %offset: s32 = mul %row, %n
  %place: s32 = add %offset, %t
  %back: s32 = sub %place, %offset
  %x: ptr<global s32> = element %p, %place
  return"""
    )
    assert facts.form("place") == "threadIdx.x + n*block.x"
    assert facts.form("back") == "threadIdx.x"
    assert facts.form("x") == "4*threadIdx.x + 4*n*block.x + p if nothing wraps"


def test_the_global_index_is_widened_without_an_assumption() -> None:
    facts = affine(PRELUDE + "  %x: ptr<global s32> = element %p, %i\n  return")
    assert facts.form("x") == "4*threadIdx.x + p + 4*block.x*block_dim.x"


def test_a_grid_stride_loop_counts_its_iterations() -> None:
    facts = affine(GRID_STRIDE)
    assert facts.form("k") == "threadIdx.x + iter*block_dim.x*grid_dim.x + block.x*block_dim.x"


def test_a_value_of_the_last_iteration_has_no_form_where_threads_leave_apart() -> None:
    facts = affine(GRID_STRIDE)
    assert facts.form("k", at="body") != "unknown"
    assert facts.form("k", at="after") == "unknown"
    assert facts.form("late") == "unknown"


def loop(back: str, test: str = "lt %j, %n") -> str:
    return (
        PRELUDE
        + f"""  jump head
head:
  %k: s32 = phi entry: %t, body: %next
  %j: s32 = phi entry: %c0, body: %up
  %c: bool = {test}
  branch %c, body, after
body:
{back}
  %up: s32 = add %j, %c1
  jump head
after:
  return"""
    )


@pytest.mark.parametrize(
    ("back", "expected"),
    [
        ("  %next: s32 = add %k, %n", "threadIdx.x + n*iter"),
        ("  %next: s32 = add %k, %t", "(iter + 1)*threadIdx.x"),
        (
            "  %q: ptr<global s32> = element %p, %j\n  %s: s32 = load %q\n  %next: s32 = add %k, %s",
            "threadIdx.x + rest(k)",
        ),
        ("  %next: s32 = mul %k, %k", "unknown"),
        ("  %next: s32 = sub %n, %k", "unknown"),
        ("  %q: ptr<global s32> = element %p, %t\n  %s: s32 = load %q\n  %next: s32 = add %k, %s", "unknown"),
    ],
)
def test_recurrences(back: str, expected: str) -> None:
    assert affine(loop(back)).form("k") == expected


def diamond(condition: str, left: str, right: str) -> str:
    return (
        PRELUDE
        + f"""  %c: bool = {condition}
  branch %c, then, other
then:
{left}
  jump join
other:
{right}
  jump join
join:
  %x: s32 = phi then: %a, other: %b
  return"""
    )


ONE_MORE = "  %b: s32 = add %t, %n"


@pytest.mark.parametrize(
    ("condition", "left", "right", "expected"),
    [
        ("lt %n, %c1", "  %a: s32 = add %t, %c1", ONE_MORE, "threadIdx.x + rest(x)"),
        ("lt %t, %n", "  %a: s32 = add %t, %c1", ONE_MORE, "unknown"),
        ("lt %t, %n", "  %a: s32 = add %n, %t", ONE_MORE, "threadIdx.x + n"),
        ("lt %n, %c1", "  %a: s32 = mul %t, %n", ONE_MORE, "unknown"),
    ],
)
def test_joins(condition: str, left: str, right: str, expected: str) -> None:
    assert affine(diamond(condition, left, right)).form("x") == expected


def test_an_irreducible_cycle_has_no_iterations() -> None:
    """The loop behind it makes the pass read everything again, with what came back known."""
    facts = affine(
        PRELUDE
        + """  %c: bool = lt %n, %c1
  branch %c, left, right
left:
  %k: s32 = phi entry: %t, right: %next
  jump right
right:
  %j: s32 = phi entry: %t, left: %k
  %next: s32 = add %t, %n
  branch %c, left, head
head:
  %m: s32 = phi right: %t, head: %on
  %on: s32 = add %m, %c1
  branch %c, head, after
after:
  return"""
    )
    assert facts.form("m") == "threadIdx.x + iter"
    assert facts.form("k") == "unknown"


def test_a_value_loaded_in_a_loop_that_threads_leave_apart_has_no_form_behind_it() -> None:
    back = """  %q: ptr<global s32> = element %p, %j
  %s: s32 = load %q
  %sum: s32 = add %t, %s
  %next: s32 = add %k, %c1"""
    text = loop(back, test="lt %j, %t").replace("branch %c, body, after", "branch %c, body, quit")
    text = text.replace(
        "  jump head\nafter:", "  %d: bool = lt %sum, %n\n  branch %d, head, after\nquit:\n  return\nafter:"
    )
    facts = affine(text)
    assert facts.form("sum", at="body") == "threadIdx.x + s"
    assert facts.form("sum", at="after") == "unknown"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  %c: bool = lt %n, %c1\n  %b: s32 = add %t, %c1\n  %x: s32 = select %c, %t, %b", "threadIdx.x + rest(x)"),
        ("  %c: bool = lt %t, %c1\n  %b: s32 = add %t, %c1\n  %x: s32 = select %c, %t, %b", "unknown"),
        ("  %b: s32 = add %t, %c1\n  %x: s32 = math min %t, %b", "threadIdx.x + rest(x)"),
        ("  %b: s32 = add %t, %n\n  %x: s32 = math min %t, %b", "unknown"),
        ("  %x: s32 = math max %t, %n", "unknown"),
    ],
)
def test_choices(text: str, expected: str) -> None:
    assert affine(PRELUDE + text + "\n  return").form("x") == expected


@pytest.mark.parametrize(
    ("text", "launch", "expected"),
    [
        ("and %unsigned, %c31", ROW, "lane"),
        ("rem %i, %s32", ROW, "lane"),
        ("shr %unsigned, %c5", ROW, "rest(x)"),
        ("div %i, %s32", ROW, "rest(x)"),
        ("and %unsigned, %c31", LaunchKnowledge(), "unknown"),
        ("and %unsigned, %c31", LaunchKnowledge((BlockShape(48),)), "unknown"),
        ("shr %unsigned, %c5", LaunchKnowledge((BlockShape(256), BlockShape(48))), "unknown"),
        ("div %below, %s32", ROW, "unknown"),
        ("rem %below, %s32", ROW, "unknown"),
        ("and %both, %c31", LaunchKnowledge((BlockShape(64, 4),)), "unknown"),
        ("and %ty, %c31", SQUARE, "unknown"),
    ],
)
def test_windows(text: str, launch: LaunchKnowledge, expected: str) -> None:
    type_ = "s32" if "%s32" in text else "u32"
    body = "  %s32: s32 = const 32\n  %s256: s32 = const 256\n"
    body += f"  %below: s32 = sub %t, %s256\n  %both: u32 = add %tx, %ty\n  %x: {type_} = {text}\n  return"
    assert affine(PRELUDE + body, launch).form("x") == expected


def test_a_square_block_is_a_row_of_linear_indices() -> None:
    body = """  %c16: u32 = const 16
  %rows: u32 = mul %ty, %c16
  %linear: u32 = add %rows, %tx
  %lane: u32 = and %linear, %c31
  %warp: u32 = shr %linear, %c5
  return"""
    facts = affine(PRELUDE + body, SQUARE)
    assert facts.form("linear") == "threadIdx.x + 16*threadIdx.y"
    assert facts.form("lane") == "lane"
    assert str(facts.result.collange(facts.value("linear"))) == "A(1)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  %m: u32 = sub %tx, %c5\n  %x: u64 = convert %m", "unknown"),
        ("  %m: s32 = sub %t, %c1\n  %x: s64 = convert %m", "threadIdx.x - 1"),
        ("  %m: s32 = mul %t, %n\n  %x: s64 = convert %m", "n*threadIdx.x if nothing wraps"),
        ("  %m: s32 = mul %n, %n\n  %x: s64 = convert %m", "m"),
        (
            "  %m: u32 = convert %n\n  %q: u32 = sub %m, %tx\n  %x: u64 = convert %q",
            "-threadIdx.x + n if nothing wraps",
        ),
    ],
)
def test_widening(text: str, expected: str) -> None:
    assert affine(PRELUDE + text + "\n  return").form("x") == expected
