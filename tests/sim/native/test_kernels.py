"""Hand-written kernels, simulated under several policies, against the same text compiled for the processor."""

from __future__ import annotations

from typing import Final

import pytest

from sim.policies.ipdom import Ipdom
from sim.policies.protocol import PolicyFactory
from sim.policies.registry import POLICIES
from tests.sim.native.cases import hand_written
from tests.sim.native.comparison import compare, expected
from tests.sim.native.compiler import compiled
from tests.sim.native.program import NativeResult
from tests.sim.running import kernel_of

_CASES: Final = {case.unit.kernel: case for case in hand_written()}
_OTHERS: Final = tuple(policy for policy in POLICIES.values() if policy is not Ipdom)
_UNDER_ALL: Final = {"scan_block", "goto_machine", "match_aggregate"}
"""Where control flow or meetings are special."""


def _some(name: str) -> tuple[PolicyFactory, ...]:
    """The usual one and two of the others, in turn from kernel to kernel."""
    turn = list(_CASES).index(name)
    return (Ipdom, _OTHERS[turn % len(_OTHERS)], _OTHERS[(turn + 3) % len(_OTHERS)])


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> dict[str, NativeResult]:
    cases = list(_CASES.values())
    program = compiled([case.unit for case in cases], tmp_path_factory.mktemp("kernels"))
    return dict(zip(_CASES, expected(program, cases), strict=True))


@pytest.mark.parametrize("name", _CASES)
def test_the_simulator_computes_what_native_code_computes(name: str, native: dict[str, NativeResult]) -> None:
    case = _CASES[name]
    kernel = kernel_of(case.unit.text, case.unit.kernel)
    for policy in POLICIES.values() if name in _UNDER_ALL else _some(name):
        assert compare(case, kernel, policy, native[name]) == [], policy.name


def test_a_wrong_result_is_noticed(native: dict[str, NativeResult]) -> None:
    case = _CASES["histogram"]
    broken = case.unit.text.replace("local + q.w, 0xffffffffu", "local + q.w, 9u")
    assert any("counts" in line for line in compare(case, kernel_of(broken, "histogram"), Ipdom, native["histogram"]))
