"""The settings as editors present them: what may be chosen, what holds without a choice, and what it means.

Shape    JSON schema, by setting, as VS Code's package.json and completion for settings files take it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from inspect import cleandoc
from typing import Any, Final

from analysis.rules.registry import RULES
from analysis.rules.rule import Finding
from simt_lsp.workspace.settings.all_settings import (
    KERNELS_TABLE,
    LAUNCH_SETTINGS,
    RULES_TABLE,
    SETTINGS,
    SIMULATION_SETTINGS,
    SIMULATION_TABLE,
)
from simt_lsp.workspace.settings.kinds import Schema
from simt_lsp.workspace.settings.setting import Setting

SEVERITIES: Final = ("error", "warning", "information", "hint", "off")
_KERNELS: Final = {
    "type": "object",
    "additionalProperties": {"type": "object"},
    "default": {},
    "markdownDescription": 'The settings above for one kernel by its name: `{ "scale": { "grid": [8] } }`.',
}


def setting_schemas() -> Mapping[str, Schema]:
    """By name; those inside of a table as `table.name`."""
    simulation = {setting.name: schema_of(setting) for setting in (*LAUNCH_SETTINGS, *SIMULATION_SETTINGS)}
    return {
        **{setting.name: schema_of(setting) for setting in SETTINGS},
        **{f"{RULES_TABLE}.{rule.slug}": _rule(rule) for rule in RULES},
        **{f"{SIMULATION_TABLE}.{name}": schema for name, schema in simulation.items()},
        f"{SIMULATION_TABLE}.{KERNELS_TABLE}": _KERNELS,
    }


def schema_of(setting: Setting[Any, Any]) -> Schema:
    """As the settings editor of VS Code shows it; null stands for "not set" where nothing certain holds then."""
    schema: dict[str, Any] = {
        **setting.kind.schema,
        "default": setting.default,
        "markdownDescription": _linked(setting.meaning),
    }
    if setting.default is None:
        kinds: Any = schema["type"]
        schema["type"] = [kinds, "null"] if isinstance(kinds, str) else [*kinds, "null"]
        if "enum" in schema:
            schema["enum"] = [*schema["enum"], None]
    return schema


def _linked(meaning: str) -> str:
    """VS Code makes links to settings of `#simt-lsp.name#`."""
    return re.sub(r"`#([A-Za-z]+)#`", r"`#simt-lsp.\1#`", meaning)


def _rule(rule: type[Finding]) -> Schema:
    text = f"**{rule.code}**: {_first_sentence(rule)}"
    return {"type": "string", "enum": list(SEVERITIES), "default": rule.severity.value, "markdownDescription": text}


def _first_sentence(rule: type[Finding]) -> str:
    """What the rule does, in the words of its page."""
    body = cleandoc(rule.__doc__ or "").partition("## What it does")[2].strip()
    paragraph = " ".join(body.partition("\n\n")[0].split())
    return paragraph.partition(". ")[0].rstrip(".") + "."
