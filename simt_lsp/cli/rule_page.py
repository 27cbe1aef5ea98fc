"""The page of a rule: drawn on a terminal, as Markdown elsewhere."""

from __future__ import annotations

import sys
from difflib import get_close_matches

from analysis.rules.documentation import page_address, rule_page
from analysis.rules.registry import RULES
from analysis.rules.rule import Finding
from simt_lsp.cli.exit_status import ExitStatus, UsageError


def show_rule(name: str) -> ExitStatus:
    """Raises `UsageError` where no rule is called so."""
    rule = _rule_named(name)
    _write(f"{rule_page(rule).rstrip()}\n\n{page_address(rule.code)}")
    return ExitStatus.CLEAN


def _rule_named(name: str) -> type[Finding]:
    """By its code or name, with or without `simt-`, however it is written."""
    wanted = name.strip().lower().removeprefix("simt-")
    spellings = {spelling.lower(): rule for rule in RULES for spelling in (rule.code, rule.slug)}
    if wanted in spellings:
        return spellings[wanted]
    beginnings = [rule for rule in RULES if wanted and rule.code.lower().startswith(wanted)]
    close = beginnings or [spellings[one] for one in get_close_matches(wanted, spellings, n=3, cutoff=0.6)]
    known = ", ".join(f"{rule.code} ({rule.slug})" for rule in dict.fromkeys(close))
    hint = f"; did you mean {known}?" if close else ""
    raise UsageError(f"'{name}' is no rule and names no line: write a rule as SYN101, or FILE:LINE{hint}")


def _write(page: str) -> None:
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(page))
    else:
        print(page)
