"""The table `simulate`: sources stay apart, the kernel's wins over that for all, the later one over the earlier."""

from __future__ import annotations

from typing import Any

import pytest

from simt_lsp.workspace.settings.configuration import DEFAULT, Configuration
from simt_lsp.workspace.settings.reader import apply_source
from simt_lsp.workspace.settings.simulation import LaunchSettings
from simt_lsp.workspace.settings.values import Source


def read(*sources: tuple[str, dict[str, Any]]) -> tuple[Configuration, list[str]]:
    configuration, messages = DEFAULT, list[str]()
    for name, table in sources:
        configuration, problems = apply_source(configuration, Source(name, {"simulate": table}, f"/{name}"))
        messages += [str(problem) for problem in problems]
    return configuration, messages


def test_every_key_takes_a_good_value() -> None:
    configuration, problems = read(
        (
            "file",
            {
                "keep-ready": False,
                "grid": "4x2",
                "block": [16, 16],
                "shared-bytes": 0,
                "seed": 7,
                "arguments": {"n": 2048, "x": "random(0,1)", "flag": True, "alpha": 0.5},
                "policies": ["ipdom", "min-pc"],
                "warp_size": 64,
                "seconds": 2.5,
                "maxSteps": 1000,
                "kernels": {"k": {"grid": 1, "seed": None}},
            },
        )
    )
    assert problems == []
    assert not configuration.simulation.keep_ready
    of_kernel, general = configuration.simulation.of("k")
    assert of_kernel == LaunchSettings("file", "/file", "k", grid=(1, 1, 1))
    assert general == LaunchSettings(
        "file",
        "/file",
        None,
        grid=(4, 2, 1),
        block=(16, 16, 1),
        shared_bytes=0,
        seed=7,
        arguments={"n": "2048", "x": "random(0,1)", "flag": "true", "alpha": "0.5"},
        policies=("ipdom", "min-pc"),
        warp_size=64,
        seconds=2.5,
        max_steps=1000,
    )
    assert configuration.simulation.of("other") == (general,)


def test_what_is_said_of_a_kernel_wins_then_the_later_source() -> None:
    configuration, problems = read(
        ("file", {"seed": 1, "kernels": {"k": {"seed": 2}}}), ("editor", {"seed": 3, "kernels": {"k": {"grid": 4}}})
    )
    assert problems == []
    found = configuration.simulation.of("k")
    assert [(one.source, one.kernel) for one in found] == [
        ("editor", "k"),
        ("file", "k"),
        ("editor", None),
        ("file", None),
    ]
    assert [one.seed for one in configuration.simulation.of("other")] == [3, 1]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"grid": 0}, "simulate.grid = 0 is not allowed: use 1 to 3 numbers of blocks"),
        ({"block": [2048]}, "simulate.block = [2048] is not allowed: use 1 to 3 sizes with a product up to 1024"),
        ({"warpSize": 5}, "simulate.warpSize = 5 is not allowed: use 4, 8, 16, 32 or 64"),
        ({"seed": "x"}, 'simulate.seed = "x" is not allowed: use a whole number as the seed, 0 or more'),
        ({"seconds": 0}, "simulate.seconds = 0 is not allowed: use a number of seconds up to 3600"),
        ({"arguments": {"n": []}}, 'is not allowed: n = []: use a number or a text such as random(0,1)'),
        ({"policies": 3}, "simulate.policies = 3 is not allowed: use names of policies, or all"),
        ({"gird": 3}, "simulate.gird = 3 is not allowed: there is no such setting; there are grid, block,"),
        ({"kernels": {"k": {"seed": -1}}}, "simulate.kernels.k.seed = -1 is not allowed"),
        ({"kernels": {"k": 1}}, "simulate.kernels.k = 1 is not allowed: use a table of settings"),
        ({"keepReady": "no"}, 'simulate.keepReady = "no" is not allowed: use true or false'),
    ],
)  # fmt: skip
def test_a_bad_value_costs_only_itself(table: dict[str, Any], message: str) -> None:
    configuration, problems = read(("file", {"maxSteps": 5, **table}))
    assert [one.max_steps for one in configuration.simulation.of("j")] == [5]
    assert len(problems) == 1
    assert problems[0].startswith("file: ")
    assert message in problems[0]
