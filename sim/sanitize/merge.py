"""One finding per site, of what rules say and what runs show: in a file, and of the files together.

Together  A rule and a run that speak of the same (`SHOWN_BY`) at the same line: of races, where the two share a place.
          The graver severity counts; a rule that proves what runs showed with chosen inputs makes an error of it if the
          rule calls it one.  A barrier that threads miss who leave the kernel, and that orders nothing afterwards, is a
          warning: the rule that says so knows that compute capability 7.0 and later allow it.
Files     A header is analysed once for each file: what is found in it there is told once, with all kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from sim.report.races import DATA_RACE, SAME_VALUE
from sim.sanitize.model import ORDER_DEPENDENT, Severity
from sim.sanitize.report import FileParts, FileSummary, Finding, Repository, SourceRange, StaticFinding, kernel_name

_BARRIERS: Final = frozenset({"barrier-divergence", "deadlock", "livelock"})
_RACES: Final = frozenset({DATA_RACE, SAME_VALUE, ORDER_DEPENDENT})
_MASKS: Final = frozenset({"illegal-warp-mask", "deadlock", "livelock"})
SHOWN_BY: Final[Mapping[str, frozenset[str]]] = {
    "SYN": _BARRIERS,
    "RAC": _RACES,
    "WRP201": _MASKS,
    "WRP202": _MASKS,
    "WRP203": _MASKS,
    "WRP204": _MASKS | {ORDER_DEPENDENT},
    "WRP205": frozenset({"illegal-shuffle-width"}),
    "WRP206": _MASKS,
    "WRP207": frozenset({"inactive-lane-read"}),
    "WRP208": _MASKS | {"inactive-lane-read"},
    "WRP209": _RACES,
    "WRP210": frozenset({"livelock"}),
    "WRP211": _MASKS,
    "WRP212": frozenset({"out-of-bounds", "illegal-warp-mask"}),
    "MEM504": frozenset({"out-of-bounds"}),
    "ARI603": frozenset({"out-of-bounds"}),
    "CAL": frozenset(),
}
"""Of rules that claim a wrong program, by code or group: the kinds of faults that are the same finding.  Other rules
speak of speed or style and are no part of a report."""


def joined(file: FileParts) -> FileSummary:
    """The report of a file whose kernels came one by one."""
    found = {part.id: part for part in file.parts}
    parts = [found[id] for id in file.kernels if id in found]
    kernels = tuple(part.summary for part in parts)
    findings = merged(finding for part in parts for finding in part.findings)
    merged_with_rules = with_rules(findings, file.rules, [kernel_name(kernel) for kernel in kernels])
    return FileSummary(file.path, kernels, tuple(merged_with_rules), file.error, file.is_left)


def kinds_shown(code: str) -> frozenset[str] | None:
    """None for a rule that is no part of a report."""
    return SHOWN_BY.get(code, SHOWN_BY.get(code.rstrip("0123456789")))


def with_rules(findings: Sequence[Finding], rules: Sequence[StaticFinding], kernels: Sequence[str]) -> list[Finding]:
    """The findings of runs of a file with what rules say of it; `kernels` are the names of those of the file."""
    found = list(findings)
    alone: list[Finding] = []
    for rule in rules:
        kinds = kinds_shown(rule.code)
        if kinds is None:
            continue
        same = [at for at, one in enumerate(found) if one.kind in kinds and _is_same_site(one, rule)]
        for at in same:
            worse = min(found[at].severity, rule.severity, key=_gravity)
            worse = Severity.WARNING if rule.is_allowed and worse is Severity.ERROR else worse
            found[at] = replace(found[at], rules=(*found[at].rules, rule), severity=worse)
        if not same and rule.severity is not Severity.NOTE:
            alone.append(_of_rule(rule, kernels))
    return [*found, *alone]


def _of_rule(rule: StaticFinding, kernels: Sequence[str]) -> Finding:
    inside = tuple(name for name in kernels if name.rpartition(":")[0].rpartition(":")[2] == rule.function)
    return Finding(rule.name, rule.severity, rule.place, rule.message, inside, rule.related, rules=(rule,))


def _is_same_site(finding: Finding, rule: StaticFinding) -> bool:
    if finding.kind in (DATA_RACE, SAME_VALUE):
        return not _spots(rule).isdisjoint(_spots(finding))
    if finding.kind == "out-of-bounds" and finding.severity is Severity.NOTE:
        return False  # an array of a chosen length shows nothing of what the rule says of a larger launch
    return _line(finding.place) in _lines(rule) or _line(rule.place) in _lines(finding)


def _line(place: SourceRange) -> tuple[str, int]:
    return place.path, place.line


def _spots(one: Finding | StaticFinding) -> set[tuple[str, int, int]]:
    places = (one.place, *(other.place for other in one.related))
    return {(place.path, place.line, place.column) for place in places if place is not None}


def _lines(one: Finding | StaticFinding) -> set[tuple[str, int]]:
    return {_line(one.place), *(_line(other.place) for other in one.related if other.place is not None)}


def together(files: Iterable[FileSummary], seconds: float) -> Repository:
    """All files with each site once, by place."""
    ordered = tuple(map(_once(), sorted(files, key=lambda file: file.path)))
    sites: dict[Hashable, Finding] = {}
    for file in ordered:
        for finding in file.findings:
            key = _key(finding)
            known = sites.get(key)
            sites[key] = finding if known is None else _both(known, finding)
    found = sorted(sites.values(), key=_order)
    return Repository(ordered, tuple(found), seconds)


def _once() -> Callable[[FileSummary], FileSummary]:
    """Drops the kernels that stood in a file before: those of a header."""
    seen: set[str] = set()

    def of(file: FileSummary) -> FileSummary:
        kernels = tuple(kernel for kernel in file.kernels if kernel_name(kernel) not in seen)
        seen.update(map(kernel_name, kernels))
        return replace(file, kernels=kernels)

    return of


def merged(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each site of one file once: kernels share functions."""
    return together([FileSummary("", findings=tuple(findings))], 0.0).findings


def _key(finding: Finding) -> Hashable:
    if finding.kind in (DATA_RACE, SAME_VALUE):
        return DATA_RACE, frozenset(_lines(finding))
    return finding.kind, finding.place.path, finding.place.line, finding.place.column


def _both(one: Finding, other: Finding) -> Finding:
    """The graver one, with the kernels of both."""
    worse, better = sorted((one, other), key=lambda finding: _gravity(finding.severity))
    if worse.evidence is None and better.evidence is not None:
        worse = replace(worse, evidence=better.evidence)
    kernels = tuple(dict.fromkeys((*one.kernels, *other.kernels)))
    rules = tuple(dict.fromkeys((*worse.rules, *better.rules)))
    return replace(worse, kernels=kernels, rules=rules)


def _order(finding: Finding) -> tuple[str, int, int, str]:
    return finding.place.path, finding.place.line, finding.place.column, finding.kind


def _gravity(severity: Severity) -> int:
    return list(Severity).index(severity)
