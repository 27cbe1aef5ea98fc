"""Find and merge the sources of settings: defaults < `.simt.toml` < client settings or command line."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, final

from analysis.ir.record import record
from simt_lsp.workspace.configuration import DEFAULT, Configuration, SettingProblem
from simt_lsp.workspace.setting_keys import apply_source
from simt_lsp.workspace.setting_values import Source

FILE_NAME: Final = ".simt.toml"
MAX_SETTINGS_BYTES: Final = 1_000_000


@final
@record
class ConfigurationResult:
    """The settings in force, what was wrong with the sources, and the settings file that was read."""

    configuration: Configuration
    problems: tuple[SettingProblem, ...] = ()
    path: str | None = None


def load_configuration(path: str | None, overrides: Sequence[Source] = ()) -> ConfigurationResult:
    """The settings for the file or folder `path`; `overrides` come last, in order."""
    file = None if path is None else find_upward(path, (FILE_NAME,))
    sources: list[Source] = []
    problems: tuple[SettingProblem, ...] = ()
    if file is not None:
        source, problems = read_settings_file(file)
        sources = [] if source is None else [source]
    configuration, found = merge([*sources, *overrides])
    return ConfigurationResult(configuration, problems + found, file)


def merge(sources: Iterable[Source]) -> tuple[Configuration, tuple[SettingProblem, ...]]:
    """The defaults with all `sources` applied in order."""
    configuration = DEFAULT
    problems: tuple[SettingProblem, ...] = ()
    for source in sources:
        configuration, found = apply_source(configuration, source)
        problems += found
    return configuration, problems


def read_settings_file(path: str) -> tuple[Source | None, tuple[SettingProblem, ...]]:
    """The values of one `.simt.toml`; a file that cannot be read or parsed is one problem."""
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_SETTINGS_BYTES + 1)
        if len(data) > MAX_SETTINGS_BYTES:
            return None, (SettingProblem(path, "", f"larger than {MAX_SETTINGS_BYTES:,} bytes, not read"),)
        values = tomllib.loads(data.decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        return None, (SettingProblem(path, "", f"cannot be read: {_reason(error)}"),)
    return Source(path, values, os.path.dirname(path)), ()


def _reason(error: Exception) -> str:
    """Without number and path, which stand beside it."""
    return (error.strerror or type(error).__name__).lower() if isinstance(error, OSError) else str(error)


def find_upward(path: str, names: Sequence[str]) -> str | None:
    """The nearest existing file with one of the relative `names`, in the folder of `path` or one above it."""
    for folder in folders_upward(path):
        for name in names:
            candidate = os.path.join(folder, name)
            if os.path.isfile(candidate):
                return candidate
    return None


def folders_upward(path: str) -> Iterator[str]:
    """`path` itself (a folder, or else skipped by the lookups) and every folder above it."""
    folder = os.path.normpath(path)
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder or not above:
            return
        folder = above
