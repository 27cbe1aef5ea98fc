"""The launches of the kernels of a file: its own, and those of the files that it is compiled in.

Question  With which blocks does a kernel of this file run?
Rules     A file that others include as a part of them (`#include "kernel.cu"`) is launched by them: the launches of a
          kernel are those of the file and of all its includers together, so that what is claimed holds in each.
          A kernel that one of them also names otherwise counts as unknown in all, as do those of a file whose includers
          are not all read.  A header has its own launches alone.
          Which instances of a template run is asked of a file alone: where an includer launches it, it stands for all.
Cost      Includers are read only for a file that defines a kernel; their functions are parsed once per text.
Limits    Includers are read with the macros of this file's build.  Launches in other files are not seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

from analysis.ir.record import record
from analysis.lower.launches import Launch, kernels_used_otherwise, launch_shapes
from analysis.lower.launches.find import LaunchMemo
from analysis.lower.launches.other_uses import UseMemo
from analysis.syntax.includes import is_header
from analysis.syntax.translation_unit import TranslationUnit


@final
@record
class LaunchesOfFile:
    """By the names of kernels: `known` has those of which all launches are known, `inside` those of them that no
    includer launches."""

    known: Mapping[str, tuple[Launch, ...]]
    inside: frozenset[str]


NO_LAUNCHES: Final = LaunchesOfFile({}, frozenset())


def launches_of_file(unit: TranslationUnit, launches: LaunchMemo, uses: UseMemo) -> LaunchesOfFile:
    """Nothing is searched where the file defines no kernel, or who includes it is not known."""
    kernels = {item.name for item in unit.items if item.is_kernel and item.is_definition}
    if not kernels or (unit.has_unread_includers and not is_header(unit.path)):
        return NO_LAUNCHES
    own = launch_shapes(unit, launches)
    elsewhere = set(kernels_used_otherwise(unit, own, uses))
    found = {name: dict.fromkeys(launched) for name, launched in own.items()}
    outside: set[str] = set()
    for includer in unit.includers:
        shapes = launch_shapes(includer, launches)
        theirs = {name: shapes.get(name, ()) for name in kernels}
        elsewhere |= kernels_used_otherwise(includer, theirs, uses)
        for name, launched in theirs.items():
            if any(launch.path != unit.path for launch in launched):
                outside.add(name)
                found.setdefault(name, {}).update(dict.fromkeys(launched))
    known = {name: tuple(launched) for name, launched in found.items() if name not in elsewhere}
    return LaunchesOfFile(known, frozenset(known) - outside)
