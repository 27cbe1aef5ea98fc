"""Of several definitions of a name, which one does a unit mean?

Question  Many programs lie side by side and define the same names.  Which units mean the definition in one file?
Rules     Those of `index.py`: shared headers first, then the same folder, then most folders in common.
Cost      Units that see the declaration through the same headers are answered together, and within them those of one
          folder; definitions are counted by folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import final

from analysis.ir.record import record
from simt_lsp.workspace.project_index.units import Files, Units


@final
@record
class Declared:
    """Units that see a declaration through the same headers; these have `through` in them, their own text aside."""

    units: Files
    through: Files


def declared(units: Units, declaring: Iterable[str], own: Files) -> Sequence[Declared]:
    """The units but `own` that see what the files `declaring` declare, by the headers that they see it through."""
    everything: Files = 0
    headers: list[Files] = []
    for header in declaring:
        everything |= units.of(header) & ~own
        if units.with_text(header) & ~own:
            headers.append(units.with_text(header))
    groups = [Declared(everything, 0)] if everything else []
    for including in dict.fromkeys(headers):
        split: list[Declared] = []
        for group in groups:
            inside, outside = group.units & including, group.units & ~including
            if inside:
                split.append(Declared(inside, group.through | including))
            if outside:
                split.append(Declared(outside, group.through))
        groups = split
    return groups


@final
class Belonging:
    """Of the `definitions` of a name, with the units that each is in, that of `path`."""

    def __init__(self, units: Units, path: str, definitions: Mapping[str, Files], places: Places) -> None:
        self._units = units
        self._path = path
        self._definitions = definitions
        self._places = places

    def split(self, group: Declared) -> tuple[Files, Files]:
        """The units of a group that mean the definition of `path`, and those that may."""
        if len(self._definitions) == 1:
            return group.units, 0
        sharing = [one for one, seen in self._definitions.items() if seen & group.through]
        if self._path in sharing:
            return (group.units, 0) if len(sharing) == 1 else (0, group.units)
        surely: Files = 0
        perhaps: Files = 0
        nearest = self._places.of(tuple(sharing or self._definitions))
        for folder, some in self._by_folder(group.units).items():
            if sharing:
                if _depth_shared(_folder(self._path), folder) > nearest.depth_shared(folder):
                    perhaps |= some
            elif (count := nearest.count_if_nearest(self._path, folder)) == 1:
                surely |= some
            elif count:
                perhaps |= some
        return surely, perhaps

    def _by_folder(self, files: Files) -> Mapping[str, Files]:
        found: dict[str, Files] = {}
        for path in self._units.paths(files):
            folder = _folder(path)
            found[folder] = found.get(folder, 0) | 1 << self._units.number(path)
        return found


@final
class Places:
    """Where the definitions of one name lie; kept for all questions about it."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], _Places] = {}

    def of(self, paths: tuple[str, ...]) -> _Places:
        """How some of them are spread over folders."""
        known = self._known.get(paths)
        if known is None:
            known = self._known[paths] = _Places(paths)
        return known


@final
class _Places:
    """How many files lie in each folder, and below it."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._in: Counter[str] = Counter()
        self._below: Counter[str] = Counter()
        for path in paths:
            folder = _folder(path)
            self._in[folder] += 1
            self._below.update(_with_parents(folder))

    def count_if_nearest(self, path: str, folder: str) -> int:
        """How many files a unit in `folder` may mean, by the folders that they share with it; 0 if not that `path`."""
        own = _folder(path)
        if self._in[folder]:
            return self._in[folder] if own == folder else 0
        nearest = next((one for one in _with_parents(folder) if self._below[one]), "")
        return self._below[nearest] if nearest in _with_parents(own) else 0

    def depth_shared(self, folder: str) -> int:
        """How many folders a file in `folder` shares with the nearest of them."""
        return next((_depth(one) for one in _with_parents(folder) if self._below[one]), 0)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _with_parents(folder: str) -> Iterator[str]:
    """A folder, the one around it, and so on up to the root, which is empty."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def _depth(folder: str) -> int:
    return folder.count("/") + 1 if folder else 0


def _depth_shared(folder: str, other: str) -> int:
    """How many folders two have in common."""
    parents = set(_with_parents(folder))
    return next(_depth(one) for one in _with_parents(other) if one in parents)
