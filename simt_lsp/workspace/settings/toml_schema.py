"""The JSON schema of `.simt.toml`, for completion and checks in editors that know TOML (Taplo, Even Better TOML).

Rules    Made of the table of settings, so there is nothing to keep in step by hand; `documentation.py` writes the file,
         and a test fails while it is not current.
         It offers the names with `-`, as the documentation spells them; the other spellings are allowed as well.
         A list may be a single text, as in the readers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from analysis.rules.registry import NAMES
from simt_lsp.workspace.settings.all_settings import (
    KERNELS_TABLE,
    LAUNCH_SETTINGS,
    RULES_TABLE,
    SETTINGS,
    SIMULATION_SETTINGS,
    SIMULATION_TABLE,
)
from simt_lsp.workspace.settings.kinds import Schema
from simt_lsp.workspace.settings.schema import SEVERITIES, schema_of, setting_schemas
from simt_lsp.workspace.settings.setting import Setting

SCHEMA_URL: Final = "https://raw.githubusercontent.com/simt-lsp/simt-lsp/main/docs/simt.schema.json"
SCHEMA_FILE: Final = Path(__file__).resolve().parents[3] / "docs" / "simt.schema.json"
_NOT_IN_FILES: Final = frozenset({"enumDescriptions", "markdownDescription", "patternErrorMessage"})


def toml_schema() -> Mapping[str, Any]:
    """The whole schema, as plain data."""
    top = _table(_settings(SETTINGS))
    launch = _settings(LAUNCH_SETTINGS)
    kernels = _described(setting_schemas()[f"{SIMULATION_TABLE}.{KERNELS_TABLE}"])
    kernels = {**kernels, "additionalProperties": _table(launch)}
    tables = {
        RULES_TABLE: _rules(),
        SIMULATION_TABLE: _table({**launch, KERNELS_TABLE: kernels, **_settings(SIMULATION_SETTINGS)}),
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": SCHEMA_URL,
        "title": ".simt.toml",
        "description": "Settings of simt-lsp.",
        **top,
        "properties": {**top["properties"], **tables},
    }


def _settings(settings: Iterable[Setting[Any, Any]]) -> dict[str, Schema]:
    return {setting.name: _described(schema_of(setting), setting.kind.also) for setting in settings}


def _table(described: Mapping[str, Schema]) -> dict[str, Any]:
    other = {_other_spellings(name): schema for name, schema in described.items() if _kebab(name) != name}
    return {
        "type": "object",
        "properties": {_kebab(name): schema for name, schema in described.items()},
        "patternProperties": other,
        "additionalProperties": False,
    }


def _rules() -> Schema:
    severity = {"type": "string", "enum": list(SEVERITIES)}
    schemas = setting_schemas()
    properties: dict[str, Any] = {}
    for rule in NAMES:
        properties[rule.slug] = _described(schemas[f"{RULES_TABLE}.{rule.slug}"])
        properties[rule.code] = {**severity, "description": properties[rule.slug]["description"]}
    return {
        "type": "object",
        "description": "How loud each rule is: by its name, its code, or the beginning of codes.",
        "properties": properties,
        "patternProperties": {_beginnings(): severity},
        "additionalProperties": False,
    }


def _beginnings() -> str:
    """Of the codes of rules, and `ALL`."""
    found = {rule.code[:length] for rule in NAMES for length in range(1, len(rule.code))}
    return f"^({'|'.join(sorted(found | {'ALL'}))})$"


def _described(schema: Schema, also: tuple[Schema, ...] = ()) -> Schema:
    """Without what only VS Code knows, and with what the readers take beyond what it can show."""
    kept = {key: value for key, value in schema.items() if key not in _NOT_IN_FILES}
    kinds: list[Any] = [one for one in _listed(kept.get("type")) if one != "null"]
    kept["type"] = kinds[0] if len(kinds) == 1 else kinds
    if "enum" in kept:
        kept["enum"] = [one for one in kept["enum"] if one is not None]
    default = kept.pop("default", None)
    about = {"description": _description(schema), **({} if default is None else {"default": default})}
    return {**about, "anyOf": [kept, *also]} if also else {**about, **kept}


def _description(schema: Schema) -> str:
    text = re.sub(r"`#simt-lsp\.([^#]*)#`", lambda match: f"`{_kebab(match[1])}`", schema["markdownDescription"])
    choices = dict(zip(schema.get("enum", ()), schema.get("enumDescriptions", ()), strict=False))
    return text + "".join(f"\n- `{choice}`: {meaning}" for choice, meaning in choices.items())


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # of plain data


def _kebab(name: str) -> str:
    return re.sub(r"[A-Z]", lambda match: f"-{match[0].lower()}", name)


def _other_spellings(name: str) -> str:
    return f"^({name}|{_kebab(name).replace('-', '_')})$"


def schema_text() -> str:
    return json.dumps(toml_schema(), indent=2, ensure_ascii=False) + "\n"
