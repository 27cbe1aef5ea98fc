"""Straight-line strength reduction: what differs from an earlier value by a few steps is computed from it.

Forms     Table 3 of the paper; `b` and `s` are variables, `C0` and `C1` constants, and x dominates y:

              x = (b + C0) * s      x = b + C0 * s      x = &b[C0 * s]
              y = (b + C1) * s      y = b + C1 * s      y = &b[C1 * s]

          In all of them y is x + (C1 - C0) * s.
Closest   of several x the closest one is taken, so that most steps are one `s`.
Pays      a step of one or of minus one `s`; another step only where the product is there already, or where what y was
          computed from falls away.
Exact     modulo the width, whatever overflows: the products are never widened first.
Source    Wu et al., CGO 2016, section 3.4.2; Kennedy et al., CC 1998.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import TypeAlias, final

from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, ElementAddress, Instruction, Unary
from analysis.ir.operators import BinaryOperator, UnaryOperator
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import IntegerType, Type
from analysis.straightline.code import Code
from analysis.straightline.exactness import ADDRESS_BITS, Exactness
from analysis.straightline.sums import Sums, nearest


class Form(Enum):
    """A column of Table 3."""

    PRODUCT = "(b + C) * s"
    SUM = "b + C * s"
    ADDRESS = "&b[C * s]"


_Key: TypeAlias = tuple[Form, Type, object, ValueId]
"""The form, the type of the result, `b`, and `s`."""


@final
@record
class _Candidate:
    """One way to read a value as one of the forms."""

    key: _Key
    factor: int
    """The `C` of it."""


def reduce_strength(code: Code, exactness: Exactness) -> None:
    """One pass along the dominator tree."""
    code.rewrite(_Pass(code, exactness).visit)


@final
class _Pass:
    def __init__(self, code: Code, exactness: Exactness) -> None:
        self._code = code
        self._exactness = exactness
        self._sums = Sums(code, exactness)
        self._known: defaultdict[_Key, list[tuple[ValueId, int]]] = defaultdict(list)
        self._reads = {value: len(readers) for value, readers in code.readers().items()}
        self._products: dict[tuple[ValueId, int], ValueId] = {}

    def visit(self, block: BasicBlockId, instruction: Instruction) -> Iterable[Instruction]:
        code = self._code
        code.define(instruction, block)
        self._note_product(instruction)
        if not isinstance(instruction, Binary | ElementAddress):
            return (instruction,)
        candidates = list(self._candidates(instruction))
        for candidate in candidates:
            basis = self._basis(candidate, block)
            if basis is None:
                continue
            made = self._stepped(instruction, candidate, *basis, block)
            if made is not None:
                self._note(candidates, instruction.result)
                return made
        self._note(candidates, instruction.result)
        return (instruction,)

    def _note(self, candidates: Iterable[_Candidate], result: ValueId) -> None:
        for candidate in candidates:
            self._known[candidate.key].append((result, candidate.factor))

    def _basis(self, candidate: _Candidate, block: BasicBlockId) -> tuple[ValueId, int] | None:
        stack = self._known[candidate.key]
        while stack and not self._code.control.dominates(self._code.homes[stack[-1][0]], block):
            stack.pop()
        return stack[-1] if stack else None

    # -- what an instruction may be read as ---------------------------------------------------------------------------

    def _candidates(self, instruction: Binary | ElementAddress) -> Iterator[_Candidate]:
        code, type_ = self._code, self._code.types[instruction.result]
        if isinstance(instruction, ElementAddress):
            address = self._sums.address(instruction.result)
            if len(address.offset.terms) == 1 and code.number(instruction.index) is None:
                ((atom, factor),) = address.offset.terms
                yield _Candidate((Form.ADDRESS, type_, (address.root, address.offset.constant), atom), factor)
            return
        if not isinstance(type_, IntegerType) or type_.bits < 32:
            return
        left, right = instruction.left, instruction.right
        if instruction.operator is BinaryOperator.MULTIPLY:
            for side, other in ((left, right), (right, left)):
                found = self._sums.word_sum(side)
                if found.terms and code.number(other) is None:
                    yield _Candidate((Form.PRODUCT, type_, found.terms, other), found.constant)
        elif instruction.operator is BinaryOperator.ADD:
            for side, other in ((left, right), (right, left)):
                found = self._sums.word_sum(side)
                if len(found.terms) == 1 and not found.constant:
                    (atom, factor) = found.terms[0]
                    if code.types[atom] == type_:
                        yield _Candidate((Form.SUM, type_, other, atom), factor)

    # -- rewriting ----------------------------------------------------------------------------------------------------

    def _stepped(
        self,
        instruction: Binary | ElementAddress,
        candidate: _Candidate,
        basis: ValueId,
        factor: int,
        block: BasicBlockId,
    ) -> list[Instruction] | None:
        """The instruction as a step from its basis; None where that does not pay."""
        code, form, step = self._code, candidate.key[0], candidate.key[3]
        type_ = code.types[instruction.result]
        bits = type_.bits if isinstance(type_, IntegerType) else ADDRESS_BITS
        steps = nearest(candidate.factor - factor, bits)
        if steps == 0:
            code.replace(instruction.result, basis)
            return []
        if form is Form.SUM and (abs(steps) != 1 or basis in instruction.operands):
            return None
        made: list[Instruction] = []
        if isinstance(instruction, ElementAddress):
            return self._stepped_address(instruction, basis, step, steps, block)
        if abs(steps) != 1:
            if not self._pays(instruction, step, steps):
                return None
            step = self._product(step, steps, block, instruction.span, made)
        self._exactness.rewrite(instruction.result, (basis, step))
        operator = BinaryOperator.SUBTRACT if steps == -1 else BinaryOperator.ADD
        return [*made, Binary(instruction.result, operator, basis, step, instruction.span)]

    def _stepped_address(
        self, instruction: ElementAddress, basis: ValueId, step: ValueId, steps: int, block: BasicBlockId
    ) -> list[Instruction] | None:
        """Only by one step: the product would have to be widened first."""
        if basis == instruction.base and step == instruction.index:
            return None
        if steps == 1:
            return [ElementAddress(instruction.result, basis, step, instruction.span)]
        type_ = self._code.types[step]
        if steps == -1 and isinstance(type_, IntegerType) and type_.bits == ADDRESS_BITS:
            back = Unary(self._code.value(type_), UnaryOperator.NEGATE, step, instruction.span)
            self._code.define(back, block)
            if self._reads.get(instruction.index, 0) == 1 and self._is_computed(instruction.index):
                return [back, ElementAddress(instruction.result, basis, back.result, instruction.span)]
        return None

    def _is_computed(self, value: ValueId) -> bool:
        return isinstance(self._code.definitions.get(value), Binary)

    def _pays(self, instruction: Binary, step: ValueId, steps: int) -> bool:
        """Is the product there, or does a sum fall away that was only for this one?"""
        if (step, steps) in self._products:
            return True
        return any(
            other != step and self._is_computed(other) and self._reads.get(other, 0) == 1
            for other in instruction.operands
        )

    def _product(self, step: ValueId, steps: int, block: BasicBlockId, span: Span, made: list[Instruction]) -> ValueId:
        """`steps * step` modulo its width."""
        code, type_ = self._code, self._code.types[step]
        assert isinstance(type_, IntegerType)
        known = self._products.get((step, steps))
        if known is not None and code.control.dominates(code.homes[known], block):
            return known
        new = Binary(code.value(type_), BinaryOperator.MULTIPLY, step, code.constant(type_, steps, span), span)
        code.define(new, block)
        made.append(new)
        self._products[step, steps] = new.result
        return new.result

    def _note_product(self, instruction: Instruction) -> None:
        if not isinstance(instruction, Binary) or instruction.operator is not BinaryOperator.MULTIPLY:
            return
        for factor, other in (instruction.operands, instruction.operands[::-1]):
            number = self._code.number(factor)
            if number is not None:
                self._products.setdefault((other, number), instruction.result)
