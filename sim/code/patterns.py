"""Code for accesses whose addresses are patterns (`address_forms.py`): a way that is tried before the usual one.

n_4 = near_4(f, rows, mask, pattern_4, (int(v56), )) if near_4 and not v56.ndim else None
if n_4 is not None:
    v63 = n_4.take(arena.f4, 0)
else:
    ...                                                         # the address, its checks, v63 = arena.f4.take(...)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Binary,
    Convert,
    ElementAddress,
    FieldAddress,
    Instruction,
    Load,
    Store,
    Unary,
)
from analysis.ir.types import IntegerType
from sim.code.address_forms import Form, Term
from sim.code.writer import Unit, Writer
from sim.events import Segment
from sim.values.scalars import NoParts

_FEW_STEPS: Final = 8
_STEPS: Final = (Unary, Binary, Convert, ElementAddress, FieldAddress)


def near(
    writer: Writer,
    form: Form,
    number: int,
    checked: Callable[[Writer], str],
    element_size: Callable[[Writer, ValueId], int],
) -> str:
    """Writes the question; the name of the answer.  Raises NoParts before it has written anything."""
    unit = writer.unit
    if not all(map(writer.is_at_hand, form.moving)):  # the sum is held instead
        raise NoParts("what moves is not held")
    inner = Writer(unit, writer.segment)
    writer.functions.append(_pattern_function(inner, form, number, checked, element_size))
    unit.imports[f"near_{number}"] = f"m.access({number}).near"
    names = [writer.read_one(value) for value in form.moving]
    are_alike = "".join(f" and not {name}.ndim" for name in names)
    sums = "".join(f"{' + '.join(_term(writer, term) for term in index.terms)}, " for index in form.indices)
    kept = "" if form.needs_block else ", f.waves"
    call = f"near_{number}(f, rows, mask, pattern_{number}, ({sums}){kept})"
    writer.line(f"n_{number} = {call} if near_{number}{are_alike} else None")
    return f"n_{number}"


def is_tried(unit: Unit, segment: int, form: Form) -> bool:
    """Whether a pattern may be worth its price: it is asked for again in a loop, or is short and worked out for one
    block.  Where each access of long code had one, to generate and compile them took four times as long."""
    return segment in unit.looping or (not form.needs_block and form.steps <= _FEW_STEPS)


def address_steps(unit: Unit, number: int, segment: Segment) -> dict[ValueId, Instruction]:
    """The instructions that only lead to addresses of the segment's accesses, as far as they are known to have code:
    they run where somebody asks for what they compute."""
    addresses = {one.address for one in segment.instructions if isinstance(one, Load | Store)}
    wanted = {address for address in addresses & unit.forms.keys() if is_tried(unit, number, unit.forms[address])}
    found: dict[ValueId, Instruction] = {}
    for one in reversed(segment.instructions):
        is_own = one.result in unit.made and one.result not in unit.first_register
        if one.result in wanted and is_own and isinstance(one, _STEPS) and _has_code(unit, one):
            found[one.result] = one
            wanted.update(one.operands)
    return found


def _has_code(unit: Unit, one: Instruction) -> bool:
    types = unit.function.types
    if isinstance(one, ElementAddress | FieldAddress):
        return True
    return all(isinstance(types[value], IntegerType) for value in (one.result, *one.operands) if value is not None)


def _pattern_function(
    writer: Writer,
    form: Form,
    number: int,
    checked: Callable[[Writer], str],
    element_size: Callable[[Writer, ValueId], int],
) -> str:
    """`pattern_N(f)`: the address where all numbers are 0, the object's start and size, and the indices with the bytes
    of their elements; `checked` reads the first three."""
    unit = writer.unit
    writer.later.update(unit.made)
    for moving in form.moving:
        writer.alias(moving, (f"{writer.part(moving).held}(0)",))
    result = checked(writer)
    indices = "".join(f"{writer.read_one(index.value)}, " for index in form.indices)
    strides = "".join(f"{element_size(writer, index.element)}, " for index in form.indices)
    lines = ["rows = mask = None", f"shape = (f.rows, {unit.warp_size})", *writer.lines]
    lines.append(f"return {result}, ({indices}), ({strides})")
    return "\n".join([f"def pattern_{number}(f):", *(f"    {line}" for line in lines)])


def _term(writer: Writer, term: Term) -> str:
    factors = [f"int({writer.read_one(value)})" for value in (term.moving, *term.factors)]
    product = " * ".join([*factors, *(["-1"] if term.sign < 0 else [])])
    return f"({product} << {term.shift})" if term.shift else product
