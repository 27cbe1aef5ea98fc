"""Where barriers have to stand so that every separation is kept, with as few of them as one pass over the text finds.

Method    Each separation becomes a stretch of one sequence of statements: the children of the innermost block that has
          both accesses.  Stretches are gone through by their ends, and one without a barrier gets it as late as
          possible (the usual greedy choice, which is the fewest for stretches of one sequence).
          A separation of two rounds is a stretch of the loop's body that goes around: behind the first access or
          before the second.  Where none is there, one is put behind the last statement of the body.
          Accesses in one assignment take it apart, with a barrier inside.
Places    In a sequence, child number `i` is at `4 i + 1`; taken apart, it reads at `4 i`, waits at `4 i + 1` and writes
          at `4 i + 2`.  A barrier behind it is at `4 i + 3`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, final

from tree_sitter import Node

from analysis.ir.record import record
from analysis.refactor.warp_order.model import Obstacle, Separation, Site, WhyNotOrdered
from analysis.refactor.warp_order.sequences import Sequence as StatementSequence
from analysis.refactor.warp_order.sequences import body_of, is_block, is_statement, sequence_of
from analysis.refactor.warp_order.statements import Split, split_of

_LOOPS: Final = frozenset({"for_statement", "while_statement", "do_statement"})
_JUMPS: Final = frozenset({"break_statement", "continue_statement", "return_statement", "goto_statement"})


@final
@record
class Placement:
    """`behind`: the statements behind which a barrier stands, with their sequences; `splits` likewise.

    `accesses`: where those begin that are separated.
    """

    behind: tuple[tuple[StatementSequence, Node], ...]
    splits: tuple[tuple[StatementSequence, Split], ...]
    accesses: frozenset[int]


@final
@record
class _Stretch:
    """In one pass from `first` to `second`; `goes_around`: from `first` over the end of the sequence to `second`."""

    sequence: StatementSequence
    first: Site
    second: Site
    goes_around: bool


def place(text: bytes, root: Node, found: Sequence[Separation]) -> Placement:
    """Raises `Obstacle`."""
    stretches: list[_Stretch] = []
    splits: dict[int, tuple[StatementSequence, Split]] = {}
    for separation in found:
        match _stretch(text, root, separation):
            case _Stretch() as stretch:
                stretches.append(stretch)
            case Split() as split:
                splits.setdefault(split.statement.id, (sequence_of(split.statement), split))
    sequences = {stretch.sequence.owner.id: stretch.sequence for stretch in stretches}
    behind: list[tuple[StatementSequence, Node]] = []
    for owner, sequence in sequences.items():
        here = [stretch for stretch in stretches if stretch.sequence.owner.id == owner]
        behind += ((sequence, node) for node in _barriers(root, here, splits.keys()))
    accesses = frozenset(access for separation in found for access in separation.accesses)
    return Placement(tuple(behind), tuple(splits.values()), accesses)


def _stretch(text: bytes, root: Node, separation: Separation) -> _Stretch | Split:
    first, second = separation.first, separation.second
    if separation.loop is not None:
        return _Stretch(body_of(_loop_at(root, separation.loop)), first, second, goes_around=True)
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
    return split_of(text, statement, separation)


def _way(root: Node, site: Site) -> list[Node]:
    """The nodes around the site, the outermost first."""
    node = root.descendant_for_byte_range(site.start, site.end)
    way: list[Node] = []
    while node is not None:
        way.append(node)
        node = node.parent
    return way[::-1]


def _loop_at(root: Node, keyword: int) -> Node:
    node = root.descendant_for_byte_range(keyword, keyword + 1)
    while node is not None and node.type not in _LOOPS:
        node = node.parent
    if node is None or not node.start_byte <= keyword < node.end_byte:
        raise Obstacle(WhyNotOrdered.LOOP, keyword)
    return node


def _in_arms(branch: Node, first: Site, second: Site) -> bool:
    arms = [branch.child_by_field_name(name) for name in ("consequence", "alternative")]
    return all(
        any(arm is not None and arm.start_byte <= site.start and site.end <= arm.end_byte for arm in arms)
        for site in (first, second)
    )


# -- one sequence -----------------------------------------------------------------------------------------------------


def _barriers(root: Node, stretches: Sequence[_Stretch], splits: Iterable[int]) -> list[Node]:
    """The children behind which a barrier stands."""
    sequence = stretches[0].sequence
    apart = frozenset(splits)
    chosen = {4 * number + 1 for number, child in enumerate(sequence.children) if child.id in apart}
    spans = [
        (_position(root, sequence, one.second, apart), _position(root, sequence, one.first, apart), one.goes_around)
        for one in stretches
    ]
    for second, first, goes_around in sorted(spans):
        if not goes_around and not any(first < place < second for place in chosen):
            chosen.add(_last_before(sequence, first // 4, second // 4))
    for second, first, goes_around in spans:
        if goes_around and not any(place > first or place < second for place in chosen):
            chosen.add(_last_before(sequence, first // 4, len(sequence.children)))
    return [sequence.children[place // 4] for place in sorted(chosen) if place % 4 == 3]


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
        child = sequence.children[number]
        if is_statement(child) and child.type not in _JUMPS:
            return 4 * number + 3
    raise Obstacle(WhyNotOrdered.BROKEN, sequence.owner.start_byte)
