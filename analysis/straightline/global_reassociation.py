"""Global reassociation: the operands of a commutative expression are grouped as its dominators group them.

Example   after `j0 = c + x0`, `j1 = c + (x0 + n)` is `j0 + n`: of the three operands, two were added before.
Rules     of `(a + b) + c` first `a + c`, then `b + c` is looked for among the instructions that dominate it.  So for
          every commutative operator over integers; modulo the width they are associative.
Reads     the paper asks that nobody else reads `a + b`.  Here that is not asked: the rewritten instruction costs as
          much as before, `a + b` stays where somebody needs it, and more addresses are found alike.
Address   `&a[i + j]` after `&a[i]` is `&p[j]`: an address is looked for that lacks one term of the sum.
Cost      linear in the program for each pass: each instruction is pushed and popped once, for each operand of its sum.
Source    Wu et al., CGO 2016, section 3.4.3, Algorithm 2.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias, final

from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, ElementAddress, Instruction
from analysis.ir.operators import BinaryOperator
from analysis.ir.types import IntegerType, Type
from analysis.straightline.code import Code
from analysis.straightline.exactness import Exactness
from analysis.straightline.sums import Address, Sums, Terms

_ASSOCIATIVE: Final = frozenset(
    {BinaryOperator.ADD, BinaryOperator.MULTIPLY, BinaryOperator.AND, BinaryOperator.OR, BinaryOperator.XOR}
)

_Expression: TypeAlias = tuple[BinaryOperator, Type, ValueId, ValueId]
"""An operator, the type of its result, and its operands in ascending order."""
_Place: TypeAlias = tuple[ValueId, Type, Terms, int]


def reassociate_globally(code: Code, exactness: Exactness) -> None:
    """One pass in preorder of the dominator tree."""
    code.rewrite(_Pass(code, exactness).visit)


@final
class _Pass:
    def __init__(self, code: Code, exactness: Exactness) -> None:
        self._code = code
        self._exactness = exactness
        self._sums = Sums(code, exactness)
        self._expressions: defaultdict[_Expression, list[ValueId]] = defaultdict(list)
        self._places: defaultdict[_Place, list[ValueId]] = defaultdict(list)

    def visit(self, block: BasicBlockId, instruction: Instruction) -> Iterable[Instruction]:
        self._code.define(instruction, block)
        match instruction:
            case Binary(operator=operator) if operator in _ASSOCIATIVE:
                return (self._regrouped(instruction, block),)
            case ElementAddress():
                return (self._moved(instruction, block),)
            case _:
                return (instruction,)

    # -- integers -----------------------------------------------------------------------------------------------------

    def _regrouped(self, binary: Binary, block: BasicBlockId) -> Binary:
        type_ = self._code.types[binary.result]
        if not isinstance(type_, IntegerType):
            return binary
        found = self._grouped_before(binary, type_, block)
        self._expressions[_expression(binary.operator, type_, binary.left, binary.right)].append(binary.result)
        if found is None:
            return binary
        self._exactness.rewrite(binary.result, found)
        self._expressions[_expression(binary.operator, type_, *found)].append(binary.result)
        return Binary(binary.result, binary.operator, *found, binary.span)

    def _grouped_before(self, binary: Binary, type_: Type, block: BasicBlockId) -> tuple[ValueId, ValueId] | None:
        """An instruction that has two of the three operands, and the third."""
        for inner, third in ((binary.left, binary.right), (binary.right, binary.left)):
            definition = self._code.definitions.get(inner)
            if not isinstance(definition, Binary) or definition.operator is not binary.operator:
                continue
            for first, other in (definition.operands, definition.operands[::-1]):
                expression = _expression(binary.operator, type_, first, third)
                dominator = self._closest(self._expressions[expression], block)
                if dominator is not None and dominator != inner:
                    return dominator, other
        return None

    def _closest(self, stack: list[ValueId], block: BasicBlockId) -> ValueId | None:
        code = self._code
        while stack and not code.control.dominates(code.homes[stack[-1]], block):
            stack.pop()
        return stack[-1] if stack else None

    # -- addresses ----------------------------------------------------------------------------------------------------

    def _moved(self, element: ElementAddress, block: BasicBlockId) -> ElementAddress:
        code = self._code
        address = self._sums.address(element.result)
        found: ElementAddress | None = None
        if code.number(element.index) is None:
            for place, step in _without_one(address):
                basis = self._closest(self._places[place], block)
                if basis is not None and (basis, step) != (element.base, element.index):
                    found = ElementAddress(element.result, basis, step, element.span)
                    break
        offset = address.offset
        self._places[address.root, address.type, offset.terms, offset.constant].append(element.result)
        return element if found is None else found


def _without_one(address: Address) -> Iterator[tuple[_Place, ValueId]]:
    """The places from which one step leads to the address, if they are not its root."""
    offset = address.offset
    if len(offset.terms) == 1 and offset.terms[0][1] == 1 and not offset.constant:
        return
    for atom, factor in offset.terms:
        rest = offset.without(atom) if factor == 1 else _with(offset.terms, atom, factor - 1)
        yield (address.root, address.type, rest, offset.constant), atom


def _with(terms: Terms, atom: ValueId, factor: int) -> Terms:
    return tuple((one, factor if one == atom else known) for one, known in terms)


def _expression(operator: BinaryOperator, type_: Type, left: ValueId, right: ValueId) -> _Expression:
    return operator, type_, min(left, right), max(left, right)
