"""The same code in several files is told once.

Question  A tree holds a function twice, or a whole file: which findings say what was already said of the same text?
Rules     Two findings are the same if their functions have the same text, and they stand at the same place of it and
          say the same, lines aside.  The first in the order of reports is told, the others name it.  What differs
          because a copy is launched or called in another way is a finding of its own.
          Repeats within one file are findings: one file is read by one person.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b
from typing import Final

from analysis.facts.file_analysis import FileAnalysis
from analysis.rules.diagnostic import Diagnostic
from simt_lsp.cli.report import FileReport, Finding, Told

_LINE: Final = re.compile(r"\bline (\d+)")


def digest_of(analysis: FileAnalysis, found: Diagnostic) -> str:
    """What two findings have in common that say the same of the same code."""
    function = analysis.facts.function_at(found.start)
    if function is None:
        return ""
    first = analysis.document.lines.line_of(function.start) + 1
    message = _LINE.sub(lambda line: f"line {int(line[1]) - first:+}", found.message)
    place = f"{found.code} {found.severity.value} {found.start - function.start} {found.end - function.start} {message}"
    text = analysis.document.text[function.start : function.end]
    return blake2b(text + b"\0" + place.encode("utf-8", "replace"), digest_size=16).hexdigest()


def with_copies(reports: Iterable[FileReport]) -> Iterator[FileReport]:
    """The same reports; each finding that repeats one of an earlier file says which."""
    told: dict[str, Told] = {}

    def marked(finding: Finding, path: str) -> Finding:
        if not finding.digest or finding.run is not None:  # each was run as its own file has it
            return finding
        first = told.setdefault(finding.digest, Told(path, finding.place.line))
        return finding if first.path == path else replace(finding, copy_of=first)

    for report in reports:
        yield replace(report, findings=tuple(marked(finding, report.path) for finding in report.findings))
