"""A mapping that keeps what was asked for last: the newest results stay, the oldest unused go."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar, final

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@final
class BoundedCache(Generic[Key, Value]):
    """At most `capacity` entries, least recently used first out.  Safe to share between threads."""

    def __init__(self, capacity: int, weigh: Callable[[Value], int] = lambda _: 1) -> None:
        """`weigh`: as how many entries one counts."""
        self._capacity = capacity
        self._weigh = weigh
        self._weight = 0
        self._entries: OrderedDict[Key, Value] = OrderedDict()
        self._lock = Lock()

    def get_or_compute(self, key: Key, compute: Callable[[], Value], /) -> Value:
        """The value under `key`; computed outside of the lock, and kept where it is missing."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
                return self._entries[key]
        value = compute()
        self.put(key, value)
        return value

    def get(self, key: Key) -> Value | None:
        """The value under `key`, if it is there."""
        with self._lock:
            value = self._entries.get(key)
            if value is not None:
                self._entries.move_to_end(key)
            return value

    def put(self, key: Key, value: Value) -> None:
        """Keeps `value`, in the place of another one under `key`."""
        with self._lock:
            if key in self._entries:
                self._weight -= self._weigh(self._entries.pop(key))
            self._entries[key] = value
            self._weight += self._weigh(value)
            while self._weight > self._capacity and len(self._entries) > 1:
                self._weight -= self._weigh(self._entries.popitem(last=False)[1])

    def discard(self, key: Key) -> None:
        with self._lock:
            if key in self._entries:
                self._weight -= self._weigh(self._entries.pop(key))
