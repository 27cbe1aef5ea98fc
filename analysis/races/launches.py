"""Launches in which a race is looked for, and the threads that are looked at.

Shapes    those of the launches in the file.  Where they are not known, some usual ones; a kernel that leaves an array
          in one of them is not made for it, and a race is proven only if each of the others has it.  If it is made for
          none of them, smaller ones, whose rows are as long as a number that stands in the kernel: what races there
          is possible, as the block that is meant may be another.
Scalars   what every launch passes alike is what they are.  Of others nothing is known, so a race must not depend on
          their values: one launch has numbers that fit nothing, another multiples of the block, and the same two
          threads must meet in both.
Threads   those at the ends and corners of a block, at powers of two, and at distances that stand in the kernel as
          numbers; then the others.
"""

from __future__ import annotations

from typing import Final

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.ir.ids import ValueId
from analysis.ir.launch_relation import related_extent, related_number
from analysis.ir.operators import SpecialRegister
from analysis.races.disjoint import registers_read
from analysis.races.program import BLOCK_MEETINGS, WARP_MEETINGS, Origin, Program, Scalar, address_of
from analysis.verdict.evaluation import GRID_BLOCKS, LaunchedBlock

ASSIGNMENTS: Final = 4
MAX_SHAPES: Final = 3
MAX_TRIPS: Final = 64
"""Rounds that a loop is followed where a launch passes how many there are."""
MAX_DISTANCES: Final = 6
LINES: Final = (BlockShape(64), BlockShape(128), BlockShape(256))
WARP: Final = BlockShape(32)
ONE_THREAD: Final = (BlockShape(1),)
"""What a kernel is made for in which threads cannot tell themselves apart, and never meet."""
SHORT_LINES: Final = (WARP, BlockShape(16))
MAX_ROW: Final = 64
ROWS: Final = (8, 4, 2)
RECTANGLES: Final = (BlockShape(16, 16), BlockShape(32, 8), BlockShape(8, 8))
_OF_THREADS: Final = frozenset(
    {SpecialRegister.THREAD_X, SpecialRegister.THREAD_Y, SpecialRegister.THREAD_Z, SpecialRegister.LANE}
    | {SpecialRegister.WARP_INDEX, SpecialRegister.ACTIVE_MASK, SpecialRegister.LANE_MASK_EQUAL}
    | {SpecialRegister.LANE_MASK_LESS, SpecialRegister.LANE_MASK_LESS_EQUAL}
    | {SpecialRegister.LANE_MASK_GREATER, SpecialRegister.LANE_MASK_GREATER_EQUAL}
)
BOXES: Final = (BlockShape(64), BlockShape(8, 8, 4), BlockShape(4, 4, 4))
"""Ranks in a cooperative group read all three indices, mostly in blocks of one row."""


def shapes_to_try(program: Program, knowledge: LaunchKnowledge) -> tuple[BlockShape, ...]:
    if knowledge.shapes:
        return knowledge.shapes[:MAX_SHAPES]
    read = registers_read(program.control)
    if read.isdisjoint(_OF_THREADS) and not program.control.placed(*BLOCK_MEETINGS, *WARP_MEETINGS):
        return ONE_THREAD
    if not knowledge.one_dimensional:
        if SpecialRegister.THREAD_Z in read:
            return BOXES
        if SpecialRegister.THREAD_Y in read:
            return RECTANGLES
    return (*LINES, WARP) if program.control.placed(*WARP_MEETINGS) else LINES


def smaller_shapes(program: Program, knowledge: LaunchKnowledge) -> tuple[BlockShape, ...]:
    """Where the kernel is made for none of the usual blocks; none where the shapes are known."""
    if knowledge.shapes:
        return ()
    read = registers_read(program.control)
    if knowledge.one_dimensional or not read & {SpecialRegister.THREAD_Y, SpecialRegister.THREAD_Z}:
        return SHORT_LINES
    rows = [number for number in distances(program) if number <= MAX_ROW]
    return tuple(BlockShape(row, count) for row in rows for count in ROWS)


def launch(
    program: Program, shape: BlockShape, warp_size: int, assignment: int, block: int = 0, blocks: int = 1
) -> LaunchedBlock:
    """One block of the launch in which scalars have the numbers of that assignment, and the grid at least `blocks`."""
    scalars = {
        value: related_number(_number(program, scalar, shape, assignment), (), (), (), _multiple(program, value))
        for value, scalar in program.scalars.items()
    }
    extent = _relate(program, scalars, shape, blocks) if program.relations else GRID_BLOCKS
    for pointer, region in program.regions.items():
        scalars[pointer] = address_of(region)
    here = LaunchedBlock(shape, block, warp_size, scalars, extent)
    for value, evaluate in program.fixed:
        number = evaluate(scalars, here, 0)
        if number is not None:
            scalars[value] = number
    return here


def _relate(program: Program, scalars: dict[ValueId, int], shape: BlockShape, blocks: int) -> int:
    """Makes numbers fit the grid, and gives its extent: what the numbers ask for, but at least so many blocks.

    A number that says how often a loop runs stays small.
    """
    extent = GRID_BLOCKS
    related = [(value, program.relations[origin]) for value, origin in _related(program)]
    for value, relations in related:
        extent = related_extent(extent, scalars[value], relations, 0, shape.x)
    extent = max(extent, blocks)
    for value, relations in related:
        multiple = _multiple(program, value)
        number = related_number(scalars[value], relations, (shape.x, shape.y, shape.z), (extent, 1, 1), multiple)
        if program.scalars[value].origin not in program.passed and not _stands_for_rounds(program, value, number):
            scalars[value] = number
    return extent


def _related(program: Program) -> list[tuple[ValueId, Origin]]:
    origins = ((value, scalar.origin) for value, scalar in program.scalars.items())
    return [(value, origin) for value, origin in origins if origin in program.relations]


def _multiple(program: Program, value: ValueId) -> int:
    """What divides the number in every launch; 1 of one that stands for the rounds of a loop, or that is passed."""
    origin = program.scalars[value].origin
    return 1 if origin in program.trips or origin in program.passed else program.multiples.get(origin, 1)


def _stands_for_rounds(program: Program, value: ValueId, number: int) -> bool:
    return program.scalars[value].origin in program.trips and number > MAX_TRIPS


def named_scalars(program: Program, here: LaunchedBlock) -> dict[str, int]:
    """By name; without rounds of loops that stand for more, which every launch passes."""
    shape = here.shape
    extents, grid = (shape.x, shape.y, shape.z), (here.blocks, 1, 1)
    found: dict[str, int] = {}
    for value, scalar in program.scalars.items():
        number, relations = here.scalars[value], program.relations.get(scalar.origin, ())
        is_passed = program.passed.get(scalar.origin, number) == number
        if is_passed and related_number(number, relations, extents, grid, _multiple(program, value)) == number:
            found[scalar.name] = number
    return found


def _number(program: Program, scalar: Scalar, shape: BlockShape, assignment: int) -> int:
    """What every launch passes; else assignments fit nothing, are multiples of the block, all alike, and small, in this
    order.

    What only says how often loops run is never large, so that the code behind them is reached.
    """
    origin, is_trip = scalar.origin, scalar.origin in program.trips
    passed = program.passed.get(origin)
    if passed is not None and not (is_trip and passed > MAX_TRIPS):
        return passed
    if scalar.is_boolean:
        return (assignment + 1) % 2
    if isinstance(origin, str):
        return (shape.x, 4, shape.x, 2)[assignment]
    place, threads = origin[0] + origin[1] + 1, shape.threads
    if is_trip:
        return (36 + 2 * place, 64, threads, 8 + place)[assignment]
    return (3 * threads + 17 + 2 * place, (24 - place % 16) * threads, threads, 8 + place)[assignment]


def threads_to_try(program: Program, shape: BlockShape) -> tuple[list[int], list[int]]:
    """Linear ids: those at which accesses usually meet, and the others."""
    count = shape.threads
    row, plane = shape.x, shape.x * shape.y
    wanted = {0, 1, 2, count - 1, row - 1, row, row + 1, plane - 1, plane}
    power = 4
    while power <= count:
        wanted.update((power - 1, power) if power >= 32 else (power,))
        power *= 2
    for distance in distances(program):
        wanted.update((distance, row * distance))
    chosen = sorted(thread for thread in wanted if 0 <= thread < count)
    return chosen, [thread for thread in range(count) if thread not in wanted]


def distances(program: Program) -> list[int]:
    """Small numbers that decide where accesses go, the first few."""
    return list(dict.fromkeys(number for number in program.constants if 3 < number < 1024))[:MAX_DISTANCES]
