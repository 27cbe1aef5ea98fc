"""`thread_group`: a parameter or variable of that type is the group it was made from."""

from __future__ import annotations

from analysis.ir.collectives import BlockBarrier, WarpBarrier
from analysis.ir.ids import FunctionId
from analysis.lower.program import Lowered
from tests.lower.check import clean, constructs, lower_all, lower_one

CALLEE = """
    using namespace cooperative_groups;
    __device__ int sum(thread_group g, int x) { g.sync(); return g.thread_rank() + x; }
    """


def test_a_callee_is_lowered_for_the_group_that_it_is_given() -> None:
    text = "__global__ void k(int* a) { thread_block b = this_thread_block(); a[0] = sum(b, 1);"
    lowered = lower_all(CALLEE + text + " a[1] = sum(tiled_partition<16>(b), 2); a[2] = sum(b, 3); }")
    block, tile = (
        lowered[FunctionId(f"sum(thread_group g, int x) [g = {group} group{size}]")]
        for group, size in (("block", ""), ("tile", " of 16"))
    )
    assert (_barriers(block), constructs(block)) == ([BlockBarrier], [])
    assert (_barriers(tile), constructs(tile)) == ([WarpBarrier], [])
    assert constructs(lower_one(CALLEE + text + "}", "k")) == []


def test_a_function_for_any_group_admits_what_it_does_not_know() -> None:
    assert constructs(lower_one(CALLEE, "sum")) == ["sync", "thread_rank"]
    assert lower_one(CALLEE, "sum").opaques[0].may_contain_barrier


def test_a_parameter_that_becomes_another_group_stays_unknown() -> None:
    text = CALLEE.replace("g.sync();", "g = tiled_partition(g, 4); g.sync();")
    lowered = lower_all(text + "__global__ void k(int* a) { a[0] = sum(this_thread_block(), 1); }")
    assert [id for id in lowered if id.startswith("sum")] == ["sum(thread_group g, int x)"]
    assert "sync" in constructs(lowered[FunctionId("sum(thread_group g, int x)")])


def test_a_variable_is_the_group_of_its_initialiser() -> None:
    text = "using namespace cooperative_groups; __global__ void k() {"
    text += "thread_group g = tiled_partition(this_thread_block(), 8); g.sync(); }"
    assert _barriers(next(iter(clean(text).values()))) == [WarpBarrier]


def test_free_functions_wait_as_the_method_does() -> None:
    text = "using namespace cooperative_groups; __global__ void k() { auto b = this_thread_block();"
    text += "sync(b); cooperative_groups::synchronize(b); }"
    assert _barriers(next(iter(clean(text).values()))) == [BlockBarrier, BlockBarrier]


def _barriers(lowered: Lowered) -> list[type]:
    found = [type(each) for _, each in lowered.function.instructions()]
    return [each for each in found if each in (BlockBarrier, WarpBarrier)]
