"""The FIR filter of Fig. 1 of Lee et al. (CGO 2013): the numbers of sections 2.2 and 2.3, and the code of Fig. 1(c)."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

import pytest

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.graph.control_flow import ControlFlow
from analysis.scalar.counts import Activity, Share
from analysis.scalar.listing import listing
from analysis.scalar.machine import Execution
from analysis.scalar.scalarize import Scalarization, scalarize
from tests.support.textual import read

HEADER = "kernel @fir(%samples: ptr<global f32>, %coeffs: ptr<global f32>, %flen: s32, %results: ptr<global f32>)"
BODY = """
bb1:
  %tid: u32 = special thread.x
  %zero: s32 = const 0
  %none: f32 = const 0.0
  %any: bool = gt %flen, %zero
  branch %any, bb3, bb2
bb2:
  jump bb5
bb3:
  %first: ptr<global f32> = element %samples, %tid
  jump bb4
bb4:
  %result: f32 = phi bb3: %none, bb4: %sum
  %i: s32 = phi bb3: %zero, bb4: %next_i
  %sample: ptr<global f32> = phi bb3: %first, bb4: %next_sample
  %coeff: ptr<global f32> = phi bb3: %coeffs, bb4: %next_coeff
  %c: f32 = load %coeff
  %s: f32 = load %sample
  %sum: f32 = math fma %c, %s, %result
  %one: s32 = const 1
  %next_i: s32 = add %i, %one
  %next_sample: ptr<global f32> = element %sample, %one
  %next_coeff: ptr<global f32> = element %coeff, %one
  %more: bool = lt %next_i, %flen
  branch %more, bb4, bb5
bb5:
  %out: f32 = phi bb2: %none, bb4: %sum
  %place: ptr<global f32> = element %results, %tid
  store %place, %out
  return
"""
SCALARIZED = """\
BB_1:
    @s ld.u64 s1, [4096]
    @s ld.u64 s2, [4104]
    @s ld.s32 s3, [4112]
    @s ld.u64 s4, [4120]
    @s iset.s32.gt s7, s3, 0
    @s @s7 bra BB_3
BB_2:
       mov r1, 0.0
    @s bra BB_5
BB_3:
       mov r1, 0.0
    @s mov s7, 0
BB_4:
    @s ld.f32 s8, [s2]
       ldwseq.f32 r9, [s1]
       fma.f32 r1, s8, r9, r1
    @s iadd s7, s7, 1
    @s iadd s1, s1, 4
    @s iadd s2, s2, 4
    @s iset.s32.lt s8, s7, s3
    @s @s8 bra BB_4
BB_5:
       stwseq.f32 [s4], r1
       exit"""


def fir() -> Scalarization:
    function = read(BODY, HEADER).function
    return scalarize(function, ControlFlow.of(function), LaunchKnowledge())


def test_the_code_is_that_of_the_figure() -> None:
    assert "\n".join(listing(fir().scalarized)) == SCALARIZED


def test_registers() -> None:
    """9 per thread against 2 private and 6 shared: 288 against 70 per warp."""
    result = fir()
    assert result.conventional_registers == Share(once=0, each=9)
    assert result.scalar_registers == Share(once=6, each=2)
    assert result.conventional_registers.per_warp(32) == 288
    assert result.scalar_registers.per_warp(32) == 70


@pytest.mark.parametrize(
    ("measure", "before", "after"),
    [
        (attrgetter("reads"), 352, 73),
        (attrgetter("writes"), 224, 69),
        (attrgetter("operations"), 256, 39),
        (attrgetter("addresses"), 64, 2),
        (attrgetter("data"), 64, 33),
    ],
    ids=["reads", "writes", "operations", "addresses", "data"],
)
def test_one_iteration_by_a_warp_of_32(measure: Callable[[Activity], Share], before: int, after: int) -> None:
    (loop,) = fir().loops
    assert measure(loop.comparison.conventional).per_warp(32) == before
    assert measure(loop.comparison.scalarized).per_warp(32) == after


def test_instructions_of_one_iteration() -> None:
    """8 before; 7 scalar, warp-sequential ones included, and 1 for each thread."""
    (loop,) = fir().loops
    assert loop.comparison.conventional.instructions[Execution.THREAD] == 8
    assert loop.comparison.scalarized.instructions == {
        Execution.SCALAR: 6,
        Execution.SEQUENTIAL: 1,
        Execution.THREAD: 1,
    }


def test_the_address_arithmetic_of_the_threads_is_gone() -> None:
    """The copy of the thread index and two shifts and sums; nothing is added."""
    whole = fir().whole
    assert (whole.added, whole.removed) == (0, 5)
