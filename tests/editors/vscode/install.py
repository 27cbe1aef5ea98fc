"""VS Code as code-server serves it, and the extension's package from this checkout."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from tests.editors.downloads import CannotInstall, download, one_at_a_time
from tests.editors.folders import REPOSITORY, cache_folder
from tests.editors.node import node_environment, node_folder, npm, pip_index

CODE_SERVER: Final = "code-server@4.139.1"
EXTENSION: Final = REPOSITORY / "editors" / "vscode"
TARGET: Final = "linux-arm64" if platform.machine() in ("aarch64", "arm64") else "linux-x64"
UNIVERSAL: Final = "universal"
_HEADERS: Final = {
    "gssapi/gssapi.h": "libkrb5-dev",
    "X11/Xlib.h": "libx11-dev",
    "X11/extensions/XKBfile.h": "libxkbfile-dev",
    "libsecret-1/libsecret/secret.h": "libsecret-1-dev",
}
"""What code-server's compiled packages include, and Debian's packages of it."""
_SERVER_SOURCES: Final = ("analysis", "sim", "presentation", "simt_lsp", "pyproject.toml")
_MADE: Final = frozenset({"node_modules", "bundled", "dist", "__pycache__", "LICENSE"})
"""Parts of the extension's folder that building it makes."""


@cache
def code_server() -> Path:
    """The entry script of code-server.  Raises `CannotInstall`."""
    folder, finished = _code_server(), _code_server() / "finished"
    program = folder / "node_modules" / "code-server" / "out" / "node" / "entry.js"
    with one_at_a_time("code-server"):
        if not finished.exists():
            _check_compiler()
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "package.json").write_text('{"private": true}\n')
            npm(CODE_SERVER, ["install", "--no-audit", "--no-fund", CODE_SERVER], folder)
            finished.touch()
    return program


def _code_server() -> Path:
    return cache_folder() / "code-server"


def code_server_command() -> list[str]:
    """How to start code-server: its script, with the Node it was compiled for."""
    return [str(node_folder() / "node"), str(code_server())]


def install_packages() -> None:
    """What the extension is built and checked with, as its lock file says.  Raises `CannotInstall`."""
    wanted, there = EXTENSION / "package-lock.json", EXTENSION / "node_modules" / ".package-lock.json"
    with one_at_a_time("packages"):
        if not there.exists() or there.stat().st_mtime < wanted.stat().st_mtime:
            npm(
                "the packages that the extension is built with",
                ["ci", "--ignore-scripts", "--no-audit", "--no-fund"],
                EXTENSION,
            )
            there.touch()


@cache
def installed_extensions(target: str) -> Path:
    """A folder of extensions with this checkout's in it, to be copied.  Raises `CannotInstall`."""
    kept = REPOSITORY / "build" / "extensions"
    folder = kept / f"{target}-{_fingerprint()}"
    with one_at_a_time("extensions"):
        if not folder.exists():
            install_packages()
            for older in kept.glob(f"{target}-*"):
                shutil.rmtree(older)
            unfinished = kept / "unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            _install(_package(target), unfinished)
            unfinished.rename(folder)
    return folder


def _package(target: str) -> Path:
    """A .vsix of this checkout's extension."""
    command = [sys.executable, str(EXTENSION / "make_packages.py"), target]
    wanted = f"the server's libraries for the extension's {target} package"
    said = download(wanted, pip_index(), command, environment=node_environment(node_folder()))
    return Path(said.strip().splitlines()[-1])


def _install(package: Path, folder: Path) -> None:
    scratch = cache_folder() / "code-server-user"
    scratch.mkdir(parents=True, exist_ok=True)
    (scratch / "config.yaml").write_text("auth: none\n")
    own = ["--config", str(scratch / "config.yaml"), "--user-data-dir", str(scratch), "--extensions-dir", str(folder)]
    command = [*code_server_command(), *own, "--install-extension", str(package)]
    environment = node_environment(node_folder())
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotInstall(
            f"code-server does not install the extension: {(done.stderr or done.stdout).strip()[-800:]}"
        )


def missing_packages() -> Sequence[str]:
    """Debian's packages that compiling code-server needs, unless it is there already."""
    if (_code_server() / "finished").exists():
        return ()
    headers = [package for header, package in _HEADERS.items() if not Path("/usr/include", header).exists()]
    return [*headers, *([] if shutil.which("g++") and shutil.which("make") else ["build-essential"])]


def _check_compiler() -> None:
    missing = missing_packages()
    if missing:
        raise CannotInstall(f"{CODE_SERVER} is compiled; first: apt-get install {' '.join(missing)}")


def _fingerprint() -> str:
    """Of everything that goes into the package."""
    digest = hashlib.sha256()
    for source in sorted(_sources()):
        digest.update(str(source.relative_to(REPOSITORY)).encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _sources() -> Iterator[Path]:
    for place in (EXTENSION, *(REPOSITORY / name for name in _SERVER_SOURCES)):
        if place.is_file():
            yield place
        for folder, folders, files in os.walk(place):
            folders[:] = [name for name in folders if name not in _MADE]
            yield from (Path(folder, name) for name in files if name not in _MADE)


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
