"""What editors are told about the settings is what the settings are."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from analysis.features.inlay_hints import InlayHintMode, MemoryHintMode
from analysis.meld.settings import MeldMethod
from simt_lsp.cli.arguments import parse
from simt_lsp.cli.command_options import engine_options
from simt_lsp.workspace.settings.all_settings import LAUNCH_SETTINGS, SETTINGS, SIMULATION_SETTINGS
from simt_lsp.workspace.settings.configuration import DEFAULT, Configuration
from simt_lsp.workspace.settings.documentation import CONFIGURATION_FILE, current_configuration
from simt_lsp.workspace.settings.reader import apply_source
from simt_lsp.workspace.settings.schema import setting_schemas
from simt_lsp.workspace.settings.setting import Setting
from simt_lsp.workspace.settings.values import Source, normalized

REPOSITORY: Final = Path(__file__).parents[2]
BY_THE_BUILD: Final = {"warpSize", "architecture"}
"""Their defaults hold where no build command says otherwise."""


@pytest.mark.parametrize("settings", [SETTINGS, (*LAUNCH_SETTINGS, *SIMULATION_SETTINGS)])
def test_each_setting_stands_once_in_its_table(settings: tuple[Setting[Any, Any], ...]) -> None:
    names = [setting.name for setting in settings]
    assert len(set(map(normalized, names))) == len(names)


def test_the_page_about_configuration_has_these_settings() -> None:
    """`python -m simt_lsp.workspace.settings.documentation` writes them."""
    text = CONFIGURATION_FILE.read_text("utf-8")
    assert text == current_configuration(text)


@pytest.mark.parametrize(
    ("name", "kind"), [("meldMethod", MeldMethod), ("inlayHints", InlayHintMode), ("memoryHints", MemoryHintMode)]
)
def test_every_choice_is_offered(name: str, kind: type[Enum]) -> None:
    assert set(setting_schemas()[name]["enum"]) == {member.value for member in kind}


@pytest.mark.parametrize("setting", [one for one in SETTINGS if one.shell], ids=lambda one: one.name)
def test_the_command_line_sets_what_the_page_says(setting: Setting[Configuration, Any]) -> None:
    command = setting.shell if setting.shell.startswith("meld ") else f"check {setting.shell}"
    options = engine_options(parse([*command.split(), "file.cu"]), ["file.cu"])
    assert [*options.overrides[-1].values] == [setting.name]


@pytest.mark.parametrize("example", [one.shell for one in LAUNCH_SETTINGS if one.shell])
def test_the_command_line_of_simulations_takes_what_the_page_says(example: str) -> None:
    assert vars(parse(["simulate", "file.cu", *example.split()])) != vars(parse(["simulate", "file.cu"]))


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
