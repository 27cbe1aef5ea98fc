"""Long answers as JSON text, written on the worker's thread, in turns.

Reason   pygls writes an answer on the event loop and in one go: 20,000 hints take a fifth of a second, in which nobody
         gets an answer.
Rules    The text is what pygls would have written.  Only lists make an answer long, so each item of a list is turned
         into plain data on its own, wherever the list stands, and long lists are written some items at a time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import copy
from functools import cache
from typing import Any, Final, cast, final

from analysis.ir.pace import paced, spend
from analysis.ir.record import record

SLICE: Final = 64
"""Items of a list that are written at once."""
WEIGHT: Final = 15
"""Rounds that an object counts; a number counts as one."""


@final
@record
class Written:
    """The answer to a request, or what a notification says."""

    text: str

    @property
    def is_empty(self) -> bool:
        return self.text in ("null", "[]")


def written(value: Any, unstructured: Callable[[Any], Any]) -> Written:
    """`unstructured` makes plain data of one object of lsprotocol."""
    return Written("".join(_pieces(_plain(value, unstructured))))


def _plain(value: Any, unstructured: Callable[[Any], Any]) -> Any:
    match value:
        case None | int() | float() | str():
            return value
        case [int(), *_]:  # numbers only
            return value
        case list() | tuple():
            return [_plain(item, unstructured) for item in paced(cast("list[Any]", value), WEIGHT)]
        case dict():
            return {key: _plain(item, unstructured) for key, item in cast("dict[str, Any]", value).items()}
        case _:
            return _object(value, unstructured)


def _object(value: object, unstructured: Callable[[Any], Any]) -> Any:
    fields: dict[str, Any] = {name: getattr(value, name) for name in _names(value.__class__)}
    lists = {name: cast("list[Any]", found) for name, found in fields.items() if isinstance(found, list) and found}
    if not lists:
        return unstructured(value)
    rest = copy(value)
    for name in lists:
        setattr(rest, name, [])
    return unstructured(rest) | {name: _plain(found, unstructured) for name, found in lists.items()}


@cache
def _names(of: type[Any]) -> tuple[str, ...]:
    """The fields of a class that are named in JSON as they are here: all that hold long lists are."""
    return tuple(field.name for field in getattr(of, "__attrs_attrs__", ()) if "_" not in field.name)


def _pieces(plain: Any) -> Iterator[str]:
    """Of plain data."""
    match plain:
        case dict():
            before = "{"
            for key, item in cast("dict[str, Any]", plain).items():
                yield f"{before}{json.dumps(key)}:"
                yield from _pieces(item)
                before = ","
            yield "}" if plain else "{}"
        case [_, *_]:
            yield from _items(cast("list[Any]", plain))
        case _:
            yield json.dumps(plain)


def _items(items: list[Any]) -> Iterator[str]:
    """Some at a time, and one at a time where they hold objects themselves."""
    weight = 1 if isinstance(items[0], int) else WEIGHT
    step = SLICE * WEIGHT // weight
    before = "["
    for start in range(0, len(items), step):
        part = items[start : start + step]
        spend(len(part) * weight)
        if any(_holds_objects(item) for item in part):
            for item in part:
                yield before
                yield from _pieces(item)
                before = ","
        else:
            yield before + json.dumps(part)[1:-1]
            before = ","
    yield "]"


def _holds_objects(plain: Any) -> bool:
    match plain:
        case dict():
            return any(map(_lists_objects, cast("dict[str, Any]", plain).values()))
        case _:
            return isinstance(plain, list)


def _lists_objects(plain: Any) -> bool:
    match plain:
        case [dict(), *_]:
            return True
        case _:
            return False
