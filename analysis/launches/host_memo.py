"""What is found in host code, kept for later versions of files.

Rules    Launches are kept by the texts of all that they rest on, or by the numbers that callers pass.
         What a function writes follows from its tree and from what others say of the functions that it calls: it is
         found again where the tree is the same and they say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeAlias, final

from analysis.ir.record import record
from analysis.launches.host_writes import Fills, HostWrites, MayWrite
from analysis.launches.model import Launch
from analysis.store.bounded import BoundedCache
from analysis.syntax.snippet import Snippet

MAX_LAUNCHES: Final = 4_096
"""Functions whose launches are kept."""
MAX_WRITES: Final = 500_000
"""Bytes of functions of which it is kept what they write."""

TreeKey: TypeAlias = tuple[bytes, int]
"""What an item's tree depends on, and its part (`TranslationUnit.to_parse`)."""
_Argument: TypeAlias = tuple[str, int]
"""The spelling of a function, and the position of an argument."""


class LaunchMemo(Protocol):
    """Keeps the launches of a function by all that it sees; spans are relative to the function there."""

    def get_or_compute(self, key: bytes, compute: Callable[[], tuple[Launch, ...]], /) -> tuple[Launch, ...]: ...


@final
@record
class KeptWrites:
    """What a function writes, with what was said of the arguments that it passes."""

    written: HostWrites
    may_write: tuple[tuple[_Argument, bool], ...]
    fills: tuple[tuple[_Argument, Sequence[bool] | None], ...]

    def holds(self, may_write: MayWrite, fills: Fills) -> bool:
        """Whether the same is said now."""
        return all(may_write(*argument) is answer for argument, answer in self.may_write) and all(
            fills(*argument) == answer for argument, answer in self.fills
        )


@final
class HostMemo:
    """Shared by all versions of all files of an analyzer."""

    def __init__(self, launches: LaunchMemo | None = None) -> None:
        self.launches: Final[LaunchMemo] = BoundedCache(MAX_LAUNCHES) if launches is None else launches
        self._writes: Final[BoundedCache[TreeKey, KeptWrites]] = BoundedCache(MAX_WRITES, lambda kept: kept.written.end)

    def written(self, key: TreeKey, snippet: Snippet, may_write: MayWrite, fills: Fills) -> HostWrites:
        """What the function writes that was parsed as `snippet`."""
        kept = self._writes.get(key)
        if kept is None or not kept.holds(may_write, fills):
            kept = _read(snippet, may_write, fills)
            self._writes.put(key, kept)
        return kept.written


def _read(snippet: Snippet, may_write: MayWrite, fills: Fills) -> KeptWrites:
    written_to: dict[_Argument, bool] = {}
    filled: dict[_Argument, Sequence[bool] | None] = {}

    def heard_may_write(function: str, position: int) -> bool:
        answer = written_to[function, position] = may_write(function, position)
        return answer

    def heard_fills(function: str, position: int) -> Sequence[bool] | None:
        answer = filled[function, position] = fills(function, position)
        return answer

    written = HostWrites(snippet.root, heard_may_write, snippet.templates, heard_fills)
    return KeptWrites(written, tuple(written_to.items()), tuple(filled.items()))
