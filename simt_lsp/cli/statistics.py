"""How many findings there are, per rule and per file: `--statistics`, instead of the findings themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import final

from analysis.ir.record import record
from simt_lsp.cli.report import FileReport, Finding
from simt_lsp.cli.terminal import Line, Style
from simt_lsp.cli.text_report import SEVERITY_STYLES


@final
@record
class RuleCount:
    """`severities` in the order of the contract."""

    code: str
    name: str
    findings: int
    severities: dict[str, int]


@final
@record
class Statistics:
    """The most frequent first, equal ones by name; files without findings are left out."""

    rules: tuple[RuleCount, ...]
    files: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, reports: Iterable[FileReport], *, hints: bool) -> Statistics:
        shown = [(report.path, _shown(report, hints=hints)) for report in reports]
        severities: dict[tuple[str, str], Counter[str]] = {}
        for _, findings in shown:
            for finding in findings:
                severities.setdefault((finding.code, finding.name), Counter())[finding.severity] += 1
        rules = [
            RuleCount(code, name, counts.total(), {one: counts[one] for one in SEVERITY_STYLES if counts[one]})
            for (code, name), counts in severities.items()
        ]
        files = [(path, len(findings)) for path, findings in shown if findings]
        return cls(
            tuple(sorted(rules, key=lambda one: (-one.findings, one.code))),
            tuple(sorted(files, key=lambda one: (-one[1], one[0]))),
        )


def statistics_lines(statistics: Statistics) -> Iterator[Line]:
    """A table of rules, a table of files, each followed by an empty line."""
    width = max([len(str(one.findings)) for one in statistics.rules], default=0)
    names = max([len(one.name) for one in statistics.rules], default=0)
    for rule in statistics.rules:
        severities = ", ".join(f"{number} {severity}" for severity, number in rule.severities.items())
        loudest = next(iter(rule.severities))
        number = (f"{rule.findings:>{width}}  ", Style.PLAIN)
        yield number, (f"{rule.code} {rule.name:<{names}}", SEVERITY_STYLES[loudest]), (f"  {severities}", Style.PLAIN)
    if statistics.rules:
        yield ()
    width = max([len(str(number)) for _, number in statistics.files], default=0)
    for path, number in statistics.files:
        yield (f"{number:>{width}}  ", Style.PLAIN), (path, Style.PLACE)
    if statistics.files:
        yield ()


def statistics_object(statistics: Statistics) -> dict[str, object]:
    """As JSON has it."""
    return {
        "rules": [
            {"code": one.code, "name": one.name, "findings": one.findings, "severities": one.severities}
            for one in statistics.rules
        ],
        "files": [{"path": path, "findings": number} for path, number in statistics.files],
    }


def _shown(report: FileReport, *, hints: bool) -> Sequence[Finding]:
    return [finding for finding in report.findings if hints or finding.severity != "hint"]
