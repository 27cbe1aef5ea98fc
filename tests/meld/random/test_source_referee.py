"""The referee of source melding finds what is planted, and says nothing about an edit that is right."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.meld.settings import DEFAULT_MELD_SETTINGS, MeldMethod, MeldSettings
from analysis.refactor.edit import Replacement
from analysis.refactor.meld.model import Opportunity
from tests.meld.random.planted import ARMS, LAUNCH, RIGHT, WRONG_TEXTS, kernel_with
from tests.meld.random.runs import FIRST_POLICY
from tests.meld.random.source_referee import Melded, SourceReferee


def planted(text: str) -> Sequence[str]:
    """What the referee says where a melder replaces the branch by `text`."""

    def melder(analysis: FileAnalysis, function: FunctionFacts, settings: MeldSettings) -> Sequence[Melded]:
        source = analysis.document.text.decode()
        if ARMS not in source:
            return ()
        outcome = Opportunity(function.id, function.branches[0], MeldMethod.DARM, 0.1)
        start = source.index(ARMS)
        return (Melded(outcome, (Replacement(start, start + len(ARMS), text),)),)

    return SourceReferee(kernel_with(ARMS), LAUNCH, DEFAULT_MELD_SETTINGS, (FIRST_POLICY,), melder).judge().failures


def test_a_right_edit_is_accepted() -> None:
    assert planted(RIGHT) == []


@pytest.mark.parametrize("defect", WRONG_TEXTS)
def test_a_planted_defect_is_found(defect: str) -> None:
    text, expected = WRONG_TEXTS[defect]
    failures = planted(text)
    assert failures
    assert failures[0].startswith(expected), failures


def test_a_melder_that_never_ends_is_found() -> None:
    assert planted(ARMS)[0].startswith("melding goes on")
