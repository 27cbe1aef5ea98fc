"""A bounded memo: the newest results stay, the oldest unused go."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar, final

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@final
class BoundedCache(Generic[Key, Value]):
    """At most `capacity` entries, least recently used first out."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[Key, Value] = OrderedDict()

    def get_or_compute(self, key: Key, compute: Callable[[], Value], /) -> Value:
        """The value under `key`; computed and kept where it is missing."""
        try:
            known = self._entries[key]
        except KeyError:
            pass
        else:
            self._entries.move_to_end(key)
            return known
        value = compute()
        self._entries[key] = value
        if len(self._entries) > self._capacity:
            self._entries.popitem(last=False)
        return value
