"""The schemas in `docs/schemas` that are made of what describes the JSON anyway: the tables of pages, types, columns.

`python -m tests.schemas.published` writes them anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from analysis.features.facts_json import FileObject
from sim.sweep.columns import COLUMNS, Kind
from tests.schemas.from_table import DRAFT, Schema, schema_of
from tests.schemas.from_types import definitions_of, reference

DOCS: Final = Path(__file__).parents[2] / "docs"
FOLDER: Final = DOCS / "schemas"
_GROWS: Final = "Fields may be added; none is renamed or removed within version 1."
_KINDS: Final = {Kind.TEXT: "string", Kind.INTEGER: "integer", Kind.NUMBER: "number"}


def schemas() -> Mapping[str, Schema]:
    """By the names of their files."""
    faults = {"$ref": "#/properties/policies/additionalProperties/properties/faults/items"}
    before = {"anyOf": [{"type": "null"}, {"$ref": "#"}]}
    return {
        "facts-1": _facts(),
        "simulate-1": _page("simulate --json", {"policies.*.notes[]": faults, "before": before}),
        "meld-1": _page("meld --json", {}),
        "sanitize-1": _page("sanitize --format json", {"schema": {"const": "simt-lsp/sanitize/1"}}),
        "straightline-1": _page("straightline --json", {}),
        "sweep-1": _sweep(),
    }


def _page(command: str, references: Mapping[str, Schema]) -> Schema:
    name = command.partition(" ")[0]
    page = (DOCS / f"{name}-json.md").read_text("utf-8")
    description = f"Described in {name}-json.md. {_GROWS}"
    return schema_of(page, f"simt-lsp {command}, version 1", description, references)


def _facts() -> Schema:
    failed: Schema = {
        "type": "object",
        "properties": {"path": {"type": "string"}, "error": {"type": "string"}},
        "required": ["path", "error"],
        "additionalProperties": True,
    }
    return {
        "$schema": DRAFT,
        "title": "simt-lsp facts, version 1: one line for each file",
        "description": f"Lines and columns count from 1, columns in Unicode code points. {_GROWS}",
        "anyOf": [{"$ref": "#/$defs/failed"}, reference(FileObject)],
        "$defs": {"failed": failed, **definitions_of(FileObject)},
    }


def _sweep() -> Schema:
    always = {"point", "path", "kernel", "form", "policy", "warp_size", "seed", "outcome"}
    properties = {
        column.name: {
            "description": column.meaning,
            "type": _KINDS[column.kind] if column.name in always else [_KINDS[column.kind], "null"],
        }
        for column in COLUMNS
    }
    return {
        "$schema": DRAFT,
        "title": "simt-lsp sweep --format jsonl, version 1: one line for each run",
        "description": f"The columns of sweep.md; null where there is nothing to say. {_GROWS}",
        "type": "object",
        "properties": properties,
        "required": [column.name for column in COLUMNS],
        "additionalProperties": True,
    }


def written(schema: Schema) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.schema.json"


if __name__ == "__main__":
    for name, schema in schemas().items():
        path_of(name).write_text(written(schema), "utf-8")
