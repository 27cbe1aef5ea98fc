"""Every meld of the benchmark's kernels, gainful or not, is text that a compiler accepts."""

from __future__ import annotations

import shutil

import pytest

from analysis.meld.settings import MeldSettings
from benchmarks.melding.melders import meld_source
from benchmarks.melding.subjects import FOLDER, SUBJECTS
from tests.support import accepted
from tests.support.accepted import assert_accepted

MOST = 6
"""Of nine files; in some there is nothing that would save anything."""


@pytest.fixture(scope="module")
def melded() -> dict[str, str]:
    """Files with all melds of all their kernels."""
    found: dict[str, str] = {}
    for path in sorted(FOLDER.glob("*.cu")):
        before = text = path.read_bytes()
        for subject in SUBJECTS:
            if subject.file == path.name:
                text = meld_source(text, subject.function, MeldSettings(), always).text
        if text != before:
            found[path.name] = text.decode()
    assert len(found) >= MOST
    return found


def always(before: bytes, after: bytes) -> bool:
    return True


def test_a_compiler_accepts_every_melded_kernel(melded: dict[str, str]) -> None:
    assert_accepted(melded)


@pytest.mark.parametrize("compiler", ["nvcc", "the C++ compiler"])
def test_a_text_that_is_no_cuda_is_found(compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if compiler == "nvcc" and shutil.which("nvcc") is None:
        pytest.skip("nvcc is not installed here")
    if compiler != "nvcc":
        monkeypatch.setattr(accepted, "nvcc_path", lambda: None)
        if accepted.compiler_path() is None:
            pytest.skip("no C++ compiler here")
    right = "__global__ void k(int *x) { x[threadIdx.x] = 1; }\n"
    assert_accepted({"a.cu": right, "b.cu": right})
    with pytest.raises(AssertionError, match=r"b\.cu"):
        assert_accepted({"a.cu": right, "b.cu": right.replace("= 1", "= one")})
