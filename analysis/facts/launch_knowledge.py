"""What is known of a kernel's block shape, and from where; and whether its grid has several blocks.

Rules     The first source that speaks decides: the user's setting, the comment above the kernel
          (`// simt: block=256`), the launches that are known (`known_launches`), `__launch_bounds__`.
          Launches: every launch of the kernel must have a known shape, or several (those of all rounds of a loop, or
          of all calls of the function around), else only "one-dimensional" can be kept, where each block is a known
          row or an integer.
          What the calls in the file pass to a host function that other files can call too is no fact about the kernel:
          only proofs that something can happen start from it (`KnownLaunch`).
          `__launch_bounds__` gives no shape, only a bound; a kernel that has it and never reads y or z is taken to be
          launched in one dimension.
Limits    A kernel that is also named otherwise counts as unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TypeAlias

from analysis.divergence.call_context import CallContext
from analysis.divergence.launch_shape import BlockShape, KnownLaunch, LaunchKnowledge, MemberNumbers
from analysis.facts.passed_numbers import held_constants, passed_members
from analysis.facts.rows import reads_higher_dimensions
from analysis.facts.settings import AnalysisSettings
from analysis.ir.function import Function
from analysis.ir.integers import power_of_two_in
from analysis.ir.launch_relation import ArgumentRelation, ProductRelation, RelationKind, is_related
from analysis.ir.pace import paced
from analysis.ir.types import ArrayType, BooleanType, IntegerType, PointerType, StructType, Type, VectorType
from analysis.launches import Launch, LaunchAnnotation, Shape
from analysis.launches.host_multiples import MAX_MULTIPLE
from analysis.lower.conversions import wrapped

Number: TypeAlias = int | float


def launch_knowledge(
    settings: AnalysisSettings,
    annotation: LaunchAnnotation | None,
    launches: Sequence[Launch],
    function: Function,
    *,
    has_launch_bounds: bool,
    path: str = "",
) -> LaunchKnowledge:
    """What may be assumed about the blocks that `function` (with its callees inlined) runs in; `path` is its file."""
    knowledge = _blocks(settings, annotation, launches, function, path, has_launch_bounds=has_launch_bounds)
    always = _alike([_received(function, launch.argument_values) for launch in launches])
    passed = _alike([_received(function, one.argument_values) for launch in paced(launches) for one in launch.made])
    members = _members_alike(passed_members(function, launch.members) for launch in launches)
    made = (passed_members(function, one.members) for launch in paced(launches) for one in launch.made)
    is_said = settings.block is not None or (annotation is not None and annotation.block is not None)
    relations, products = ((), ()) if is_said else (_relations(launches, function), _products(launches, function))
    multiples = _multiples(launches, function)
    return replace(
        knowledge,
        passed=passed,
        always=always,
        relations=relations,
        products=products,
        multiples=multiples,
        passed_members=_members_alike(made),
        always_members=members,
    )


def _relations(launches: Sequence[Launch], function: Function) -> tuple[ArgumentRelation, ...]:
    """What all of them say of integers that the kernel takes; of one whose numbers are known, these say it."""
    said = dict.fromkeys(one for launch in launches for one in launch.relations)
    return tuple(
        one
        for one in said
        if _takes(function, one) and all(one in launch.relations or _fits(function, launch, one) for launch in launches)
    )


def _takes(function: Function, relation: ArgumentRelation) -> bool:
    """Whether the parameter holds what relates to the launch: one of 64 bits may hold more."""
    if relation.argument >= len(function.parameters):
        return False
    type = function.types[function.parameters[relation.argument].value]
    least = (RelationKind.COVERS, RelationKind.EXCEEDS)
    return isinstance(type, IntegerType) and (type.bits == 32 or (type.bits > 32 and relation.kind in least))


def _products(launches: Sequence[Launch], function: Function) -> tuple[ProductRelation, ...]:
    """What all of them say of products that the kernel computes as they do."""
    said = dict.fromkeys(one for launch in launches for one in launch.products)
    return tuple(
        one
        for one in said
        if all(_is_int(function, position) for position in (one.left, one.right))
        and all(one in launch.products or _fits_product(function, launch, one) for launch in launches)
    )


def _is_int(function: Function, position: int) -> bool:
    if position >= len(function.parameters):
        return False
    type = function.types[function.parameters[position].value]
    return isinstance(type, IntegerType) and type.bits == 32 and type.signed


def _fits_product(function: Function, launch: Launch, relation: ProductRelation) -> bool:
    """Whether the product is no larger than its type holds, and related so, in each launch that is ever made there."""
    for numbers in launch.every:
        received = _received(function, numbers.argument_values)
        factors = [received[one] if one < len(received) else None for one in (relation.left, relation.right)]
        left, right = factors
        if numbers.block is None or numbers.grid is None or not isinstance(left, int) or not isinstance(right, int):
            return False
        is_held = -(1 << 31) <= left * right < 1 << 31
        if not is_held or not is_related(left * right, relation.of_product, numbers.block, numbers.grid):
            return False
    return True


def _fits(function: Function, launch: Launch, relation: ArgumentRelation) -> bool:
    """Whether the numbers of each launch that is ever made there are related so."""
    for numbers in launch.every:
        received = _received(function, numbers.argument_values)
        number = received[relation.argument] if relation.argument < len(received) else None
        if numbers.block is None or numbers.grid is None or not isinstance(number, int):
            return False
        if not is_related(number, relation, numbers.block, numbers.grid):
            return False
    return True


def _multiples(launches: Sequence[Launch], function: Function) -> tuple[tuple[int, int], ...]:
    """The powers of two that divide integers in every launch: what the text says, or each of the numbers."""
    found: list[tuple[int, int]] = []
    is_said = any(launch.multiples for launch in launches)
    for position, parameter in enumerate(function.parameters if is_said else ()):
        divisor, type = min(_multiple(launch, position) for launch in launches), function.types[parameter.value]
        if divisor > 1 and isinstance(type, IntegerType) and type.bits >= 32:
            found.append((position, divisor))
    return tuple(found)


def _multiple(launch: Launch, position: int) -> int:
    written = launch.multiples[position] if position < len(launch.multiples) else 1
    numbers = [one.argument_values[position : position + 1] for one in launch.every]
    known = [power_of_two_in(number) for (number,) in filter(None, numbers) if isinstance(number, int)]
    return max(written, min(*known, MAX_MULTIPLE)) if len(known) == len(numbers) else written


def launch_of_callers(known: LaunchKnowledge, context: CallContext) -> LaunchKnowledge:
    """Of a device function: what is known of the launches that lead to it, unless the user says something of it."""
    passed = tuple(
        (position, argument.constant)
        for position, argument in enumerate(context.arguments)
        if argument.constant is not None
    )
    if known.shapes or known.one_dimensional:
        return replace(known, passed=passed, always=passed)
    return replace(
        known,
        shapes=context.shapes,
        one_dimensional=context.one_dimensional,
        has_several_blocks=context.has_several_blocks,
        passed=passed,
        always=passed,
        relations=context.relations,
    )


def _received(function: Function, numbers: Sequence[Number | None]) -> tuple[Number | None, ...]:
    """What the parameters of a kernel hold that gets these numbers."""
    types = [function.types[parameter.value] for parameter in function.parameters]
    given = zip_longest(numbers, types[: len(numbers)])
    return tuple(None if number is None else _held(number, type) for number, type in given)


def _members_alike(launches: Iterable[MemberNumbers]) -> MemberNumbers:
    first, *others = [*launches] or [()]
    return tuple(one for one in first if all(one in other for other in others))


def _held(number: Number, type: Type | None) -> Number | None:
    match type:
        case IntegerType() | BooleanType():
            return int(wrapped(number, type))
        case PointerType():  # a parameter that is a reference has another number at its address
            return number if number == 0 else None
        case StructType() | VectorType() | ArrayType():
            return None
        case _:
            return number


def _alike(launches: Sequence[Sequence[Number | None]]) -> tuple[tuple[int, int], ...]:
    """The integers that stand at the same place in all of them."""
    found: list[tuple[int, int]] = []
    for position, numbers in enumerate(zip(*launches, strict=False)):
        first = numbers[0]
        if isinstance(first, int) and all(number == first for number in numbers):
            found.append((position, first))
    return tuple(found)


def _made(function: Function, launches: Sequence[Launch], path: str) -> tuple[KnownLaunch, ...]:
    """What the program launches, if every block is known; other files may launch otherwise through its functions."""
    found: dict[KnownLaunch, None] = {}
    for launch, numbers in paced(((one, numbers) for one in launches for numbers in one.made), 3):
        shape = _shape(numbers.block)
        if shape is None:
            return ()
        received = _received(function, numbers.argument_values)
        arguments = (number if isinstance(number, int) else None for number in received)
        grid = None if numbers.grid is None else (numbers.grid.x, numbers.grid.y, numbers.grid.z)
        # A variable of another file is one of this unit only if the launch is made there, too.
        held = [one for one in numbers.constants if path in (one.file, launch.path)]
        members, constants = passed_members(function, numbers.members), held_constants(function, held)
        found[KnownLaunch(shape, tuple(arguments), grid, members, constants)] = None
    return tuple(found)


def _blocks(
    settings: AnalysisSettings,
    annotation: LaunchAnnotation | None,
    launches: Sequence[Launch],
    function: Function,
    path: str,
    *,
    has_launch_bounds: bool,
) -> LaunchKnowledge:
    warp_size, several = settings.warp_size, _has_several_blocks(annotation, launches)
    if settings.block is not None:
        return LaunchKnowledge((settings.block,), warp_size=warp_size, has_several_blocks=several)
    if annotation is not None and annotation.block is not None:
        shape = BlockShape(*annotation.block)
        return LaunchKnowledge((shape,), warp_size=warp_size, has_several_blocks=several)
    shapes = [_shape(block) for launch in paced(launches, 2) for block in _every_block(launch)]
    known_shapes = [shape for shape in shapes if shape is not None]
    known = tuple(dict.fromkeys(known_shapes))
    made = _made(function, launches, path)
    if known and len(known_shapes) == len(shapes):
        return LaunchKnowledge(known, warp_size=warp_size, has_several_blocks=several, launches=made)
    are_lines = bool(launches) and all(_is_line(launch) for launch in launches)
    is_usual = has_launch_bounds and not shapes and not reads_higher_dimensions(function)
    one_dimensional = are_lines or is_usual
    return LaunchKnowledge(
        one_dimensional=one_dimensional, warp_size=warp_size, has_several_blocks=several, launches=made
    )


def _every_block(launch: Launch) -> Sequence[Shape | None]:
    """Those that are ever launched there."""
    return [numbers.block for numbers in launch.every] if launch.block is None else [launch.block]


def _has_several_blocks(annotation: LaunchAnnotation | None, launches: Sequence[Launch]) -> bool | None:
    if annotation is not None and annotation.grid is not None:
        return annotation.grid[0] > 1
    grids = [numbers.grid for launch in launches for numbers in launch.every]
    known = [None if grid is None else grid.x > 1 for grid in grids]
    if any(numbers.grid is not None and numbers.grid.x > 1 for launch in launches for numbers in launch.made):
        return True
    return False if known and not any(one is not False for one in known) else None


def _is_line(launch: Launch) -> bool:
    shape = _shape(launch.block)
    return launch.has_line or (shape is not None and shape.y == shape.z == 1)


def _shape(block: Shape | None) -> BlockShape | None:
    if block is None:
        return None
    try:
        return BlockShape(block.x, block.y, block.z)
    except ValueError:  # more threads than any device runs: the launch fails, so it says nothing
        return None
