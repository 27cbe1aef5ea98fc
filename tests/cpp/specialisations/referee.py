"""Do compilers choose the specialisations that we choose?"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.cpp.templates.specialisations import AmbiguousMatch, Match, Matched, matched
from analysis.cpp.types.spelling import spelled_argument
from tests.cpp.lines import refused
from tests.cpp.specialisations.templates import TemplateSet
from tests.cpp.world import WORLD


def wrong(sets: Sequence[TemplateSet]) -> list[str]:
    """Uses for which all compilers say something else."""
    found: dict[tuple[int, int], Matched] = {}
    texts: list[tuple[list[str], list[str]]] = []
    for number, one in enumerate(sets):
        uses: list[str] = []
        for index, arguments in enumerate(one.uses):
            match = found[number, index] = matched(one.specialisations, arguments)
            uses.append(_line(index, f"A<{', '.join(map(spelled_argument, arguments))}>", match))
        texts.append((one.declarations, uses))
    judged = refused(["#define __device__", WORLD], texts)
    return [
        f"{texts[at[0]][1][at[1]]}\n  compiler: {judged[0].get(at, 'accepts it')}\n  " + "\n  ".join(texts[at[0]][0])
        for at, match in found.items()
        if all((at in errors) != isinstance(match, AmbiguousMatch) for errors in judged)
    ]


def _line(index: int, use: str, match: Matched) -> str:
    if isinstance(match, Match):
        own = match.specialisation
        return f'static_assert(sizeof({use}) == {1 if own is None else int(str(own.declaration)) + 2}, "");'
    return f"constexpr unsigned long size_{index} = sizeof({use});"
