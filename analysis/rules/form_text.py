"""Linear forms in the words of the source, as they read at one place of one function.

Names    Registers as CUDA spells them; parameters; variables whose last read before the place had the value; other
         expressions by their text.  What has no name at the place is `…`, once however many terms it stands for.
Length   A form that is too long for a sentence keeps its thread part: `4*threadIdx.x + …`.
Units    Of a pointer in elements where the form allows it (`p + 2*threadIdx.x`), else in bytes, with a cast.
"""

from __future__ import annotations

from typing import Final, final

from analysis.affine.atoms import Atom, IterationAtom, RegisterAtom, ResidualAtom, SymbolAtom, ValueAtom
from analysis.affine.linear_form import LinearForm, format_form, format_polynomial
from analysis.affine.polynomial import ZERO, Polynomial, variable
from analysis.facts.merge import FrameView
from analysis.ir.ids import ValueId
from analysis.ir.operators import SpecialRegister
from analysis.ir.record import record
from analysis.ir.types import PointerType
from analysis.lower.builtins.variables import INDEX_VARIABLES
from analysis.lower.layouts import size_of
from analysis.rules.form_names import ViewNames

UNNAMED: Final = "…"
MAX_FORM: Final = 56

REGISTER_NAMES: Final = {
    register: f"{name}.{field}"
    for name, registers in INDEX_VARIABLES.items()
    for field, register in zip("xyz", registers, strict=True)
} | {SpecialRegister.WARP_SIZE: "warpSize"}


@final
@record
class FormText:
    """`thread` is the part that differs between threads (`4*threadIdx.x`; empty: none), `whole` the form."""

    thread: str
    whole: str


@final
class FormWriter:
    """Writes the forms of one view at a place, given as an offset in the function's text."""

    def __init__(self, view: FrameView, names: ViewNames, place: int, limit: int = MAX_FORM) -> None:
        self._view = view
        self._limit = limit
        self._function = view.root.function
        self._place = place
        self._names = names

    def integer(self, form: LinearForm) -> FormText | None:
        """Of an integer; None where it cannot be said shortly."""
        return self._text_of(form, "")

    def pointer(self, form: LinearForm, element: int | None) -> FormText | None:
        """Of a pointer to elements of so many bytes."""
        start = self._start_of(form)
        if start is None:
            return None
        rest = LinearForm(form.bits, form.base - variable(start), form.coefficients)
        scaled = _divided(rest, element or 1)
        name = self.name(start)
        return (
            self._text_of(rest, name if name == UNNAMED else f"(char *){name}")
            if scaled is None
            else self._text_of(scaled, name)
        )

    def address(self, form: LinearForm) -> FormText | None:
        """Of an address in bytes, without a cast."""
        start = self._start_of(form)
        if start is None:
            return None
        return self._text_of(LinearForm(form.bits, form.base - variable(start), form.coefficients), self.name(start))

    def _start_of(self, form: LinearForm) -> Atom | None:
        """The pointer or variable that the address is counted from."""
        for monomial, coefficient in form.base.terms:
            if len(monomial) == 1 and coefficient == 1 and self._is_address(monomial[0]):
                return monomial[0]
        return None

    def _is_address(self, atom: Atom) -> bool:
        match atom:
            case SymbolAtom():
                return True
            case ValueAtom(value) | ResidualAtom(value):
                return isinstance(self._function.types[value], PointerType)
            case _:
                return False

    def _text_of(self, form: LinearForm, start: str) -> FormText | None:
        named = Polynomial(tuple(term for term in form.base.terms if not self._is_unnamed(term[0])))
        rest = "" if named == form.base and start != UNNAMED else UNNAMED
        start = start.removesuffix(UNNAMED)
        thread = format_form(LinearForm(form.bits, ZERO, form.coefficients), self.name) if form.coefficients else ""
        base = format_polynomial(named, self.name) if named.terms else ""
        whole = joined(start, thread, base, rest)
        if len(whole) > self._limit and thread:
            whole = joined(start, thread, "", UNNAMED)
        return FormText(thread, whole or "0") if len(whole) <= self._limit else None

    def _is_unnamed(self, monomial: tuple[Atom, ...]) -> bool:
        return any(self.name(atom) == UNNAMED for atom in monomial)

    # -- names ------------------------------------------------------------------------------------------------------

    def name(self, atom: Atom) -> str:
        match atom:
            case RegisterAtom(register):
                return REGISTER_NAMES.get(register, UNNAMED)
            case SymbolAtom(symbol):
                return self._function.symbols[symbol].name or UNNAMED
            case ValueAtom(value):
                return self._name_of(value) or UNNAMED
            case ResidualAtom():
                return UNNAMED
            case IterationAtom(cycle):
                header = self._function.blocks[self._view.root.control.cycles[cycle].header]
                counters = (phi.result for phi in header.phis if self._is_counter(phi.result, atom))
                return next((name for phi in counters if (name := self._name_of(phi))), "iteration")

    def _name_of(self, value: ValueId) -> str | None:
        return self._names.name(value, self._place)

    def _is_counter(self, phi: ValueId, iteration: IterationAtom) -> bool:
        form = self._view.root.affine.form(phi)
        return form is not None and form.is_uniform and form.base == variable(iteration)


def element_size(view: FrameView, value: ValueId) -> int | None:
    """Of what a pointer points to, in bytes."""
    function = view.root.function
    type_ = function.types[value]
    return size_of(type_.element, function.structs) if isinstance(type_, PointerType) else None


def _divided(form: LinearForm, factor: int) -> LinearForm | None:
    """The form in units of `factor`; None where some part is not a multiple of it."""
    polynomials = (form.base, *(coefficient for _, coefficient in form.coefficients))
    if any(coefficient % factor for polynomial in polynomials for _, coefficient in polynomial.terms):
        return None

    def quotient(polynomial: Polynomial) -> Polynomial:
        return Polynomial(tuple((monomial, coefficient // factor) for monomial, coefficient in polynomial.terms))

    coefficients = tuple((axis, quotient(coefficient)) for axis, coefficient in form.coefficients)
    return LinearForm(form.bits, quotient(form.base), coefficients)


def joined(*parts: str) -> str:
    """The sum of what is not empty."""
    text = ""
    for part in parts:
        if part:
            text = part if not text else f"{text} - {part[1:]}" if part.startswith("-") else f"{text} + {part}"
    return text
