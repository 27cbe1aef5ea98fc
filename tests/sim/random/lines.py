"""The text of one function, while it is written."""

from __future__ import annotations

from typing import final


@final
class Lines:
    """`declarations` come before everything else, so that no jump passes an initialisation."""

    def __init__(self) -> None:
        self.declarations: list[str] = []
        self.body: list[str] = []
        self._depth = 1
        self._names = 0

    def fresh(self, word: str) -> str:
        self._names += 1
        return f"{word}{self._names}"

    def declare(self, line: str) -> None:
        self.declarations.append(f"  {line}")

    def add(self, line: str) -> None:
        self.body.append("  " * self._depth + line)

    def open(self, head: str) -> None:
        self.add(f"{head} {{")
        self._depth += 1

    def close(self, tail: str = "") -> None:
        self._depth -= 1
        self.add("}" + tail)

    def text(self) -> str:
        return "\n".join([*self.declarations, *self.body])
