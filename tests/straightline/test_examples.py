"""The examples on the pages of rules with repairs: run as they are, repaired, and as the page says instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pytest

from analysis.refactor.edit import apply_replacements
from analysis.rules.check import check
from analysis.rules.registry import RULES
from analysis.rules.rule import Finding
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import analyze
from tests.rules.test_documentation import examples
from tests.sim.running import run

THREADS: Final = 256
BLOCK_OF: Final = {"ARI603": (8, 8, 1), "MEM502": (32, 32, 1)}
GRID_OF: Final = {"ARI601": (4, 2, 1), "ARI603": (2, 2, 1), "MEM502": (1, 1, 1)}
REPAIRED: Final = ("ARI601", "ARI602", "ARI603", "ARI604", "ARI605", "MEM502")


def rule_of(code: str) -> type[Finding]:
    return next(rule for rule in RULES if rule.code == code)


@pytest.mark.parametrize("code", REPAIRED)
def test_the_example_its_repair_and_the_way_out_compute_the_same(code: str) -> None:
    settings = RuleSettings(select=frozenset({code}))
    (wrong,), (instead,) = examples(rule_of(code), "Example"), examples(rule_of(code), "Use instead")
    (found,) = check(analyze(wrong), settings)
    assert found.fix is not None
    repaired = apply_replacements(wrong.encode(), found.fix.replacements).decode()
    assert check(analyze(repaired), settings) == ()
    before = run_of(wrong, code)
    assert any(np.any(array != given_to(wrong)[name]) for name, array in before.items())
    for text in (repaired, instead):
        after = run_of(text, code)
        assert before.keys() == after.keys()
        for name, array in before.items():
            np.testing.assert_allclose(after[name], array, rtol=1e-5, err_msg=text)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_all_examples_with_repairs_are_run(rule: type[Finding]) -> None:
    """Those of arithmetic and of memory; repairs of barriers, races and masks have their own referees."""
    settings = RuleSettings(select=frozenset({rule.code}))
    (wrong, *_) = examples(rule, "Example")
    has_fix = rule.code[:3] in ("ARI", "MEM") and any(one.fix is not None for one in check(analyze(wrong), settings))
    assert has_fix is (rule.code in REPAIRED)


def run_of(text: str, code: str) -> Mapping[str, Any]:
    name = text.split("__global__ void ", 1)[1].partition("(")[0]
    block, grid = BLOCK_OF.get(code, (64, 1, 1)), GRID_OF.get(code, (4, 1, 1))
    result = run(text, given_to(text), grid=grid, block=block, name=name)
    assert not result.faults, (result.faults, text)
    return result.arrays


def given_to(text: str) -> Mapping[str, Any]:
    """Numbers that fit every example, by the parameters of the kernel."""
    head = text.split("__global__ void ", 1)[1].partition("(")[2].partition(")")[0]
    random = np.random.default_rng(3)
    given: dict[str, Any] = {}
    for parameter in head.split(","):
        *words, name = parameter.replace("*", " * ").split()
        if name == "start":
            given[name] = np.cumsum(random.integers(0, 4, THREADS + 1)).astype(np.int32)
        elif "float" in words:
            given[name] = random.random(4 * THREADS).astype(np.float32)
        elif "*" in words:
            type_ = np.int64 if "long" in words else np.int32
            given[name] = random.integers(1, 9, 4 * THREADS).astype(type_)
        else:
            given[name] = 16 if "scale" in text else THREADS
    return given
