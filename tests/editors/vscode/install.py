"""VS Code as code-server serves it, and the extension's package from this checkout."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

from tests.editors.debian import CannotInstall
from tests.editors.folders import REPOSITORY, cache_folder
from tests.editors.node import node_environment, node_folder, npm

CODE_SERVER: Final = "code-server@4.139.1"
EXTENSION: Final = REPOSITORY / "editors" / "vscode"
_HEADERS: Final = {
    "gssapi/gssapi.h": "libkrb5-dev",
    "X11/Xlib.h": "libx11-dev",
    "X11/extensions/XKBfile.h": "libxkbfile-dev",
    "libsecret-1/libsecret/secret.h": "libsecret-1-dev",
}
"""What code-server's compiled packages include, and Debian's packages of it."""


@cache
def code_server() -> Path:
    """The entry script of code-server.  Raises `CannotInstall`."""
    folder = cache_folder() / "code-server"
    program = folder / "node_modules" / "code-server" / "out" / "node" / "entry.js"
    finished = folder / "finished"
    if not finished.exists():
        missing = [package for header, package in _HEADERS.items() if not Path("/usr/include", header).exists()]
        missing += [] if shutil.which("g++") and shutil.which("make") else ["build-essential"]
        if missing:
            raise CannotInstall(f"code-server is compiled; first: apt-get install {' '.join(missing)}")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}\n')
        npm(["install", CODE_SERVER], folder)
        finished.touch()
    return program


@cache
def extension_package(target: str) -> Path:
    """A .vsix of this checkout's extension.  Raises `CannotInstall`."""
    install_packages()
    command = [sys.executable, str(EXTENSION / "make_packages.py"), target]
    environment = node_environment(node_folder())
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotInstall(f"the package of the extension cannot be built: {done.stderr.strip()[-800:]}")
    return Path(done.stdout.strip().splitlines()[-1])


def code_server_command() -> list[str]:
    """How to start code-server: its script, with the Node it was compiled for."""
    return [str(node_folder() / "node"), str(code_server())]


def install_packages() -> None:
    """What the extension is built and checked with, as its lock file says.  Raises `CannotInstall`."""
    wanted, there = EXTENSION / "package-lock.json", EXTENSION / "node_modules" / ".package-lock.json"
    if not there.exists() or there.stat().st_mtime < wanted.stat().st_mtime:
        npm(["ci", "--ignore-scripts"], EXTENSION)
        there.touch()


@cache
def installed_extensions(target: str) -> Path:
    """A folder of extensions with ours in it, to be copied."""
    folder = cache_folder() / f"extensions-{target}"
    shutil.rmtree(folder, ignore_errors=True)
    scratch = cache_folder() / f"extensions-{target}-user"
    scratch.mkdir(parents=True, exist_ok=True)
    (scratch / "config.yaml").write_text("auth: none\n")
    own = ["--config", str(scratch / "config.yaml"), "--user-data-dir", str(scratch), "--extensions-dir", str(folder)]
    command = [*code_server_command(), *own, "--install-extension", str(extension_package(target))]
    environment = node_environment(node_folder())
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotInstall(
            f"code-server does not install the extension: {(done.stderr or done.stdout).strip()[-800:]}"
        )
    return folder


def main() -> int:
    """Have everything that building the extension needs, or say in a line what is missing."""
    try:
        install_packages()
    except CannotInstall as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
