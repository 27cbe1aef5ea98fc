"""The kinds of values that settings take: how each is read, and the same as JSON schema.

Rules    A reader raises `NotAllowedError`, whose text says what is allowed.
         `schema` is what the settings editor of VS Code can show; `also` is what a settings file may hold beyond it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import Any, Final, Generic, TypeVar, cast, final

from analysis.ir.record import record
from simt_lsp.workspace.settings.values import (
    Extent,
    NotAllowedError,
    is_bool,
    listed,
    read_block,
    read_flag,
    read_grid,
    read_strings,
    read_table,
    read_whole,
    shown,
)

Schema = Mapping[str, Any]
Value = TypeVar("Value")
EnumType = TypeVar("EnumType", bound=Enum)


@final
@record
class Kind(Generic[Value]):
    """`meanings` says what each choice does, where there are choices to explain."""

    read: Callable[[object], Value]
    schema: Schema
    also: tuple[Schema, ...] = ()
    meanings: Mapping[str, str] = field(default_factory=dict[str, str])


def choice(kind: type[EnumType], *, off_and_on: tuple[str, str] | None = None, **meanings: str) -> Kind[EnumType]:
    """One of the values of `kind`, in the order of `meanings`; with `off_and_on` also false and true, for those two."""
    members = {word: kind(word) for word in meanings}

    def read(value: object) -> EnumType:
        if off_and_on is not None and isinstance(value, bool):
            return members[off_and_on[value]]
        if isinstance(value, str) and value.lower() in members:
            return members[value.lower()]
        raise NotAllowedError(f"use {_quoted(list(members))}")

    schema = {"type": "string", "enum": list(members), "enumDescriptions": list(meanings.values())}
    return Kind(read, schema, () if off_and_on is None else ({"type": "boolean"},), meanings)


def number(least: float, most: float, allowed: str) -> Kind[float]:
    """Any number from `least` to `most`."""

    def read(value: object) -> float:
        if not isinstance(value, (int, float)) or is_bool(value) or not least <= value <= most:
            raise NotAllowedError(allowed)
        return float(value)

    return Kind(read, {"type": "number", "minimum": least, "maximum": most})


def positive_number(most: float, what: str) -> Kind[float]:
    """A number above 0, to `most`."""

    def read(value: object) -> float:
        if not isinstance(value, (int, float)) or is_bool(value) or not 0 < value <= most:
            raise NotAllowedError(f"use a number {what} up to {most:g}")
        return float(value)

    return Kind(read, {"type": "number", "exclusiveMinimum": 0, "maximum": most})


def whole(least: int, allowed: str) -> Kind[int]:
    """A whole number from `least` on."""
    return Kind(lambda value: read_whole(value, least, allowed), {"type": "integer", "minimum": least})


def one_of(numbers: Sequence[int]) -> Kind[int]:
    """One of some whole numbers."""

    def read(value: object) -> int:
        if not isinstance(value, int) or is_bool(value) or value not in numbers:
            raise NotAllowedError(f"use {listed([str(size) for size in numbers])}")
        return value

    return Kind(read, {"type": "integer", "enum": list(numbers)})


def strings(allowed: str, check: Callable[[tuple[str, ...]], Value], choices: Sequence[str] = ()) -> Kind[Value]:
    """One text or a list of them, of which `check` makes the value or raises."""
    item: Schema = {"type": "string", "enum": list(choices)} if choices else {"type": "string"}
    schema = {"type": "array", "items": item, **({"uniqueItems": True} if choices else {})}
    return Kind(lambda value: check(read_strings(value, allowed)), schema, (item,))


FLAG: Final[Kind[bool]] = Kind(read_flag, {"type": "boolean"})

_EXTENT: Final[Schema] = {
    "type": ["integer", "array", "string"],
    "items": {"type": "integer", "minimum": 1},
    "minItems": 1,
    "maxItems": 3,
    "minimum": 1,
}
BLOCK: Final[Kind[Extent]] = Kind(read_block, _EXTENT)
GRID: Final[Kind[Extent]] = Kind(read_grid, _EXTENT)


def parse_architecture(text: str) -> int | None:
    """The `__CUDA_ARCH__` of `sm_80`, `compute_90a`, `lto_75`; None for what is not a CUDA architecture."""
    match = re.fullmatch(r"(?:sm|compute|lto)_(\d{2,3})[af]?", text.strip())
    return int(match[1]) * 10 if match else None


def _read_architecture(value: object) -> int:
    architecture: int | None = None
    if isinstance(value, str):
        architecture = parse_architecture(value) or (_number_architecture(int(value)) if value.isdecimal() else None)
    elif isinstance(value, int) and not is_bool(value):
        architecture = _number_architecture(value)
    if architecture is None:
        raise NotAllowedError('use "sm_80", "compute_80" or 80')
    return architecture


def _number_architecture(number: int) -> int | None:
    """80 and 800 are sm_80."""
    if 10 <= number < 200:
        return number * 10
    return number if 200 <= number < 2000 and number % 10 == 0 else None


ARCHITECTURE: Final[Kind[int]] = Kind(
    _read_architecture,
    {
        "type": "string",
        "pattern": r"^(sm|compute|lto)_\d{2,3}[af]?$|^\d{2,4}$",
        "patternErrorMessage": 'Use "sm_80", "compute_80" or "80".',
    },
    ({"type": "integer"},),
)

_PLAIN: Final[Schema] = {"type": ["string", "number", "boolean"]}
_TABLE: Final[Schema] = {"type": "object", "additionalProperties": _PLAIN}
_MACROS: Final = 'use a list of "NAME" or "NAME=VALUE"'


def _read_defines(value: object) -> tuple[str, ...]:
    if isinstance(value, Mapping):
        table = cast("Mapping[str, object]", value)
        names = tuple(f"{name}={_macro_text(text)}" for name, text in table.items())
    else:
        names = read_strings(value, _MACROS)
    bad = [name for name in names if not re.match(r"[A-Za-z_]\w*", name)]
    if bad:
        raise NotAllowedError(f"{shown(bad[0])} is not a macro name")
    return names


def _macro_text(value: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (str, int, float)):
        return str(value)
    raise NotAllowedError(_MACROS)


DEFINES: Final[Kind[tuple[str, ...]]] = Kind(
    _read_defines, {"type": "array", "items": {"type": "string"}}, ({"type": "string"}, _TABLE)
)


def _read_arguments(value: object) -> Mapping[str, str]:
    table = read_table(value, 'use a table from argument to value, as { n = 2048, x = "random(0,1)" }')
    found: dict[str, str] = {}
    for name, given in table.items():
        if isinstance(given, bool):
            found[name] = str(given).lower()
        elif isinstance(given, (str, int, float)) and str(given).strip():
            found[name] = str(given).strip()
        else:
            raise NotAllowedError(f"{name} = {shown(given)}: use a number or a text such as random(0,1) or zeros[4096]")
    return found


ARGUMENTS: Final[Kind[Mapping[str, str]]] = Kind(_read_arguments, _TABLE)


def _quoted(words: Sequence[str]) -> str:
    return listed([f'"{word}"' for word in words])
