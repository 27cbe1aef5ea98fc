"""What free places hold: the constant that `atomicCAS(&slots[i], EMPTY, key)` expects to find, or the number that the
host passes for it (`table.empty`).

Rules    A place holds it from the start if every compare-and-swap there expects the same, and whatever is loaded from
         there is compared with it for equality.  What is stored there does not matter: it comes later.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from analysis.inputs.flow import ElementMember, Flow, Leaf
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Atomic, Compare, Constant, Convert, Load, Unary
from analysis.ir.operators import AtomicOperator, CompareOperator, UnaryOperator
from analysis.ir.types import IntegerType

Mark: TypeAlias = "int | Leaf"


def free_places(flow: Flow) -> Mapping[ElementMember, Mark]:
    """The constant for each such place of integers, wrapped to its type, or the number that is passed."""
    expected: dict[ElementMember, set[Mark | None]] = {}
    loads: dict[ElementMember, list[ValueId]] = {}
    compared: dict[ValueId, set[Mark]] = {}
    for _, instruction in flow.function.instructions():
        match instruction:
            case Atomic(operator=AtomicOperator.COMPARE_AND_SWAP, address=address, arguments=(wanted, *_)):
                for place in flow.places(address):
                    expected.setdefault(place, set()).add(_mark(flow, wanted))
            case Load(result=result, address=address):
                for place in flow.places(address):
                    loads.setdefault(place, []).append(result)
            case Compare(operator=CompareOperator.EQUAL | CompareOperator.NOT_EQUAL, left=left, right=right):
                for one, other in ((left, right), (right, left)):
                    number = _mark(flow, other)
                    if number is not None:
                        compared.setdefault(_plain(flow, one), set()).add(number)
            case _:
                pass
    found: dict[ElementMember, Mark] = {}
    for place, numbers in expected.items():
        (number, *others) = numbers
        if number is not None and not others and all(number in compared.get(one, ()) for one in loads.get(place, ())):
            found[place] = number
    return found


def _mark(flow: Flow, value: ValueId) -> Mark | None:
    leaf = flow.leaf(_plain(flow, value))
    if leaf is None:
        return _integer(flow, value)
    return Leaf(leaf) if isinstance(flow.leaves.get(leaf), IntegerType) else None


def _integer(flow: Flow, value: ValueId) -> int | None:
    """A constant, as it is held in the type of `value`."""
    type = flow.function.type_of(value)
    definition = flow.definitions.get(_plain(flow, value))
    is_inverted = isinstance(definition, Unary) and definition.operator is UnaryOperator.COMPLEMENT
    if isinstance(definition, Unary) and is_inverted:  # ~0
        definition = flow.definitions.get(_plain(flow, definition.operand))
    match definition, type:
        case Constant(value=int() as number), IntegerType():
            number = (-number - 1 if is_inverted else number) & ((1 << type.bits) - 1)
        case _:
            return None
    return number - (1 << type.bits) if type.signed and number >> (type.bits - 1) else number


def _plain(flow: Flow, value: ValueId) -> ValueId:
    """Through casts."""
    definition = flow.definitions.get(value)
    while isinstance(definition, Convert):
        value = definition.operand
        definition = flow.definitions.get(value)
    return value
