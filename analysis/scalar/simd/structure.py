"""The order of blocks, with what is repeated: any control flow as loops over masks.

Each block has a mask, the lanes that wait to run it.  A block runs once for all of them and hands them on; a cycle is
repeated while any lane waits at an entry of it.  Lanes that leave wait behind the cycle until the last one has left.
So `break`, `continue` and `return` are nothing but masks, and a cycle with several entries needs no other form.

Source    Karrenberg and Hack, "Whole-function vectorization", CGO 2011, section on masks; Collange's slides, "Compiling
          SPMD to predicated SIMD".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, final

from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.ids import BasicBlockId
from analysis.ir.record import record


@final
@record
class Repeated:
    """A cycle: its parts in an order in which lanes only go on, but for those that go back to its header."""

    header: BasicBlockId
    entries: tuple[BasicBlockId, ...]
    parts: tuple[Part, ...]


Part: TypeAlias = BasicBlockId | Repeated


def parts_of(control: ControlFlow) -> tuple[Part, ...]:
    """All blocks that the entry reaches."""
    return _parts(control, None, control.order)


def _parts(control: ControlFlow, around: Cycle | None, blocks: Sequence[BasicBlockId]) -> tuple[Part, ...]:
    inner = [cycle for cycle in control.cycles if cycle.parent == (None if around is None else around.id)]
    home = {block: cycle for cycle in inner for block in cycle.blocks}
    groups: dict[BasicBlockId, list[BasicBlockId]] = {}
    for block in blocks:
        groups.setdefault(home[block].header if block in home else block, []).append(block)
    group_of = {block: name for name, members in groups.items() for block in members}
    waiting = {name: set[BasicBlockId]() for name in groups}
    for block in blocks:
        for successor in control.successors[block]:
            is_back = around is not None and successor == around.header
            if successor in group_of and not is_back and group_of[successor] != group_of[block]:
                waiting[group_of[successor]].add(group_of[block])
    parts: list[Part] = []
    while waiting:
        ready = next(name for name, before in waiting.items() if not before)
        del waiting[ready]
        for before in waiting.values():
            before.discard(ready)
        cycle = home.get(ready)
        parts.append(ready if cycle is None else _repeated(control, cycle, groups[ready]))
    return tuple(parts)


def _repeated(control: ControlFlow, cycle: Cycle, blocks: Sequence[BasicBlockId]) -> Repeated:
    return Repeated(cycle.header, cycle.entries, _parts(control, cycle, blocks))
