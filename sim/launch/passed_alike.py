"""Arguments that the text of a launch says are equal: to each other, or to an extent of the block.

Forms    `k<<<grid, threads>>>(x, pitch, pitch, threads)`, `k<<<grid, block>>>(x, block.x)`, compared as written,
         without casts.
Limits   Only the first launch that passes arguments, and only names: two literals that look alike mean nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from analysis.ir.index3 import Index3
from analysis.ir.types import IntegerType, Type
from analysis.launches import Launch
from sim.launch.scalars import ChosenNumber

_CAST: Final = re.compile(r"^\s*\(\s*(?:const\s+)?[A-Za-z_][\w\s]*\)\s*(?=[A-Za-z_(])")
_NAMED: Final = re.compile(r"[A-Za-z_]")


def passed_alike(
    launches: Sequence[Launch], parameters: Sequence[str], leaves: Mapping[str, Type]
) -> Mapping[str, frozenset[str]]:
    """For each integer parameter the others that are passed the same."""
    groups: dict[str, set[str]] = {}
    for name, text in _passed(launches, parameters, leaves):
        if _NAMED.search(text):
            groups.setdefault(text, set()).add(name)
    return {name: frozenset(group - {name}) for group in groups.values() if len(group) > 1 for name in group}


def extents_passed(
    launches: Sequence[Launch], parameters: Sequence[str], leaves: Mapping[str, Type], block: Index3
) -> Mapping[str, ChosenNumber]:
    """Parameters that are passed an extent of the block."""
    launch = _first(launches)
    if launch is None or not _NAMED.search(launch.block_text):
        return {}
    block_text = _plain(launch.block_text)
    extents = {f"{block_text}.{axis}": extent for axis, extent in zip("xyz", block, strict=True)}
    if launch.has_line:
        extents[block_text] = block[0]
    return {
        name: ChosenNumber(extents[text], "a launch in the file passes the extent of its block")
        for name, text in _passed(launches, parameters, leaves)
        if text in extents
    }


def _passed(
    launches: Sequence[Launch], parameters: Sequence[str], leaves: Mapping[str, Type]
) -> Sequence[tuple[str, str]]:
    launch = _first(launches)
    if launch is None or len(launch.arguments) != len(parameters):
        return ()
    return [
        (name, _plain(text))
        for name, text in zip(parameters, launch.arguments, strict=True)
        if isinstance(leaves.get(name), IntegerType)
    ]


def _first(launches: Sequence[Launch]) -> Launch | None:
    return next((launch for launch in launches if launch.arguments), None)


def _plain(text: str) -> str:
    text = "".join(_CAST.sub("", text).split())
    while text.startswith("(") and text.endswith(")") and text.count("(") == 1:
        text = text[1:-1]
    return text
