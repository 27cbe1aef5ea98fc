"""Which pieces of a function's text stand for one known number, in every context in which it is called?

Only literals, macros, template arguments and constants, and sums, differences and products of them.  The type of the
number does not count: a piece of text has its mathematical value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from analysis.facts.merge import FrameView
from analysis.ir.instructions import Binary, Constant, Convert, Instruction, Phi, ValueId
from analysis.ir.operators import BinaryOperator
from analysis.ir.source import Span
from analysis.ir.types import IntegerType


def constants_in(views: Sequence[FrameView], text: bytes, extent: Span) -> Mapping[str, int]:
    """The values of pieces of the text between two bytes, by the piece without spaces."""
    merged: dict[str, int | None] = {}
    for number, view in enumerate(views):
        here = _known(view, text, extent)
        merged = (
            here if number == 0 else {piece: here.get(piece) for piece in merged if here.get(piece) == merged[piece]}
        )
    return {piece: value for piece, value in merged.items() if value is not None}


def _known(view: FrameView, text: bytes, extent: Span) -> dict[str, int | None]:
    """A piece that stands for several values, as a macro with an operator does, has none that is known."""
    found: dict[str, int | None] = {}
    for span, value in _places(view):
        if span.frame == view.frame and extent.start <= span.start and span.end <= extent.end:
            piece = "".join(text[span.start : span.end].decode("utf-8", "replace").split())
            number = _number(view, value)
            found[piece] = number if found.get(piece, number) == number else None
    return found


def _places(view: FrameView) -> Iterator[tuple[Span, ValueId]]:
    function = view.root.function
    yield from ((each.span, each.value) for each in function.expressions)
    yield from ((item.span, item.result) for _, item in function.instructions() if item.result is not None)


def _number(view: FrameView, value: ValueId) -> int | None:
    """Only if no step on the way leaves the range of its type."""
    type_ = view.root.function.types[value]
    if not isinstance(type_, IntegerType):
        return None
    found = _computed(view, view.root.divergence.definition(value))
    least = -(1 << type_.bits - 1) if type_.signed else 0
    return found if found is not None and least <= found < least + (1 << type_.bits) else None


def _computed(view: FrameView, item: Instruction | Phi | None) -> int | None:
    match item:
        case Constant(value=int() as number):
            return number
        case Convert(operand=operand):
            return _number(view, operand)
        case Binary(operator=operator, left=left, right=right):
            one, other = _number(view, left), _number(view, right)
            if one is None or other is None:
                return None
            match operator:
                case BinaryOperator.ADD:
                    return one + other
                case BinaryOperator.SUBTRACT:
                    return one - other
                case BinaryOperator.MULTIPLY:
                    return one * other
                case _:
                    return None
        case _:
            return None
