"""How the values of a program are computed for many threads at once."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.affine.addresses import element_size, field_offset
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Bitcast, ElementAddress, FieldAddress, Phi
from analysis.ir.types import U64, BooleanType, IntegerType, PointerType
from analysis.races.program import Program
from analysis.races.program_builder import row_length
from analysis.verdict.columns import Column, Columns, EvaluateColumn, column_evaluator, operand_columns
from analysis.verdict.evaluation import LaunchedBlock, Values


class SomeOutOfBounds(Exception):
    """The threads at some positions leave an array."""

    def __init__(self, positions: Sequence[int]) -> None:
        super().__init__()
        self.positions = positions


def column_of(program: Program, result: ValueId) -> EvaluateColumn:
    """How a value that is a step of the program is computed, where it differs from thread to thread."""
    known = program.columns.get(result)
    if known is None:
        known = program.columns[result] = _column_of(program, result)
    return known


def _column_of(program: Program, result: ValueId) -> EvaluateColumn:
    function, item = program.function, program.divergence.definition(result)
    type_ = function.types[result]
    match item:
        case ElementAddress(base=base, index=index):
            size = element_size(function, result)
            assert size is not None
            return _element(base, index, size, row_length(function, base, size))
        case FieldAddress(base=base):
            return _moved(base, field_offset(function, item) or 0)
        case Bitcast(operand=operand):
            return _moved(operand, 0)
        case None | Phi():
            raise AssertionError(item)
        case _ if isinstance(type_, PointerType):
            return column_evaluator(item, U64)
        case _:
            assert isinstance(type_, IntegerType | BooleanType)
            return column_evaluator(item, type_)


def _element(base: ValueId, index: ValueId, size: int, length: int | None) -> EvaluateColumn:
    def evaluate(columns: Columns, values: Values, launch: LaunchedBlock, threads: Sequence[int]) -> Column | None:
        known = operand_columns(columns, values, base, index)
        if known is None:
            return None
        pairs = list(zip(*known, strict=False))
        if length is not None:
            outside = [
                at
                for at, (start, number) in enumerate(pairs)
                if start is not None and number is not None and not 0 <= number <= length
            ]
            if outside:
                raise SomeOutOfBounds(outside)
        return [None if start is None or number is None else start + number * size for start, number in pairs]

    return evaluate


def _moved(base: ValueId, offset: int) -> EvaluateColumn:
    def evaluate(columns: Columns, values: Values, launch: LaunchedBlock, threads: Sequence[int]) -> Column | None:
        column = columns.get(base)
        return None if column is None else [None if start is None else start + offset for start in column]

    return evaluate
