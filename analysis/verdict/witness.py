"""Can it be proved that some threads of a block miss a barrier that others reach?

Method    The function is walked for every thread of one block, for a few launches and arguments, over the pure integer
          values that decide branches: thread and block indices, extents, scalar parameters, template arguments,
          constants.  What comes from memory, floats or other threads is *unknown*.
          A branch on an unknown value that the barrier does not depend on is skipped to its post-dominator (what is
          defined in between stays unknown).  One that it depends on: if it is uniform in the block it is assumed to be
          satisfiable, for all threads alike, first towards the barrier and in later rounds of a loop out of it; if it
          varies there is no proof.
Proof     Two threads of the scope that arrive different numbers of times: one that was followed to its end, and one
          that has arrived more often, however long it goes on.
Candidates  The launches of the file with the numbers that they pass, in their first, second and last block; else blocks
          of 64 threads.  Scalars that are not known: half a block, a number that is not a multiple of the block, the
          constants that the conditions compare with and their neighbours; template arguments: the block.
          They hang together with the block and the grid as in every launch (`ir/launch_relation.py`).
          Numbers in memory (`memory_arguments.py`): 0, one more than the others, and as the others.
Cost      bounded by `MAX_PROBED`, `MAX_OPERATIONS` and rarely `MAX_LONG` for a barrier; runs only for barriers known to
          be divergent.
Gives up  when the budget is spent.  No proof does not mean that the barrier is safe.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import final

from analysis.divergence.integers import wrap
from analysis.divergence.launch_shape import BlockShape, KnownLaunch, LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Compare, Constant, Convert, TemplateArgument
from analysis.ir.launch_relation import related_extent, related_factors, related_number
from analysis.ir.record import record
from analysis.ir.types import BooleanType, IntegerType
from analysis.verdict.evaluation import LaunchedBlock
from analysis.verdict.slice import Integers, Slice
from analysis.verdict.thread_walk import Walk

MAX_PROBED = 8_000
"""Operations spent on looking for a candidate; most barriers that data guards have none."""
MAX_WALK = 800
"""Operations of one probed thread: a longer loop is left to smaller arguments."""
MAX_UNFINISHED = 4
"""Probes that may run out of operations: where even the argument 1 gives long walks, no other will help."""
MAX_OPERATIONS = 40_000
"""Operations spent on walking whole blocks of candidates whose probes part."""
MAX_LONG = 60_000
"""Operations of two threads where the others could not be followed to their end (`MAX_LONG_WALKS`)."""
MAX_CANDIDATES = 16
UNKNOWN_SHAPE = BlockShape(64)


@final
@record
class Witness:
    """A launch in which threads part: linear thread ids of one block, as inclusive ranges.

    `block`: the index of the block; `arguments`: the values of scalar parameters and template arguments by name.
    `assumed`: some uniform condition that cannot be evaluated was assumed to let threads through.
    """

    shape: BlockShape
    block: int
    arguments: tuple[tuple[str, int], ...]
    arriving: tuple[tuple[int, int], ...]
    missing: tuple[tuple[int, int], ...]
    assumed: bool


def find_witness(integers: Integers, knowledge: LaunchKnowledge, barrier: BasicBlockId, scope: Level) -> Witness | None:
    """`scope`: BLOCK or WARP, the group that has to arrive together."""
    function = integers.function
    slice_ = Slice.of(integers, barrier)
    probing, walking = _Walks(slice_, MAX_PROBED, MAX_WALK), _Walks(slice_, MAX_OPERATIONS, MAX_OPERATIONS)
    counting = _Walks(slice_, MAX_OPERATIONS, MAX_OPERATIONS)
    for launch in _candidates(function, slice_, knowledge):
        shape = launch.shape
        # Most candidates do not part; a few threads at the usual limits tell that without walking the block.
        fewest = _fewest_of_parting(probing.counts(launch, _probes(slice_, shape)))
        if fewest is not None:
            used, counts = walking, walking.counts(launch, range(shape.threads))
            if not all(count.is_final for count in counts):
                # A long way (`for (int i = 0; i < t; i++)`): that others arrive once more is proof enough.
                used, counts = counting, counting.counts(launch, range(shape.threads), fewest + 1)
            group = max(knowledge.warp_size if scope is Level.WARP else shape.threads, 1)
            groups = (counts[start : start + group] for start in range(0, shape.threads, group))
            if any(_fewest_of_parting(one) is not None for one in groups):
                return _witness(launch, slice_, counts, used.assumed)
        if probing.budget <= 0 or counting.budget <= 0 or probing.unfinished >= MAX_UNFINISHED:
            break
    return _two_threads(integers, slice_, knowledge, scope) if probing.unfinished else None


def _two_threads(integers: Integers, slice_: Slice, knowledge: LaunchKnowledge, scope: Level) -> Witness | None:
    """Where ways are long, two threads that part are all that is looked for: the ends of a block, or of a warp."""
    for launch in sorted(_candidates(integers.function, slice_, knowledge), key=_size)[:2]:
        if integers.long_walks == 0:
            return None
        integers.long_walks -= 1
        walks, shape = _Walks(slice_, MAX_LONG, MAX_LONG), launch.shape
        last = (min(shape.threads, knowledge.warp_size) if scope is Level.WARP else shape.threads) - 1
        threads = (0, last)
        counts = walks.counts(launch, threads)
        if _fewest_of_parting(counts) is not None:
            return _witness(launch, slice_, counts, walks.assumed, threads)
    return None


def _size(launch: LaunchedBlock) -> int:
    """Of its numbers: small ones make short loops."""
    return sum(launch.scalars.values())


@final
@record
class _Count:
    """How often a thread arrives: at least so often, unless that is final."""

    arrivals: int
    is_final: bool


def _fewest_of_parting(counts: Sequence[_Count]) -> int | None:
    """How often those arrive who arrive least, if others surely arrive more often; None if that cannot be told."""
    fewest = min((count.arrivals for count in counts if count.is_final), default=None)
    return fewest if fewest is not None and any(count.arrivals > fewest for count in counts) else None


@final
class _Walks:
    """Walks of threads that share one budget."""

    def __init__(self, slice_: Slice, budget: int, longest: int) -> None:
        self._slice = slice_
        self._longest = longest
        self.budget = budget
        self.assumed = False
        self.unfinished = 0

    def counts(self, launch: LaunchedBlock, threads: Iterable[int], enough: int | None = None) -> Sequence[_Count]:
        """How often each thread arrives; `enough`: nobody is followed further."""
        walk = Walk(self._slice, launch, threads, self.budget, self._longest, enough)
        walk.follow_each()
        self.budget = walk.budget
        self.unfinished += walk.is_unfinished
        self.assumed = walk.assumed
        return [_Count(thread.arrivals, thread.is_followed) for thread in walk.threads]


def _probes(slice_: Slice, shape: BlockShape) -> list[int]:
    """Linear ids of threads at which conditions usually change: the ends, the middle, what is compared with."""
    threads = shape.threads
    usual = [0, 1, threads // 2 - 1, threads // 2, threads - 1, shape.x - 1, shape.x]
    return sorted({thread for thread in (*usual, *thresholds(slice_)[:12]) if 0 <= thread < threads})


def _witness(
    launch: LaunchedBlock, slice_: Slice, counts: Sequence[_Count], assumed: bool, threads: Sequence[int] | None = None
) -> Witness:
    """`threads`: whom the counts are of, if not of all; who is not known enough is on neither side."""
    numbers = range(len(counts)) if threads is None else threads
    most = max(count.arrivals for count in counts)
    if not all(count.is_final for count in counts):
        most = min(count.arrivals for count in counts if count.is_final) + 1
    names = slice_.scalar_names
    arguments = {names[value]: number for value, number in launch.scalars.items()}
    return Witness(
        launch.shape,
        launch.block,
        tuple(arguments.items()),
        _ranges([thread for thread, count in zip(numbers, counts, strict=True) if count.arrivals >= most]),
        _ranges(
            [thread for thread, count in zip(numbers, counts, strict=True) if count.is_final and count.arrivals < most]
        ),
        assumed,
    )


def _ranges(threads: Sequence[int]) -> tuple[tuple[int, int], ...]:
    ranges: list[tuple[int, int]] = []
    for thread in threads:
        if ranges and ranges[-1][1] == thread - 1:
            ranges[-1] = (ranges[-1][0], thread)
        else:
            ranges.append((thread, thread))
    return tuple(ranges)


# -- candidates -------------------------------------------------------------------------------------------------------


def _candidates(function: Function, slice_: Slice, knowledge: LaunchKnowledge) -> Iterator[LaunchedBlock]:
    """Launches worth trying: all scalars equal to one number, the numbers in order of promise."""
    compared = thresholds(slice_)
    for given in knowledge.launches or [KnownLaunch(shape, (), None) for shape in knowledge.shapes or (UNKNOWN_SHAPE,)]:
        shape = given.shape
        half, odd = max(1, shape.threads // 2), shape.threads + max(1, shape.threads // 3)
        numbers = dict.fromkeys([half, 1, odd, 3 * shape.threads, *compared])
        passed = _passed(function, slice_, knowledge, given)
        is_free = len(passed) < len(slice_.scalar_names)
        for number in list(numbers)[: MAX_CANDIDATES if is_free else 1]:
            for in_memory in (0, number + 1, number) if slice_.in_memory else (number,):
                scalars = {**chosen_scalars(function, slice_, shape, number, in_memory), **passed}
                launch = related_launch(
                    function, knowledge, LaunchedBlock(shape, 0, knowledge.warp_size, scalars), passed, given.blocks
                )
                for block in _blocks(given, knowledge, launch.blocks) if slice_.reads_block_index else (0,):
                    yield replace(launch, block=block)


def related_launch(
    function: Function,
    knowledge: LaunchKnowledge,
    launch: LaunchedBlock,
    passed: Collection[ValueId] = (),
    blocks: int | None = None,
) -> LaunchedBlock:
    """The launch with a grid, and with numbers of scalars that are not passed, that hang together as in every launch.

    `blocks`: of the grid, where it is known; else it is as the numbers ask, in the order of the parameters.
    """
    if not (knowledge.relations or knowledge.products or knowledge.multiples):
        return launch if blocks is None else replace(launch, blocks=blocks)
    shape, scalars = launch.shape, dict(launch.scalars)
    block, extent = (shape.x, shape.y, shape.z), launch.blocks if blocks is None else blocks
    values = [parameter.value for parameter in function.parameters]
    free = [position for position, value in enumerate(values) if value in scalars and value not in passed]
    for position in free:
        value, multiple = values[position], knowledge.multiple_of(position)
        scalars[value] = related_number(scalars[value], (), block, (), multiple)
    if blocks is None:
        for position, value in enumerate(values):
            if value in scalars:
                extent = related_extent(extent, scalars[value], knowledge.relations_of(position), 0, shape.x)
        for one in knowledge.products:
            left, right = values[one.left], values[one.right]
            if left in scalars and right in scalars:
                extent = related_extent(extent, scalars[left] * scalars[right], (one.of_product,), 0, shape.x)
    for position in free:
        value, relations = values[position], knowledge.relations_of(position)
        multiple = knowledge.multiple_of(position)
        scalars[value] = related_number(scalars[value], relations, block, (extent, 1, 1), multiple)
    for one in dict.fromkeys((one.left, one.right) for one in knowledge.products):
        left, right = values[one[0]], values[one[1]]
        if left in scalars and right in scalars:
            scalars[left], scalars[right] = related_factors(
                scalars[left],
                scalars[right],
                [other.of_product for other in knowledge.products if (other.left, other.right) == one],
                block,
                (extent, 1, 1),
                keeps_left=left in passed,
                keeps_right=right in passed,
                multiples=(knowledge.multiple_of(one[0]), knowledge.multiple_of(one[1])),
            )
    return replace(launch, scalars=scalars, blocks=extent)


def _passed(function: Function, slice_: Slice, knowledge: LaunchKnowledge, given: KnownLaunch) -> dict[ValueId, int]:
    """The scalars that this launch, or every launch, passes as numbers."""
    numbers = {**dict(knowledge.passed), **dict(enumerate(given.arguments))}
    found: dict[ValueId, int] = {}
    for position, parameter in enumerate(function.parameters):
        number, type_ = numbers.get(position), function.types[parameter.value]
        if number is None or parameter.value not in slice_.scalar_names:
            continue
        if isinstance(type_, BooleanType):
            found[parameter.value] = int(bool(number))
        elif isinstance(type_, IntegerType):
            found[parameter.value] = wrap(number, type_)
    return found


def _blocks(given: KnownLaunch, knowledge: LaunchKnowledge, blocks: int) -> Sequence[int]:
    """The first two, and the last one of a grid that is known, or that hangs together with a number: bounds are in the
    last."""
    if given.blocks is None:
        return sorted({0, min(1, blocks - 1), blocks - 1}) if knowledge.relations or knowledge.products else (0, 1)
    return sorted({0, min(1, given.blocks - 1), given.blocks - 1}) if given.blocks > 0 else (0,)


def thresholds(slice_: Slice) -> list[int]:
    """Constants that conditions compare with, and their neighbours."""
    found: dict[int, None] = {}
    for compare in slice_.definitions.values():
        if isinstance(compare, Compare):
            for operand in compare.operands:
                constant = slice_.definitions.get(operand)
                while isinstance(constant, Convert):  # `threadIdx.x == 3` compares with an unsigned 3
                    constant = slice_.definitions.get(constant.operand)
                if isinstance(constant, Constant) and isinstance(constant.value, int):
                    number = int(constant.value)
                    found.update(dict.fromkeys((number + 1, number, number - 1)))
    return [number for number in found if 0 <= number < 1 << 20]


def chosen_scalars(
    function: Function, slice_: Slice, shape: BlockShape, number: int, in_memory: int = 0
) -> dict[ValueId, int]:
    """All scalars equal to one number, template arguments to the block's extent, as far as their types hold it.

    A parameter of a device function gets the nearest number that its callers may pass.
    """
    scalars: dict[ValueId, int] = {}
    arguments = slice_.integers.divergence.arguments
    for value in slice_.scalar_names:
        is_template = isinstance(slice_.definitions.get(value), TemplateArgument)
        chosen = shape.x if is_template else in_memory if value in slice_.in_memory else number
        argument = arguments.get(value)
        if argument is not None and argument.low is not None and argument.high is not None:
            chosen = min(max(chosen, argument.low), argument.high)
        type_ = function.types[value]
        assert isinstance(type_, BooleanType | IntegerType)
        scalars[value] = int(bool(chosen)) if isinstance(type_, BooleanType) else min(chosen, _largest(type_))
    return scalars


def _largest(type_: IntegerType) -> int:
    return (1 << (type_.bits - type_.signed)) - 1
