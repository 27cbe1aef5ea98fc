"""The comparison of native code finds what is planted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.meld.random.native import NativePair, native_differences
from tests.meld.random.planted import ARMS, LAUNCH, RIGHT, WRONG, WRONG_TEXTS, kernel_with


def test_what_computes_something_else_is_found(tmp_path: Path) -> None:
    texts = (RIGHT, WRONG["a select the wrong way round"][0], WRONG["a statement dropped"][0])
    pairs = [NativePair(seed, kernel_with(ARMS), kernel_with(text), LAUNCH) for seed, text in enumerate(texts)]
    assert [seed for seed, _ in native_differences(pairs, tmp_path)] == [1, 2]


@pytest.mark.parametrize("defect", ["not C++", "a name that nobody declared"])
def test_what_does_not_compile_is_found(defect: str, tmp_path: Path) -> None:
    pair = NativePair(7, kernel_with(ARMS), kernel_with(WRONG_TEXTS[defect][0]), LAUNCH)
    with pytest.raises(pytest.fail.Exception, match=r"seed_7_0_after\.cu"):
        list(native_differences([pair], tmp_path))
