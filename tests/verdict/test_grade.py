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
        ("  %m: u32 = rem %tx, %un\n  %c: bool = eq %m, %c0", Grade.DATA_DEPENDENT),
        ("  %q: ptr<global s32> = element %p, %i\n  %v: s32 = load %q\n  %c: bool = lt %v, %n", Grade.DATA_DEPENDENT),
        ("  %v: s32 = atomic add %p, %n\n  %c: bool = lt %v, %n", Grade.DATA_DEPENDENT),
        ('  %v: s32 = opaque "what"\n  %c: bool = lt %v, %n', Grade.DATA_DEPENDENT),
    ],
)
def test_grades(condition: str, expected: Grade | None) -> None:
    assert grade(condition) is expected


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
