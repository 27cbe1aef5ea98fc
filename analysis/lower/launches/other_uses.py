"""Kernels that host code names without launching them there: somebody may launch them with any shape.

Question  Are the launches that were found all launches of a kernel in this file?
Rules     A kernel whose name stands more often in a function than it is launched there is used in another way: as a
          function pointer, in a graph node, as a template argument.  Queries of its attributes and its occupancy do
          not launch it; comments and strings do not count.
Limits    Launches in other files are not seen.  A local variable with the kernel's name counts as a use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from analysis.lower.launches.model import Launch
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import HIDDEN
from analysis.syntax.translation_unit import TranslationUnit

_QUERIES: Final = re.compile(rb"\b(?:cuda|hip)(?:Func|Occupancy)\w*[^;]*;")


def kernels_used_otherwise(unit: TranslationUnit, launches: Mapping[str, tuple[Launch, ...]]) -> frozenset[str]:
    """Of the kernels that are launched, those that may be launched elsewhere too."""
    names = {name.encode("utf-8", "replace"): name for name in launches}
    if not names:
        return frozenset()
    found: set[str] = set()
    for item in (*unit.items, *unit.included_items):
        if item.kind in (ItemKind.FUNCTION, ItemKind.VARIABLE) and item.active and item.is_definition:
            for name in item.identifiers & names.keys():
                if _uses(item, name) > _launched(item, launches[names[name]]):
                    found.add(names[name])
    return frozenset(found)


def _uses(item: Item, name: bytes) -> int:
    text = item.text
    if re.search(rb"\b" + re.escape(name) + rb"\b", text) is None:  # only a macro of this text names it
        return 0
    visible = _QUERIES.sub(b"", HIDDEN.sub(b" ", text))
    declared = 1 if item.name.encode("utf-8", "replace") == name else 0
    return len(re.findall(rb"\b" + re.escape(name) + rb"\b", visible)) - declared


def _launched(item: Item, launches: Iterable[Launch]) -> int:
    return sum(launch.path == item.path and item.span.start <= launch.span.start < item.span.end for launch in launches)
