"""CAL701 to CAL704 on small texts whose answer a compiler gave."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture
from tests.sides.cases import CASES, DECLARED, Case

ONLY = RuleSettings(select=frozenset({"CAL"}))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_does_not_compile_is_an_error_and_nothing_else_is(case: Case) -> None:
    found = check_fixture(DECLARED + case.text, ONLY)
    has_error = any(one.severity is Severity.ERROR for one in found)
    assert has_error == (not (case.is_accepted and case.is_linked) and not case.unseen)
    assert not (case.is_accepted and case.unseen)
