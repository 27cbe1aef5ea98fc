"""The pages of the rules, from their docstrings: one page per code, and a table of all."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import cleandoc
from typing import Final

from analysis.rules.registry import RULES
from analysis.rules.rule import Finding

PROJECT: Final = "https://github.com/simt-lsp/simt-lsp"
DOCS: Final = f"{PROJECT}/blob/main/docs"
PAGES: Final = f"{DOCS}/rules"


def page_address(code: str) -> str:
    """Where the page of a rule can be read."""
    return f"{PAGES}/{code}.md"


def rule_page(rule: type[Finding]) -> str:
    """The page of one rule, as `docs/rules` holds it."""
    return _page(rule)


def rule_pages() -> Mapping[str, str]:
    """File names below `docs/rules` and their contents."""
    return {"README.md": _index(), **{f"{rule.code}.md": _page(rule) for rule in RULES}}


def rule_documentation(rule: type[Finding]) -> str:
    """The Markdown of one rule, as it stands in its docstring; empty if there is none."""
    return cleandoc(rule.__doc__ or "")


def _page(rule: type[Finding]) -> str:
    return (
        f"# {rule.code}: {rule.slug}\n\n"
        f"Default severity: **{rule.severity.value}**. Suppress with `// NOLINT(simt-{rule.slug})`.\n\n"
        f"{rule_documentation(rule)}\n"
    )


def _index() -> str:
    rows = "".join(f"| [{rule.code}]({rule.code}.md) | {rule.slug} | {rule.severity.value} |\n" for rule in RULES)
    return (
        "# Rules\n\n"
        "Codes and names are stable. A name with `simt-` before it is what `// NOLINT(...)` takes.\n"
        "The examples run as tests: `//~ name` says what is reported on its line.\n\n"
        "These pages are written by `python docs/rules/regenerate.py` from the docstrings in `analysis/rules`.\n\n"
        f"| code | name | default severity |\n|---|---|---|\n{rows}"
    )
