"""Random kernels are melded, in the intermediate representation and in the source, and run as they did before."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.meld.fuzz import Checked, check
from tests.meld.random.native import native_differences
from tests.sim.native.compiler import compiler_path
from tests.sim.random.choices import Seeded

PARTS = 6
KERNELS = 2
"""In each part."""


@pytest.mark.parametrize("part", range(PARTS))
def test_melding_changes_no_result(part: int, tmp_path: Path) -> None:
    """Melded texts are compiled, too, where there is a compiler."""
    whole = Checked()
    for seed in range(part * KERNELS, (part + 1) * KERNELS):
        kernel, checked = check(Seeded(seed), seed)
        assert checked.failures == [], kernel.text
        whole.pairs += checked.pairs
    if whole.pairs and compiler_path() is not None:
        assert list(native_differences(whole.pairs, tmp_path)) == []


def test_there_is_something_to_look_at() -> None:
    counts: Counter[str] = Counter()
    for seed in range(2):
        counts.update(check(Seeded(seed))[1].counts)
    assert counts["ir: melds"] > 3
    assert counts["source: melds"] > 3
