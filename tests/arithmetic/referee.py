"""Are exactly the kernels reported whose launch overflows an index, and are repaired ones silent?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from analysis.refactor.edit import apply_replacements
from analysis.rules.check import check
from analysis.rules.diagnostic import Diagnostic
from analysis.rules.settings import RuleSettings
from tests.arithmetic.indices import IndexKernel, random_kernel
from tests.rules.fixture import analyze

SETTINGS: Final = RuleSettings(select=frozenset({"ARI603"}))


def kernels(seeds: Sequence[int]) -> list[IndexKernel]:
    return [random_kernel(seed, f"k{seed}") for seed in seeds]


def referee(made: Sequence[IndexKernel]) -> Iterator[str]:
    """What is wrong, in one file with all of them."""
    text = "\n".join(one.text for one in made)
    found = found_in(text)
    for one in made:
        name = one.text.split("__global__ void ", 1)[1].split("(", 1)[0]
        here = [diagnostic for diagnostic in found if diagnostic.function == name]
        if one.overflows != bool(here):
            yield f"{'missed' if one.overflows else 'false alarm'}:\n{one.text}{[each.message for each in here]}"
    yield from _not_repaired(text, found)


def _not_repaired(text: str, found: Sequence[Diagnostic]) -> Iterator[str]:
    """Repairs of one function are made together: each widens another operation."""
    edits = {edit for one in found if one.fix is not None for edit in one.fix.replacements}
    repaired = {one.function for one in found} - {one.function for one in found if one.fix is None}
    after = apply_replacements(text.encode(), sorted(edits, key=lambda edit: edit.start)).decode()
    left = {one.function for one in found_in(after)}
    for name in sorted(repaired & left):
        yield f"not repaired: {name}\n{after[after.index(f'void {name}(') :][:600]}"


def found_in(text: str) -> tuple[Diagnostic, ...]:
    return check(analyze(text), SETTINGS)
