"""From a `TypedDict` to a JSON schema: numbers, texts, literals, lists, mappings, unions and other such classes."""

from __future__ import annotations

import types
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from tests.schemas.from_table import Schema

_SIMPLE: dict[object, Schema] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    types.NoneType: {"type": "null"},
}


def definitions_of(type: Any) -> dict[str, Schema]:
    """The class and those that it is made of, for `$defs`."""
    found: dict[str, Schema] = {}
    _define(type, found)
    return dict(sorted(found.items()))


def reference(type: Any) -> Schema:
    return {"$ref": f"#/$defs/{_name(type)}"}


def _name(type: Any) -> str:
    name: str = type.__name__
    return name.removesuffix("Object").lower()


def _define(type: Any, found: dict[str, Schema]) -> None:
    name = _name(type)
    if name in found:
        return
    found[name] = {}
    hints = get_type_hints(type)
    required = [field for field in hints if field in type.__required_keys__]
    found[name] = {
        "type": "object",
        "properties": {field: _schema(hint, found) for field, hint in hints.items()},
        "required": required,
        "additionalProperties": True,
    }


def _schema(hint: Any, found: dict[str, Schema]) -> Schema:
    if hint in _SIMPLE:
        return dict(_SIMPLE[hint])
    if is_typeddict(hint):
        _define(hint, found)
        return reference(hint)
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is list:
        return {"type": "array", "items": _schema(inner[0], found)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(inner[1], found)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(one, found) for one in inner]}
    raise TypeError(f"no schema for {hint}")
