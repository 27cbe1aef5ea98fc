"""Where the launches stand that the facts of a kernel rest on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from analysis.facts.known_launches import LaunchesOfFile
from analysis.ir.pace import paced
from analysis.syntax.line_index import LineIndex


class LaunchPlace(NamedTuple):
    """A line of a file, from 1."""

    path: str
    line: int


LaunchPlaces: TypeAlias = Mapping[str, tuple[LaunchPlace, ...]]


def launch_places(
    launches: LaunchesOfFile, text_of: Callable[[str], bytes | None], own: Mapping[str, LineIndex]
) -> LaunchPlaces:
    """By the names of the kernels of which all launches are known; in the order of paths and lines.

    `own`: the lines of files that are known already.
    """
    found: dict[str, tuple[LaunchPlace, ...]] = {}
    lines: dict[str, LineIndex | None] = {**own}
    for name, known in launches.known.items():
        places: set[LaunchPlace] = set()
        for launch in paced(known):
            if launch.path not in lines:
                text = text_of(launch.path)
                lines[launch.path] = None if text is None else LineIndex(text)
            index = lines[launch.path]
            if index is not None:
                places.add(LaunchPlace(launch.path, index.line_of(launch.span.start) + 1))
        found[name] = tuple(sorted(places))
    return found
