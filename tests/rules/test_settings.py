"""Which rules speak: the most specific name wins, and nothing that is wrong goes unsaid."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import OFF, RuleSettings, SettingsProblem, read_rule_settings
from analysis.rules.suppressions import RuleNames
from analysis.verdict.barriers import Tier

BARRIER = RuleNames("SYN101", "divergent-barrier")


@pytest.mark.parametrize(
    ("select", "ignore", "speaks"),
    [
        ({"ALL"}, set[str](), True),
        ({"ALL"}, {"SYN"}, False),
        ({"ALL", "SYN101"}, {"SYN"}, True),
        ({"SYN"}, {"SYN101"}, False),
        ({"SYN1"}, {"SYN"}, True),
        ({"SYN101"}, {"divergent-barrier"}, False),
        ({"DIV"}, set[str](), False),
        ({"simt-divergent-barrier"}, {"ALL"}, True),
        ({"syn"}, set[str](), True),
        (set[str](), set[str](), False),
    ],
)
def test_the_most_specific_name_decides(select: set[str], ignore: set[str], speaks: bool) -> None:
    settings = RuleSettings(select=frozenset(select), ignore=frozenset(ignore))
    assert settings.severity_of(BARRIER, Severity.ERROR) is (Severity.ERROR if speaks else OFF)


def test_a_severity_may_be_changed_by_code_prefix_or_slug() -> None:
    settings = RuleSettings(severities={"SYN": Severity.HINT, "divergent-barrier": Severity.WARNING})
    assert settings.severity_of(BARRIER, Severity.ERROR) is Severity.WARNING
    assert settings.severity_of(RuleNames("SYN102", "barrier-in-varying-loop"), Severity.ERROR) is Severity.HINT
    assert settings.severity_of(RuleNames("DIV401", "divergent-branch"), Severity.ERROR) is Severity.ERROR
    assert RuleSettings(severities={"SYN101": OFF}).severity_of(BARRIER, Severity.ERROR) is OFF


def test_only_proven_findings_are_shown_unless_asked() -> None:
    assert RuleSettings().shows(Tier.PROVEN)
    assert RuleSettings().shows(None)
    assert not RuleSettings().shows(Tier.POSSIBLE)
    assert RuleSettings(tiers=frozenset({Tier.POSSIBLE})).shows(Tier.POSSIBLE)


def test_plain_text_becomes_settings() -> None:
    settings, problems = read_rule_settings(
        select=["SYN", "div401"],
        ignore=["SYN104"],
        severities={"divergent-branch": "Warning", "DIV404": "off"},
        tiers=["proven", "possible"],
    )
    assert problems == ()
    assert settings == RuleSettings(
        frozenset({"SYN", "div401"}),
        frozenset({"SYN104"}),
        {"divergent-branch": Severity.WARNING, "DIV404": OFF},
        frozenset({Tier.PROVEN, Tier.POSSIBLE}),
    )


def test_nothing_given_is_the_default() -> None:
    assert read_rule_settings() == (RuleSettings(), ())


def test_wrong_values_are_reported_and_the_default_stays() -> None:
    settings, problems = read_rule_settings(
        select=["divergent-barier"],
        ignore=["XYZ"],
        severities={"SYN101": "loud", "nothing": "error"},
        tiers=["maybe"],
    )
    assert settings == RuleSettings()
    assert problems == (
        SettingsProblem(
            "select", "divergent-barier", "no rule is called `divergent-barier`; did you mean `divergent-barrier`?"
        ),
        SettingsProblem("ignore", "XYZ", "no rule is called `XYZ`"),
        SettingsProblem(
            "severity.SYN101", "loud", "a severity is one of `error`, `warning`, `information`, `hint`, `off`"
        ),
        SettingsProblem("severity", "nothing", "no rule is called `nothing`"),
        SettingsProblem("tiers", "maybe", "a tier is one of `proven`, `possible`, `assumed`"),
    )
