"""The pass that gives each integer and each pointer its linear form.

Blocks are taken in reverse post-order, so that operands come before their users; phis guess what comes back to them,
and the loops are read again until the guesses are confirmed (`phis.py`).

Rules     + - * and shifts by constants are those of the ring of integers modulo 2^width, where forms are exact.
          A value without a form that agrees in each warp is an atom.
          Masks, other shifts, divisions and remainders are in `windows.py`, conversions in `widening.py`.
          A choice that agrees in the warp keeps the thread part of two forms that share it; so does the smaller or
          larger of two such values.
Integral  a value may be equal to its form as an integer, not only modulo 2^width: if every operation on the way cannot
          have wrapped.  Widening needs that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TypeAlias, final

from analysis.affine.addresses import element_size, field_offset
from analysis.affine.arithmetic import add, multiply, quotient, scale_by, subtract
from analysis.affine.atoms import AXIS_OF_REGISTER, Axis, RegisterAtom, ResidualAtom, SymbolAtom, ValueAtom
from analysis.affine.facts import AffineFacts
from analysis.affine.linear_form import LinearForm
from analysis.affine.phis import MAX_ROUNDS, PhiRules
from analysis.affine.polynomial import MAX_TERMS, ONE, ZERO, number, variable
from analysis.affine.type_facts import of_each_type
from analysis.affine.widening import POINTER_BITS, widened, width_of
from analysis.affine.windows import WarpLinear, through_window
from analysis.divergence.call_context import Argument
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
    Math,
    Phi,
    PointerDifference,
    ReadSpecial,
    Select,
    SymbolAddress,
    Unary,
)
from analysis.ir.operators import BinaryOperator, MathFunction, UnaryOperator
from analysis.ir.pace import paced
from analysis.ir.types import BooleanType, IntegerType, PointerType

RING = {BinaryOperator.ADD: add, BinaryOperator.SUBTRACT: subtract, BinaryOperator.MULTIPLY: multiply}
WINDOWED = frozenset(
    {
        *(BinaryOperator.AND, BinaryOperator.OR, BinaryOperator.XOR),
        *(BinaryOperator.SHIFT_RIGHT, BinaryOperator.DIVIDE, BinaryOperator.REMAINDER),
    }
)
NOT_NEGATIVE = frozenset({BinaryOperator.DIVIDE, BinaryOperator.REMAINDER})
SYMMETRIC = frozenset({BinaryOperator.AND, BinaryOperator.OR, BinaryOperator.XOR})
MINUS_ONE = number(-1)
FormRule: TypeAlias = Callable[..., LinearForm | None]
"""From the pass, an instruction and its block."""
_Ruled: TypeAlias = tuple[Instruction, ValueId, FormRule]
"""An instruction with its result and its rule."""
_Again: TypeAlias = tuple[BasicBlockId, Sequence[Phi], Sequence[_Ruled]]
"""What is looked at again in a block."""


@final
class FormPass:
    def __init__(self, facts: AffineFacts, control: ControlFlow) -> None:
        self.facts = facts
        self.control = control
        self.types = facts.function.types
        self.forms = facts.forms
        self.divergence = facts.divergence
        self.phis = PhiRules(facts, control)
        self._widths = of_each_type(self.types, width_of)
        self._agrees = facts.uniformity.agrees
        self._moving: set[ValueId] = set()
        """Values that rest on a guess about a loop, so that they may change when the loops are read again."""

    def run(self) -> None:
        arguments = self.divergence.arguments
        parameters = self.facts.function.parameters
        for position, divisor in self.divergence.launch.multiples:
            self.facts.own_alignments[parameters[position].value] = divisor
        for parameter in parameters:
            if self._widths[parameter.value]:
                argument = arguments.get(parameter.value)
                self._settle(parameter.value, None if argument is None else self._passed(parameter.value, argument))
        control = self.control
        if not control.cycles:
            for block in control.order:
                self._first_look(block)
            return
        again: list[_Again] = []
        for block in control.order:
            phis, ruled = self._moving_in(block, self._first_look(block))
            if phis or ruled:
                again.append((block, phis, ruled))
        for rounds in range(MAX_ROUNDS):
            if not self.phis.confirm(last=rounds == MAX_ROUNDS - 1):
                return
            self.facts.iteration_ranges.clear()
            self._look_again(again)

    def go_on_from(self, first: AffineFacts) -> bool:
        """The forms of an earlier pass, found anew where they may rest on what divergence says otherwise now.

        False, and the facts are of no use, where loops have to be read again: what is another one comes around a loop,
        or decides how often threads of a warp do.
        """
        control, parted = self.control, self.divergence.parted_otherwise(first.divergence)
        if parted.has_loops or any(not cycle.reducible for cycle in control.cycles):
            return False
        splitting = [block for block in parted.decisions if len(control.successors[block]) > 1]
        meeting = frozenset[BasicBlockId]().union(*map(control.joins, splitting))
        headers = {cycle.header for cycle in control.cycles}
        changed = set(parted.values)
        parameters = {parameter.value for parameter in self.facts.function.parameters}
        if not headers.isdisjoint(meeting) or not parameters.isdisjoint(changed):
            return False
        self.facts.take_over(first)
        for block in control.order:
            self._look_at_changed(block, changed, is_meeting=block in meeting)
        came_around = (phi for header in headers for phi in self.facts.function.blocks[header].phis)
        return all(phi.result not in changed and changed.isdisjoint(phi.operands) for phi in came_around)

    def _look_at_changed(self, block: BasicBlockId, changed: set[ValueId], *, is_meeting: bool) -> None:
        """Finds anew what rests on `changed`, and adds it; a phi where other threads meet only if its form is another.

        An operand that changed counts as another one whatever its form: what its atoms mean may be read elsewhere.
        """
        widths, rules, body = self._widths, self._RULES, self.facts.function.blocks[block]
        for phi in body.phis:
            is_changed = phi.result in changed or not changed.isdisjoint(phi.operands)
            if (is_changed or is_meeting) and widths[phi.result]:
                before = self._known_of(phi.result)
                self.facts.proven[phi.result] = 0
                self._settle(phi.result, self.phis.form(phi, block))
                is_changed = is_changed or self._known_of(phi.result) != before
            if is_changed:
                changed.add(phi.result)
        for item in paced(body.instructions, 2):
            result = item.result
            if result is None or not widths[result]:
                continue
            if result in changed or not changed.isdisjoint(item.operands):
                changed.add(result)
                rule = rules.get(type(item))
                self.facts.proven[result] = 0
                self.forms[result] = None
                self._settle(result, None if rule is None else rule(self, item, block))

    def _known_of(self, value: ValueId) -> tuple[object, ...]:
        facts = self.facts
        residual = facts.residual_ranges.get(value), facts.residual_alignments.get(value)
        return self.forms[value], facts.proven[value], *residual

    def _first_look(self, block: BasicBlockId) -> list[_Ruled]:
        """Gives the values of a block their forms; the instructions that depend on others, with their rules."""
        found: list[_Ruled] = []
        forms, widths, rules, body = self.forms, self._widths, self._RULES, self.facts.function.blocks[block]
        for phi in body.phis:
            if widths[phi.result]:
                self._settle(phi.result, self.phis.form(phi, block))
        for instruction in paced(body.instructions, 5):
            result = instruction.result
            if result is None or not widths[result]:
                continue
            rule = rules.get(type(instruction))
            if rule is None:
                self._settle(result, None)
                continue
            form = rule(self, instruction, block)
            if form is None or len(form.base.terms) > MAX_TERMS:
                self._settle(result, form)
            else:
                forms[result] = form
            if instruction.operands:
                found.append((instruction, result, rule))
        return found

    def _moving_in(self, block: BasicBlockId, ruled: Sequence[_Ruled]) -> tuple[list[Phi], list[_Ruled]]:
        """What depends on a phi that something from further down comes back to."""
        moving, widths, rank = self._moving, self._widths, self.control.rank
        phis: list[Phi] = []
        for phi in self.facts.function.blocks[block].phis:
            returns = any(rank[source] >= rank[block] for source, _ in phi.incoming)
            if widths[phi.result] and (returns or not moving.isdisjoint(phi.operands)):
                moving.add(phi.result)
                phis.append(phi)
        found: list[_Ruled] = []
        for ruling in ruled:
            instruction, result, _ = ruling
            if not moving.isdisjoint(instruction.operands):
                moving.add(result)
                found.append(ruling)
        return phis, found

    def _look_again(self, again: Sequence[_Again]) -> None:
        forms, proven = self.forms, self.facts.proven
        for block, phis, ruled in again:
            for phi in phis:
                proven[phi.result] = 0
                self._settle(phi.result, self.phis.form(phi, block))
            for instruction, result, rule in ruled:
                proven[result] = 0
                forms[result] = None
                form = rule(self, instruction, block)
                if form is None or len(form.base.terms) > MAX_TERMS:
                    self._settle(result, form)
                else:
                    forms[result] = form

    def _settle(self, value: ValueId, form: LinearForm | None) -> None:
        if form is not None and len(form.base.terms) > MAX_TERMS:
            form = None
        if form is None and self.divergence.agrees_in_warp(value):
            form = LinearForm(self._widths[value], variable(ValueAtom(value)))
            self.facts.proven[value] = 1
        self.forms[value] = form

    def read(self, value: ValueId, block: BasicBlockId) -> LinearForm | None:
        """The form where the block reads the value."""
        form = self.forms[value]
        return form if form is not None and self._agrees(value, form, block) else None

    def _prove(self, instruction: Instruction) -> None:
        """The result equals its form as an integer if the operands do and nothing wraps."""
        result, proven = instruction.result, self.facts.proven
        assert result is not None
        found = self.facts.ranges.fits[result]
        for operand in instruction.operands:
            found &= proven[operand]
        proven[result] = found

    def _passed(self, parameter: ValueId, argument: Argument) -> LinearForm | None:
        """What all callers pass: a number, or one that agrees in the warp and steps along the axes."""
        facts, bits, constant = self.facts, self._widths[parameter], argument.constant
        if not isinstance(self.types[parameter], PointerType):
            facts.own_alignments[parameter] = argument.alignment
            if constant is not None and constant in facts.ranges.of(parameter):
                facts.proven[parameter] = 1
                return LinearForm(bits, number(constant))
        if not argument.steps or self.divergence.agrees_in_warp(parameter):
            return None
        thread = tuple((AXIS_OF_REGISTER[register], number(step)) for register, step in argument.steps)
        form = LinearForm(bits, variable(ResidualAtom(parameter)), thread)
        facts.proven[parameter] = argument.is_integral
        facts.residual_ranges[parameter] = facts.ranges.of(parameter) - facts.thread_range(form)
        facts.residual_alignments[parameter] = argument.step_alignment
        return form

    # -- leaves -----------------------------------------------------------------------------------------------------

    def _constant(self, constant: Constant, block: BasicBlockId) -> LinearForm | None:
        del block
        if not isinstance(constant.value, int):
            return None
        self.facts.proven[constant.result] = 1
        return LinearForm(self._widths[constant.result], number(int(constant.value)))

    def _register(self, read: ReadSpecial, block: BasicBlockId) -> LinearForm | None:
        del block
        register, bits = read.register, self._widths[read.result]
        axis = AXIS_OF_REGISTER.get(register)
        self.facts.proven[read.result] = 1
        known = self.facts.bounds.constant(register)
        if known is not None:
            return LinearForm(bits, number(known))
        if axis is not None:
            return LinearForm(bits, ZERO, ((axis, ONE),))
        if register in CHANGING_REGISTERS or REGISTER_LEVELS.get(register, (Level.GRID,))[0] is Level.VARYING:
            return None
        return LinearForm(bits, variable(RegisterAtom(register)))

    def _symbol(self, read: SymbolAddress, block: BasicBlockId) -> LinearForm | None:
        """A variable of the thread has the same address in every thread, in memory of its own."""
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
        operator = binary.operator
        ring = RING.get(operator)
        if ring is not None:
            self._prove(binary)
            return ring(left, right)
        if operator is BinaryOperator.SHIFT_LEFT:
            count = right.base.constant if right.is_uniform else None
            if count is None or not 0 <= count < type_.bits:
                return None
            self._prove(binary)
            return scale_by(left, 1 << count)
        return self._windowed(binary, left, right, block) if operator in WINDOWED else None

    def _windowed(self, binary: Binary, left: LinearForm, right: LinearForm, block: BasicBlockId) -> LinearForm | None:
        operator, operand = binary.operator, binary.left
        factor = right.base.constant if right.is_uniform and right.exact else None
        if factor is None and operator in SYMMETRIC and left.is_uniform and left.exact:
            left, operand, factor = right, binary.right, left.base.constant
        if factor is None:
            return None
        if operator in NOT_NEGATIVE and self.facts.ranges.at(operand, block).low < 0:
            return None
        found = through_window(self.facts, left, operator, factor)
        return None if found is None else self._in_warp(binary.result, left, found)

    def _in_warp(self, value: ValueId, operand: LinearForm, found: WarpLinear) -> LinearForm | None:
        """A value that is linear in the lane; one that agrees in the warp for divergence too is an atom."""
        facts = self.facts
        if found.rest is not None:
            facts.proven[value] = 1
            thread = ((Axis.LANE, number(found.step)),) if found.step else ()
            return LinearForm(operand.bits, number(found.rest), thread)
        if self.divergence.agrees_in_warp(value):
            facts.own_alignments[value] = found.alignment
            return None
        facts.proven[value] = 1
        thread = ((Axis.LANE, number(found.step)),) if found.step else ()
        form = LinearForm(operand.bits, variable(ResidualAtom(value)), thread)
        facts.residual_ranges[value] = facts.ranges.of(value) - facts.thread_range(form)
        facts.residual_alignments[value] = found.alignment
        return form

    def _unary(self, unary: Unary, block: BasicBlockId) -> LinearForm | None:
        form = self.read(unary.operand, block)
        if form is None or unary.operator is UnaryOperator.LOGICAL_NOT:
            return None
        negated = scale_by(form, -1)
        if unary.operator is UnaryOperator.NEGATE:
            self._prove(unary)
            return negated
        type_ = self.types[unary.result]
        if isinstance(type_, IntegerType) and type_.signed:
            self._prove(unary)
        return add(negated, LinearForm(form.bits, MINUS_ONE))

    # -- choices ----------------------------------------------------------------------------------------------------

    def _select(self, select: Select, block: BasicBlockId) -> LinearForm | None:
        together = self.divergence.use_level(select.condition, block) <= Level.WARP
        return self._chosen(select.result, (select.if_true, select.if_false), block, together)

    def _math(self, call: Math, block: BasicBlockId) -> LinearForm | None:
        """`min` and `max` choose together if their sides differ by a number that agrees in the warp."""
        if call.function in (MathFunction.MINIMUM, MathFunction.MAXIMUM):
            together = all(self.facts.proven[operand] for operand in call.arguments)
            return self._chosen(call.result, call.arguments, block, together)
        if call.function is MathFunction.ABSOLUTE and self.facts.ranges.at(call.arguments[0], block).low >= 0:
            self.facts.proven[call.result] = self.facts.proven[call.arguments[0]]
            return self.read(call.arguments[0], block)
        return None

    def _chosen(
        self, value: ValueId, choices: Sequence[ValueId], block: BasicBlockId, together: bool
    ) -> LinearForm | None:
        facts = self.facts
        forms = [form for choice in choices if (form := self.read(choice, block)) is not None]
        if len(forms) < len(choices):
            return None
        first = forms[0]
        facts.proven[value] = all(facts.proven[choice] for choice in choices)
        if all(form == first for form in forms):
            return first
        if not together or not first.coefficients or any(form.coefficients != first.coefficients for form in forms):
            return None
        alignment = min(facts.polynomial_alignment(form.base) for form in forms)
        return self.phis.with_residual(value, first, alignment, all(form.exact for form in forms))

    # -- conversions ------------------------------------------------------------------------------------------------

    def _convert(self, convert: Convert | Bitcast, block: BasicBlockId) -> LinearForm | None:
        source, target = self.types[convert.operand], self.types[convert.result]
        form = self.read(convert.operand, block)
        if form is None or isinstance(target, BooleanType):
            return None
        if not isinstance(source, IntegerType | BooleanType | PointerType):
            return None
        bits = self._widths[convert.result]
        if bits <= form.bits:
            if isinstance(convert, Convert):
                self._prove(convert)
            return LinearForm(bits, form.base, form.coefficients, form.exact)
        wide = widened(self.facts, convert.operand, form, bits)
        # A wider type holds every number of a narrower one, but negative ones only if it is signed.
        self.facts.proven[convert.result] = wide is not None and self.facts.ranges.fits[convert.result]
        return wide

    # -- addresses --------------------------------------------------------------------------------------------------

    def _element(self, element: ElementAddress, block: BasicBlockId) -> LinearForm | None:
        size = element_size(self.facts.function, element.result)
        base, index = self.read(element.base, block), self.read(element.index, block)
        if size is None or base is None or index is None:
            return None
        if index.bits < POINTER_BITS:
            index = widened(self.facts, element.index, index, POINTER_BITS)
        return None if index is None else add(base, scale_by(index, size))

    def _field(self, field: FieldAddress, block: BasicBlockId) -> LinearForm | None:
        base, offset = self.read(field.base, block), field_offset(self.facts.function, field)
        return None if base is None or offset is None else add(base, LinearForm(POINTER_BITS, number(offset)))

    def _difference(self, difference: PointerDifference, block: BasicBlockId) -> LinearForm | None:
        """In elements: a form only if their size divides every number in it."""
        size = element_size(self.facts.function, difference.left)
        left, right = self.read(difference.left, block), self.read(difference.right, block)
        return None if not size or left is None or right is None else quotient(subtract(left, right), size)

    _RULES: ClassVar[Mapping[type, FormRule]] = {
        Constant: _constant,
        ReadSpecial: _register,
        SymbolAddress: _symbol,
        Binary: _binary,
        Unary: _unary,
        Select: _select,
        Math: _math,
        Convert: _convert,
        Bitcast: _convert,
        ElementAddress: _element,
        FieldAddress: _field,
        PointerDifference: _difference,
    }
