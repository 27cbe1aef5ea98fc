"""Which lines of an exchange kernel race?  Every use of every thread is written down, interval by interval."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

from tests.races.kernels import (
    ROUNDS,
    WARP,
    BlockBarrier,
    Environment,
    ExchangeKernel,
    Item,
    Loop,
    Statement,
    WarpBarrier,
    rendered,
)

Lines: TypeAlias = frozenset[int]
"""One or two lines, from 1."""


@final
@dataclass(slots=True)
class _Seen:
    thread: int
    meetings: int
    line: int
    is_write: bool


def racing_lines(kernel: ExchangeKernel) -> set[Lines]:
    """Pairs of lines of which one writes what the other uses at the same time, in another thread of the block."""
    lines = {
        id(item): kernel.first_line + number
        for number, (item, text) in enumerate(rendered(kernel.body, 1))
        if not text.strip().startswith("}")
    }
    places: defaultdict[tuple[str, int, int], list[_Seen]] = defaultdict(list)
    for thread in range(kernel.threads):
        epoch = meetings = 0
        for item, env in _run(kernel.body, {"t": thread}):
            match item:
                case BlockBarrier():
                    epoch, meetings = epoch + 1, 0
                case WarpBarrier():
                    meetings += 1
                case Statement():
                    for use in item.uses:
                        key = use.array, use.index.of(env), epoch
                        places[key].append(_Seen(thread, meetings, lines[id(item)], use.is_write))
                case Loop():
                    pass
    return {frozenset((one.line, other.line)) for seen in places.values() for one, other in _conflicts(seen)}


def _run(items: Sequence[Item], env: Environment) -> Iterator[tuple[Item, Environment]]:
    for item in items:
        match item:
            case Statement():
                if item.guard is None or item.guard.of(env):
                    yield item, env
            case Loop():
                for value in item.values if item.values is not None else range(ROUNDS):
                    yield from _run(item.body, {**env, item.variable: value})
            case BlockBarrier() | WarpBarrier():
                yield item, env


def _conflicts(seen: Sequence[_Seen]) -> Iterator[tuple[_Seen, _Seen]]:
    writes = [one for one in seen if one.is_write]
    for one in writes:
        for other in seen:
            same_warp = one.thread // WARP == other.thread // WARP
            if one.thread != other.thread and not (same_warp and one.meetings != other.meetings):
                yield one, other
