"""The JSON schema of `.simt.toml`, for completion and checks in editors that know TOML (Taplo, Even Better TOML).

Rules    Made of the settings as editors present them (`setting_schema`), so there is nothing to keep in step by hand;
         `python -m simt_lsp.workspace.toml_schema` writes it, and a test fails while the file is not current.
         It offers the names with `-`, as the documentation spells them; the other spellings are allowed as well.
         A list may be a single text, as in the readers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from analysis.rules.registry import NAMES
from simt_lsp.workspace.setting_schema import SEVERITIES, Schema, setting_schemas

SCHEMA_URL: Final = "https://raw.githubusercontent.com/simt-lsp/simt-lsp/main/docs/simt.schema.json"
SCHEMA_FILE: Final = Path(__file__).resolve().parents[2] / "docs" / "simt.schema.json"
_NOT_IN_FILES: Final = frozenset({"enumDescriptions", "markdownDescription", "patternErrorMessage"})
_WITH_FLAGS: Final = frozenset({"inlayHints", "memoryHints"})
"""Choices that may also be true or false."""
_SEMANTIC_TOKENS: Final = {
    "type": "boolean",
    "default": True,
    "markdownDescription": "Names and branch keywords are marked for themes.",
}
_DEFINES: Final = {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}}


def toml_schema() -> Mapping[str, Any]:
    """The whole schema, as plain data."""
    plain: dict[str, Schema] = {"semanticTokens": _SEMANTIC_TOKENS}
    simulate: dict[str, Schema] = {}
    for name, schema in setting_schemas().items():
        table, _, key = name.rpartition(".")
        if not table:
            plain[name] = schema
        elif table == "simulate":
            simulate[key] = schema
    kernel = _table({key: schema for key, schema in simulate.items() if key not in ("kernels", "keepReady")})
    tables = {
        "rules": _rules(),
        "simulate": _with({**_table(simulate)}, "kernels", {"type": "object", "additionalProperties": kernel}),
    }
    top = _table(plain)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": SCHEMA_URL,
        "title": ".simt.toml",
        "description": "Settings of simt-lsp.",
        **top,
        "properties": {**top["properties"], **tables},
    }


def _table(settings: Mapping[str, Schema]) -> dict[str, Any]:
    described = {name: _described(name, schema) for name, schema in settings.items()}
    other = {_other_spellings(name): schema for name, schema in described.items() if _kebab(name) != name}
    return {
        "type": "object",
        "properties": {_kebab(name): schema for name, schema in described.items()},
        "patternProperties": other,
        "additionalProperties": False,
    }


def _with(table: dict[str, Any], name: str, schema: Schema) -> dict[str, Any]:
    described = {**schema, "description": table["properties"][name]["description"]}
    return {**table, "properties": {**table["properties"], name: described}}


def _rules() -> Schema:
    severity = {"type": "string", "enum": list(SEVERITIES)}
    schemas = setting_schemas()
    properties: dict[str, Any] = {}
    for rule in NAMES:
        properties[rule.slug] = _described(rule.slug, schemas[f"rules.{rule.slug}"])
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


def _described(name: str, schema: Schema) -> Schema:
    """Without what only VS Code knows."""
    kept = {key: value for key, value in schema.items() if key not in _NOT_IN_FILES}
    if kept.get("default", False) is None:
        del kept["default"]
    text = re.sub(r"`#simt-lsp\.([^#]*)#`", lambda match: f"`{_kebab(match[1])}`", schema["markdownDescription"])
    choices = dict(zip(schema.get("enum", ()), schema.get("enumDescriptions", ()), strict=False))
    text += "".join(f"\n- `{choice}`: {meaning}" for choice, meaning in choices.items())
    kept["description"] = text
    kinds: list[Any] = [one for one in _listed(kept.get("type")) if one != "null"]
    kept["type"] = kinds[0] if len(kinds) == 1 else kinds
    if "enum" in kept:
        kept["enum"] = [one for one in kept["enum"] if one is not None]
    return _as_read(name, kept)


def _as_read(name: str, schema: dict[str, Any]) -> Schema:
    """With what the readers take beyond what the settings editor of VS Code can show."""
    text = {key: schema.pop(key) for key in ("description", "default") if key in schema}
    if name in _WITH_FLAGS:
        return {**text, "anyOf": [schema, {"type": "boolean"}]}
    if name == "architecture":
        return {**text, "anyOf": [schema, {"type": "integer"}]}
    if schema["type"] == "array":
        kinds: list[Any] = [schema, schema["items"]]
        return {**text, "anyOf": [*kinds, _DEFINES] if name == "defines" else kinds}
    return {**text, **schema}


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # of plain data


def _kebab(name: str) -> str:
    return re.sub(r"[A-Z]", lambda match: f"-{match[0].lower()}", name)


def _other_spellings(name: str) -> str:
    return f"^({name}|{_kebab(name).replace('-', '_')})$"


def schema_text() -> str:
    return json.dumps(toml_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), "utf-8")
