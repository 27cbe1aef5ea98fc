"""Programs from another Debian suite than the system's, unpacked into a folder of their own with their libraries.

Method   A private apt (own lists, own state, no installed packages) downloads a package with everything it needs, the C
         library included; each is unpacked, and the program is started with that library's loader.  Nothing of the
         system is touched.
Rules    What was downloaded stays in the cache, so a second run needs no network, and a moving suite stands still.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.editors.folders import cache_folder

_KEYRING: Final = "/usr/share/keyrings/debian-archive-keyring.gpg"
_LOADER: Final = "ld-linux-x86-64.so.2"
_LIBRARIES: Final = ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu")


class CannotInstall(Exception):
    """The editor cannot be had here; the message says what is missing."""


def unpacked(suite: str, packages: Sequence[str], name: str) -> Path:
    """The root folder that holds `packages` of `suite`.  Raises `CannotInstall`."""
    folder = cache_folder() / "debian" / name
    root = folder / "root"
    if root.is_dir():
        return root
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise CannotInstall(f"{name} is taken from Debian's packages, and there is no {tool} here")
    archives = folder / "archives"
    if not any(archives.glob("*.deb")):
        _download(suite, packages, folder)
    unfinished = folder / "unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    for archive in sorted(archives.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", archive, unfinished], check=True)
    unfinished.rename(root)
    return root


def command(root: Path, program: str) -> list[str]:
    """How to start a program of an unpacked folder: with the loader and the libraries that it was made for."""
    loader = next(path for folder in ("lib64", "usr/lib64") if (path := root / folder / _LOADER).exists())
    libraries = ":".join(str(root / folder) for folder in _LIBRARIES)
    binary = (root / "usr" / "bin" / program).resolve()
    return [str(loader), "--library-path", libraries, "--argv0", program, str(binary)]


def _download(suite: str, packages: Sequence[str], folder: Path) -> None:
    for part in ("archives/partial", "lists/partial"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()
    (folder / "sources.list").write_text(f"deb [signed-by={_KEYRING}] {_archive()} {suite} main\n")
    configuration = folder / "apt.conf"
    configuration.write_text(
        f'Dir::State "{folder}"; Dir::State::status "{folder}/status"; Dir::Cache "{folder}";\n'
        f'Dir::Etc::sourcelist "{folder}/sources.list"; Dir::Etc::sourceparts "/dev/null";\n'
        'Dir::Etc::preferencesparts "/dev/null"; APT::Install-Recommends "false"; APT::Sandbox::User "root";\n'
    )
    environment = os.environ | {"APT_CONFIG": str(configuration)}
    for action in (["update"], ["-y", "-o", "Debug::NoLocking=1", "--download-only", "install", *packages]):
        done = subprocess.run(["apt-get", "-qq", *action], env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise CannotInstall(f"{' '.join(packages)} of Debian {suite} cannot be downloaded: {done.stderr.strip()}")


def _archive() -> str:
    """The archive that this system's own packages come from."""
    wanted = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN) $(LABEL)", "Created-By: Packages"]
    done = subprocess.run(wanted, capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        address, origin, label = line.split(" ", 2)
        if (origin, label) == ("Debian", "Debian"):
            return address
    raise CannotInstall("this system's packages do not come from Debian, so its editors cannot be had from there")
