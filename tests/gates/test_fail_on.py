from __future__ import annotations

import pytest

from simt_lsp.gates.fail_on import fail_on

RULES = [("SYN101", "divergent-barrier"), ("SYN102", "barrier-in-varying-loop"), ("RAC301", "shared-race")]


@pytest.mark.parametrize(
    ("words", "failing"),
    [
        (["error"], {"SYN101 error"}),
        (["warning"], {"SYN101 error", "SYN102 warning"}),
        (["INFORMATION"], {"SYN101 error", "SYN102 warning", "RAC301 information"}),
        (["SYN"], {"SYN101 error", "SYN102 warning"}),
        (["rac301"], {"RAC301 information"}),
        (["shared-race", "error"], {"RAC301 information", "SYN101 error"}),
        (["error", "SYN102"], {"SYN101 error", "SYN102 warning"}),
        ([], set[str]()),
    ],
)
def test_what_is_listed_fails_and_nothing_else(words: list[str], failing: set[str]) -> None:
    severities: dict[str, str] = {"SYN101": "error", "SYN102": "warning", "RAC301": "information"}
    fails = fail_on(words, RULES)
    assert {
        f"{code} {severities[code]}" for code, name in RULES if fails.fails(severities[code], code, name)
    } == failing


def test_a_word_that_says_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="sevre"):
        fail_on(["sevre"], RULES)
