"""The schema of settings files says what the readers take."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final, cast

import pytest

from simt_lsp.workspace.settings.all_settings import SETTINGS
from simt_lsp.workspace.settings.configuration import DEFAULT
from simt_lsp.workspace.settings.reader import apply_source
from simt_lsp.workspace.settings.toml_schema import SCHEMA_FILE, SCHEMA_URL, schema_text, toml_schema
from simt_lsp.workspace.settings.values import Source

DOCUMENTATION: Final = Path(__file__).parents[2] / "docs" / "configuration.md"
KINDS: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
    "boolean": (bool,),
}


def test_the_file_is_current() -> None:
    """`python -m simt_lsp.workspace.settings.documentation` writes it."""
    assert SCHEMA_FILE.read_text("utf-8") == schema_text()


def test_every_setting_is_offered() -> None:
    offered = {name.replace("-", "") for name in toml_schema()["properties"]}
    assert offered == {*(setting.name.lower() for setting in SETTINGS), "rules", "simulate"}


GOOD: Final = (
    "warp-size = 64",
    "warpSize = 32",
    "warp_size = 16",
    "architecture = 90\ninlay-hints = true\nmemoryHints = 'all'",
    "defines = { A = 1, B = 'x' }\nundefines = 'C'\nincludeDirs = ['x']",
    "block = [16, 16]\n[simulate]\nblock = '8x8'\nkeep-ready = false\nsharedBytes = 8",
    "select = 'SYN'\n[rules]\nSYN = 'off'\ndivergent-branch = 'hint'\nDIV402 = 'error'\nALL = 'hint'",
    "[simulate.kernels.k]\narguments = { n = 2, x = 'iota' }\ngrid = 8\npolicies = 'all'",
)
BAD: Final = (
    "warp-size = 33",
    "'warp size' = 32",
    "tires = ['proven']",
    "tiers = ['prooven']",
    "block = 0",
    "code-lens = 'yes'",
    "[rules]\nSYN999 = 'off'",
    "[rules]\nSYN101 = 'loud'",
    "[simulate]\ngridd = 8",
    "[simulate.kernels.k]\nkeep-ready = true",
    "meld-threshold = 0.7",
)


@pytest.mark.parametrize("text", [*GOOD, *BAD])
def test_schema_and_readers_agree(text: str) -> None:
    values = tomllib.loads(text)
    problems = apply_source(DEFAULT, Source("test", values))[1]
    assert (problems == ()) == (text in GOOD), problems
    assert fits(values, toml_schema()) == (text in GOOD)


def test_the_examples_of_the_documentation_fit() -> None:
    page = DOCUMENTATION.read_text("utf-8")
    blocks = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert len(blocks) > 1
    assert all(fits(tomllib.loads(block), toml_schema()) for block in blocks)
    assert f"#:schema {SCHEMA_URL}" in page


def fits(value: Any, schema: Any) -> bool:
    """As much of JSON schema as the schema uses."""
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    own = not kinds or any(
        isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool)) for kind in kinds
    )
    own = own and ("anyOf" not in schema or any(fits(value, one) for one in schema["anyOf"]))
    own = own and ("enum" not in schema or value in schema["enum"])
    if isinstance(value, str):
        return own and re.search(schema.get("pattern", ""), value) is not None
    if isinstance(value, (int, float)):
        own = own and schema.get("minimum", value) <= value <= schema.get("maximum", value)
        return own and value > schema.get("exclusiveMinimum", value - 1)
    if isinstance(value, list):
        items = cast("list[Any]", value)
        own = own and all(fits(one, schema.get("items", {})) for one in items)
        return own and schema.get("minItems", 0) <= len(items) <= schema.get("maxItems", len(items))
    entries = cast("dict[str, Any]", value)
    return own and all(_entry_fits(name, one, schema) for name, one in entries.items())


def _entry_fits(name: str, value: Any, table: Any) -> bool:
    known = [table["properties"][name]] if name in table.get("properties", {}) else []
    known += [one for pattern, one in table.get("patternProperties", {}).items() if re.search(pattern, name)]
    other = table.get("additionalProperties", True)
    if not known:
        return other is not False and (other is True or fits(value, other))
    return all(fits(value, one) for one in known)
