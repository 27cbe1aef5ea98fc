"""Code for library functions that read what other lanes hold: products of matrices, rows that are handed round."""

from __future__ import annotations

from analysis.ir.instructions import Math
from analysis.ir.operators import MathFunction
from sim.code.writer import Writer
from sim.values.scalars import NoParts


def collective(writer: Writer, instruction: Math) -> None:
    """All lanes of the warp have met before: each finds the others' operands in its row."""
    parts = writer.parts(instruction.result)
    operands = [writer.read(argument) for argument in instruction.arguments]
    match instruction.function:
        case MathFunction.MATRIX_PRODUCT:
            shares = ", ".join(f"({', '.join(names)},)" for names in operands[:3])
            m, n, k, layout = (name for (name,) in operands[3:7])
            result = f"p{instruction.result}"
            writer.line(f"{result} = matrix_product({shares}, ({m}, {n}, {k}), {layout}, shape)")
            products = [f"{result}[{index}]" for index in range(len(parts))]
            expressions = [
                f"to_bfloat16({name})" if part.is_bfloat16 else name for name, part in zip(products, parts, strict=True)
            ]
            writer.set(instruction.result, expressions)
        case MathFunction.MATRIX_ROWS:
            (number,), (transposed,) = operands[1:3]
            row = f"({', '.join(operands[0])},)"
            found = f"matrix_rows({row}, {number}, {transposed}, shape)"
            writer.set(instruction.result, [f"as_kind({found}, {part.held})" for part in parts])
        case _:
            raise NoParts("a library routine over several threads")
