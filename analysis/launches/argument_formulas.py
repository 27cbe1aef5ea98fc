"""Finds arguments of a launch that host code computes from others, whatever stands between them.

Rules    Arithmetic, comparisons, `?:`, `min`, `max`, functions of one `return`, and variables that are written once,
         back to arguments that are variables themselves and to numbers that are known.
Limits   What is passed twice has no formula.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from analysis.ir.record import record
from analysis.launches.formulas import (
    Alternative,
    ArgumentFormula,
    FixedNumber,
    Formula,
    Operation,
    OtherArgument,
    positions_in,
)
from analysis.launches.grid_quotients import plain
from analysis.launches.host_arithmetic import OF_TWO
from analysis.launches.host_objects import called_name
from analysis.launches.host_values import HostValues
from analysis.syntax.tree import Node

MAX_DEPTH: Final = 24
_SIGNS: Final = frozenset(
    ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||")
)
_NO_NAMES: Final[Mapping[str, Formula]] = {}


def argument_formulas(arguments: Sequence[Node], values: HostValues) -> tuple[ArgumentFormula, ...]:
    """Of arguments whose values are not known, and which are no variables without a meaning of their own."""
    nodes = [plain(argument) for argument in arguments]
    open = [position for position, node in enumerate(nodes) if values.number(node) is None]
    positions = {_text(nodes[one]): one for one in reversed(open) if nodes[one].kind == "identifier"}
    found: list[ArgumentFormula] = []
    for position in open if len(positions) > 1 else ():
        others = {name: OtherArgument(other) for name, other in positions.items() if other != position}
        formula = _Reading(values, others).formula(_meaning(nodes[position], values), MAX_DEPTH)
        if formula is not None and positions_in(formula) and not isinstance(formula, OtherArgument):
            found.append(ArgumentFormula(position, formula))
    return tuple(found)


def _meaning(node: Node, values: HostValues) -> Node:
    """What a variable is declared as."""
    value = values.initialiser(_text(node)) if node.kind == "identifier" else None
    return node if value is None else value


@final
@record
class _Reading:
    """`names`: what stands for a formula where the expression is read; `is_inside` a function that is called."""

    values: HostValues
    names: Mapping[str, Formula]
    is_inside: bool = False

    def formula(self, node: Node, depth: int) -> Formula | None:
        """None where something is not understood."""
        node = plain(node)
        if depth <= 0:
            return None
        if node.kind == "identifier":
            return self._named(node, depth)
        number = None if self.is_inside and node.kind != "number_literal" else self.values.number(node)
        if number is not None:
            return FixedNumber(number)
        match node.kind:
            case "binary_expression":
                left, right, sign = (node.field(name) for name in ("left", "right", "operator"))
                return None if sign is None else self._operation(_text(sign), left, right, depth)
            case "conditional_expression":
                parts = [node.field(name) for name in ("condition", "consequence", "alternative")]
                read = [None if part is None else self.formula(part, depth - 1) for part in parts]
                condition, yes, no = read
                return None if condition is None or yes is None or no is None else Alternative(condition, yes, no)
            case "call_expression":
                return self._called(node, depth)
            case _:
                return None

    def _named(self, node: Node, depth: int) -> Formula | None:
        name = _text(node)
        if name in self.names:
            return self.names[name]
        is_known = not self.is_inside or self.values.is_constant(name)
        number = self.values.number(node) if is_known else None
        if number is not None:
            return FixedNumber(number)
        value = None if self.is_inside else self.values.initialiser(name)
        return None if value is None else self.formula(value, depth - 1)

    def _operation(self, sign: str, left: Node | None, right: Node | None, depth: int) -> Formula | None:
        if left is None or right is None or (sign not in _SIGNS and sign not in OF_TWO):
            return None
        first, second = self.formula(left, depth - 1), self.formula(right, depth - 1)
        return None if first is None or second is None else Operation(sign, first, second)

    def _called(self, node: Node, depth: int) -> Formula | None:
        name, arguments = called_name(node), node.field("arguments")
        listed: Sequence[Node] = () if arguments is None else arguments.children
        helper = self.values.helper(name)
        if helper is None:
            first, second = listed if len(listed) == 2 else (None, None)
            return self._operation(name, first, second, depth) if name in OF_TWO else None
        if len(listed) != len(helper.parameters):
            return None
        given: dict[str, Formula] = {}
        for (parameter, _), argument in zip(helper.parameters, listed, strict=True):
            read = self.formula(argument, depth - 1)
            if read is None:
                return None
            given[parameter] = read
        return _Reading(self.values, given, is_inside=True).formula(helper.value, depth - 1)


def _text(node: Node) -> str:
    return node.text.decode("utf-8", "replace")
