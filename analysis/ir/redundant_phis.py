"""Which phis only ever pass on one value?

A set of phis that feed each other is *redundant* when at most one value enters it from outside: every one of them then
equals that value.  `phi(x, x)` and `p = phi(x, p)` are the smallest cases; two loop phis that copy each other and one
outer value are the smallest that looking at phis one at a time does not find.

Algorithm   Strongly connected components of the graph phi -> phi operand, operands first.  A component into which one
            value enters is replaced by it.  Into others several enter, but the phis that see no outside value may hold
            smaller redundant sets: those are looked at again, among themselves.
Cost        O(phis + inputs) for every level of nesting.
Source      Braun, Buchwald, Hack, Leißa, Mallon, Zwinkau: Simple and Efficient Construction of SSA Form, CC 2013,
            section 3.2.
"""

from __future__ import annotations

from collections.abc import Collection

from analysis.ir.draft import Draft
from analysis.ir.instructions import ValueId


def replace_redundant_phis(draft: Draft) -> None:
    """Replaces redundant phis by the value they pass on."""
    operands: dict[ValueId, list[ValueId]] = {}
    find = draft.find
    for index in draft.order:
        for phi in draft.phis[index]:
            if phi.result not in draft.replaced:
                operands[phi.result] = phi.values = [find(value) for value in phi.values]
    pending: list[Collection[ValueId]] = [operands]
    while pending:
        for component in _components(pending.pop(), operands, draft):
            members = frozenset(component)
            outside = {find(value) for phi in component for value in operands[phi]} - members
            if len(outside) == 1:
                value = outside.pop()
                for phi in component:
                    draft.replace(phi, value)
            elif len(component) > 1:
                inner = [phi for phi in component if all(find(value) in members for value in operands[phi])]
                if inner:
                    pending.append(inner)
    if draft.replaced:
        for index in draft.order:
            for phi in draft.phis[index]:
                phi.values = [find(value) for value in phi.values]


def _components(phis: Collection[ValueId], operands: dict[ValueId, list[ValueId]], draft: Draft) -> list[list[ValueId]]:
    """Tarjan's strongly connected components of the given phis, operands before users."""
    wanted = set(phis)
    number: dict[ValueId, int] = {}
    lowest: dict[ValueId, int] = {}
    stack: list[ValueId] = []
    on_stack: set[ValueId] = set()
    components: list[list[ValueId]] = []
    for root in phis:
        if root in number:
            continue
        path = [(root, iter(operands[root]))]
        number[root] = lowest[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while path:
            phi, rest = path[-1]
            for value in rest:
                operand = draft.find(value)
                if operand not in wanted:
                    continue
                if operand not in number:
                    number[operand] = lowest[operand] = len(number)
                    stack.append(operand)
                    on_stack.add(operand)
                    path.append((operand, iter(operands[operand])))
                    break
                if operand in on_stack:
                    lowest[phi] = min(lowest[phi], number[operand])
            else:
                path.pop()
                if path:
                    parent = path[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[phi])
                if lowest[phi] == number[phi]:
                    components.append(_popped(stack, phi))
                    on_stack.difference_update(components[-1])
    return components


def _popped(stack: list[ValueId], last: ValueId) -> list[ValueId]:
    """Takes everything down to `last` off the stack."""
    popped = [stack.pop()]
    while popped[-1] != last:
        popped.append(stack.pop())
    return popped
