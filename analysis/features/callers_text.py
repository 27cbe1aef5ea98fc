"""Which calls in other files the facts of a function rest on, in words."""

from __future__ import annotations

import posixpath
from typing import Final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts

MAX_SITES: Final = 4


def callers_text(analysis: FileAnalysis, function: FunctionFacts) -> str | None:
    """`all 3 calls in other files: main.cu:53, …`; None where the facts rest on none."""
    calls = analysis.callers_of(function)
    if calls is None or not calls.sites:
        return None
    shown = ", ".join(f"{posixpath.basename(site.path)}:{site.line}" for site in calls.sites[:MAX_SITES])
    more = ", …" if len(calls.sites) > MAX_SITES else ""
    count = len(calls.sites)
    return (
        f"judged by the one call in other files: {shown}"
        if count == 1
        else (f"judged by all {count} calls in other files: {shown}{more}")
    )
