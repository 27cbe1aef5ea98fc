"""Instructions for many threads at once give what they give for each thread."""

from __future__ import annotations

from random import Random

import pytest

from analysis.divergence.launch_shape import BlockShape
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Binary, Compare, Convert, Instruction, Math, ReadSpecial, Select, Unary
from analysis.ir.operators import BinaryOperator, CompareOperator, MathFunction, SpecialRegister, UnaryOperator
from analysis.ir.source import NO_SPAN
from analysis.ir.types import BooleanType, IntegerType
from analysis.verdict.columns import Column, column_evaluator
from analysis.verdict.evaluation import LaunchedBlock, evaluator

A, B, C, RESULT = map(ValueId, range(4))
TYPES = (IntegerType(32, True), IntegerType(8, False), IntegerType(64, True), BooleanType())
INSTRUCTIONS: tuple[Instruction, ...] = (
    *(Binary(RESULT, operator, A, B, NO_SPAN) for operator in BinaryOperator),
    *(Compare(RESULT, operator, A, B, NO_SPAN) for operator in CompareOperator),
    *(Unary(RESULT, operator, A, NO_SPAN) for operator in UnaryOperator),
    *(ReadSpecial(RESULT, register, NO_SPAN) for register in SpecialRegister),
    *(Math(RESULT, function, (A, B), NO_SPAN) for function in (MathFunction.MINIMUM, MathFunction.MAXIMUM)),
    Math(RESULT, MathFunction.ABSOLUTE, (A,), NO_SPAN),
    Select(RESULT, C, A, B, None, NO_SPAN),
    Convert(RESULT, A, NO_SPAN),
)


@pytest.mark.parametrize("item", INSTRUCTIONS, ids=str)
def test_a_column_is_what_each_thread_computes(item: Instruction) -> None:
    random = Random(1)
    threads = list(range(3, 40))
    for _ in range(30):
        type_ = random.choice(TYPES)
        launch = LaunchedBlock(BlockShape(16, 4), 1, 32, {})
        values: dict[ValueId, int] = {}
        columns: dict[ValueId, Column] = {}
        for operand in (A, B, C):
            kind = random.randrange(4)
            if kind == 0:
                values[operand] = _number(random)
            elif kind > 1:
                columns[operand] = [None if random.random() < 0.1 else _number(random) for _ in threads]
        if not isinstance(item, ReadSpecial) and columns.keys().isdisjoint(item.operands):
            continue
        evaluate = evaluator(item, type_)
        each: Column = []
        for at, thread in enumerate(threads):
            own = {operand: value for operand, column in columns.items() if (value := column[at]) is not None}
            each.append(evaluate({**values, **own}, launch, thread))
        found = column_evaluator(item, type_)(columns, values, launch, threads)
        assert (found or [None] * len(threads)) == each


def _number(random: Random) -> int:
    return random.choice((0, 1, -1, 2, 7, 31, 64, 255, -200, 2**31 - 1, -(2**31)))
