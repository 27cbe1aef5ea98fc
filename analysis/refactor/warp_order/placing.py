"""Where barriers have to stand so that every separation is kept, with as few of them as one pass over the text finds.

Method    Each separation becomes a stretch of one sequence of statements: the children of the innermost block that has
          both accesses.  Stretches are gone through by their ends, and one without a barrier gets it as late as
          possible (the usual greedy choice, which is the fewest for stretches of one sequence).
          A separation of two rounds is a stretch of the loop's body that goes around: behind the first access or
          before the second.  Where none is there, one is put behind the last statement of the body.
          A separation of two calls likewise goes around the body of the function, and the barrier stands before the
          second access: behind the first one there is often nothing but the `return` of what it read.
          Accesses in one assignment take it apart, with a barrier inside.
Places    In a sequence, child number `i` is at `4 i + 1`; taken apart, it reads at `4 i`, waits at `4 i + 1` and writes
          at `4 i + 2`.  A barrier behind it is at `4 i + 3`, one before the first child at -1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, final

from tree_sitter import Node

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.ir.record import record
from analysis.refactor.warp_order.masks import check_guard, parting
from analysis.refactor.warp_order.model import Calls, Group, Obstacle, Rounds, Separation, Site, WhyNotOrdered
from analysis.refactor.warp_order.sequences import Sequence as StatementSequence
from analysis.refactor.warp_order.sequences import body_of, is_block, is_statement, sequence_of
from analysis.refactor.warp_order.statements import Split, guarding, split_of, with_guard

_LOOPS: Final = frozenset({"for_statement", "while_statement", "do_statement"})
_FUNCTIONS: Final = frozenset({"function_definition"})
_JUMPS: Final = frozenset({"break_statement", "continue_statement", "return_statement", "goto_statement"})


@final
@record
class Placement:
    """`behind`: the statements behind which a barrier stands, with their sequences; `before`, `splits` likewise.

    `accesses`: where those begin that are separated.
    """

    behind: tuple[tuple[StatementSequence, Node], ...]
    before: tuple[tuple[StatementSequence, Node], ...]
    splits: tuple[tuple[StatementSequence, Split], ...]
    accesses: frozenset[int]


@final
@record
class _Stretch:
    """In one pass from `first` to `second`; `goes_around`: from `first` over the end of the sequence to `second`, with
    the barrier before the second one if `begins`."""

    sequence: StatementSequence
    first: Site
    second: Site
    goes_around: bool
    begins: bool = False


def place(analysis: FileAnalysis, found: Sequence[Separation], group: Group) -> Placement:
    """A barrier of the block stands as early as its stretches let it.  Raises `Obstacle`."""
    tree = analysis.document.tree
    if tree is None:
        raise Obstacle(WhyNotOrdered.BROKEN)
    root = tree.root_node
    stretches: list[_Stretch] = []
    splits: dict[int, tuple[StatementSequence, Split]] = {}
    for separation in found:
        match _stretch(analysis, root, separation, group):
            case _Stretch() as stretch:
                stretches.append(stretch)
            case Split() as split:
                splits.setdefault(split.statement.id, (sequence_of(split.statement), split))
    sequences = {stretch.sequence.owner.id: stretch.sequence for stretch in stretches}
    behind: list[tuple[StatementSequence, Node]] = []
    before: list[tuple[StatementSequence, Node]] = []
    for owner, sequence in sequences.items():
        here = [stretch for stretch in stretches if stretch.sequence.owner.id == owner]
        places = _barriers(root, here, splits.keys(), early=group is Group.BLOCK)
        behind += ((sequence, sequence.children[place // 4]) for place in places if place >= 0)
        before += ((sequence, sequence.children[0]) for place in places if place < 0)
    accesses = frozenset(access for separation in found for access in separation.accesses)
    return Placement(tuple(behind), tuple(before), tuple(splits.values()), accesses)


def _stretch(analysis: FileAnalysis, root: Node, separation: Separation, group: Group) -> _Stretch | Split:
    first, second = separation.first, separation.second
    match separation.repeated:
        case Rounds(keyword=keyword):
            return _Stretch(body_of(_around(root, keyword, _LOOPS)), first, second, goes_around=True)
        case Calls(start=start):
            body = body_of(_around(root, start, _FUNCTIONS))
            return _Stretch(body, first, second, goes_around=True, begins=True)
        case None:
            pass
    ways = [_way(root, site) for site in (first, second)]
    common = [one for one, other in zip(*ways, strict=False) if one == other]
    innermost = common[-1]
    if is_block(innermost):
        inside = next(child for child in innermost.named_children if child.end_byte > min(first.start, second.start))
        ordered = sorted((first, second), key=lambda site: site.start)
        return _Stretch(sequence_of(inside), ordered[0], ordered[1], goes_around=False)
    statement = next((node for node in reversed(common) if is_statement(node)), None)
    if statement is None:
        raise Obstacle(WhyNotOrdered.BROKEN, first.start)
    if statement.type == "if_statement" and _in_arms(statement, first, second):
        raise Obstacle(WhyNotOrdered.ARMS, statement.start_byte)
    split = split_of(analysis.document.text, statement, separation)
    branch = guarding(statement) if group is Group.BLOCK else None
    if branch is None or branch not in parting(analysis, statement, Level.BLOCK):
        return split
    check_guard(branch)
    return with_guard(analysis.document.text, split, branch)


def _way(root: Node, site: Site) -> list[Node]:
    """The nodes around the site, the outermost first."""
    node = root.descendant_for_byte_range(site.start, site.end)
    way: list[Node] = []
    while node is not None:
        way.append(node)
        node = node.parent
    return way[::-1]


def _around(root: Node, offset: int, kinds: frozenset[str]) -> Node:
    node = root.descendant_for_byte_range(offset, offset + 1)
    while node is not None and node.type not in kinds:
        node = node.parent
    if node is None or not node.start_byte <= offset < node.end_byte:
        raise Obstacle(WhyNotOrdered.LOOP, offset)
    return node


def _in_arms(branch: Node, first: Site, second: Site) -> bool:
    arms = [branch.child_by_field_name(name) for name in ("consequence", "alternative")]
    return all(
        any(arm is not None and arm.start_byte <= site.start and site.end <= arm.end_byte for arm in arms)
        for site in (first, second)
    )


# -- one sequence -----------------------------------------------------------------------------------------------------


def _barriers(root: Node, stretches: Sequence[_Stretch], splits: Iterable[int], *, early: bool) -> list[int]:
    """The places of barriers between children, in order."""
    sequence = stretches[0].sequence
    apart = frozenset(splits)
    chosen = {4 * number + 1 for number, child in enumerate(sequence.children) if child.id in apart}
    spans = [
        (_position(root, sequence, one.second, apart), _position(root, sequence, one.first, apart), one)
        for one in stretches
    ]
    straight = sorted((second, first) for second, first, one in spans if not one.goes_around)
    for second, first in straight:
        if not any(first < place < second for place in chosen):
            chosen.add(_last_before(sequence, first // 4, second // 4))
    if early:
        chosen = {_as_early(sequence, place, straight) for place in chosen}
    for second, first, one in spans:
        if one.goes_around and not any(place > first or place < second for place in chosen):
            chosen.add(_turn(sequence, first, second, begins=one.begins))
    return sorted(place for place in chosen if place % 4 == 3)


def _as_early(sequence: StatementSequence, place: int, straight: Sequence[tuple[int, int]]) -> int:
    """Behind the last first access of the stretches that the place lies in."""
    firsts = [first // 4 for second, first in straight if first < place < second]
    if place % 4 != 3 or not firsts:
        return place
    return next(
        (4 * number + 3 for number in range(max(firsts), place // 4) if _may_be_followed(sequence, number)), place
    )


def _turn(sequence: StatementSequence, first: int, second: int, *, begins: bool) -> int:
    """Where a stretch that goes around gets its barrier."""
    if not begins:
        return _last_before(sequence, first // 4, len(sequence.children))
    return next((4 * number + 3 for number in reversed(range(second // 4)) if _may_be_followed(sequence, number)), -1)


def _position(root: Node, sequence: StatementSequence, site: Site, apart: frozenset[int]) -> int:
    node = root.descendant_for_byte_range(site.start, site.end)
    if node is None:
        raise Obstacle(WhyNotOrdered.BROKEN, site.start)
    number = sequence.index(node)
    if sequence.children[number].id not in apart:
        return 4 * number + 1
    return 4 * number + (2 if site.is_store else 0)


def _last_before(sequence: StatementSequence, first: int, end: int) -> int:
    """The place behind the last of the children from `first` to before `end` that a statement may follow."""
    for number in reversed(range(first, end)):
        if _may_be_followed(sequence, number):
            return 4 * number + 3
    raise Obstacle(WhyNotOrdered.BROKEN, sequence.owner.start_byte)


def _may_be_followed(sequence: StatementSequence, number: int) -> bool:
    child = sequence.children[number]
    return is_statement(child) and child.type not in _JUMPS
