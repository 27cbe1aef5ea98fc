"""Is an expression a number divided by another, and rounded up or down?

    n / t                          down: n is at least as large as the product of quotient and t
    (n + t - 1) / t                up: n is at most that product, and more than one t less
    n / t + (n % t ? 1 : 0)        up for a number that is not negative
    ceil(n / (double)t)            up
    divUp(n, t)                    as the one `return` of the function says

Question  For an expression and what it is a quotient of: how does the dividend relate to quotient times divisor, in
          every launch that a grid of so many blocks makes?
Rules     C cuts towards zero, and a grid of no block, or of a negative number of blocks, is no launch.  So of
          `(n + t - 1) / t` both bounds hold whatever n is; where something is added behind the division, a negative
          number may give one block, and only the upper bound is left, unless the number has no sign.
          An addition that wraps gives no block, or more threads than a grid has (`relations.py`).
          `min` of it and something else keeps what holds of fewer blocks, `max` what holds of more.
Limits    What `float` rounds is no proof: 16777217 / 256 is 65536.00390625, and 65536 as a float.  A double holds every
          number of 32 bits and its quotient well enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final, Protocol, final

from analysis.cpp.literals import number_literal
from analysis.ir.launch_relation import RelationKind
from analysis.ir.record import record
from analysis.ir.types import FloatFormat, FloatType, IntegerType
from analysis.launches.host_functions import HostFunction
from analysis.launches.host_objects import called_name
from analysis.lower.builtins import builtin_type
from analysis.syntax.tree import Node

DOWN: Final = frozenset((RelationKind.COVERS, RelationKind.EXCEEDS))
UP: Final = frozenset((RelationKind.WITHIN, RelationKind.EXCEEDS))
_AT_MOST: Final = frozenset((RelationKind.WITHIN,))
_OF_FEWER: Final = frozenset((RelationKind.COVERS, RelationKind.EXCEEDS))
_NOTHING: Final = frozenset[RelationKind]()
_MAX_DEPTH: Final = 4
_MAX_BITS: Final = 64


@final
@record
class Quotient:
    """`dividend` and `divisor` are expressions, or the divisor is a number; `bounds` hold of the dividend,
    `if_signed` of one that may be negative.

    `within`: the expressions that compute it; `types`: those that numbers go through on their way into functions.
    """

    dividend: Node
    divisor: Node | int
    bounds: frozenset[RelationKind]
    if_signed: frozenset[RelationKind]
    within: tuple[Node, ...]
    types: tuple[str, ...] = ()
    is_floating: bool = False
    """Computed as a double."""


class Known(Protocol):
    """What a function that launches says of names."""

    def fixed(self, node: Node) -> int | None:
        """The number that an expression is at every place of the function."""
        ...

    def helper(self, name: str) -> HostFunction | None:
        """The function of one `return` that a name means."""
        ...

    def is_of_language(self, name: str) -> bool:
        """Whether a name means what the standard library says, if anything."""
        ...


def quotients(node: Node, known: Known, depth: int = 0) -> Iterator[Quotient]:
    """The ways to see an expression as one."""
    node = plain(node)
    if depth > _MAX_DEPTH:
        return
    match node.kind:
        case "binary_expression":
            yield from _divided(node, known)
            yield from _one_more(node, known, depth)
        case "conditional_expression":
            yield from _chosen(node, known, depth)
        case "call_expression":
            yield from _called(node, known, depth)
        case _:
            pass


def plain(node: Node) -> Node:
    """Without parentheses, and casts to integers that hold an extent."""
    while True:
        inner: Node | None = None
        if node.kind in _LISTS and len(node.children) == 1:
            inner = node.children[0]
            inner = (inner.field("type") or inner) if node.kind == "parameter_list" else inner
        elif node.kind == "cast_expression" or _is_cast(node):
            type, value = _cast(node)
            inner = value if isinstance(type, IntegerType) and type.bits >= 32 else None
        if inner is None:
            return node
        node = inner


_LISTS: Final = frozenset({"parenthesized_expression", "initializer_list", "argument_list", "parameter_list"})


def _is_cast(node: Node) -> bool:
    """`static_cast<int>(n)`, `int(n)`."""
    name = called_name(node) if node.kind == "call_expression" else ""
    return name == "static_cast" or isinstance(builtin_type(name, ()), IntegerType | FloatType)


def _cast(node: Node) -> tuple[object, Node | None]:
    """The type, as far as it is a builtin one, and the value that is cast."""
    if node.kind == "cast_expression":
        type, value = node.field("type"), node.field("value")
        return (None if type is None else builtin_type(_text(type), ())), value
    function, arguments = node.field("function"), node.field("arguments")
    listed = () if arguments is None else arguments.children
    name = called_name(node)
    if name == "static_cast" and function is not None:
        name = _text(function).partition("<")[2].rpartition(">")[0].strip()
    return builtin_type(name, ()), listed[0] if len(listed) == 1 else None


# -- divisions --------------------------------------------------------------------------------------------------------


def _divided(node: Node, known: Known) -> Iterator[Quotient]:
    """`n / t`, `(n + t - 1) / t`, `(n + 255) >> 8`."""
    sides = operands_of(node, b"/")
    divisor: Node | int | None = None if sides is None else sides[1]
    if sides is None:
        sides = operands_of(node, b">>")
        shift = None if sides is None else known.fixed(sides[1])
        divisor = 1 << shift if shift is not None and 0 <= shift < _MAX_BITS // 2 else None
    if sides is None or divisor is None:
        return
    dividend = plain(sides[0])
    if dividend.kind != "binary_expression" or operands_of(dividend, b"*") is not None:
        yield Quotient(dividend, divisor, DOWN, DOWN, (node,))
        return
    terms = list(_terms(dividend, 1))
    for index, (sign, term) in enumerate(terms):
        if (
            sign == 1
            and (term.kind == "identifier" or operands_of(term, b"*") is not None)
            and _is_one_less([*terms[:index], *terms[index + 1 :]], divisor, known)
        ):
            yield Quotient(term, divisor, UP, UP, (node,))


def _one_more(node: Node, known: Known, depth: int) -> Iterator[Quotient]:
    """`n / t + 1`, `(n - 1) / t + 1`, `n / t + (n % t != 0)`, with the summands in either order."""
    sides = operands_of(node, b"+")
    for left, right in () if sides is None else (sides, sides[::-1]):
        one = known.fixed(right) == 1
        for quotient in _less_one(left, known) if one else ():
            yield replace(quotient, within=(node, *quotient.within))
        for quotient in quotients(left, known, depth + 1):
            if quotient.bounds != DOWN or quotient.is_floating:
                continue
            rest = _rest(right, quotient)
            if one:
                yield replace(quotient, bounds=_AT_MOST, if_signed=_AT_MOST, within=(node, *quotient.within))
            elif rest is not None:
                yield replace(quotient, bounds=UP, if_signed=UP if rest else _AT_MOST, within=(node, *quotient.within))


def _less_one(node: Node, known: Known) -> Iterator[Quotient]:
    """`(n - 1) / t`, to which one is added."""
    sides = operands_of(plain(node), b"/")
    less = None if sides is None else operands_of(plain(sides[0]), b"-")
    if sides is not None and less is not None and plain(less[1]).text in _ONES:
        yield Quotient(plain(less[0]), sides[1], UP, _AT_MOST, (node,))


_ONES: Final = frozenset((b"1", b"1u", b"1U"))


def _rest(node: Node, quotient: Quotient) -> bool | None:
    """Whether an expression is 1 where a division leaves a rest and else 0: True if a rest below zero gives 0 as well,
    None if it is something else."""
    node = plain(node)
    if node.kind == "conditional_expression":
        condition, yes, no = (node.field(name) for name in ("condition", "consequence", "alternative"))
        if condition is None or yes is None or no is None:
            return None
        found = _leaves_rest(condition, quotient)
        wanted = (b"1", b"0") if found is not None and found[0] else (b"0", b"1")
        return None if found is None or (plain(yes).text, plain(no).text) != wanted else found[1]
    found = _leaves_rest(node, quotient)
    # `n % t` itself is no number of blocks
    return found[1] if found is not None and found[0] and operands_of(node, b"%") is None else None


def _leaves_rest(node: Node, quotient: Quotient) -> tuple[bool, bool] | None:
    """Whether a condition says that a rest is left (or that none is), and whether it is false for one below zero."""
    node = plain(node)
    if _is_remainder(node, quotient):
        return True, False
    if node.kind == "unary_expression":
        argument = node.field("argument")
        inner = None if argument is None or not node.text.startswith(b"!") else _leaves_rest(argument, quotient)
        return None if inner is None or inner[1] else (not inner[0], False)
    for sign, holds, is_positive in ((b"!=", True, False), (b"==", False, False), (b">", True, True)):
        sides = operands_of(node, sign)
        if sides is not None and _is_remainder(sides[0], quotient) and plain(sides[1]).text == b"0":
            return holds, is_positive
    return None


def _is_remainder(node: Node, quotient: Quotient) -> bool:
    sides = operands_of(plain(node), b"%")
    if sides is None or isinstance(quotient.divisor, int):
        return False
    same = plain(sides[0]).text == quotient.dividend.text and plain(sides[1]).text == plain(quotient.divisor).text
    return same and all(_is_simple(one) for one in (quotient.dividend, plain(quotient.divisor)))


def _chosen(node: Node, known: Known, depth: int) -> Iterator[Quotient]:
    """`n % t == 0 ? n / t : n / t + 1`."""
    condition, yes, no = (node.field(name) for name in ("condition", "consequence", "alternative"))
    if condition is None or yes is None or no is None:
        return
    for exact, more in ((yes, no), (no, yes)):
        sides = operands_of(plain(more), b"+")
        if sides is None or known.fixed(sides[1]) != 1 or plain(sides[0]).text != plain(exact).text:
            continue
        for quotient in quotients(exact, known, depth + 1):
            found = _leaves_rest(condition, quotient) if quotient.bounds == DOWN else None
            if found is not None and found[0] is (more is yes):
                yield replace(
                    quotient, bounds=UP, if_signed=UP if found[1] else _AT_MOST, within=(node, *quotient.within)
                )


# -- functions --------------------------------------------------------------------------------------------------------


def _called(node: Node, known: Known, depth: int) -> Iterator[Quotient]:
    function, arguments = node.field("function"), node.field("arguments")
    if function is None or arguments is None:
        return
    name, listed = called_name(node), arguments.children
    helper = known.helper(name)
    if helper is not None and function.kind in ("identifier", "qualified_identifier"):
        yield from _returned(node, helper, known, depth)
    elif not known.is_of_language(name):
        return
    elif name == "ceil" and len(listed) == 1:
        yield from _of_double(listed[0])
    elif name in _KEPT and len(listed) == 2:
        for one in listed:
            for quotient in quotients(one, known, depth + 1):
                bounds = quotient.bounds & _KEPT[name]
                # a negative number may come to `min` without its sign
                if_signed = bounds & quotient.if_signed if name == "max" else _NOTHING
                if bounds and not quotient.is_floating:
                    yield replace(quotient, bounds=bounds, if_signed=if_signed, within=(node, *quotient.within))


_KEPT: Final[Mapping[str, frozenset[RelationKind]]] = {"min": _OF_FEWER, "max": _AT_MOST}


def _of_double(node: Node) -> Iterator[Quotient]:
    """`n / 256.0`, `(double)n / t`, `n * 1.0 / t`, which `ceil` rounds up."""
    sides = operands_of(plain(node), b"/")
    if sides is None:
        return
    left, is_left = _number_as_double(sides[0])
    right, is_right = _number_as_double(sides[1])
    if left is None or right is None or not (is_left or is_right):
        return
    literal = number_literal(right.text) if right.kind == "number_literal" else None
    divisor: Node | int = right
    value = None if literal is None else literal.value
    if isinstance(value, float):
        if not value.is_integer() or not 0 < value < 1 << 16:
            return
        divisor = int(value)
    yield Quotient(left, divisor, UP, UP, (node,), is_floating=True)


def _number_as_double(node: Node) -> tuple[Node | None, bool]:
    """What is computed with, None where it may be a float, and whether it is a double already."""
    node = plain(node)
    if node.kind == "cast_expression" or _is_cast(node):
        type, value = _cast(node)
        is_double = type == FloatType(FloatFormat.DOUBLE)
        return (plain(value), True) if is_double and value is not None else (None, False)
    sides = operands_of(node, b"*")
    for factor, other in () if sides is None else (sides, sides[::-1]):
        if plain(factor).text == b"1.0":
            return plain(other), True
    if node.kind == "number_literal":
        is_float = node.text.lower().endswith(b"f") and not node.text.lower().startswith(b"0x")
        return (None, False) if is_float else (node, b"." in node.text)
    return (node, False) if _is_simple(node) else (None, False)


def _returned(node: Node, helper: HostFunction, known: Known, depth: int) -> Iterator[Quotient]:
    """The quotient that a function returns, of the arguments of a call."""
    arguments = node.field("arguments")
    listed = () if arguments is None else arguments.children
    types = [type for _, type in helper.parameters]
    if len(listed) != len(types) or not all(map(_is_wide, (helper.returns, *types))):
        return
    given = {name: plain(argument) for (name, _), argument in zip(helper.parameters, listed, strict=True)}
    inside = _Inside(known, frozenset(given))
    for quotient in quotients(helper.value, inside, depth + 1):
        dividend = given.get(_text(quotient.dividend))
        divisor = quotient.divisor
        if isinstance(divisor, Node):
            name = _text(plain(divisor))
            divisor = given[name] if name in given else inside.fixed(divisor)
        if dividend is not None and divisor is not None:
            spelled = tuple(type for type in types if type)
            yield replace(
                quotient,
                dividend=dividend,
                divisor=divisor,
                within=(*quotient.within, *listed),
                types=(*quotient.types, *spelled, helper.returns),
            )


@final
@record
class _Inside:
    """What is known in the body of a function with these parameters."""

    outer: Known
    parameters: frozenset[str]

    def fixed(self, node: Node) -> int | None:
        names = {_text(inner) for inner in node.walk() if inner.kind == "identifier"}
        return None if names else self.outer.fixed(node)

    def helper(self, name: str) -> HostFunction | None:
        return self.outer.helper(name) if name not in self.parameters else None

    def is_of_language(self, name: str) -> bool:
        return name not in self.parameters and self.outer.is_of_language(name)


def _is_wide(spelling: str) -> bool:
    """Whether an integer of a type holds an extent; of a template the type is that of the argument."""
    type = builtin_type(spelling, ())
    return spelling in ("", "auto") or (isinstance(type, IntegerType) and type.bits >= 32)


# -- sums -------------------------------------------------------------------------------------------------------------


def _terms(node: Node, sign: int) -> Iterator[tuple[int, Node]]:
    """The summands of an expression, with their signs."""
    node = plain(node)
    for operator, second in ((b"+", sign), (b"-", -sign)):
        sides = operands_of(node, operator)
        if sides is not None:
            yield from _terms(sides[0], sign)
            yield from _terms(sides[1], second)
            return
    yield sign, node


def _is_one_less(terms: list[tuple[int, Node]], divisor: Node | int, known: Known) -> bool:
    """Whether summands make up one less than a divisor: `t - 1`, or numbers that do."""
    number = divisor if isinstance(divisor, int) else known.fixed(divisor)
    others = list(terms)
    total = 0
    if isinstance(divisor, Node) and _is_simple(plain(divisor)):
        same = [one for one in others if one[0] == 1 and one[1].text == plain(divisor).text]
        if same:
            others.remove(same[0])
            number = 0
    if number is None:
        return False
    for sign, term in others:
        value = known.fixed(term)
        if value is None:
            return False
        total += sign * value
    return total == number - 1


def _is_simple(node: Node) -> bool:
    """A name, a number or a member: what reads the same twice in one expression."""
    argument = node.field("argument")
    if node.kind == "field_expression":
        return argument is not None and argument.kind == "identifier"
    return node.kind in ("identifier", "type_identifier", "number_literal")


def operands_of(node: Node, sign: bytes) -> tuple[Node, Node] | None:
    """Both operands, plain; None where it is another expression."""
    left, right, operator = node.field("left"), node.field("right"), node.field("operator")
    if node.kind != "binary_expression" or left is None or right is None or operator is None or operator.text != sign:
        return None
    return plain(left), plain(right)


def _text(node: Node) -> str:
    return node.text.decode("utf-8", "replace")
