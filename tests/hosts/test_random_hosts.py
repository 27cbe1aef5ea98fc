"""What is claimed of launches in random host code holds in every run of it (`random_host.py`)."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from analysis.launches import Launch, launch_shapes
from analysis.launches.model import HeldConstant, LaunchNumbers, PassedMember
from analysis.pipeline import unit_of_text
from tests.hosts.random_host import AT_FIRST, MEMBERS, HostProgram, Made

RUNS = 12


def launches_of(program: HostProgram) -> tuple[Launch, ...]:
    unit = unit_of_text(program.text)
    return launch_shapes(unit)["k"]


def refutation(seed: int) -> str | None:
    """A launch that a run makes and no claim allows, with the text; None where there is none."""
    program = HostProgram(seed)
    found = launches_of(program)
    for number in range(RUNS):
        argc = number % 3
        for made in program.run(Random(seed + number).randrange(1 << 30), argc) or ():
            launch = found[made[0]]
            is_so = _allows(launch.own_numbers, made) and any(_allows(one, made) for one in launch.every)
            if argc == 1:  # what constant memory holds is told of a program that is started without arguments
                is_so &= any(_allows(one, made) and _holds_all(one, made) for one in launch.made)
            if not is_so:
                return f"launch {made[0]} of seed {seed}: {made[1:]}; claimed {launch.every}\n{program.text}"
    return None


def _allows(claimed: LaunchNumbers, made: Made) -> bool:
    _, x, y, argument, members, _ = made
    is_so = claimed.block in (None, (x, y, 1)) and claimed.argument_values[1] in (None, argument)
    passed = {PassedMember(2, "C", path, number) for path, number in zip(MEMBERS.values(), members, strict=True)}
    return is_so and passed.issuperset(claimed.members)


def _holds_all(claimed: LaunchNumbers, made: Made) -> bool:
    return all(_holds(one, made[-1]) for one in claimed.constants)


def _holds(claimed: HeldConstant, held: Mapping[tuple[str, str], int]) -> bool:
    """What nothing was copied to may be claimed to hold what is set, as long as that is no certain claim."""
    key = claimed.name, claimed.path
    return held[key] == claimed.number or (not claimed.is_certain and held[key] == AT_FIRST[key])


@pytest.mark.parametrize("first", range(0, 400, 40))
def test_no_run_refutes_what_is_claimed(first: int) -> None:
    for seed in range(first, first + 40):
        assert refutation(seed) is None


def test_something_is_claimed() -> None:
    """Else the runs above would referee nothing."""
    found = [launch for seed in range(100) for launch in launches_of(HostProgram(seed))]
    assert sum(launch.block is not None or bool(launch.possible) for launch in found) > len(found) // 4
    assert sum(len(launch.members) for launch in found) > len(found)
    held = [one for launch in found for one in launch.constants if one.name != "never"]
    assert sum(one.is_certain for one in held) > len(found)
    assert not all(one.is_certain for one in held)
