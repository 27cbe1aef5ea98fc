"""What is claimed of launches in random host code holds in every run of it (`random_host.py`)."""

from __future__ import annotations

from random import Random

import pytest

from analysis.launches import Launch, launch_shapes
from analysis.launches.model import LaunchNumbers, PassedMember
from analysis.pipeline import unit_of_text
from tests.hosts.random_host import MEMBERS, HostProgram, Made

RUNS = 12


def launches_of(program: HostProgram) -> tuple[Launch, ...]:
    unit = unit_of_text(program.text)
    return launch_shapes(unit)["k"]


def refutation(seed: int) -> str | None:
    """A launch that a run makes and no claim allows, with the text; None where there is none."""
    program = HostProgram(seed)
    found = launches_of(program)
    for number in range(RUNS):
        for made in program.run(Random(seed + number).randrange(1 << 30), number % 3) or ():
            launch = found[made[0]]
            if not _allows(launch.own_numbers, made) or not any(_allows(one, made) for one in launch.every):
                return f"launch {made[0]} of seed {seed}: {made[1:]}; claimed {launch.every}\n{program.text}"
    return None


def _allows(claimed: LaunchNumbers, made: Made) -> bool:
    _, x, y, argument, held = made
    is_so = claimed.block in (None, (x, y, 1)) and claimed.argument_values[1] in (None, argument)
    members = {PassedMember(2, "C", path, number) for path, number in zip(MEMBERS.values(), held, strict=True)}
    return is_so and members.issuperset(claimed.members)


@pytest.mark.parametrize("first", range(0, 400, 40))
def test_no_run_refutes_what_is_claimed(first: int) -> None:
    for seed in range(first, first + 40):
        assert refutation(seed) is None


def test_something_is_claimed() -> None:
    """Else the runs above would referee nothing."""
    found = [launch for seed in range(100) for launch in launches_of(HostProgram(seed))]
    assert sum(launch.block is not None or bool(launch.possible) for launch in found) > len(found) // 4
    assert sum(len(launch.members) for launch in found) > len(found)
