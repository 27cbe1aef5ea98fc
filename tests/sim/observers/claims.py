"""Expectations beside CUDA text: what follows `//@` on a line must be what an observer says about that line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sim.observers.places import FunctionSpan


def claims(text: str) -> dict[int, str]:
    """By line number, from 1."""
    return {number: line.split("//@")[1].strip() for number, line in enumerate(text.split("\n"), 1) if "//@" in line}


def line_of(text: str, place: FunctionSpan) -> int:
    """Of a place in the kernel itself: `k` is the last function of the text."""
    return text[: text.index("__global__") + place.span.start].count("\n") + 1


def told(text: str, found: Iterable[tuple[FunctionSpan, str]]) -> dict[int, str]:
    """What was found, by line, several answers of one line joined by `; `."""
    lines: dict[int, list[str]] = {}
    for place, words in found:
        lines.setdefault(line_of(text, place), []).append(words)
    return {line: "; ".join(words) for line, words in lines.items()}


def check(text: str, found: Mapping[int, str]) -> None:
    assert dict(found) == claims(text)
