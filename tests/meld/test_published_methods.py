"""Which method melds which shape is what the paper says (table I, sections VI-A and VI-B), and changes no result.

Tail merging    the identical blocks of SB1 and SB4, and what ends alike in the chains of SRAD; none whose arms differ
                (-R), none of another shape.
Branch fusion   arms of one block each: SB1, SB4 step by step, and their -R variants; SB2 and SB3 not, nor the arms of
                BIT that hold an `if` of their own.  In LUD the paper fuses what loop unrolling made of it; here loops
                stay loops, and are not fused.
DARM            everything.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from analysis.ir.verifier import verify
from analysis.meld.meld import meld_function
from analysis.meld.model import MeldResult
from analysis.meld.settings import MeldMethod, MeldSettings
from benchmarks.melding.counts import Counts, count_run
from benchmarks.melding.launching import launch_of
from benchmarks.melding.subjects import SUBJECTS, program_of, subject_named
from sim.kernel import Kernel
from sim.specification import LaunchSpecification

MELDED_BY_TAIL = {"SB1", "SB4", "SRAD-1", "SRAD-2"}
MELDED_BY_FUSION = {"SB1", "SB1-R", "SB4", "SB4-R", "PCM", "MS", "SRAD-1", "SRAD-2", "DCT"}
EVERY_KERNEL = pytest.mark.parametrize("name", [subject.name for subject in SUBJECTS])
SYNTHETIC = pytest.mark.parametrize("name", [subject.name for subject in SUBJECTS if subject.name.startswith("SB")])


@cache
def original(name: str) -> tuple[Kernel, LaunchSpecification]:
    """With the smallest of its blocks."""
    subject = subject_named(name)
    return launch_of(program_of(subject.text, subject.file, 32), subject.function, subject.blocks[0])


@cache
def melded(name: str, method: MeldMethod) -> MeldResult:
    result = meld_function(original(name)[0].function, MeldSettings(method=method))
    assert not verify(result.function)
    return result


@cache
def counts(name: str, method: MeldMethod | None = None) -> Counts:
    kernel, launch = original(name)
    return count_run(kernel if method is None else replace(kernel, function=melded(name, method).function), launch)


@EVERY_KERNEL
def test_darm_melds_everything(name: str) -> None:
    assert melded(name, MeldMethod.DARM).melded


@EVERY_KERNEL
def test_branch_fusion_melds_arms_of_one_block(name: str) -> None:
    assert bool(melded(name, MeldMethod.FUSION).melded) == (name in MELDED_BY_FUSION)


@EVERY_KERNEL
def test_tail_merging_melds_arms_that_end_alike(name: str) -> None:
    assert bool(melded(name, MeldMethod.TAIL).melded) == (name in MELDED_BY_TAIL)


@EVERY_KERNEL
@pytest.mark.parametrize("method", list(MeldMethod))
def test_melding_changes_no_result(name: str, method: MeldMethod) -> None:
    assert counts(name, method).memory == counts(name).memory


@SYNTHETIC
def test_darm_saves_issue_slots_and_fills_lanes(name: str) -> None:
    before, after = counts(name), counts(name, MeldMethod.DARM)
    assert after.slots < before.slots
    assert after.utilisation > before.utilisation
    assert after.shared_requests < before.shared_requests


def test_identical_arms_leave_no_lane_idle() -> None:
    assert counts("SB1", MeldMethod.DARM).utilisation == 1.0


def test_fusion_of_three_ways_stops_where_darm_replicates_regions() -> None:
    assert counts("SB4-R", MeldMethod.DARM).slots < counts("SB4-R", MeldMethod.FUSION).slots
