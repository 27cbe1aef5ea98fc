"""What is printed is read back as it was, whatever the function."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from analysis.ir.function import Function
from analysis.ir.instructions import Instruction
from analysis.ir.parser import IrSyntaxError, parse_function
from analysis.ir.printer import print_function
from tests.ir.functions import functions


@given(functions())
@settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow])
def test_with_spans_everything_comes_back(function: Function) -> None:
    assert parse_function(print_function(function, spans=True)) == function


@given(functions())
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_without_spans_the_program_comes_back(function: Function) -> None:
    text = print_function(function)
    read = parse_function(text)
    assert print_function(read) == text
    assert (read.types, read.structs) == (function.types, function.structs)
    assert [branch.kind for branch in read.branches] == [branch.kind for branch in function.branches]
    for found, block in zip(read.blocks, function.blocks, strict=True):
        assert found.instructions == tuple(_without_span(instruction) for instruction in block.instructions)


@given(functions())
@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
def test_a_text_that_is_cut_off_is_refused_with_a_place(function: Function) -> None:
    lines = print_function(function, spans=True).splitlines()
    cut = lines[: len(lines) // 2]
    with pytest.raises(IrSyntaxError) as caught:
        parse_function("\n".join(cut))
    assert 1 <= caught.value.line <= len(cut)


def _without_span(instruction: Instruction) -> Instruction:
    return replace(instruction, span=type(instruction.span)(0, 0))
