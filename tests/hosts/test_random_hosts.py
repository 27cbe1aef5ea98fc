"""What is claimed of launches in random host code holds in every run of it (`random_host.py`)."""

from __future__ import annotations

from random import Random

import pytest

from analysis.launches import Launch, launch_shapes
from analysis.pipeline import unit_of_text
from tests.hosts.random_host import HostProgram

RUNS = 12


def launches_of(program: HostProgram) -> tuple[Launch, ...]:
    unit = unit_of_text(program.text)
    return launch_shapes(unit)["k"]


def refutation(seed: int) -> str | None:
    """A launch that a run makes and no claim allows, with the text; None where there is none."""
    program = HostProgram(seed)
    found = launches_of(program)
    for number in range(RUNS):
        for place, x, y, argument in program.run(Random(seed + number).randrange(1 << 30), number % 3) or ():
            launch = found[place]
            claims = [(launch.block, launch.argument_values[1])]
            claims_of_all = [(one.block, one.argument_values[1]) for one in launch.every]
            made = f"launch {place} of seed {seed}: block {x} x {y}, n {argument}; claimed "
            if not all(_allows(block, value, x, y, argument) for block, value in claims):
                return f"{made}{claims}\n{program.text}"
            if not any(_allows(block, value, x, y, argument) for block, value in claims_of_all):
                return f"{made}{claims_of_all}\n{program.text}"
    return None


def _allows(block: object, value: object, x: int, y: int, argument: int) -> bool:
    return block in (None, (x, y, 1)) and value in (None, argument)


@pytest.mark.parametrize("first", range(0, 400, 40))
def test_no_run_refutes_what_is_claimed(first: int) -> None:
    for seed in range(first, first + 40):
        assert refutation(seed) is None


def test_something_is_claimed() -> None:
    """Else the runs above would referee nothing."""
    found = [launch for seed in range(100) for launch in launches_of(HostProgram(seed))]
    assert sum(launch.block is not None or bool(launch.possible) for launch in found) > len(found) // 4
