"""Which rules speak, and how loudly; wrong input becomes a problem and the default stays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from difflib import get_close_matches
from enum import Enum
from typing import Final, TypeAlias, final

from analysis.ir.record import record
from analysis.meld.settings import DEFAULT_MELD_SETTINGS, MeldSettings
from analysis.rules.diagnostic import Severity
from analysis.rules.registry import NAMES
from analysis.rules.suppressions import RuleNames
from analysis.verdict.barriers import Tier


class Off(Enum):
    """Instead of a severity: the rule is silent."""

    OFF = "off"


OFF: Final = Off.OFF
ALL: Final = "ALL"
DEFAULT_SHARE_THRESHOLD: Final = 5.0
DEFAULT_FINDINGS_PER_KERNEL: Final = 5

SeverityOrOff: TypeAlias = Severity | Off


@final
@record
class RuleSettings:
    """`select` and `ignore` hold codes (`SYN101`), prefixes (`SYN`), slugs (`divergent-barrier`) or `ALL`.

    The most specific entry wins; at equal length `ignore` does.  `severities` is keyed the same way.
    `tiers` filters findings that have one; `share_threshold` is in percent of a kernel's issue slots.
    `findings_per_kernel`: of those with a price at most so many are shown, the dearest; 0 for all.
    `meld` says how the arms of divergent branches are melded.
    """

    select: frozenset[str] = frozenset({ALL})
    ignore: frozenset[str] = frozenset()
    severities: Mapping[str, SeverityOrOff] = field(default_factory=dict[str, SeverityOrOff])
    tiers: frozenset[Tier] = frozenset({Tier.PROVEN})
    share_threshold: float = DEFAULT_SHARE_THRESHOLD
    findings_per_kernel: int = DEFAULT_FINDINGS_PER_KERNEL
    meld: MeldSettings = DEFAULT_MELD_SETTINGS

    def severity_of(self, rule: RuleNames, default: Severity) -> SeverityOrOff:
        """How loud a rule is; OFF where it is not selected."""
        if _best(self.select, rule) <= _best(self.ignore, rule):
            return OFF
        best = max(self.severities, key=lambda name: specificity(name, rule), default=None)
        if best is None or specificity(best, rule) == 0:
            return default
        return self.severities[best]

    def shows(self, tier: Tier | None) -> bool:
        return tier is None or tier in self.tiers


@final
@record
class SettingsProblem:
    """A setting that was not understood: where it stands and what would be."""

    setting: str
    value: str
    message: str


def specificity(name: str, rule: RuleNames) -> int:
    """How closely `name` names the rule; 0 for not at all.  Letter case and a leading `simt-` do not matter."""
    plain = name.strip().lower().removeprefix("simt-")
    if plain in (rule.slug, rule.code.lower()):
        return len(rule.code) + 2
    if plain == ALL.lower():
        return 1
    return len(plain) + 1 if plain and rule.code.lower().startswith(plain) else 0


def _best(names: Iterable[str], rule: RuleNames) -> int:
    return max((specificity(name, rule) for name in names), default=0)


def read_rule_settings(
    *,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    severities: Mapping[str, str] | None = None,
    tiers: Iterable[str] | None = None,
) -> tuple[RuleSettings, tuple[SettingsProblem, ...]]:
    """Settings from plain text (JSON, TOML, a command line); None leaves a default as it is.

    What is not understood is left out and reported; `select` and `tiers` keep their default if nothing is left.
    """
    default = RuleSettings()
    problems: list[SettingsProblem] = []
    selected = default.select if select is None else _known_names("select", select, problems)
    ignored = default.ignore if ignore is None else _known_names("ignore", ignore, problems)
    loudness = default.severities if severities is None else _known_severities(severities, problems)
    shown = default.tiers if tiers is None else _known_tiers(tiers, problems)
    settings = RuleSettings(selected or default.select, ignored, loudness, shown or default.tiers)
    return settings, tuple(problems)


def _known_names(setting: str, names: Iterable[str], problems: list[SettingsProblem]) -> frozenset[str]:
    return frozenset(name for name in names if _is_known(setting, name, problems))


def _is_known(setting: str, name: str, problems: list[SettingsProblem]) -> bool:
    if any(specificity(name, rule) for rule in NAMES):
        return True
    spellings = [spelling for rule in NAMES for spelling in (rule.code, rule.slug)]
    close = get_close_matches(name.strip(), spellings, n=1) or get_close_matches(name.strip().upper(), spellings, n=1)
    hint = f"; did you mean `{close[0]}`?" if close else ""
    problems.append(SettingsProblem(setting, name, f"no rule is called `{name}`{hint}"))
    return False


def _known_severities(severities: Mapping[str, str], problems: list[SettingsProblem]) -> Mapping[str, SeverityOrOff]:
    known: dict[str, SeverityOrOff] = {}
    words: Mapping[str, SeverityOrOff] = {**{severity.value: severity for severity in Severity}, OFF.value: OFF}
    for name, value in severities.items():
        if not _is_known("severity", name, problems):
            continue
        severity = words.get(value.strip().lower())
        if severity is None:
            problems.append(SettingsProblem(f"severity.{name}", value, f"a severity is one of {_list(words)}"))
        else:
            known[name] = severity
    return known


def _known_tiers(tiers: Iterable[str], problems: list[SettingsProblem]) -> frozenset[Tier]:
    words = {tier.value: tier for tier in Tier}
    known: set[Tier] = set()
    for value in tiers:
        tier = words.get(value.strip().lower())
        if tier is None:
            problems.append(SettingsProblem("tiers", value, f"a tier is one of {_list(words)}"))
        else:
            known.add(tier)
    return frozenset(known)


def _list(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)
