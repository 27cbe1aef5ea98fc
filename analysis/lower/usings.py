"""What the `using` lines and namespace aliases of a unit say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, final

from analysis.syntax.items import Item, ItemKind

Path: TypeAlias = tuple[str, ...]


@final
@dataclass(slots=True)
class UsingTable:
    """What the `using` lines, inline namespaces and namespace aliases of a unit say, by the namespace they stand in."""

    directives: dict[Path, list[Path]] = field(default_factory=dict[Path, "list[Path]"])
    names: dict[tuple[Path, str], Path] = field(default_factory=dict[tuple[Path, str], Path])
    aliases: dict[tuple[Path, str], Path] = field(default_factory=dict[tuple[Path, str], Path])
    namespaces: set[Path] = field(default_factory=set[Path])


def read_usings(items: Sequence[Item], inline_namespaces: Iterable[Path]) -> UsingTable:
    """Names of an inline namespace are names of the namespace around it, as a directive there would make them."""
    table = UsingTable()
    for path in sorted(inline_namespaces):
        table.directives.setdefault(path[:-1], []).append(path)
    for item in items:
        if not item.active:
            continue
        if item.namespace and item.namespace not in table.namespaces:
            table.namespaces.update(item.namespace[:depth] for depth in range(1, len(item.namespace) + 1))
        if item.kind is ItemKind.USING and item.owner is None:
            _read_using(table, item)
    return table


def _read_using(table: UsingTable, item: Item) -> None:
    text = item.text.decode("utf-8", "replace")
    place = item.namespace
    if match := _ALIAS.match(text):
        table.aliases[place, match[1]] = _path(match[2])
    elif match := _DIRECTIVE.match(text):
        table.directives.setdefault(place, []).append(_path(match[1]))
    elif match := _USING.match(text):
        path = _path(match[1])
        table.names[place, path[-1]] = path


def _path(text: str) -> Path:
    return tuple(part for part in "".join(text.split()).split("::") if part)


_ALIAS: Final = re.compile(r"\s*namespace\s+(\w+)\s*=\s*([\w:\s]+?)\s*;")
_DIRECTIVE: Final = re.compile(r"\s*using\s+namespace\s+([\w:\s]+?)\s*;")
_USING: Final = re.compile(r"\s*using\s+(?:typename\s+)?([\w:\s]+?)\s*;")
