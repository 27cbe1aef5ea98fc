"""The textual form: what people write, what is printed, what is refused."""

from __future__ import annotations

import pytest

from analysis.ir.instructions import Load, ReadSpecial
from analysis.ir.operators import SpecialRegister
from analysis.ir.parser import IrSyntaxError, parse_function
from analysis.ir.printer import print_function, print_type
from analysis.ir.source import FrameId, Span
from analysis.ir.types import F32, S32, ArrayType, MemorySpace, PointerType, VectorType
from tests.ir.check import well_formed

# Lee et al., Convergence and Scalarization for Data-Parallel Architectures, figure 1 (b).
FIR = """
kernel @fir(%samples: ptr<global f32>, %coeffs: ptr<global f32>, %flen: s32, %results: ptr<global f32>) {
bb1:
  %tidx: u32 = special thread.x
  %tid: s32 = convert %tidx
  %zero: s32 = const 0
  %none: f32 = const 0.0
  %some: bool = gt %flen, %zero
  branch %some, bb3, bb2 !0 loop
bb2:
  jump bb5
bb3:
  %first: ptr<global f32> = element %samples, %tid
  jump bb4
bb4:
  %i: s32 = phi bb3: %zero, bb4: %next
  %sum: f32 = phi bb3: %none, bb4: %more
  %source: ptr<global f32> = element %first, %i
  %sample: f32 = load %source
  %weight: ptr<global f32> = element %coeffs, %i
  %coeff: f32 = load %weight
  %product: f32 = mul %sample, %coeff
  %more: f32 = add %sum, %product
  %one: s32 = const 1
  %next: s32 = add %i, %one
  %again: bool = lt %next, %flen
  branch %again, bb4, bb5 !0
bb5:
  %result: f32 = phi bb2: %none, bb4: %more
  %target: ptr<global f32> = element %results, %tid
  store %target, %result
  return
}
"""


def test_a_listing_of_a_paper_can_be_typed() -> None:
    fir = well_formed(FIR)
    assert [parameter.name for parameter in fir.parameters] == ["samples", "coeffs", "flen", "results"]
    assert fir.blocks[3].terminator.successors == (3, 4)
    loads = [instruction for _, instruction in fir.instructions() if isinstance(instruction, Load)]
    assert [fir.type_of(load.result) for load in loads] == [F32, F32]


def test_what_is_printed() -> None:
    text = """\
kernel @k(%0 p: ptr<global f32>) {
  struct Point { x: f32 @0, y: f32 @4 } size 8 align 4
  shared $0 tile: [16 x struct Point]
block0:
  %1: u32 = special thread.x
  %2: u32 = const 16
  %3: bool = lt %1, %2
  branch %3, block1, block2 !0 if
block1:
  %4: ptr<shared [16 x struct Point]> = address $0
  %5: ptr<shared struct Point> = element %4, %1
  %6: ptr<shared f32> = field %5, 1
  %7: f32 = load volatile %6
  store %0, %7
  jump block2
block2:
  barrier
  return
}
"""
    assert print_function(well_formed(text)) == text


def test_spans_and_records_are_printed_on_request() -> None:
    text = """\
device @"f(int)" named f(%0 n: s32 [2:3]) -> s32 {
  frames 2
  frame @"f(int)" in 0 values 0 branches 0 variables 0 [0:0]
  frame @g in 0 values 1 branches 0 variables 0 [4:8]
  variable #0 m: s32 [10:11]
  define #0 %1 [10:15]
  expression %1 [12:15]
block0:
  %1: u32 = special lane [1:2/1]
  return %0 [20:29]
}
"""
    function = parse_function(text)
    assert print_function(function, spans=True) == text
    assert function.blocks[0].instructions == (
        ReadSpecial(function.expressions[0].value, SpecialRegister.LANE, Span(1, 2, FrameId(1))),
    )


def test_types() -> None:
    pointer = PointerType(ArrayType(VectorType(F32, 4, 16), None), MemorySpace.SHARED, volatile=True)
    assert print_type(pointer) == "ptr<shared volatile [? x <4 x f32 align 16>]>"
    assert print_type(S32) == "s32"


@pytest.mark.parametrize(
    ("text", "line", "column", "expected"),
    [
        ("kernal @k() {\n}", 1, 1, "'kernel' or 'device'"),
        ("kernel @k() {\nb:\n  %0: s33x = const 1\n  return\n}", 3, 7, "a type"),
        ("kernel @k() {\nb:\n  %0: s32 = frobnicate\n  return\n}", 3, 13, "an instruction with a result"),
        ("kernel @k() {\nb:\n  jump c\n}", 3, 8, "a block of this function"),
        ("kernel @k() {\nblock1:\n  return\n}", 2, 1, "block0"),
        ("kernel @k() {\nb:\n  %0: s32 = const 1 2\n  return\n}", 3, 21, "the end of the line"),
        (
            "kernel @k() {\nb:\n  %0: s32 = const 1\n  %0: s32 = const 1\n  return\n}",
            4,
            3,
            "a value that is not defined yet",
        ),
        ("kernel @k() {\nb:\n  ~\n}", 3, 3, "a token"),
        ("kernel @k() {\nb:\n  %0: ptr<global f32> = address $t\n  return\n}", 3, 33, "a declared symbol"),
        ("kernel @k() {\nb:\n", 3, 1, "an instruction"),
    ],
)
def test_an_error_says_where_and_what_was_expected(text: str, line: int, column: int, expected: str) -> None:
    with pytest.raises(IrSyntaxError) as caught:
        parse_function(text)
    assert (caught.value.line, caught.value.column, caught.value.expected) == (line, column, expected)
