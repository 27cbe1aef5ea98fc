"""Builds the extension's packages: one .vsix per platform with the server's libraries, and one without for the rest.

    python editors/vscode/make_packages.py                 the one for this machine, into editors/vscode/dist
    python editors/vscode/make_packages.py linux-x64       another one
    python editors/vscode/make_packages.py all             all of them
    python editors/vscode/make_packages.py --bundle-only linux-x64    only what lies in `bundled`

Needs    npm (with its packages installed beside this file) and pip, with their registries.  Any system can build for
         all: wheels are downloaded for the platform they are meant for, and only unpacked.
Result   `bundled/server` is this checkout's server, as a wheel would install it; `bundled/libs` holds the wheels of
         launcher/requirements.txt for the target, those of compiled libraries once per version of Python.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
REPOSITORY: Final = HERE.parents[1]
BUNDLED: Final = HERE / "bundled"
PACKAGES: Final = HERE / "dist"
UNIVERSAL: Final = "universal"
EVERY: Final = "all"

PLATFORMS: Final[Mapping[str, tuple[str, ...]]] = {
    "linux-x64": ("manylinux_2_17_x86_64", "manylinux2014_x86_64", "manylinux_2_5_x86_64"),
    "linux-arm64": ("manylinux_2_17_aarch64", "manylinux2014_aarch64"),
    "alpine-x64": ("musllinux_1_2_x86_64", "musllinux_1_1_x86_64"),
    "darwin-x64": ("macosx_11_0_x86_64",),
    "darwin-arm64": ("macosx_11_0_arm64",),
    "win32-x64": ("win_amd64",),
    "win32-arm64": ("win_arm64",),
}
"""The tags of the wheels that a target of VS Code can load; of macOS, pip tries older versions as well."""

PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 0, or 1 with one line that says what failed."""
    options = _parser().parse_args(arguments)
    targets: list[str] = options.targets or [own_platform()]
    if EVERY in targets:
        targets = [*PLATFORMS, UNIVERSAL]
    if unknown := set(targets) - {*PLATFORMS, UNIVERSAL}:
        print(f"make_packages: no target {', '.join(sorted(unknown))}", file=sys.stderr)
        return 1
    try:
        with tempfile.TemporaryDirectory() as folder:
            wheel = build_server_wheel(Path(folder))
            for target in targets:
                bundle(target, wheel)
                if not options.bundle_only:
                    print(_package(target), flush=True)
    except subprocess.CalledProcessError as error:
        print(f"make_packages: failed: {' '.join(map(str, error.cmd))}", file=sys.stderr)
        return 1
    return 0


def own_platform() -> str:
    """The target of this machine; `universal` for one that no package is made for."""
    system = {"linux": "linux", "darwin": "darwin", "win32": "win32"}.get(sys.platform, sys.platform)
    if system == "linux" and not platform.libc_ver()[0]:
        system = "alpine"
    processor = "arm64" if platform.machine().lower() in ("aarch64", "arm64") else "x64"
    target = f"{system}-{processor}"
    return target if target in PLATFORMS else UNIVERSAL


def build_server_wheel(folder: Path) -> Path:
    """A wheel of this checkout."""
    _run([*_PIP, "wheel", "--no-deps", "--wheel-dir", str(folder), str(REPOSITORY)])
    (wheel,) = folder.glob("simt_lsp-*.whl")
    return wheel


def bundle(target: str, server_wheel: Path) -> None:
    """Fill `bundled` for one target."""
    shutil.rmtree(BUNDLED, ignore_errors=True)
    shutil.copytree(HERE / "launcher", BUNDLED, ignore=shutil.ignore_patterns("__pycache__"))
    _unpack([server_wheel], BUNDLED / "server")
    if target != UNIVERSAL:
        with tempfile.TemporaryDirectory() as folder:
            _download(PLATFORMS[target], Path(folder))
            _unpack(sorted(Path(folder).glob("*.whl")), BUNDLED / "libs")


def _download(tags: tuple[str, ...], folder: Path) -> None:
    """Every wheel that any version of Python picks on this platform."""
    platforms = [word for tag in tags for word in ("--platform", tag)]
    where = ["--dest", str(folder), "--requirement", str(HERE / "launcher" / "requirements.txt")]
    for version in PYTHONS:
        interpreter = ["--python-version", version, "--implementation", "cp"]
        _run([*_PIP, "download", "--only-binary", ":all:", "--no-deps", *platforms, *interpreter, *where])


def _unpack(wheels: Iterable[Path], folder: Path) -> None:
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)


def _package(target: str) -> Path:
    """The .vsix, made by VS Code's own tool, which runs the `vscode:prepublish` script first."""
    PACKAGES.mkdir(exist_ok=True)
    shutil.copy(REPOSITORY / "LICENSE", HERE)
    package = PACKAGES / f"simt-lsp-{target}.vsix"
    chosen = [] if target == UNIVERSAL else ["--target", target]
    tool = [_npm(), "exec", "--", "vsce", "package", "--no-dependencies", "--allow-missing-repository"]
    _run([*tool, *chosen, "--out", str(package)], quiet=True)
    return package


def _npm() -> str:
    found = shutil.which("npm")
    if found is None:
        raise SystemExit("make_packages: there is no npm on the PATH")
    return found


def _run(command: Sequence[str], *, quiet: bool = False) -> None:
    done = subprocess.run(command, cwd=HERE, capture_output=quiet, text=True, check=False)
    if done.returncode != 0:
        if quiet:
            print(done.stdout + done.stderr, file=sys.stderr)
        raise subprocess.CalledProcessError(done.returncode, list(command))


_PIP: Final = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make_packages", description="Builds the packages of the VS Code extension.")
    parser.add_argument("targets", nargs="*", metavar="target", help=f"of {', '.join([*PLATFORMS, UNIVERSAL, EVERY])}")
    parser.add_argument("--bundle-only", action="store_true", help="fill `bundled` and stop")
    return parser


if __name__ == "__main__":
    sys.exit(main())
