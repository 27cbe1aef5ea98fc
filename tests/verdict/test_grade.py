"""Grades of varying branches."""

from __future__ import annotations

import pytest

from analysis.affine.analysis import analyze_affine
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.ir.ids import SourceBranchId
from analysis.verdict.grade import Grade, Grader, Grading
from tests.support.textual import Facts, analyze

LINE = LaunchKnowledge(one_dimensional=True)


def grading_of(facts: Facts) -> Grading | None:
    function, control = facts.result.function, facts.result.control
    affine = analyze_affine(function, control, facts.result)
    return Grader(function, control, facts.result, affine).grade(SourceBranchId(0))


def grade_of(facts: Facts) -> Grade | None:
    grading = grading_of(facts)
    return None if grading is None else grading.grade


def grade(condition: str, launch: LaunchKnowledge | None = None) -> Grade | None:
    facts = analyze(
        f"""entry:
  %tx: u32 = special thread.x
  %ty: u32 = special thread.y
  %bx: u32 = special block.x
  %dx: u32 = special block_dim.x
  %un: u32 = convert %n
  %c2: u32 = const 2
  %c0: u32 = const 0
  %c64: u32 = const 64
  %base: u32 = mul %bx, %dx
  %i: u32 = add %base, %tx
{condition}
  branch %c, then, join !0 if
then:
  jump join
join:
  return""",
        launch=launch,
    )
    return grade_of(facts)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("  %c: bool = lt %un, %c2", None),
        ("  %c: bool = lt %bx, %c2", None),
        ("  %c: bool = lt %i, %un", Grade.BOUNDARY),
        ("  %s: s32 = convert %i\n  %c: bool = ge %s, %n", Grade.BOUNDARY),
        ("  %c: bool = eq %tx, %c0", Grade.BOUNDARY),
        ("  %a: bool = lt %i, %un\n  %b: bool = lt %ty, %un\n  %c: bool = land %a, %b", Grade.BOUNDARY),
        ("  %a: bool = lt %i, %un\n  %c: bool = lnot %a", Grade.BOUNDARY),
        ("  %m: u32 = rem %tx, %c2\n  %c: bool = eq %m, %c0", Grade.STRUCTURED),
        ("  %m: u32 = and %tx, %dx\n  %c: bool = eq %m, %c0", Grade.STRUCTURED),
        ("  %t: u32 = template N\n  %m: u32 = rem %tx, %t\n  %c: bool = eq %m, %c0", Grade.STRUCTURED),
        ("  %m: u32 = rem %tx, %un\n  %c: bool = eq %m, %c0", Grade.STRUCTURED),
        ("  %q: ptr<global s32> = element %p, %i\n  %v: s32 = load %q\n  %c: bool = lt %v, %n", Grade.DATA_DEPENDENT),
        ("  %q: ptr<global s32> = element %p, %i\n  %v: s32 = load %q\n  %w: s32 = rem %v, %n\n"
         "  %s: s32 = convert %i\n  %c: bool = lt %w, %s", Grade.DATA_DEPENDENT),
        ("  %v: s32 = atomic add %p, %n\n  %c: bool = lt %v, %n", Grade.DATA_DEPENDENT),
        ('  %v: s32 = opaque "what"\n  %c: bool = lt %v, %n', Grade.DATA_DEPENDENT),
    ],
)  # fmt: skip
def test_grades(condition: str, expected: Grade | None) -> None:
    assert grade(condition) is expected


HALF = "  %h: u32 = div %tx, %c2\n"
"""Rises, but has no linear form."""


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (f"{HALF}  %c: bool = lt %h, %un", Grade.BOUNDARY),
        (f"{HALF}  %s: u32 = add %h, %tx\n  %c: bool = lt %s, %un", Grade.BOUNDARY),
        (f"{HALF}  %s: u32 = sub %un, %h\n  %c: bool = lt %h, %s", Grade.BOUNDARY),
        (f"{HALF}  %s: u32 = math min %h, %un\n  %c: bool = lt %s, %c64", Grade.BOUNDARY),
        (f"{HALF}  %a: bool = lt %h, %un\n  %u: u32 = convert %a\n  %c: bool = ne %u, %c0", Grade.BOUNDARY),
        (f"{HALF}  %w: u32 = mul %h, %c2\n  %o: u32 = sub %tx, %w\n  %c: bool = eq %o, %un", Grade.STRUCTURED),
        (f"{HALF}  %s: u32 = math min %tx, %un\n  %c: bool = lt %h, %s", Grade.STRUCTURED),
        (f"{HALF}  %s: u32 = mul %h, %un\n  %o: u32 = add %s, %h\n  %c: bool = lt %o, %c64", Grade.BOUNDARY),
        (f"{HALF}  %s: s32 = convert %h\n  %o: s32 = mul %s, %n\n  %c: bool = lt %o, %n", Grade.BOUNDARY),
        (f"{HALF}  %s: s32 = convert %h\n  %o: s32 = mul %s, %n\n  %q: s32 = add %o, %s\n  %c: bool = lt %q, %n",
         Grade.STRUCTURED),
        (f"{HALF}  %s: u8 = convert %h\n  %w: u32 = convert %s\n  %c: bool = lt %w, %un", Grade.STRUCTURED),
    ],
)  # fmt: skip
def test_a_row_passes_a_monotone_bound_once(condition: str, expected: Grade) -> None:
    assert grade(condition) is expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("  %k: u32 = const 31\n  %s: u32 = shl %tx, %k\n  %o: u32 = add %s, %un\n  %c: bool = ne %o, %c0",
         Grade.STRUCTURED),
        ("  %k: u32 = const 23\n  %s: u32 = shl %tx, %k\n  %c: bool = lt %s, %un", Grade.STRUCTURED),
        ("  %k: u32 = const 20\n  %s: u32 = shl %tx, %k\n  %c: bool = lt %s, %un", Grade.BOUNDARY),
        (f"{HALF}  %k: u32 = const 30\n  %s: u32 = shl %h, %k\n  %c: bool = lt %s, %un", Grade.STRUCTURED),
        (f"{HALF}  %k: u32 = const 1073741824\n  %s: u32 = mul %h, %k\n  %c: bool = lt %s, %un",
         Grade.STRUCTURED),
        (f"{HALF}  %k: u32 = const 8\n  %s: u32 = shl %h, %k\n  %c: bool = lt %s, %un", Grade.BOUNDARY),
        (f"{HALF}  %s: u32 = add %h, %un\n  %d: u32 = mul %s, %c2\n  %c: bool = lt %d, %un", Grade.BOUNDARY),
    ],
)  # fmt: skip
def test_a_row_that_passes_the_width_of_its_numbers_meets_a_bound_often(condition: str, expected: Grade) -> None:
    assert grade(condition) is expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("  %k: s32 = const 31\n  %s: s32 = convert %tx\n  %o: s32 = add %s, %n\n  %q: s32 = div %o, %k\n"
         "  %z: s32 = const 0\n  %c: bool = ne %q, %z", Grade.STRUCTURED),
        (f"{HALF}  %c: bool = eq %h, %un", Grade.STRUCTURED),
        (f"{HALF}  %c: bool = eq %h, %c0", Grade.BOUNDARY),
        ("  %q: u32 = div %i, %un\n  %c: bool = ne %q, %c0", Grade.BOUNDARY),
        ("  %c: bool = ne %i, %un", Grade.BOUNDARY),
    ],
)  # fmt: skip
def test_what_equals_in_the_middle_of_a_row_has_two_ends(condition: str, expected: Grade) -> None:
    """`(t + n) / 31 == 0` holds for 61 threads, which begin in one warp and end in another one."""
    assert grade(condition) is expected


def test_a_short_row_does_not_pass_the_width() -> None:
    condition = "  %k: u32 = const 24\n  %s: u32 = shl %tx, %k\n  %c: bool = lt %s, %un"
    assert grade(condition) is Grade.STRUCTURED
    assert grade(condition, LaunchKnowledge((BlockShape(64),))) is Grade.BOUNDARY


def test_each_warp_meets_a_bound_of_its_own() -> None:
    lane, warp = "  %l: u32 = special lane\n", "  %w: u32 = special warp_index\n"
    assert grade(f"{lane}  %c: bool = lt %l, %un") is Grade.STRUCTURED
    assert grade(f"{warp}  %c: bool = lt %tx, %w") is Grade.STRUCTURED
    assert grade(f"{lane}{HALF}  %s: u32 = div %l, %c2\n  %c: bool = lt %s, %un") is Grade.STRUCTURED


def test_signed_forms_that_differ_by_a_number_agree() -> None:
    assert grade("  %s: s32 = convert %tx\n  %t: s32 = add %s, %n\n  %c: bool = ne %s, %t") is Grade.ALIGNED
    assert grade("  %t: u32 = add %tx, %un\n  %c: bool = lt %tx, %t") is Grade.BOUNDARY  # the sum may wrap


def test_counted_warps_decide() -> None:
    def graded(condition: str, *shape: int) -> Grade | None:
        return grade(condition, LaunchKnowledge((BlockShape(*shape),)))

    half = "  %c16: u32 = const 16\n  %c: bool = lt %tx, %c16"
    assert graded(half, 256) is Grade.BOUNDARY
    assert graded(half, 32, 8) is Grade.STRUCTURED  # all warps split
    assert graded(half, 16, 16) is None  # all threads pass
    odd = "  %m: u32 = rem %tx, %c2\n  %c: bool = eq %m, %c0"
    assert graded(odd, 32) is graded(odd, 32, 8) is Grade.STRUCTURED


def test_aligned_needs_the_shape() -> None:
    assert grade("  %c: bool = lt %tx, %c64", LINE) is Grade.ALIGNED
    assert grade("  %c: bool = lt %tx, %c64") is Grade.BOUNDARY
    assert grade("  %c: bool = eq %ty, %c0", LaunchKnowledge((BlockShape(32, 4),))) is Grade.ALIGNED


def test_a_vote_is_no_thread_index() -> None:
    vote = "  %v: s32 = atomic add %p, %n\n  %o: bool = lt %v, %n\n  %full: u32 = const 4294967295\n"
    assert grade(f"{vote}  %c: bool = vote any %o mask %full") is None


def test_a_grid_stride_loop_is_a_boundary() -> None:
    facts = analyze("""entry:
  %tx: u32 = special thread.x
  %dx: u32 = special block_dim.x
  %un: u32 = convert %n
  jump head
head:
  %i: u32 = phi entry: %tx, body: %next
  %c: bool = lt %i, %un
  branch %c, body, after !0 loop
body:
  %next: u32 = add %i, %dx
  jump head
after:
  return""")
    assert grade_of(facts) is Grade.BOUNDARY


def test_a_tree_reduction_by_remainder_is_structured() -> None:
    facts = analyze("""entry:
  %tx: u32 = special thread.x
  %one: u32 = const 1
  %zero: u32 = const 0
  %size: u32 = special block_dim.x
  jump head
head:
  %s: u32 = phi entry: %one, latch: %twice
  %stay: bool = lt %s, %size
  branch %stay, body, after
body:
  %twice: u32 = shl %s, %one
  %m: u32 = rem %tx, %twice
  %c: bool = eq %m, %zero
  branch %c, adds, latch !0 if
adds:
  jump latch
latch:
  jump head
after:
  return""")
    assert grade_of(facts) is Grade.STRUCTURED


def test_a_branch_of_several_decisions_has_the_worst_grade() -> None:
    facts = analyze("""entry:
  %tx: u32 = special thread.x
  %un: u32 = convert %n
  %a: bool = lt %tx, %un
  branch %a, second, join !0 if
second:
  %q: ptr<global s32> = element %p, %tx
  %v: s32 = load %q
  %c: bool = lt %v, %n
  branch %c, then, join !0 if
then:
  jump join
join:
  return""")
    assert grade_of(facts) is Grade.DATA_DEPENDENT


@pytest.mark.parametrize("step", ["add %v{0}, %v{0}", "add %v{0}, %un"])
def test_a_condition_of_thousands_of_operations_is_not_looked_through(step: str) -> None:
    lines = ["  %v0: u32 = rem %tx, %c2"]
    lines += [f"  %v{number + 1}: u32 = {step.format(number)}" for number in range(3000)]
    assert grade("\n".join([*lines, "  %c: bool = lt %v3000, %c2"])) in (Grade.DATA_DEPENDENT, Grade.STRUCTURED)


@pytest.mark.parametrize(
    ("bound", "step", "expected"),
    [
        ("add %i, %un", "add %k, %c2", Grade.BOUNDARY),
        ("sub %i, %un", "sub %k, %un", Grade.BOUNDARY),
        ("add %un, %i", "add %un, %k", Grade.BOUNDARY),
        ("add %i, %tx", "add %k, %c2", Grade.DATA_DEPENDENT),
        ("add %i, %un", "add %k, %i", Grade.DATA_DEPENDENT),
        ("sub %un, %i", "add %k, %c2", Grade.DATA_DEPENDENT),
    ],
)
def test_a_loop_over_a_piece_of_its_own_is_a_boundary(bound: str, step: str, expected: Grade) -> None:
    facts = analyze(f"""entry:
  %tx: u32 = special thread.x
  %un: u32 = convert %n
  %c2: u32 = const 2
  %q: ptr<global s32> = element %p, %tx
  %v: s32 = load %q
  %i: u32 = convert %v
  %bound: u32 = {bound}
  jump head
head:
  %k: u32 = phi entry: %i, body: %next
  %c: bool = lt %k, %bound
  branch %c, body, done !0 loop
body:
  %next: u32 = {step}
  jump head
done:
  return""")
    assert grade_of(facts) is expected


def test_a_number_that_may_differ_from_itself_is_data() -> None:
    number = "  %q: ptr<global s32> = element %p, %i\n  %v: s32 = load %q\n  %f: f32 = bitcast %v\n"
    assert grade(f"{number}  %c: bool = ne %v, %v") is Grade.BOUNDARY
    assert grade(f"{number}  %c: bool = ne %f, %f") is Grade.DATA_DEPENDENT


def test_different_steps_on_different_ways_back_are_data() -> None:
    facts = analyze("""entry:
  %tx: u32 = special thread.x
  %un: u32 = convert %n
  %c2: u32 = const 2
  %q: ptr<global s32> = element %p, %tx
  %v: s32 = load %q
  %i: u32 = convert %v
  %bound: u32 = add %i, %un
  jump head
head:
  %k: u32 = phi entry: %i, one: %next, two: %other
  %c: bool = lt %k, %bound
  branch %c, body, done !0 loop
body:
  %odd: bool = lt %v, %n
  branch %odd, one, two
one:
  %next: u32 = add %k, %c2
  jump head
two:
  %other: u32 = add %k, %un
  jump head
done:
  return""")
    assert grade_of(facts) is Grade.DATA_DEPENDENT


def test_behind_a_loop_that_threads_leave_apart_an_index_is_no_index() -> None:
    facts = analyze("""entry:
  %tx: u32 = special thread.x
  %un: u32 = convert %n
  jump head
head:
  %k: u32 = phi entry: %tx, body: %next
  %q: ptr<global s32> = element %p, %k
  %v: s32 = load %q
  %more: bool = lt %v, %n
  branch %more, body, behind
body:
  %next: u32 = add %k, %un
  jump head
behind:
  %c: bool = lt %k, %un
  branch %c, then, join !0 if
then:
  jump join
join:
  return""")
    assert grade_of(facts) is Grade.DATA_DEPENDENT
