"""Where the launches stand that the facts of a kernel rest on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from analysis.facts.known_launches import LaunchesOfFile


class LaunchPlace(NamedTuple):
    """A line of a file, from 1."""

    path: str
    line: int


LaunchPlaces: TypeAlias = Mapping[str, tuple[LaunchPlace, ...]]


def launch_places(launches: LaunchesOfFile, text_of: Callable[[str], bytes | None]) -> LaunchPlaces:
    """By the names of the kernels of which all launches are known; in the order of paths and lines."""
    found: dict[str, tuple[LaunchPlace, ...]] = {}
    for name, known in launches.known.items():
        places: set[LaunchPlace] = set()
        for launch in known:
            text = text_of(launch.path)
            if text is not None:
                places.add(LaunchPlace(launch.path, text.count(b"\n", 0, launch.span.start) + 1))
        found[name] = tuple(sorted(places))
    return found
