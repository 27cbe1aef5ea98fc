"""BEST makes no kernel of the benchmark issue more instructions, and leaves it the same memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.meld.meld import meld_function
from benchmarks.melding.counts import count_run
from benchmarks.melding.launching import launch_of
from benchmarks.melding.subjects import SUBJECTS, Subject, program_of

LOSES = {("SRAD-2", 32, 32)}
"""FIXME: subject, warp size, width of the block.  The estimate takes every arm of a branch inside the region to run in
each warp; here the row of the warp decides, and one arm alone is cheaper than the melded code."""


@pytest.mark.parametrize("warp_size", [32, 64])
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_no_kernel_issues_more_instructions(subject: Subject, warp_size: int) -> None:
    for block in {subject.blocks[0], subject.blocks[-1]}:
        kernel, launch = launch_of(program_of(subject.text, subject.file, warp_size), subject.function, block)
        knowledge = LaunchKnowledge((BlockShape(*block),), warp_size=warp_size)
        melded = meld_function(kernel.function, launch=knowledge).function
        before, after = count_run(kernel, launch), count_run(replace(kernel, function=melded), launch)
        assert after.memory == before.memory
        assert (after.issued <= before.issued) == ((subject.name, warp_size, block[0]) not in LOSES)
