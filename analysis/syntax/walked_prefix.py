"""What a version of a file begins with as the version before did, with all that it includes: it is walked once.

Question Does a walk through this version find at first what one through an earlier version found?
Rules    It does if the file has the same pieces up to there at the same places, and the loader answers all that was
         asked on the way as it did then: which files there are, and what stands in them.
         The prefix that is kept ends before the first piece that is not as in the version before, so that it reaches as
         far as edits at one place allow; or before an `#include` of the file of which something is not as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeAlias, assert_never, final

from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.store.bounded import BoundedCache
from analysis.syntax.environment import Environment
from analysis.syntax.includes import Loader, SpecialLoader, SuffixLoader
from analysis.syntax.skeleton import Entry, Skeleton
from analysis.syntax.walk_state import WalkState

MAX_VARIANTS: Final = 8
"""Of one file: for the host, for some architectures."""
BEFORE: Final = -1
"""In the place of an index into the pieces of the main file: before the first one."""

Around: TypeAlias = tuple[str, Skeleton] | None
"""The file that includes the main file, within which that is read."""


@final
@record
class Read:
    """What stands in the file at the path?"""

    path: str


@final
@record
class Exists:
    """Is there a file at the path?"""

    path: str


@final
@record
class FindSuffix:
    """Which file's path ends so, nearest to another one?"""

    suffix: str
    near: str


@final
@record
class IsSpecial:
    """Is there something at the path that is not read?"""

    path: str


Question: TypeAlias = Read | Exists | FindSuffix | IsSpecial
Answer: TypeAlias = bytes | str | bool | None


@final
@record
class Asked:
    """What a loader answered; `at` is the index of the piece of the main file that was walked."""

    question: Question
    answer: Answer
    at: int


@final
class LoaderOfMain:
    """A loader that also knows the main file, since an editor's text need not be on disk, and what it was asked."""

    def __init__(self, loader: Loader, path: str, text: bytes) -> None:
        self._loader = loader
        self._path = path
        self._text = text
        self._by_suffix = loader if isinstance(loader, SuffixLoader) else None  # a look at all its members
        self.asked: list[Asked] = []
        self.at = BEFORE

    def read(self, path: str) -> bytes | None:
        text = self._read(path)
        self.asked.append(Asked(Read(path), text, self.at))
        return text

    def exists(self, path: str) -> bool:
        found = self._exists(path)
        self.asked.append(Asked(Exists(path), found, self.at))
        return found

    def find_suffix(self, suffix: str, near: str) -> str | None:
        found = self._find_suffix(suffix, near)
        self.asked.append(Asked(FindSuffix(suffix, near), found, self.at))
        return found

    def is_special(self, path: str) -> bool:
        found = self._is_special(path)
        self.asked.append(Asked(IsSpecial(path), found, self.at))
        return found

    def answers_as_before(self, asked: Asked) -> bool:
        """Whether it says now what it said then."""
        question = asked.question
        match question:
            case Read():
                return self._read(question.path) == asked.answer
            case Exists():
                return self._exists(question.path) is asked.answer
            case FindSuffix():
                return self._find_suffix(question.suffix, question.near) == asked.answer
            case IsSpecial():
                return self._is_special(question.path) is asked.answer
            case _:
                assert_never(question)

    def _read(self, path: str) -> bytes | None:
        return self._text if path == self._path else self._loader.read(path)

    def _exists(self, path: str) -> bool:
        return path == self._path or self._loader.exists(path)

    def _find_suffix(self, suffix: str, near: str) -> str | None:
        return None if self._by_suffix is None else self._by_suffix.find_suffix(suffix, near)

    def _is_special(self, path: str) -> bool:
        return isinstance(self._loader, SpecialLoader) and self._loader.is_special(path)


@final
@record
class WalkedPrefix:
    """`state` is that of a walk that comes to the piece of the main file with the index `end`; nobody changes it.

    `latest` are the pieces of the version that was walked last, `around` is the file that includes this one.
    """

    end: int
    state: WalkState
    asked: tuple[Asked, ...]
    latest: Sequence[Entry]
    around: Around

    def of_version(self, skeleton: Skeleton) -> WalkedPrefix:
        """The same behind a walk through another version that begins with it."""
        return replace(self, latest=skeleton.entries)


Variant: TypeAlias = tuple[Environment, str | None]
"""What one file is read for, and the path of the file around it."""


@final
class WalkedPrefixes:
    """The last one of each file that is edited, for each variant of it.  Safe to share between threads."""

    def __init__(self, files: int) -> None:
        self._by_path: BoundedCache[str, BoundedCache[Variant, WalkedPrefix]] = BoundedCache(files)

    def get(self, path: str, variant: Variant) -> WalkedPrefix | None:
        known = self._by_path.get(path)
        return None if known is None else known.get(variant)

    def put(self, path: str, variant: Variant, prefix: WalkedPrefix) -> None:
        self._by_path.get_or_compute(path, lambda: BoundedCache(MAX_VARIANTS)).put(variant, prefix)

    def release(self, path: str) -> None:
        """Nobody edits the file any more."""
        self._by_path.discard(path)


@final
@record
class Start:
    """Where the walk of a version begins, and where the prefix ends that is kept of it; None to keep no other one."""

    prefix: WalkedPrefix | None
    keep_at: int | None


def start_of(kept: WalkedPrefix | None, skeleton: Skeleton, around: Around, loader: LoaderOfMain) -> Start:
    """How to walk a version of the main file; `kept` is the prefix of an earlier one."""
    entries = skeleton.entries
    if kept is None or not _is_same_file(kept.around, around):
        return Start(None, len(entries))
    same = _alike(kept.latest, entries)
    if same < kept.end:
        return Start(None, same)
    otherwise = next((one.at for one in paced(kept.asked, 5) if not loader.answers_as_before(one)), None)
    if otherwise is not None:
        return Start(None, same if otherwise == BEFORE else otherwise)
    return Start(kept, same if same > kept.end else None)


def _is_same_file(one: Around, other: Around) -> bool:
    """The skeleton of a text that did not change is the same object."""
    return one is other or (one is not None and other is not None and one[0] == other[0] and one[1] is other[1])


def _alike(one: Sequence[Entry], other: Sequence[Entry]) -> int:
    """How many pieces two versions begin with that are the same, at the same places."""
    for index, ((start, piece), (now, found)) in enumerate(zip(one, other, strict=False)):
        if start != now or not piece.is_like(found):
            return index
    return min(len(one), len(other))
