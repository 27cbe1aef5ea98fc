"""One broken function per invariant, each with the one complaint it must raise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analysis.ir.function import Frame, Function
from analysis.ir.instructions import FunctionId
from analysis.ir.parser import parse_function
from analysis.ir.source import FrameId, Span
from analysis.ir.types import S32
from analysis.ir.verifier import verify
from tests.ir.check import well_formed


def _errors(text: str) -> list[tuple[str, str]]:
    return [(error.location, error.message) for error in verify(parse_function(text))]


def _body(text: str, declarations: str = "") -> str:
    parameters = "%n: s32, %c: bool, %f: f32, %p: ptr<global s32>, %u: unknown X"
    return f"kernel @k({parameters}) {{\n{declarations}\n{text}\n}}"


@pytest.mark.parametrize(
    ("text", "location", "message"),
    [
        ("a:\n  jump a", "block0", "the entry has predecessors"),
        ("a:\n  return\nb:\n  return", "block1", "the entry does not reach this block"),
        ("a:\n  %x: s32 = phi\n  return", "block0", "the entry has phis"),
        ("a:\n  %x: s32 = add %n, %y\n  %y: s32 = const 1\n  return", "block0:0", "%6 is not available here"),
        ("a:\n  %x: s32 = add %n, %x\n  return", "block0:0", "%5 is not available here"),
        (
            "a:\n  branch %c, b, d\nb:\n  %x: s32 = const 1\n  jump d\nd:\n  store %p, %x\n  return",
            "block2:0",
            "%5 is not available here",
        ),
        (
            "a:\n  branch %c, b, d\nb:\n  %x: s32 = const 1\n  jump d\nd:\n  %y: s32 = phi a: %x, b: %x\n  return",
            "block2:phi0",
            "%5 is not available at the end of block0",
        ),
        ("a:\n  jump b\nb:\n  %x: s32 = phi a: %n, b: %n\n  return", "block1:phi0", "the predecessors are [0]"),
        (
            "a:\n  branch %c, b, b\nb:\n  %x: s32 = phi a: %n, a: %n\n  return",
            "block1:phi0",
            "the predecessors are [0]",
        ),
        ("a:\n  jump b\nb:\n  %x: f32 = phi a: %n\n  return", "block1:phi0", "an input %0 is s32, not f32"),
        ("a:\n  %x: s32 = add %n, %f\n  return", "block0:0", "the right operand %2 is f32, not s32"),
        ("a:\n  %x: s32 = lt %n, %n\n  return", "block0:0", "the result %5 is s32, not a boolean"),
        ("a:\n  %x: s32 = load %n\n  return", "block0:0", "the address %0 is s32, not a pointer"),
        ("a:\n  store %n, %n\n  return", "block0:0", "the address %0 is s32, not a pointer"),
        ("a:\n  %x: s32 = select %n, %n, %n\n  return", "block0:0", "the condition %0 is s32, not a boolean"),
        ("a:\n  %x: s32 = const 1.5\n  return", "block0:0", "a floating-point constant of type s32"),
        ("a:\n  %x: <2 x f32 align 8> = build %f\n  return", "block0:0", "1 elements for 2 members"),
        ("a:\n  %x: [2 x f32] = build %f, %n\n  return", "block0:0", "an element %0 is s32, not f32"),
        (
            "a:\n  barrier %c\n  return",
            "block0:0",
            "a reduction has a predicate and a result, a plain barrier has neither",
        ),
        ("a:\n  warp_barrier %f\n  return", "block0:0", "the mask %2 is f32, not an integer"),
        ("a:\n  branch %n, b, b\nb:\n  return", "block0:end", "the condition %0 is s32, not a boolean"),
        ("a:\n  return %n", "block0:end", "the returned value %0 is s32, not void"),
        ("a:\n  %x: ptr<shared s32> = address $0\n  return", "block0:0", "$0 does not exist"),
        ("a:\n  %x: void = const 1\n  return", "block0:0", "the result is void"),
        ("a:\n  return [5:3]", "block0:end", "the span ends before it starts"),
        ("a:\n  return [3:5/1]", "block0:end", "frame 1 does not exist"),
    ],
)
def test_a_broken_body_has_one_error(text: str, location: str, message: str) -> None:
    assert _errors(_body(text)) == [(location, message)]


@pytest.mark.parametrize(
    ("declarations", "text", "location", "message"),
    [
        (
            "struct P { x: s32 @0 } size 4 align 4\nlocal $v: struct P",
            "a:\n  %b: ptr<local struct P> = address $v\n  %x: ptr<local f32> = field %b, 0\n  return",
            "block0:1",
            "member 0 is s32, the result points to f32",
        ),
        (
            "struct P { x: s32 @0 } size 4 align 4\nlocal $v: struct P",
            "a:\n  %b: ptr<local struct P> = address $v\n  %x: ptr<local f32> = field %b, 1\n  return",
            "block0:1",
            "struct P has no member 1",
        ),
        (
            "local $v: s32",
            "a:\n  %b: ptr<local f32> = address $v\n  return",
            "block0:0",
            "$0 is s32, the result points to f32",
        ),
        ("values 6", "a:\n  return", "types", "%5 is not defined"),
        ("define #0 %n", "a:\n  return", "definitions", "variable #0 does not exist"),
        ("expression %9", "a:\n  return", "expressions", "%9 is not defined"),
    ],
)
def test_a_broken_declaration_has_one_error(declarations: str, text: str, location: str, message: str) -> None:
    assert _errors(_body(text, declarations)) == [(location, message)]


def test_nothing_is_held_against_unknown_types_and_spaces_of_pointers() -> None:
    text = """
    kernel @k(%u: unknown X, %t: template T, %n: s32, %g: ptr<global s32>, %s: ptr<generic s32>, %c: bool) {
    entry:
      %a: s32 = add %u, %n
      %b: template T = mul %n, %t
      %d: s32 = load %u
      %q: ptr<generic s32> = select %c, %g, %s
      branch %u, end, end
    end:
      return
    }"""
    assert _errors(text) == []


def _small() -> Function:
    return well_formed("kernel @k(%n: s32) {\na:\n  jump b\nb:\n  return\n}")


def _messages(function: Function) -> list[str]:
    return [error.message for error in verify(function)]


def test_what_the_text_cannot_say() -> None:
    function = _small()
    entry, last = function.blocks
    assert _messages(replace(function, blocks=())) == ["there is no block"]
    assert _messages(replace(function, blocks=(entry,))) == ["block1 does not exist"]
    assert _messages(replace(function, types=())) == ["%0 has no type"]
    assert _messages(replace(function, parameters=function.parameters * 2)) == ["%0 is defined twice"]
    assert (
        _messages(replace(function, frames=()))
        == ["frame 0 is not the function itself"] + ["frame 0 does not exist"] * 3
    )
    assert last.terminator.successors == ()


def test_frames() -> None:
    function = _small()
    own = function.frames[0]

    def messages(frame: Frame) -> list[str]:
        return _messages(replace(function, frames=(own, frame)))

    callee = FunctionId("f")
    assert messages(Frame(callee, FrameId(0), Span(1, 2), 1, 0, 0)) == []
    assert messages(Frame(callee, FrameId(1), Span(1, 2, FrameId(1)), 1, 0, 0)) == [
        "the parent is not an earlier frame"
    ]
    assert messages(Frame(callee, FrameId(0), Span(1, 2, FrameId(1)), 1, 0, 0)) == [
        "the call does not lie in the parent"
    ]
    assert messages(Frame(callee, FrameId(0), Span(1, 2), 2, 0, 0)) == ["a base lies outside its table"]
    with_hole = replace(
        function, types=(*function.types, S32), frames=(own, Frame(callee, FrameId(0), Span(1, 2), 1, 0, 0))
    )
    assert _messages(with_hole) == ["%1 is not defined but has a type"]
