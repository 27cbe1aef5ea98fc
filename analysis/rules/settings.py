"""Which rules speak, and how loudly; wrong input becomes a problem and the default stays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias, final

from analysis.rules.diagnostic import Severity
from analysis.verdict.barriers import Tier


class Off(Enum):
    """Instead of a severity: the rule is silent."""

    OFF = "off"


OFF: Final = Off.OFF
ALL: Final = "ALL"
DEFAULT_COST_THRESHOLD: Final = 16

SeverityOrOff: TypeAlias = Severity | Off


@final
@dataclass(frozen=True, slots=True)
class RuleSettings:
    """`select` and `ignore` hold codes (`SYN101`), prefixes (`SYN`), slugs (`divergent-barrier`) or `ALL`.

    The most specific entry wins; at equal length `ignore` does.  `severities` is keyed the same way.
    `tiers` filters the rules that accuse (SYN); a cost is what `analysis.rules.cost` measures.
    """

    select: frozenset[str] = frozenset({ALL})
    ignore: frozenset[str] = frozenset()
    severities: Mapping[str, SeverityOrOff] = field(default_factory=dict[str, SeverityOrOff])
    tiers: frozenset[Tier] = frozenset({Tier.PROVEN})
    cost_threshold: int = DEFAULT_COST_THRESHOLD


@final
@dataclass(frozen=True, slots=True)
class SettingsProblem:
    """A setting that was not understood: where it stands and what would be."""

    setting: str
    value: str
    message: str


def read_rule_settings(
    *,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    severities: Mapping[str, str] | None = None,
    tiers: Iterable[str] | None = None,
    cost_threshold: int | None = None,
) -> tuple[RuleSettings, tuple[SettingsProblem, ...]]:
    """Settings from plain text (JSON, TOML, a command line); None leaves a default as it is."""
    raise NotImplementedError
