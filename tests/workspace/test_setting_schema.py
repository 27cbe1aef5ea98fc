"""What editors are told about the settings is what the settings are."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from analysis.rules.registry import RULES
from simt_lsp.workspace.configuration import DEFAULT
from simt_lsp.workspace.launch_settings import simulation_key_names
from simt_lsp.workspace.setting_keys import apply_source, setting_names
from simt_lsp.workspace.setting_schema import setting_schemas
from simt_lsp.workspace.setting_values import Source

REPOSITORY: Final = Path(__file__).parents[2]
BY_THE_EDITOR: Final = {"semanticTokens"}
"""Each editor decides in its own way whether names are tinted."""
BY_THE_BUILD: Final = {"warpSize", "architecture"}
"""Their defaults hold where no build command says otherwise."""


def test_every_setting_has_a_schema_and_every_schema_a_setting() -> None:
    tables = {"rules": [rule.slug for rule in RULES], "simulate": list(simulation_key_names())}
    names = {name for name in setting_names() if name not in tables and name not in BY_THE_EDITOR}
    assert set(setting_schemas()) == names | {f"{table}.{name}" for table, keys in tables.items() for name in keys}


def _offered() -> Iterator[tuple[str, Any]]:
    for name, schema in setting_schemas().items():
        values = [schema["default"], *schema.get("enum", [])]
        if "items" in schema:
            values += [[value] for value in schema["items"].get("enum", [])]
        yield from ((name, value) for value in values if value is not None)


@pytest.mark.parametrize(("name", "value"), [*_offered()])
def test_what_a_schema_offers_is_allowed(name: str, value: Any) -> None:
    assert _problems(name, value) == ()


@pytest.mark.parametrize("name", [name for name, schema in setting_schemas().items() if "enum" in schema])
def test_what_a_schema_does_not_offer_is_not_allowed(name: str) -> None:
    assert len(_problems(name, "surprise" if isinstance(setting_schemas()[name]["default"], str) else 7)) == 1


@pytest.mark.parametrize("name", [name for name in setting_schemas() if "." not in name and name not in BY_THE_BUILD])
def test_a_default_is_what_holds_without_the_setting(name: str) -> None:
    default = setting_schemas()[name]["default"]
    assert apply_source(DEFAULT, Source("test", {name: default})) == (DEFAULT, ())


def test_the_manifest_of_the_extension_has_these_settings() -> None:
    """`python editors/vscode/regenerate_settings.py` writes them."""
    text = (REPOSITORY / "editors" / "vscode" / "package.json").read_text("utf-8")
    contributes = json.loads(text)["contributes"]
    assert contributes["configuration"] == _generator().configuration()
    assert contributes["tomlValidation"] == _generator().toml_validation()


def test_the_manifest_has_the_version_of_the_server() -> None:
    from simt_lsp.cli.version import version

    text = (REPOSITORY / "editors" / "vscode" / "package.json").read_text("utf-8")
    assert json.loads(text)["version"] == version()


def _source(name: str, value: Any) -> Source:
    table, _, key = name.rpartition(".")
    return Source("test", {table: {key: value}} if table else {name: value})


def _problems(name: str, value: Any) -> tuple[Any, ...]:
    return apply_source(DEFAULT, _source(name, value))[1]


def _generator() -> ModuleType:
    """The script is no module of a package."""
    path = REPOSITORY / "editors" / "vscode" / "regenerate_settings.py"
    spec = importlib.util.spec_from_file_location("regenerate_settings", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
