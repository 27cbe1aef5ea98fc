"""One spelling for equal data, in every process: sets and mappings have an order of their own in each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import blake2b
from typing import Any, cast


def digest_of_data(value: object) -> bytes:
    """The hash of what `canonical` spells."""
    return blake2b(canonical(value).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def canonical(value: object) -> str:
    """Of plain data: records, enumerations, sets, mappings, sequences, texts and numbers; raises `TypeError`."""
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return repr(value) if not isinstance(value, Enum) else f"{type(value).__qualname__}.{value.name}"
    if isinstance(value, Enum):
        return f"{type(value).__qualname__}.{value.name}"
    if isinstance(value, (tuple, list)):
        return f"({','.join(map(canonical, cast('Iterable[object]', value)))})"
    if isinstance(value, (set, frozenset)):
        return f"{{{','.join(sorted(map(canonical, cast('Iterable[object]', value))))}}}"
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return f"{{{','.join(sorted(f'{canonical(key)}:{canonical(one)}' for key, one in items))}}}"
    if is_dataclass(value) and not isinstance(value, type):
        spelled = (canonical(getattr(cast("Any", value), one.name)) for one in fields(value))
        return f"{type(value).__qualname__}({','.join(spelled)})"
    raise TypeError(type(value).__qualname__)
