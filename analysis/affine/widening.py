"""From a narrow integer to a wide one: where forms may stop to hold.

Rules     A form holds modulo 2^32; it holds in 64 bits if the value equals it as an integer.  That is so if no
          operation on the way can have wrapped, or if the form's own range lies in the narrow type.  Otherwise:
          uniform     the value is an atom, which is always true;
          signed      it is assumed (`exact` False): overflow is undefined in C;
          unsigned    so it is here, unless numbers that are known alone make it negative (`threadIdx.x - 5`).
"""

from __future__ import annotations

from analysis.affine.atoms import ValueAtom
from analysis.affine.facts import AffineFacts
from analysis.affine.interval import Interval, type_range
from analysis.affine.linear_form import LinearForm
from analysis.affine.polynomial import variable
from analysis.ir.ids import ValueId
from analysis.ir.types import BooleanType, IntegerType, PointerType, Type

POINTER_BITS = 64


def width_of(type_: Type) -> int:
    """Of what has linear forms; 0 for everything else."""
    match type_:
        case IntegerType(bits=bits):
            return bits
        case PointerType():
            return POINTER_BITS
        case BooleanType():
            return 1
        case _:
            return 0


def widened(facts: AffineFacts, value: ValueId, form: LinearForm, bits: int) -> LinearForm | None:
    """The form of an integer (or boolean) as an integer of more bits."""
    type_ = facts.function.types[value]
    assert isinstance(type_, IntegerType | BooleanType)
    whole = type_range(type_)
    if facts.proven[value] or facts.form_range(form).within(whole):
        return LinearForm(bits, form.base, form.coefficients, form.exact)
    if form.is_uniform and form.exact:
        return LinearForm(bits, variable(ValueAtom(value)))
    if whole.low == 0 and _shows_wrap(facts, form):
        return None
    return LinearForm(bits, form.base, form.coefficients, exact=False)


def _shows_wrap(facts: AffineFacts, form: LinearForm) -> bool:
    """Do known numbers alone make the form negative for some thread?"""
    polynomials = (form.base, *(coefficient for _, coefficient in form.coefficients))
    range_: Interval = facts.form_range(form)
    return range_.low < 0 and all(map(facts.is_bounded, polynomials))
