"""Programs from another Debian suite than the system's, unpacked into a folder of their own with their libraries.

Method   A private apt (own lists, own state, no installed packages) downloads a package with everything it needs, the C
         library included; each is unpacked, and the program is started with that library's loader.  Nothing of the
         system is touched.
Rules    What was downloaded stays in the cache, so a second run needs no network, and a moving suite stands still.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.editors.downloads import CannotInstall, download, one_at_a_time
from tests.editors.folders import cache_folder

PROGRAMS: Final[Mapping[str, tuple[str, Sequence[str]]]] = {
    "neovim-0.10": ("trixie", ["neovim"]),
    "neovim-0.12": ("sid", ["neovim"]),
    "helix": ("trixie", ["hx"]),
    "emacs-30": ("trixie", ["emacs-nox", "emacs-el"]),
    "vim": ("bookworm", ["vim", "vim-ale"]),
}
"""The suite that each comes from, and its packages there; sid moves, the cache does not."""

_ARCHIVE: Final = "http://deb.debian.org/debian"
_KEYRING: Final = "/usr/share/keyrings/debian-archive-keyring.gpg"
_LOADER: Final = "ld-linux-x86-64.so.2"
_LIBRARIES: Final = ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu")


def unpacked(name: str) -> Path:
    """The root folder of one of `PROGRAMS`.  Raises `CannotInstall`."""
    suite, packages = PROGRAMS[name]
    root = _root(name)
    folder = root.parent
    with one_at_a_time(name):
        if not root.is_dir():
            _check_system(name)
            _download(suite, packages, folder)
            unfinished = folder / "unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            for archive in sorted((folder / "archives").glob("*.deb")):
                subprocess.run(["dpkg-deb", "-x", archive, unfinished], check=True)
            unfinished.rename(root)
    return root


def _root(name: str) -> Path:
    return cache_folder() / "debian" / name / "root"


def command(root: Path, program: str) -> list[str]:
    """How to start a program of an unpacked folder: with the loader and the libraries that it was made for."""
    loader = next(path for folder in ("lib64", "usr/lib64") if (path := root / folder / _LOADER).exists())
    libraries = ":".join(str(root / folder) for folder in _LIBRARIES)
    binary = (root / "usr" / "bin" / program).resolve()
    return [str(loader), "--library-path", libraries, "--argv0", program, str(binary)]


def missing_packages() -> Sequence[str]:
    """Debian's packages that downloading others needs, as long as some are to be downloaded."""
    if shutil.which("apt-get") is None or all(_root(name).is_dir() for name in PROGRAMS):
        return ()
    return () if Path(_KEYRING).exists() else ("debian-archive-keyring",)


def _check_system(name: str) -> None:
    if platform.machine() != "x86_64":
        raise CannotInstall(f"{name} is taken from Debian's packages for x86-64, and this is {platform.machine()}")
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise CannotInstall(f"{name} is taken from Debian's packages, and there is no {tool} here")
    if not Path(_KEYRING).exists():
        raise CannotInstall(f"{name} is taken from Debian's packages; first: apt-get install debian-archive-keyring")


def _download(suite: str, packages: Sequence[str], folder: Path) -> None:
    """The packages and all that they need into `folder/archives`.

    Each attempt reads the suite's list anew: a list that arrived without its packages, or one of a suite that has moved
    on since, would fail every attempt after it.
    """
    lists = folder / "lists"
    (folder / "archives" / "partial").mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()
    archive = _archive()
    (folder / "sources.list").write_text(f"deb [signed-by={_KEYRING}] {archive} {suite} main\n")
    configuration = folder / "apt.conf"
    configuration.write_text(
        f'Dir::State "{folder}"; Dir::State::lists "{lists}"; Dir::State::status "{folder}/status";\n'
        f'Dir::Cache "{folder}"; Dir::Etc::sourcelist "{folder}/sources.list"; Dir::Etc::sourceparts "/dev/null";\n'
        'Dir::Etc::preferencesparts "/dev/null"; APT::Install-Recommends "false"; APT::Sandbox::User "root";\n'
        'Acquire::Retries "3"; Acquire::http::Timeout "60"; Acquire::Languages "none";\n'
        'APT::Update::Error-Mode "any";\n'  # unreachable lists are only warned of otherwise
    )
    update = 'rm -rf "$0" && mkdir -p "$0/partial" && apt-get -qq update'
    install = 'apt-get -qq -y -o Debug::NoLocking=1 --download-only install "$@"'
    download(
        f"{' '.join(packages)} of Debian {suite}",
        archive,
        ["sh", "-c", f"{update} && {install}", str(lists), *packages],
        environment=os.environ | {"APT_CONFIG": str(configuration)},
    )


def _archive() -> str:
    """The archive that this system's own packages come from, or Debian's main one on other systems."""
    wanted = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN) $(LABEL)", "Created-By: Packages"]
    done = subprocess.run(wanted, capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        address, origin, label = line.split(" ", 2)
        if (origin, label) == ("Debian", "Debian"):
            return address
    return _ARCHIVE
