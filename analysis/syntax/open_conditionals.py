"""The conditionals that are open at a place of a file: a stack that never changes, and shares what is around.

Cost      One cell for each `#if`, however deep it lies; files of 10,000 `#if` in one another exist to annoy.
"""

from __future__ import annotations

from typing import Final, final

from analysis.syntax.scopes import Scopes


@final
class OpenConditionals:
    """The innermost one, with the scopes that were open at its `#if`, and those around it; equal by content."""

    __slots__ = ("_hash", "_outer", "depth", "scopes")

    def __init__(self, outer: OpenConditionals | None, scopes: Scopes) -> None:
        self._outer = outer
        self.scopes: Final = scopes
        self.depth: Final[int] = 0 if outer is None else outer.depth + 1
        self._hash = 0 if outer is None else hash((outer._hash, scopes))

    @property
    def outer(self) -> OpenConditionals:
        """What is left behind the `#endif`."""
        return self if self._outer is None else self._outer

    def inside(self, scopes: Scopes) -> OpenConditionals:
        """One more is opened."""
        return OpenConditionals(self, scopes)

    def __bool__(self) -> bool:
        return self._outer is not None

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OpenConditionals) or self.depth != other.depth or self._hash != other._hash:
            return False
        one: OpenConditionals | None = self
        two: OpenConditionals | None = other
        while one is not two and one is not None and two is not None:
            if one.scopes != two.scopes:
                return False
            one, two = one._outer, two._outer
        return True


NO_CONDITIONALS: Final = OpenConditionals(None, ())
