"""What is written of the settings: their tables in docs/configuration.md, and docs/simt.schema.json.

`python -m simt_lsp.workspace.settings.documentation` writes both; a test fails while one of them is not current.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from simt_lsp.workspace.settings.all_settings import LAUNCH_SETTINGS, SETTINGS, SIMULATION_SETTINGS
from simt_lsp.workspace.settings.setting import Setting
from simt_lsp.workspace.settings.toml_schema import SCHEMA_FILE, schema_text

CONFIGURATION_FILE: Final = SCHEMA_FILE.parent / "configuration.md"
_HEADER: Final = "| name | on the command line | default | meaning |\n|---|---|---|---|\n"
_RULES: Final = "| `rules` | | per rule | A table from rule to `error`, `warning`, `information`, `hint` or `off`. |\n"
_KERNELS: Final = "| `kernels` | | none | A table from the name of a kernel to settings as above, for it alone. |\n"


def current_configuration(text: str) -> str:
    """`text`, the page about configuration, with its two tables as they should be; raises `ValueError`."""
    tables = {
        "settings": [*map(_row, SETTINGS), _RULES],
        "simulation": [*map(_row, LAUNCH_SETTINGS), _KERNELS, *map(_row, SIMULATION_SETTINGS)],
    }
    for name, rows in tables.items():
        text = _with_table(text, name, rows)
    return text


def _with_table(text: str, name: str, rows: Iterable[str]) -> str:
    begin, end = f"<!-- table: {name} -->\n", "<!-- end -->\n"
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{CONFIGURATION_FILE.name} has no place for the table of {name}")
    return f"{before}{begin}{_HEADER}{''.join(rows)}{end}{after}"


def _row(setting: Setting[Any, Any]) -> str:
    shell = f"`{setting.shell}`" if setting.shell else ""
    return f"| `{setting.name}` | {shell} | {_default(setting)} | {_meaning(setting)} |\n".replace("|  |", "| |")


def _default(setting: Setting[Any, Any]) -> str:
    match setting.default:
        case None | [] | {}:
            return setting.otherwise
        case bool() | str():
            return f"`{_plain(setting.default)}`"
        case [*values]:
            return ", ".join(f"`{_plain(value)}`" for value in values)
        case _:
            return f"{setting.default:g}"


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _meaning(setting: Setting[Any, Any]) -> str:
    text = re.sub(r"`#([A-Za-z]+)#`", r"`\1`", setting.meaning)
    choices = [f"`{name}`: {meaning}" for name, meaning in setting.kind.meanings.items()]
    return text + (f" {_sentence(choices)}" if choices else "")


def _sentence(parts: Sequence[str]) -> str:
    return "; ".join(parts) + "."


def main(configuration: Path = CONFIGURATION_FILE, schema: Path = SCHEMA_FILE) -> None:
    configuration.write_text(current_configuration(configuration.read_text("utf-8")), "utf-8")
    schema.write_text(schema_text(), "utf-8")


if __name__ == "__main__":
    main()
