"""Which findings make a run fail.

Rules    A list of severities and rules: `error` (what holds when nothing is said), `warning` and all above it, and so
         on; a rule by its code, the beginning of codes (`RAC`) or its name.  What is not listed does not fail.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

from analysis.ir.record import record
from simt_lsp.gates.site import Site

SEVERITIES: Final = ("hint", "information", "warning", "error")
"""From quiet to loud."""


@final
@record
class FailOn:
    """`severities` are those that fail, whatever the rule; `rules` are codes and names in full, and beginnings of codes
    as `RAC`."""

    severities: frozenset[str]
    rules: tuple[str, ...] = ()

    def fails(self, severity: str, rule: str, name: str) -> bool:
        if severity in self.severities:
            return True
        return any(rule.startswith(one) if one.isupper() else name == one for one in self.rules)

    def any_of(self, sites: Iterable[Site]) -> bool:
        return any(self.fails(site.severity, site.rule, site.name) for site in sites)


ERRORS: Final = FailOn(frozenset({"error"}))


def fail_on(words: Iterable[str], rules: Iterable[tuple[str, str]]) -> FailOn:
    """What the words say, among rules by code and name; raises `ValueError` with a word that says nothing."""
    rules = list(rules)
    severities: set[str] = set()
    chosen: list[str] = []
    for word in words:
        quiet, loud = word.lower(), word.upper()
        if quiet in SEVERITIES:
            severities.update(SEVERITIES[SEVERITIES.index(quiet) :])
        elif any(code.startswith(loud) for code, _ in rules):
            chosen.append(loud)
        elif any(name == quiet for _, name in rules):
            chosen.append(quiet)
        else:
            raise ValueError(word)
    return FailOn(frozenset(severities), tuple(chosen))
