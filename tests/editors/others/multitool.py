"""Microsoft's SARIF Multitool, which needs no .NET where it comes from npm: what it says of SARIF logs.

It holds them against the official schema of SARIF 2.1.0, its own rules, and those of GitHub (`Ghas`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tests.editors.downloads import CannotInstall, one_at_a_time
from tests.editors.folders import cache_folder
from tests.editors.node import npm

_VERSION: Final = "5.7.0"
_SYSTEMS: Final = {"linux": "linux", "darwin": "darwin", "win32": "win32"}


def multitool() -> Path:
    """The program.  Raises `CannotInstall`."""
    if sys.platform not in _SYSTEMS:
        raise CannotInstall(f"there is no SARIF Multitool for {sys.platform}")
    package = f"@microsoft/sarif-multitool-{_SYSTEMS[sys.platform]}"
    folder = cache_folder() / "multitool"
    program = folder / "node_modules" / package / ("Sarif.Multitool.exe" if os.name == "nt" else "Sarif.Multitool")
    with one_at_a_time("multitool"):
        if not program.exists():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "package.json").write_text("{}")
            options = ("--ignore-scripts", "--no-audit", "--no-fund")
            npm(package, ["install", *options, f"{package}@{_VERSION}"], folder)
        program.chmod(0o755)
    return program


def validated(log: Path, folder: Path) -> Sequence[tuple[str, str, str]]:
    """Level, rule and message of all that it says; the result is written to `folder`."""
    out = folder / "multitool.sarif"
    command = [multitool(), "validate", log, "--rule-kind", "Sarif;Ghas", "--level", "Error;Warning;Note"]
    done = subprocess.run(
        [*map(str, command), "--output", str(out), "--log", "ForceOverwrite"],
        env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    if not out.exists():
        raise AssertionError(f"the multitool did not validate: {done.stdout}{done.stderr}")
    run: Any = json.loads(out.read_text("utf-8-sig"))["runs"][0]
    notifications = [note for one in run.get("invocations", ()) for note in one.get("toolExecutionNotifications", ())]
    said = [(note.get("level", "warning"), "notification", str(note["message"])) for note in notifications]
    rules = run["tool"]["driver"].get("rules", ())
    for result in run.get("results", ()):
        level = result.get("level") or rules[result["ruleIndex"]].get("defaultConfiguration", {}).get(
            "level", "warning"
        )
        rule = result.get("ruleId") or rules[result["ruleIndex"]]["id"]
        said.append((level, rule, str(result["message"])))
    return said
