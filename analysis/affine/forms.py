"""The pass that gives each integer and each pointer its linear form.

Blocks are taken in reverse post-order, so that operands come before their users, the values that come back to the
header of a loop excepted (`recurrences.py`).

Rules     + - * and shifts by constants are those of the ring of integers modulo 2^width, where forms are exact.
          A value without a form that agrees in each warp is an atom.
          widening   the form of a narrow value holds in the wide type if the value equals it as an integer; where the
                     ranges do not show that, it is assumed (`exact` False): signed overflow is undefined in C, and an
                     unsigned index that wraps is taken for a defect, unless the ranges show that it does wrap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from analysis.affine.atoms import (
    AXIS_OF_REGISTER,
    Axis,
    RegisterAtom,
    SymbolAtom,
    ValueAtom,
)
from analysis.affine.facts import AffineFacts
from analysis.affine.interval import type_range
from analysis.affine.linear_form import Coefficients, LinearForm
from analysis.affine.polynomial import ONE, ZERO, Polynomial, number, variable
from analysis.divergence.levels import Level
from analysis.divergence.nodes import CHANGING_REGISTERS, REGISTER_LEVELS
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import SymbolKind
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Binary,
    Bitcast,
    Constant,
    Convert,
    ElementAddress,
    FieldAddress,
    Instruction,
    Phi,
    PointerDifference,
    ReadSpecial,
    SymbolAddress,
    Unary,
)
from analysis.ir.operators import BinaryOperator, UnaryOperator
from analysis.ir.types import BooleanType, IntegerType, PointerType, StructType, Type, VectorType
from analysis.lower.layouts import size_of

POINTER_BITS = 64


@final
class FormPass:
    def __init__(self, facts: AffineFacts, control: ControlFlow) -> None:
        self.facts = facts
        self.control = control
        self.types = facts.function.types
        self.forms = facts.forms
        self.divergence = facts.divergence
        self._rules: dict[type, Callable[..., LinearForm | None]] = {
            Constant: self._constant,
            ReadSpecial: self._register,
            SymbolAddress: self._symbol,
            Binary: self._binary,
            Unary: self._unary,
            Convert: self._convert,
            Bitcast: self._convert,
            ElementAddress: self._element,
            FieldAddress: self._field,
            PointerDifference: self._difference,
        }

    def run(self) -> None:
        for parameter in self.facts.function.parameters:
            self._settle(parameter.value, None)
        for block in self.control.order:
            body = self.facts.function.blocks[block]
            for phi in body.phis:
                self._settle(phi.result, self._phi(phi, block))
            for instruction in body.instructions:
                result = instruction.result
                if result is not None and width_of(self.types[result]):
                    self._settle(result, self._form(instruction, block))

    def _settle(self, value: ValueId, form: LinearForm | None) -> None:
        if form is not None and not is_small(form):
            form = None
        if form is None and self.divergence.level(value) <= Level.WARP:
            bits = width_of(self.types[value])
            if bits:
                form = LinearForm(bits, variable(ValueAtom(value)))
                self.facts.proven[value] = 1
        self.forms[value] = form

    def _form(self, instruction: Instruction, block: BasicBlockId) -> LinearForm | None:
        rule = self._rules.get(type(instruction))
        return None if rule is None else rule(instruction, block)

    def read(self, value: ValueId, block: BasicBlockId) -> LinearForm | None:
        """The form where the block reads the value."""
        form = self.forms[value]
        if form is not None and not self.facts.uniformity.agrees(form, block):
            return None
        return form

    def _phi(self, phi: Phi, block: BasicBlockId) -> LinearForm | None:
        del phi, block
        return None

    # -- leaves -----------------------------------------------------------------------------------------------------

    def _constant(self, constant: Constant, block: BasicBlockId) -> LinearForm | None:
        del block
        if not isinstance(constant.value, bool | int):
            return None
        self.facts.proven[constant.result] = 1
        return LinearForm(width_of(self.types[constant.result]), number(int(constant.value)))

    def _register(self, read: ReadSpecial, block: BasicBlockId) -> LinearForm | None:
        del block
        register, bits = read.register, width_of(self.types[read.result])
        axis = AXIS_OF_REGISTER.get(register)
        self.facts.proven[read.result] = 1
        if axis is not None:
            if self.facts.bounds.constant(register) == 0:
                return LinearForm(bits, ZERO)
            return LinearForm(bits, ZERO, ((axis, ONE),))
        known = self.facts.bounds.constant(register)
        if known is not None:
            return LinearForm(bits, number(known))
        if register in CHANGING_REGISTERS or REGISTER_LEVELS.get(register, (Level.GRID,))[0] is Level.VARYING:
            return None
        return LinearForm(bits, variable(RegisterAtom(register)))

    def _symbol(self, read: SymbolAddress, block: BasicBlockId) -> LinearForm | None:
        """The address of a thread's own variable says nothing about other threads; the same number in each of them."""
        del block
        if self.facts.function.symbols[read.symbol].kind is SymbolKind.TEXTURE:
            return None
        return LinearForm(POINTER_BITS, variable(SymbolAtom(read.symbol)))

    # -- arithmetic -------------------------------------------------------------------------------------------------

    def _binary(self, binary: Binary, block: BasicBlockId) -> LinearForm | None:
        type_ = self.types[binary.result]
        if not isinstance(type_, IntegerType):
            return None
        left, right = self.read(binary.left, block), self.read(binary.right, block)
        if left is None or right is None:
            return None
        match binary.operator:
            case BinaryOperator.ADD:
                form = add(left, right)
            case BinaryOperator.SUBTRACT:
                form = add(left, scale(right, number(-1)))
            case BinaryOperator.MULTIPLY:
                form = multiply(left, right)
            case BinaryOperator.SHIFT_LEFT:
                count = right.base.constant
                if not right.is_uniform or count is None or not 0 <= count < type_.bits:
                    return None
                form = scale(left, number(1 << count))
            case _:
                return None
        return form

    def _unary(self, unary: Unary, block: BasicBlockId) -> LinearForm | None:
        form = self.read(unary.operand, block)
        if form is None:
            return None
        match unary.operator:
            case UnaryOperator.NEGATE:
                return scale(form, number(-1))
            case UnaryOperator.COMPLEMENT:
                return add(scale(form, number(-1)), LinearForm(form.bits, number(-1)))
            case UnaryOperator.LOGICAL_NOT:
                return None

    # -- conversions ------------------------------------------------------------------------------------------------

    def _convert(self, convert: Convert | Bitcast, block: BasicBlockId) -> LinearForm | None:
        source, target = self.types[convert.operand], self.types[convert.result]
        form = self.read(convert.operand, block)
        if form is None or isinstance(target, BooleanType):
            return None
        if not isinstance(source, IntegerType | BooleanType | PointerType):
            return None
        bits = width_of(target)
        if bits > width_of(source):
            return self.widened(convert.operand, form, bits)
        return LinearForm(bits, form.base, form.coefficients, form.exact)

    def widened(self, value: ValueId, form: LinearForm, bits: int) -> LinearForm | None:
        """The form of an integer (or boolean) as an integer of more bits."""
        type_ = self.types[value]
        assert isinstance(type_, IntegerType | BooleanType)
        if self.facts.form_range(form).within(type_range(type_)):
            return LinearForm(bits, form.base, form.coefficients, form.exact)
        if form.is_uniform:
            return LinearForm(bits, variable(ValueAtom(value)))
        return LinearForm(bits, form.base, form.coefficients, exact=False)

    # -- addresses --------------------------------------------------------------------------------------------------

    def _element(self, element: ElementAddress, block: BasicBlockId) -> LinearForm | None:
        type_ = self.types[element.result]
        size = size_of(type_.element, self.facts.function.structs) if isinstance(type_, PointerType) else None
        base, index = self.read(element.base, block), self.read(element.index, block)
        if size is None or base is None or index is None or base.bits != POINTER_BITS:
            return None
        if index.bits < POINTER_BITS:
            wide = self.widened(element.index, index, POINTER_BITS)
            if wide is None:
                return None
            index = wide
        return add(base, scale(index, number(size)))

    def _field(self, field: FieldAddress, block: BasicBlockId) -> LinearForm | None:
        base = self.read(field.base, block)
        type_ = self.types[field.base]
        if base is None or not isinstance(type_, PointerType):
            return None
        offset = self._offset(type_.element, field.field)
        return None if offset is None else add(base, LinearForm(POINTER_BITS, number(offset)))

    def _offset(self, aggregate: Type, index: int) -> int | None:
        structs = self.facts.function.structs
        match aggregate:
            case StructType(name=name):
                layout = structs.get(name)
                known = layout is not None and layout.size and index < len(layout.fields)
                return layout.fields[index].offset if layout is not None and known else None
            case VectorType(element=element):
                size = size_of(element, structs)
                return None if size is None else size * index
            case _:
                return None

    def _difference(self, difference: PointerDifference, block: BasicBlockId) -> LinearForm | None:
        """In elements: a form only if the bytes are an obvious multiple of their size."""
        type_ = self.types[difference.left]
        size = size_of(type_.element, self.facts.function.structs) if isinstance(type_, PointerType) else None
        left, right = self.read(difference.left, block), self.read(difference.right, block)
        if not size or left is None or right is None or left.bits != right.bits:
            return None
        form = add(left, scale(right, number(-1)))
        polynomials = (form.base, *(coefficient for _, coefficient in form.coefficients))
        if any(factor % size for polynomial in polynomials for _, factor in polynomial.terms):
            return None
        coefficients = tuple((axis, divided(coefficient, size)) for axis, coefficient in form.coefficients)
        return LinearForm(POINTER_BITS, divided(form.base, size), coefficients, form.exact)


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


def is_small(form: LinearForm) -> bool:
    return form.base.is_small and all(coefficient.is_small for _, coefficient in form.coefficients)


def divided(polynomial: Polynomial, size: int) -> Polynomial:
    return Polynomial(tuple((monomial, factor // size) for monomial, factor in polynomial.terms))


def add(left: LinearForm, right: LinearForm) -> LinearForm:
    base, exact = left.base + right.base, left.exact and right.exact
    if not right.coefficients:
        return LinearForm(left.bits, base, left.coefficients, exact)
    if not left.coefficients:
        return LinearForm(left.bits, base, right.coefficients, exact)
    sums: dict[Axis, Polynomial] = dict(left.coefficients)
    for axis, coefficient in right.coefficients:
        known = sums.get(axis)
        sums[axis] = coefficient if known is None else known + coefficient
    return LinearForm(left.bits, base, _nonzero(sums), exact)


def _nonzero(sums: dict[Axis, Polynomial]) -> Coefficients:
    return tuple(sorted((axis, coefficient) for axis, coefficient in sums.items() if coefficient.terms))


def scale(form: LinearForm, factor: Polynomial) -> LinearForm:
    if not factor.terms:
        return LinearForm(form.bits, ZERO, (), form.exact)
    coefficients = tuple((axis, coefficient * factor) for axis, coefficient in form.coefficients)
    return LinearForm(form.bits, form.base * factor, coefficients, form.exact)


def multiply(left: LinearForm, right: LinearForm) -> LinearForm | None:
    """None if both sides differ among threads."""
    if not right.coefficients:
        product = scale(left, right.base)
    elif not left.coefficients:
        product = scale(right, left.base)
    else:
        return None
    return LinearForm(product.bits, product.base, product.coefficients, left.exact and right.exact)
