"""Single operations of a function and what they take of the kernels that run it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias, final

from analysis.facts.merge import FrameView
from analysis.facts.model import PartOf
from analysis.facts.parts import Parts
from analysis.facts.roots import RootAnalysis
from analysis.ir.function import values_of_frame
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Binary, Instruction, Math
from analysis.ir.operators import BinaryOperator, MathFunction
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.ir.source import OWN_FRAME, FrameId, Span
from analysis.ir.types import IntegerType
from analysis.rules.rule import Subject

Place: TypeAlias = tuple[int, int]
Placed: TypeAlias = Sequence[tuple[BasicBlockId, Instruction]]
"""Instructions of a root, block by block, each with its block."""
_DIVISIONS: Final = frozenset({BinaryOperator.DIVIDE, BinaryOperator.REMAINDER})


@final
@record
class PricedOperation:
    """What stands at one place, as it is in one of the calls, and what it takes in all of them."""

    span: Span
    view: FrameView
    block: BasicBlockId
    item: Instruction
    part: PartOf


def integer_divisions(root: RootAnalysis) -> Placed:
    """Those with a remainder, too; ask through `root.remembered`."""
    types, found = root.function.types, list[tuple[BasicBlockId, Instruction]]()
    for index, block in enumerate(paced(root.function.blocks, 8)):
        for one in block.instructions:
            if type(one) is Binary and one.operator in _DIVISIONS and isinstance(types[one.result], IntegerType):
                found.append((BasicBlockId(index), one))
    return found


def powers(root: RootAnalysis) -> Placed:
    """Calls of `pow` and its like; ask through `root.remembered`."""
    return [
        (BasicBlockId(index), one)
        for index, block in enumerate(paced(root.function.blocks, 8))
        for one in block.instructions
        if type(one) is Math and one.function is MathFunction.POWER
    ]


def priced_operations(
    subject: Subject,
    of_root: Callable[[RootAnalysis], Placed],
    saved: Callable[[FrameView, BasicBlockId, Instruction], int | None],
) -> Iterator[PricedOperation]:
    """In text order, those for which `saved` gives issue slots in every call; None: it is not such an operation."""
    parts: defaultdict[Place, Parts] = defaultdict(Parts)
    shown: dict[Place, tuple[FrameView, BasicBlockId, Instruction]] = {}
    refused: set[Place] = set()
    for frames in views_by_root(subject):
        root = next(iter(frames.values())).root
        for block, item in _of_frames(root, frames, root.remembered(of_root)):
            view = frames.get(item.span.frame)
            if view is None or block in root.weights.unreached:
                continue
            slots = saved(view, block, item)
            place = item.span.start, item.span.end
            if slots is None or place[0] == place[1]:
                continue
            if not slots:
                refused.add(place)
                continue
            around = root.control.innermost_cycle(block)
            share = root.weights.tree.share({None if around is None else around.id: slots})
            parts[place].add(share, root, view.part_of_slots)
            shown.setdefault(place, (view, block, item))
    yield from _in_order(parts, shown, refused)


def _of_frames(root: RootAnalysis, frames: Mapping[FrameId, FrameView], every: Placed) -> Placed:
    """All of a function that is analysed itself; of one that is called, what came with its body."""
    if OWN_FRAME in frames:
        return every
    by_value = {one.result: (block, one) for block, one in every}
    return [by_value[value] for frame in frames for value in values_of_frame(root.function, frame) if value in by_value]


def views_by_root(subject: Subject) -> Iterable[Mapping[FrameId, FrameView]]:
    """The places where the function was inlined: a root that calls it often is walked through once."""
    found: dict[int, dict[FrameId, FrameView]] = {}
    for view in subject.analysis.views(subject.function):
        found.setdefault(id(view.root), {})[view.frame] = view
    return found.values()


def _in_order(
    parts: Mapping[Place, Parts],
    shown: Mapping[Place, tuple[FrameView, BasicBlockId, Instruction]],
    refused: set[Place],
) -> Iterator[PricedOperation]:
    for place in sorted(shown):
        part = parts[place].largest()
        if part is not None and place not in refused:
            view, block, item = shown[place]
            yield PricedOperation(Span(*place), view, block, item, part)
