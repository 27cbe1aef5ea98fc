"""A meld is found where the share that it saves is asked for: no bound by which branches stay unread is too low."""

from __future__ import annotations

import pytest

from analysis.meld.settings import DEFAULT_MELD_SETTINGS
from analysis.refactor.meld.model import Opportunity
from analysis.refactor.meld.outcomes import meld_opportunities, meld_outcomes
from tests.meld.random.kernels import random_kernel
from tests.rules.fixture import analyze
from tests.sim.random.choices import Seeded


@pytest.mark.parametrize("seed", [59, *range(100, 118)])
def test_what_saves_a_share_is_found_by_it(seed: int) -> None:
    analysis = analyze(random_kernel(Seeded(seed), warp_size=32).text)
    for function in analysis.facts.functions:
        for found in meld_outcomes(analysis, function):
            if isinstance(found, Opportunity):
                again = meld_opportunities(analysis, function, DEFAULT_MELD_SETTINGS, found.predicted_saving)
                assert found in again
