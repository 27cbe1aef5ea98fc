"""Values of settings as they come from TOML and JSON: checked, or answered with what is allowed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final, cast, final

from analysis.ir.record import record

Extent = tuple[int, int, int]

MAX_THREADS: Final = 1024
MAX_BLOCK: Final = (1024, 1024, 64)
MAX_GRID: Final = (2**31 - 1, 65535, 65535)


@final
@record
class Source:
    """Where values come from: its name for messages, and the folder that relative paths start from."""

    name: str
    values: Mapping[str, object]
    directory: str | None = None


class NotAllowedError(Exception):
    """A value is not allowed; the text says what is."""


def normalized(key: str) -> str:
    """`warp-size`, `warp_size` and `warpSize` are one name."""
    return key.replace("-", "").replace("_", "").lower()


def read_block(value: object) -> Extent:
    """The block shape of `256`, `[16, 16]`, `"16x16"` or `"32,8,1"`; raises `NotAllowedError`."""
    extent = _extent(value, MAX_BLOCK)
    if extent is None or extent[0] * extent[1] * extent[2] > MAX_THREADS:
        raise NotAllowedError('use 1 to 3 sizes with a product up to 1024, as 256, [16, 16] or "16x16"')
    return extent


def read_grid(value: object) -> Extent:
    """The same for a grid; raises `NotAllowedError`."""
    extent = _extent(value, MAX_GRID)
    if extent is None:
        raise NotAllowedError('use 1 to 3 numbers of blocks, as 8, [4, 4] or "4x4"')
    return extent


def read_whole(value: object, least: int, allowed: str) -> int:
    """A whole number; raises `NotAllowedError`."""
    if not isinstance(value, int) or is_bool(value) or value < least:
        raise NotAllowedError(allowed)
    return value


def read_flag(value: object) -> bool:
    """Raises `NotAllowedError`."""
    if not isinstance(value, bool):
        raise NotAllowedError("use true or false")
    return value


def read_table(value: object, allowed: str) -> Mapping[str, object]:
    """Raises `NotAllowedError`."""
    if not isinstance(value, Mapping):
        raise NotAllowedError(allowed)
    return cast("Mapping[str, object]", value)


def read_strings(value: object, allowed: str) -> tuple[str, ...]:
    """One text or a list of them; raises `NotAllowedError`."""
    items: Sequence[object] = [value] if isinstance(value, str) else _list(value, allowed)
    strings = tuple(item for item in items if isinstance(item, str))
    if len(strings) != len(items):
        raise NotAllowedError(allowed)
    return strings


def is_bool(value: object) -> bool:
    return isinstance(value, bool)


def listed(words: Sequence[str]) -> str:
    return ", ".join(words[:-1]) + " or " + words[-1]


def shown(value: object) -> str:
    """`value` as the user wrote it, cut to one readable length."""
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def _extent(value: object, limits: Extent) -> Extent | None:
    if isinstance(value, str):
        fields = re.split(r"\s*[x,]\s*", value.strip())
        parts: list[object] = [int(part) if part.isdecimal() and len(part) < 11 else part for part in fields]
    elif isinstance(value, (list, tuple)):
        parts = list(cast("list[object]", value))
    else:
        parts = [value]
    sizes = [part for part in parts if isinstance(part, int) and not is_bool(part)]
    if len(sizes) != len(parts) or not 1 <= len(sizes) <= 3:
        return None
    x, y, z = (*sizes, 1, 1)[:3]
    return (x, y, z) if all(1 <= size <= limit for size, limit in zip((x, y, z), limits, strict=True)) else None


def _list(value: object, allowed: str) -> Sequence[object]:
    if not isinstance(value, (list, tuple)):
        raise NotAllowedError(allowed)
    return cast("Sequence[object]", value)
