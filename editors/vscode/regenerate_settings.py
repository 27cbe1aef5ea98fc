"""Writes the settings into package.json, from the server's own tables; a test fails while they are not current.

python editors/vscode/regenerate_settings.py
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

REPOSITORY: Final = Path(__file__).resolve().parents[2]
MANIFEST: Final = Path(__file__).resolve().parent / "package.json"
SECTION: Final = "simt-lsp"

EXTENSION_SETTINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "server.path": {
        "type": "string",
        "default": "",
        "scope": "machine-overridable",
        "markdownDescription": "The `simt-lsp` program to run as the server, instead of the one of the extension. "
        "Not taken from a workspace that is not trusted.",
    },
    "interpreter": {
        "type": "string",
        "default": "",
        "scope": "machine-overridable",
        "markdownDescription": "The Python (3.11 or newer) that runs the server. Without it: the environment of the "
        "extension's own, the interpreter of the Python extension, `python3` on the `PATH`. "
        "Not taken from a workspace that is not trusted.",
    },
    "heatMap": {
        "type": "string",
        "enum": ["off", "bars", "figures"],
        "enumDescriptions": [
            "nothing",
            "a bar beside each line where lanes were lost, as full as the warps were",
            "bars, and figures behind each line",
        ],
        "default": "bars",
        "markdownDescription": "What is shown beside the lines of a simulated kernel.",
    },
    "semanticTokens": {
        "type": "string",
        "enum": ["auto", "on", "off"],
        "enumDescriptions": [
            "on, but off beside clangd and the C/C++ extension, whose colours it would replace",
            "always on",
            "always off",
        ],
        "default": "auto",
        "markdownDescription": "Tint names by what is known about them: `affine` and `varying` ones, and italics in "
        "code that only a part of a warp may run for another reason than bounds checks. The colours are rules in "
        "`#editor.semanticTokenColorCustomizations#`.",
    },
    "workspaceDiagnostics": {
        "type": "boolean",
        "default": False,
        "markdownDescription": "Show the findings of all CUDA files of the workspace, not of open ones alone, and keep "
        "them current: they are analysed when nothing else is to do. Taken at the next start of the server; "
        "*Check Workspace* does it once.",
    },
    "trace.server": {
        "type": "string",
        "enum": ["off", "messages", "verbose"],
        "default": "off",
        "markdownDescription": "What is logged of the messages between editor and server.",
    },
}

GROUPS: Final = {
    "Server": ("server.path", "interpreter", "trace.server"),
    "Display": ("inlayHints", "memoryHints", "codeLens", "navigation", "heatMap", "semanticTokens"),
    "Analysis": (
        "warpSize",
        "architecture",
        "otherArchitectures",
        "block",
        "defines",
        "undefines",
        "includeDirs",
        "project",
    ),
    "Findings": (
        "workspaceDiagnostics",
        "exclude",
        "tiers",
        "shareThreshold",
        "findingsPerKernel",
        "meldMethod",
        "meldThreshold",
        "select",
        "ignore",
        "rules.",
    ),
    "Simulation": ("simulate.",),
}
"""Titles in the settings editor, with the names or beginnings of names below them."""


def current_manifest(text: str) -> str:
    """`text`, the package.json, with the settings as they should be; formatted as it is."""
    manifest = json.loads(text)
    manifest["contributes"]["configuration"] = configuration()
    manifest["contributes"]["tomlValidation"] = toml_validation()
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def configuration() -> list[dict[str, Any]]:
    """What `contributes.configuration` should hold."""
    from simt_lsp.workspace.settings.schema import setting_schemas

    schemas = {**setting_schemas(), **EXTENSION_SETTINGS}
    groups: list[dict[str, Any]] = []
    for title, wanted in GROUPS.items():
        names = [
            name for want in wanted for name in schemas if name == want or (want[-1] == "." and name.startswith(want))
        ]
        properties = {f"{SECTION}.{name}": {"scope": "resource", **schemas.pop(name)} for name in names}
        groups.append({"title": title, "properties": properties})
    assert not schemas, f"no group in the settings editor: {', '.join(schemas)}"
    return groups


def toml_validation() -> list[dict[str, str]]:
    """Completion in `.simt.toml`, where an extension for TOML is installed."""
    from simt_lsp.workspace.settings.sources import FILE_NAME
    from simt_lsp.workspace.settings.toml_schema import SCHEMA_URL

    return [{"fileMatch": FILE_NAME, "url": SCHEMA_URL}]


def main() -> None:
    MANIFEST.write_text(current_manifest(MANIFEST.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(REPOSITORY))
    main()
