"""How the arguments of a launch hang together with its blocks and its grid, where nobody knows the numbers.

    k<<<blocks, threads>>>(x, threads);              threads is blockDim.x
    k<<<n / threads, threads>>>(x, n);               n is at least gridDim.x * blockDim.x
    int n = blocks * threads;  k<<<blocks, threads>>>(x, n);                           it is, too

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

from analysis.ir.launch_relation import ArgumentRelation, RelationKind
from analysis.ir.record import record
from analysis.ir.types import IntegerType
from analysis.launches.host_objects import AXES, called_name
from analysis.launches.host_values import HostValues
from analysis.launches.host_writes import values_in
from analysis.lower.builtins import builtin_type
from analysis.syntax.tree import Node

MAX_NAMES: Final = 4
"""Variables that stand for each other."""
_NAMES: Final = frozenset({"identifier", "type_identifier"})
"""The grammar takes `dim3 block(threads)` for the declaration of a function."""
_SHAPES: Final = frozenset({"dim3", "uint3"})
_LISTS: Final = frozenset({"initializer_list", "argument_list", "parameter_list"})


def argument_relations(
    configuration: Sequence[Node], arguments: Sequence[Node], values: HostValues
) -> tuple[ArgumentRelation, ...]:
    """Those that hold whenever the launch is made; of the grid and the block that are its configuration."""
    if len(configuration) < 2 or not arguments:
        return ()
    listed = (*configuration, *arguments)
    launch = _Launch(
        configuration[0], configuration[1], min(one.start for one in listed), max(one.end for one in listed), values
    )
    return tuple(
        ArgumentRelation(kind, axis, position)
        for position, argument in enumerate(arguments)
        for axis in range(len(AXES))
        for kind in launch.relations(_plain(argument), axis)
    )


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
        if blocks is None or threads is None or argument.kind != "identifier" or not self._is_wide(argument):
            return
        if self._is_quotient(blocks, here, threads, axis) or self._is_product(here, blocks, threads, axis):
            yield RelationKind.COVERS

    def _is_quotient(self, blocks: _Place, argument: _Place, threads: _Place, axis: int) -> bool:
        """`blocks` is `argument / threads`."""
        for place in self._meanings(blocks):
            sides = _sides(place.node, b"/")
            if sides is not None and self._is_wide(sides[0]) and self._is_one(argument, _Place(sides[0], place.since)):
                return self._is_extent(_Place(sides[1], place.since), threads, axis)
        return False

    def _is_product(self, argument: _Place, blocks: _Place, threads: _Place, axis: int) -> bool:
        """`argument` is `blocks * threads`, in this order or the other."""
        for place in self._meanings(argument):
            sides = _sides(place.node, b"*")
            for one, other in () if sides is None else (sides, sides[::-1]):
                if self._is_one(_Place(one, place.since), blocks):
                    return self._is_extent(_Place(other, place.since), threads, axis)
        return False

    def _is_extent(self, factor: _Place, threads: _Place, axis: int) -> bool:
        """Whether a factor is the extent of the block: one variable, or one number."""
        name = _text(factor.node)
        if self._is_one(factor, threads):
            return self.values.is_integer(name)
        is_fixed = factor.node.kind == "number_literal" or self.values.is_constant(name) or self._is_kept(name, factor)
        number = self.values.number(factor.node) if is_fixed else None
        return isinstance(number, int) and number == self.values.extents(self.block)[axis]

    def _is_one(self, left: _Place, right: _Place | None) -> bool:
        """Whether two expressions are one variable that holds the same at both places."""
        if right is None:
            return False
        for one in self._meanings(left):
            for other in self._meanings(right):
                if one.node.kind in _NAMES and other.node.kind in _NAMES and one.node.text == other.node.text:
                    name = _text(one.node)
                    return self._is_kept(name, one) and self._is_kept(name, other)
        return False

    def _is_kept(self, name: str, place: _Place) -> bool:
        """Whether a variable holds at the launch what it held at a place before it."""
        return self.values.is_steady(name, place.since, self.start, self.end)

    def _meanings(self, place: _Place) -> Iterator[_Place]:
        """An expression, and what it is declared as if it is a variable that nothing else writes to."""
        for _ in range(MAX_NAMES):
            node = _plain(place.node)
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
        type = self.values.type_of(_text(name))
        return isinstance(type, IntegerType) and (type.bits == 32 or (type.bits == 64 and not type.signed))


def _is_member(argument: Node, shape: Node, axis: int) -> bool:
    """`block.x`, where the launch has `block`."""
    member, whole = argument.field("field"), argument.field("argument")
    if argument.kind != "field_expression" or member is None or whole is None or whole.kind != shape.kind:
        return False
    return shape.kind == "identifier" and whole.text == shape.text and _text(member) == AXES[axis]


def _sides(node: Node, sign: bytes) -> tuple[Node, Node] | None:
    left, right, operator = node.field("left"), node.field("right"), node.field("operator")
    if node.kind != "binary_expression" or left is None or right is None or operator is None or operator.text != sign:
        return None
    return _plain(left), _plain(right)


def _plain(node: Node) -> Node:
    """Without parentheses, and casts to integers that hold an extent."""
    while True:
        inner: Node | None = None
        if (node.kind == "parenthesized_expression" or node.kind in _LISTS) and len(node.children) == 1:
            inner = values_in(node)[0]
        elif node.kind == "cast_expression":
            type, value = node.field("type"), node.field("value")
            cast = None if type is None else builtin_type(_text(type), ())
            inner = value if isinstance(cast, IntegerType) and cast.bits >= 32 else None
        if inner is None:
            return node
        node = inner


def _text(node: Node) -> str:
    return node.text.decode("utf-8", "replace")
