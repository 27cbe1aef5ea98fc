"""From the table of a page about JSON to a JSON schema.

A row is `path | type | meaning`: `[]` stands for any element, `[0]` for the first, `*` for any name; the type is one of
JSON's, or several with `or`.  A value that rows only go through is an object or an array.  What a row says of a part of
an object is required of it: a page names what is always there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

Schema: TypeAlias = dict[str, Any]

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
_ROW: Final = re.compile(r"^\| `([^`]+)` \| ([^|]+) \| ?([^|]*) \|$", re.MULTILINE)
_PART: Final = re.compile(r"\[\d*\]|[^.\[]+")
_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_NAME: Final = re.compile(r"^[A-Za-z_][\w-]*$")


@dataclass(slots=True)
class _Value:
    """`parts` by name, `[]`, `[0]` or `*`."""

    types: list[str] = field(default_factory=list[str])
    meaning: str = ""
    parts: dict[str, _Value] = field(default_factory=dict[str, "_Value"])


def schema_of(page: str, title: str, description: str, references: Mapping[str, Schema]) -> Schema:
    """`references`: schemas of values, by path, in place of what the page has of them."""
    root = _Value()
    for path, types, meaning in _ROW.findall(page):
        value = root
        for part in _PART.findall(path):
            value = value.parts.setdefault(part, _Value())
        value.types = types.strip().split(" or ")
        value.meaning = _LINK.sub(r"\1", meaning.strip())
    found = _schema(root, "", references)
    return {"$schema": DRAFT, "title": title, "description": description, **found}


def _schema(value: _Value, path: str, references: Mapping[str, Schema]) -> Schema:
    if path in references:
        return {**({"description": value.meaning} if value.meaning else {}), **references[path]}
    found: Schema = {"description": value.meaning} if value.meaning else {}
    structure = dict(_structure(value, path, references))
    types = list(value.types)
    if structure:
        types = [structure.pop("type"), *(["null"] if "null" in types else [])]
    if types:
        found["type"] = types[0] if len(types) == 1 else types
    return {**found, **structure}


def _structure(value: _Value, path: str, references: Mapping[str, Schema]) -> Iterator[tuple[str, Any]]:
    def inner(part: str) -> Schema:
        below = f"{path}{part}" if part.startswith("[") or not path else f"{path}.{part}"
        return _schema(value.parts[part], below, references)

    numbered = sorted(part for part in value.parts if part.startswith("[") and part != "[]")
    if "[]" in value.parts:
        yield "type", "array"
        yield "items", inner("[]")
    elif numbered:
        yield "type", "array"
        yield "prefixItems", [inner(part) for part in numbered]
        yield "minItems", len(numbered)
    elif "*" in value.parts:
        yield "type", "object"
        yield "additionalProperties", inner("*")
    elif value.parts:
        names = [part for part in value.parts if _NAME.match(part)]
        yield "type", "object"
        yield "properties", {name: inner(name) for name in names}
        yield "required", names
        yield "additionalProperties", True
