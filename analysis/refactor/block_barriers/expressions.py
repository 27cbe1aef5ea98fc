"""Conditions and other expressions that are written in new places: whether that may be, and how they are negated.

Words     *Plain*: without effects, memory and calls, of numbers and local variables alone.  A plain expression may be
          evaluated by any thread, any number of times.
Rules     A comparison of integers is negated by its operator.  Of floating-point numbers only `==` and `!=` are: a NaN
          is neither less than a number nor greater or equal.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, final

from tree_sitter import Node

from analysis.ir.record import record
from analysis.refactor.block_barriers.model import Obstacle, WhyNotMet
from analysis.refactor.block_barriers.reading import text_of, walk

BUILTIN_INDEXES: Final = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
_INDEX_NAMES: Final = BUILTIN_INDEXES | {"warpSize"}
_PURE_CALLS: Final = frozenset({"min", "max", "abs", "fminf", "fmaxf", "fabsf", "this_thread_block", "this_grid"})
_NUMBER: Final = (
    rb"[ \t]*#[ \t]*define[ \t]+%s[ \t]+\(?[ \t]*-?[\dxXa-fA-FuUlL]+[ \t]*\)?[ \t]*(?://[^\n]*|/\*[^\n]*)?\r?$"
)
_CONSTANT: Final = (
    rb"(?m)^(?:static[ \t]+)?(?:__device__[ \t]+)?(?:const|constexpr)[ \t]+(?:unsigned[ \t]+)?\w+[ \t]+%s[ \t]*="
)
_FLIPPED: Final = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
_PLAIN: Final = frozenset(
    {"binary_expression", "unary_expression", "parenthesized_expression", "conditional_expression", "cast_expression"}
    | {"number_literal", "char_literal", "true", "false", "primitive_type", "type_descriptor", "sized_type_specifier"}
    | {"initializer_list"}
)


@final
@record
class Condition:
    """Text that holds for those who go on; `strength` of its weakest operator: 1 for `||`, 2 for `&&`, else 3."""

    text: str
    strength: int

    def joined(self, *, is_long: bool) -> str:
        """As an operand of `&&`; a comparison among several operands is easier to read in parentheses."""
        is_tight = self.strength >= 2 and (not is_long or " " not in self.text)
        return self.text if is_tight else f"({self.text})"


def conjunction(conditions: tuple[Condition, ...]) -> str:
    if len(conditions) == 1:
        return conditions[0].text
    return " && ".join(one.joined(is_long=len(conditions) > 2) for one in conditions)


@final
class Expressions:
    """Of one function: `local` are the names of its variables and parameters, `is_integer` asks for an operand."""

    def __init__(self, text: bytes, local: frozenset[str], is_integer: Callable[[Node], bool]) -> None:
        self._text = text
        self._local = local
        self._is_integer = is_integer

    def is_plain(self, node: Node, unknown: frozenset[str] = frozenset()) -> bool:
        """`unknown` are variables that may hold nothing yet for who evaluates it."""
        match node.type:
            case "identifier":
                name = text_of(node)
                return name not in unknown and (name in self._local or name in _INDEX_NAMES or self.is_constant(name))
            case "field_expression":
                base = node.child_by_field_name("argument")
                is_part = base is not None and base.type in ("identifier", "field_expression")
                return is_part and "->" not in text_of(node) and base is not None and self.is_plain(base, unknown)
            case "pointer_expression":
                return self._is_plain_address(node, unknown)
            case "call_expression":
                return self._is_pure_call(node, unknown)
            case "binary_expression" if _operator(node) in ("/", "%"):
                divisor = node.child_by_field_name("right")
                is_safe = divisor is not None and _is_never_zero(divisor)
                return is_safe and all(self.is_plain(one, unknown) for one in node.named_children)
            case _:
                return node.type in _PLAIN and all(self.is_plain(one, unknown) for one in node.named_children)

    def is_constant(self, name: str) -> bool:
        """A number that a macro or a constant of the file stands for."""
        return self._is_number(name) or bool(re.search(_CONSTANT % re.escape(name.encode()), self._text))

    def _is_number(self, name: str) -> bool:
        """A macro that stands for a whole number."""
        return bool(re.search(b"(?m)^" + _NUMBER % re.escape(name.encode()), self._text))

    def _is_plain_address(self, node: Node, unknown: frozenset[str]) -> bool:
        """`&x[i]` reads nothing."""
        target = node.child_by_field_name("argument")
        if not text_of(node).startswith("&") or target is None or target.type != "subscript_expression":
            return False
        parts = [one for child in target.named_children for one in _unwrapped(child)]
        return all(self.is_plain(one, unknown) for one in parts)

    def _is_pure_call(self, node: Node, unknown: frozenset[str]) -> bool:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or arguments is None or text_of(function).rpartition("::")[2] not in _PURE_CALLS:
            return False
        return all(self.is_plain(one, unknown) for one in arguments.named_children)

    # -- conditions ---------------------------------------------------------------------------------------------------

    def positive(self, node: Node) -> Condition:
        node = _inner(node)
        operator = _operator(node)
        strength = {"||": 1, "&&": 2}.get(operator, 0 if _is_weak(node) else 3)
        return Condition(one_line(node), strength)

    def negated(self, node: Node) -> Condition:
        node = _inner(node)
        operator = _operator(node)
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if node.type == "binary_expression" and left is not None and right is not None:
            if operator in ("&&", "||"):
                return self._exchanged(operator, left, right)
            if operator in _FLIPPED and (operator in ("==", "!=") or self._are_integers(node)):
                return Condition(f"{one_line(left)} {_FLIPPED[operator]} {one_line(right)}", 3)
        if node.type == "unary_expression" and operator == "!":
            argument = node.child_by_field_name("argument")
            if argument is not None:
                return self.positive(argument)
        is_tight = node.type in ("identifier", "call_expression", "field_expression", "subscript_expression")
        return Condition(f"!{one_line(node)}" if is_tight else f"!({one_line(node)})", 3)

    def _exchanged(self, operator: str, left: Node, right: Node) -> Condition:
        """By De Morgan's laws."""
        other = "&&" if operator == "||" else "||"
        sides = [self.negated(left), self.negated(right)]
        strength = 2 if other == "&&" else 1
        texts = [one.text if one.strength > strength or one.strength == strength else f"({one.text})" for one in sides]
        return Condition(f" {other} ".join(texts), strength)

    def _are_integers(self, comparison: Node) -> bool:
        leaves = [one for one in walk(comparison) if one.type == "identifier"]
        kinds = _PLAIN | {"identifier", "field_expression", "field_identifier"}
        if not all(one.type in kinds for one in walk(comparison) if one.is_named):
            return False
        if any(one.type == "number_literal" and _is_fraction(text_of(one)) for one in walk(comparison)):
            return False
        if contains_type(comparison, "cast_expression", "conditional_expression"):
            return False
        return all(self._is_whole(one) for one in leaves)

    def _is_whole(self, identifier: Node) -> bool:
        """Whether an identifier stands for an integer."""
        name = text_of(identifier)
        return name in _INDEX_NAMES or self._is_number(name) or self._is_integer(identifier)


def contains_type(node: Node, *types: str) -> bool:
    return any(one.type in types for one in walk(node))


def one_line(node: Node) -> str:
    """The text of an expression; raises `Obstacle` where a comment stands in it."""
    if any(one.type == "comment" for one in walk(node)):
        raise Obstacle(WhyNotMet.CONDITION, node.start_byte)
    return " ".join(text_of(node).split())


def _inner(node: Node) -> Node:
    """Without parentheses around all of it."""
    while node.type == "parenthesized_expression":
        inner = next(iter(node.named_children), None)
        if inner is None or inner.type == "comment":
            break
        node = inner
    return node


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return "" if operator is None else text_of(operator)


def _is_weak(node: Node) -> bool:
    return node.type in ("assignment_expression", "conditional_expression", "comma_expression")


def _is_never_zero(divisor: Node) -> bool:
    text = text_of(_inner(divisor))
    is_number = divisor.type == "number_literal" and not re.fullmatch(r"[0.]+[fFuUlL]*|0[xX]0+", text)
    return is_number or text == "warpSize" or re.fullmatch(r"(?:blockDim|gridDim)\.[xyz]", text) is not None


def _is_fraction(number: str) -> bool:
    return not number.lower().startswith("0x") and bool(re.search(r"[.eEfF]", number))


def _unwrapped(node: Node) -> list[Node]:
    return list(node.named_children) if node.type == "subscript_argument_list" else [node]
