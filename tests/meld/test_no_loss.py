"""BEST makes no kernel of the benchmark issue more, with its block known or not, and leaves it the same memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.meld.meld import meld_function
from benchmarks.melding.counts import count_run
from benchmarks.melding.launching import launch_of
from benchmarks.melding.subjects import SUBJECTS, Subject, program_of

ANY_LAUNCH = LaunchKnowledge()


@pytest.mark.parametrize("warp_size", [32, 64])
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_no_kernel_issues_more_instructions(subject: Subject, warp_size: int) -> None:
    for block in {subject.blocks[0], subject.blocks[-1]}:
        kernel, launch = launch_of(program_of(subject.text, subject.file, warp_size), subject.function, block)
        known = LaunchKnowledge((BlockShape(*block),), warp_size=warp_size)
        results = [meld_function(kernel.function, launch=one) for one in (known, ANY_LAUNCH)]
        melded = [result.function for result in results if result.melded]
        before = count_run(kernel, launch) if melded else None
        for function in melded:
            after = count_run(replace(kernel, function=function), launch)
            assert before is not None
            assert after.memory == before.memory
            assert after.issued <= before.issued
            assert after.slots <= before.slots
