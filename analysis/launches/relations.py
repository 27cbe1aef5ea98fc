"""How the arguments of a launch hang together with its blocks and its grid, where nobody knows the numbers.

    k<<<blocks, threads>>>(x, threads);              threads is blockDim.x
    k<<<n / threads, threads>>>(x, n);               n is at least gridDim.x * blockDim.x
    k<<<(n + 255) / 256, 256>>>(x, n);               n is at most that, and more than what all blocks but one have
    int n = blocks * threads;  k<<<blocks, threads>>>(x, n);                           it is, too
    k<<<(w * h + 255) / 256, 256>>>(x, w * h);       so is a product, where both factors are variables of one type

Question  Which of that holds in every run that comes to the launch?
Rules     Two expressions are one number where they are one variable of the function, and nothing writes to it between
          the places where it is read.  A variable stands for what it is declared with, if nothing else ever writes to
          it; what that reads must have no writes behind it in the text, none in a lambda, no address that is taken, and
          the function no `goto`.  So whatever loop comes around, both are of one round.
          A negative extent, or none, is no launch.
Assumes   a grid has fewer than 2^31 - 1024 threads along each axis, as `affine/launch_bounds.py` does: what divides to
          such a grid fits an `int`.  An integer of 64 bits must have no sign: a negative one may wrap to a valid grid.
Limits    Variables alone: no members of objects but those of the block and the grid themselves, no elements of arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, final

from analysis.ir.launch_relation import ArgumentRelation, ProductRelation, RelationKind
from analysis.ir.record import record
from analysis.ir.types import FloatType, IntegerType
from analysis.launches.grid_quotients import Quotient, operands_of, plain, quotients
from analysis.launches.host_functions import HostFunction
from analysis.launches.host_objects import AXES, called_name
from analysis.launches.host_values import HostValues
from analysis.launches.host_writes import values_in
from analysis.lower.builtins import builtin_type
from analysis.syntax.tree import Node

MAX_NAMES: Final = 4
"""Variables that stand for each other."""
_CASTS: Final = frozenset({"cast_expression", "template_function", "primitive_type", "sized_type_specifier"})
_NAMES: Final = frozenset({"identifier", "type_identifier"})
"""The grammar takes `dim3 block(threads)` for the declaration of a function."""
_SHAPES: Final = frozenset({"dim3", "uint3"})
_LISTS: Final = frozenset({"initializer_list", "argument_list", "parameter_list"})
_PRODUCT: Final = frozenset((RelationKind.COVERS, RelationKind.WITHIN, RelationKind.EXCEEDS))
_ORDER: Final = tuple(RelationKind)
_INT: Final = IntegerType(32, signed=True)


def argument_relations(
    configuration: Sequence[Node], arguments: Sequence[Node], values: HostValues
) -> tuple[ArgumentRelation, ...]:
    """Those that hold whenever the launch is made; of the grid and the block that are its configuration."""
    if len(configuration) < 2 or not arguments:
        return ()
    launch = _launch(configuration, arguments, values)
    return tuple(
        ArgumentRelation(kind, axis, position)
        for position, argument in enumerate(arguments)
        for axis in range(len(AXES))
        for kind in launch.relations(plain(argument), axis)
    )


def product_relations(
    configuration: Sequence[Node], arguments: Sequence[Node], values: HostValues
) -> tuple[ProductRelation, ...]:
    """The same for products of two arguments that are passed apart: `k<<<(w * h + 255) / 256, 256>>>(x, w, h)`.

    Only of integers of 32 bits with a sign: their product wraps in no program, neither there nor in the kernel.
    """
    positions = {
        _text(node): position for position, node in enumerate(map(plain, arguments)) if node.kind == "identifier"
    }
    if len(configuration) < 2 or not positions:
        return ()
    launch = _launch(configuration, arguments, values)
    return tuple(
        dict.fromkeys(
            ProductRelation(kind, axis, *sorted((positions[left], positions[right])))
            for axis in range(len(AXES))
            for kind, left, right in launch.products(axis)
            if left in positions and right in positions
        )
    )


def _launch(configuration: Sequence[Node], arguments: Sequence[Node], values: HostValues) -> _Launch:
    listed = (*configuration, *arguments)
    start, end = min(one.start for one in listed), max(one.end for one in listed)
    return _Launch(configuration[0], configuration[1], start, end, values)


@final
@record
class _Place:
    """An expression, and the offset since which its variables must not have been written; None: it is in the launch."""

    node: Node
    since: int | None = None


@final
@record
class _Launch:
    grid: Node
    block: Node
    start: int
    end: int
    values: HostValues

    def relations(self, argument: Node, axis: int) -> Iterator[RelationKind]:
        blocks, threads = self._extent(self.grid, axis), self._extent(self.block, axis)
        here = _Place(argument)
        if self._is_one(here, threads) or _is_member(argument, self.block, axis):
            yield RelationKind.IS_BLOCK
        if self._is_one(here, blocks) or _is_member(argument, self.grid, axis):
            yield RelationKind.IS_GRID
        is_number = argument.kind == "identifier" or operands_of(argument, b"*") is not None
        if blocks is None or threads is None or not is_number or not self._is_wide(argument):
            return
        bounds = self._quotient_bounds(blocks, here, threads, axis)
        yield from sorted(_PRODUCT if self._is_product(here, blocks, threads, axis) else bounds, key=_ORDER.index)

    def _quotient_bounds(self, blocks: _Place, argument: _Place, threads: _Place, axis: int) -> frozenset[RelationKind]:
        """What `blocks` says where it is the argument divided by `threads`."""
        found = frozenset[RelationKind]()
        for place in self._meanings(blocks):
            for quotient in quotients(place.node, self):
                dividend, divisor = quotient.dividend, quotient.divisor
                if not self._is_wide(dividend) or not self._is_one(argument, _Place(dividend, place.since)):
                    continue
                if not self._is_divisor(divisor, place.since, threads, axis) or not self._is_computed(quotient):
                    continue
                found |= quotient.if_signed if self._may_be_negative(quotient) else quotient.bounds
        return found

    def products(self, axis: int) -> Iterator[tuple[RelationKind, str, str]]:
        """What the extent of the grid says of products of two variables, with their names."""
        blocks, threads = self._extent(self.grid, axis), self._extent(self.block, axis)
        if blocks is None or threads is None:
            return
        for place in self._meanings(blocks):
            for quotient in quotients(place.node, self):
                if not self._is_divisor(quotient.divisor, place.since, threads, axis) or not self._is_computed(
                    quotient
                ):
                    continue
                bounds = quotient.if_signed if self._may_be_negative(quotient) else quotient.bounds
                for factors in self._factors(_Place(quotient.dividend, place.since)) if bounds else ():
                    yield from ((kind, *factors) for kind in sorted(bounds, key=_ORDER.index))

    def _factors(self, dividend: _Place) -> Iterator[tuple[str, str]]:
        """The two variables whose product a number is, which hold at the launch what they held there."""
        if self._type(plain(dividend.node)) != _INT:
            return
        for place in self._meanings(dividend):
            sides = operands_of(place.node, b"*")
            if self._type(place.node) != _INT or sides is None:
                continue
            first, second = map(_text, sides)
            if all(self._is_kept(name, one) for name in (first, second) for one in (place, _Place(place.node))):
                yield first, second

    def _is_divisor(self, divisor: Node | int, since: int | None, threads: _Place, axis: int) -> bool:
        if isinstance(divisor, int):
            return divisor == self.values.extents(self.block)[axis]
        return self._is_extent(_Place(divisor, since), threads, axis)

    def _is_computed(self, quotient: Quotient) -> bool:
        """Whether nothing on the way makes another number of the quotient.

        A negative number that becomes one of 64 bits without a sign is divided to any number of blocks, unless the
        divisor is a power of two.
        """
        if quotient.is_floating:
            return self._bits(quotient.dividend) == 32
        divisor = quotient.divisor if isinstance(quotient.divisor, int) else self.fixed(quotient.divisor)
        is_power = divisor is not None and divisor > 0 and divisor & (divisor - 1) == 0
        is_wide = any(map(_is_word_without_sign, quotient.types)) or self._may_be_word_without_sign(quotient.within)
        return is_power or not self._is_signed(quotient.dividend) or not is_wide

    def _may_be_negative(self, quotient: Quotient) -> bool:
        """Whether the dividend has a sign, or gets one on its way."""
        if self._is_signed(quotient.dividend):
            return True
        has_cast = any(node.kind in _CASTS for one in quotient.within for node in one.walk())
        return has_cast or any(type not in ("", "auto") and not _is_without_sign(type) for type in quotient.types)

    def _may_be_word_without_sign(self, expressions: Sequence[Node]) -> bool:
        """Whether something in expressions may make a number one of 64 bits without a sign."""
        return any(self._makes_word_without_sign(node) for one in expressions for node in one.walk())

    def _makes_word_without_sign(self, node: Node) -> bool:
        match node.kind:
            case "identifier":
                type, spelled = self.values.type_of(_text(node)), self.values.spelled_type(_text(node))
                if isinstance(type, IntegerType):
                    return type.bits > 32 and not type.signed
                return (bool(spelled) and spelled not in _SHAPES) or self.fixed(node) is not None
            case "field_expression":
                return self._shape_of(node) is None
            case "cast_expression" | "sizeof_expression" | "template_function":
                type_node = node.field("type")
                return type_node is None or _is_word_without_sign(_text(type_node))
            case "primitive_type" | "sized_type_specifier":
                return _is_word_without_sign(_text(node))
            case _:
                return False

    def _shape_of(self, member: Node) -> Node | None:
        """The block or the grid of which an expression is an extent that stays as it is declared."""
        whole = member.field("argument")
        if member.kind != "field_expression" or whole is None or whole.kind != "identifier":
            return None
        is_shape = self.values.spelled_type(_text(whole)) in _SHAPES
        return whole if is_shape and self.values.initialiser(_text(whole)) is not None else None

    def fixed(self, node: Node) -> int | None:
        """The number that an expression is at every place of the function: a literal, a constant, a variable that is
        written once, a member of such an object."""
        node = plain(node)
        name = _text(node)
        if node.kind in _NAMES:
            is_fixed = self.values.is_constant(name) or self.values.initialiser(name) is not None
        else:
            is_literal = node.kind == "number_literal" and "l" not in name.lower()
            is_fixed = is_literal or self._shape_of(node) is not None
        number = self.values.number(node) if is_fixed else None
        return number if isinstance(number, int) else None

    def helper(self, name: str) -> HostFunction | None:
        """The function of one `return` that a name means."""
        return self.values.helper(name)

    def is_of_language(self, name: str) -> bool:
        """Whether nothing in the file gives the name another meaning."""
        return self.values.is_of_language(name)

    def _is_product(self, argument: _Place, blocks: _Place, threads: _Place, axis: int) -> bool:
        """`argument` is `blocks * threads`, in this order or the other."""
        for place in self._meanings(argument):
            sides = operands_of(place.node, b"*")
            for one, other in () if sides is None else (sides, sides[::-1]):
                if self._is_one(_Place(one, place.since), blocks):
                    return self._is_extent(_Place(other, place.since), threads, axis)
        return False

    def _is_extent(self, factor: _Place, threads: _Place, axis: int) -> bool:
        """Whether a factor is the extent of the block: one variable, one number, a member of the block itself."""
        name = _text(factor.node)
        if self._is_one(factor, threads):
            return self.values.is_integer(name) and (self._bits(factor.node) or 64) <= 32
        if _is_member(factor.node, self.block, axis) and self._shape_of(factor.node) is not None:
            return True
        is_kept = factor.node.kind in _NAMES and self._is_kept(name, factor)
        number = self.values.number(factor.node) if is_kept else self.fixed(factor.node)
        return isinstance(number, int) and number == self.values.extents(self.block)[axis]

    def _is_one(self, left: _Place, right: _Place | None) -> bool:
        """Whether two expressions are one variable that holds the same at both places."""
        if right is None:
            return False
        for one in self._meanings(left):
            for other in self._meanings(right):
                if self._is_same_product(one, other):
                    return True
                if one.node.kind in _NAMES and other.node.kind in _NAMES and one.node.text == other.node.text:
                    name = _text(one.node)
                    return self._is_kept(name, one) and self._is_kept(name, other)
        return False

    def _is_same_product(self, left: _Place, right: _Place) -> bool:
        """Whether both are `w * h`, of two variables each and in whatever order: whatever wraps, wraps in both."""
        one, other = operands_of(left.node, b"*"), operands_of(right.node, b"*")
        if one is None or other is None or {side.text for side in one} != {side.text for side in other}:
            return False
        names = [(side, place) for sides, place in ((one, left), (other, right)) for side in sides]
        return all(side.kind in _NAMES and self._is_kept(_text(side), place) for side, place in names)

    def _is_kept(self, name: str, place: _Place) -> bool:
        """Whether a variable holds at the launch what it held at a place before it."""
        return self.values.is_steady(name, place.since, self.start, self.end)

    def _meanings(self, place: _Place) -> Iterator[_Place]:
        """An expression, and what it is declared as if it is a variable that nothing else writes to."""
        for _ in range(MAX_NAMES):
            node = plain(place.node)
            yield _Place(node, place.since)
            type = self.values.type_of(_text(node)) if node.kind in _NAMES else None
            is_wide = isinstance(type, IntegerType) and type.bits >= 32
            value = self.values.initialiser(_text(node)) if is_wide else None
            if value is None:
                return
            place = _Place(value, value.start)

    def _extent(self, shape: Node, axis: int) -> _Place | None:
        """The expression for one axis of a grid or a block, where it is written."""
        since: int | None = None
        for _ in range(MAX_NAMES):
            while shape.kind == "parenthesized_expression" and len(shape.children) == 1:
                shape = shape.children[0]
            if shape.kind in _NAMES and self.values.is_constant(_text(shape)):
                return _Place(shape, since) if axis == 0 else None
            if shape.kind in _NAMES and not self.values.is_integer(_text(shape)):
                value = self.values.initialiser(_text(shape))
                if value is None or self.values.spelled_type(_text(shape)) not in _SHAPES:
                    return None
                shape, since = value, value.start
                continue
            arguments = shape.field("arguments") if called_name(shape) in _SHAPES else None
            listed = values_in(arguments or shape) if arguments is not None or shape.kind in _LISTS else None
            if listed is None:
                return _Place(shape, since) if axis == 0 else None
            if len(listed) != 1 or listed[0].kind not in _NAMES or self.values.is_integer(_text(listed[0])):
                return _Place(listed[axis], since) if axis < len(listed) else None
            return None  # a copy
        return None

    def _is_wide(self, name: Node) -> bool:
        """Whether a variable is an integer that is not cut off on its way."""
        return self._bits(name) == 32 or (self._bits(name) == 64 and not self._is_signed(name))

    def _bits(self, name: Node) -> int | None:
        type = self._type(name)
        return None if type is None else type.bits

    def _is_signed(self, name: Node) -> bool:
        type = self._type(name)
        return type is None or type.signed

    def _type(self, number: Node) -> IntegerType | None:
        """That of a variable, or of the product of two which have one type that is not widened."""
        sides = operands_of(number, b"*")
        if sides is None:
            type = self.values.type_of(_text(number))
            return type if isinstance(type, IntegerType) else None
        one, other = (self.values.type_of(_text(side)) if side.kind in _NAMES else None for side in sides)
        is_one = isinstance(one, IntegerType) and one == other and one.bits >= 32
        return one if is_one and isinstance(one, IntegerType) else None


def _is_without_sign(spelling: str) -> bool:
    type = builtin_type(spelling.removeprefix("const ").strip(), ())
    return isinstance(type, IntegerType) and not type.signed


def _is_word_without_sign(spelling: str) -> bool:
    """Whether a type is one of 64 bits without a sign, or unknown."""
    type = builtin_type(spelling.removeprefix("const ").strip(), ())
    if isinstance(type, IntegerType):
        return type.bits > 32 and not type.signed
    return spelling not in ("", "auto", "dim3", "ceil") and not isinstance(type, FloatType)


def _is_member(argument: Node, shape: Node, axis: int) -> bool:
    """`block.x`, where the launch has `block`."""
    member, whole = argument.field("field"), argument.field("argument")
    if argument.kind != "field_expression" or member is None or whole is None or whole.kind != shape.kind:
        return False
    return shape.kind == "identifier" and whole.text == shape.text and _text(member) == AXES[axis]


def _text(node: Node) -> str:
    return node.text.decode("utf-8", "replace")
