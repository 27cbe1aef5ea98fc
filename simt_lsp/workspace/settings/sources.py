"""Find and merge the sources of settings: defaults < `.simt.toml` < client settings or command line."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, final

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.syntax.line_index import LineIndex, PositionEncoding
from simt_lsp.workspace.regular_file import read_regular
from simt_lsp.workspace.settings.configuration import DEFAULT, Configuration, SettingProblem
from simt_lsp.workspace.settings.reader import apply_source
from simt_lsp.workspace.settings.toml_places import Entry, Header, toml_places
from simt_lsp.workspace.settings.values import Source, normalized

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
    if file is None:
        return ConfigurationResult(*merge(overrides))
    source, problems = read_settings_file(file)
    configuration, found = merge([*([] if source is None else [source]), *overrides])
    return ConfigurationResult(configuration, problems + located(file, found), file)


def settings_file_problems(path: str) -> tuple[SettingProblem, ...]:
    """What is wrong with one settings file, whatever is set elsewhere; nothing where there is none."""
    if not os.path.isfile(path):
        return ()
    source, problems = read_settings_file(path)
    return problems + (() if source is None else located(path, merge([source])[1]))


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
    text = b""
    try:
        text = _text_of(path)
        if len(text) > MAX_SETTINGS_BYTES:
            message = f"larger than {MAX_SETTINGS_BYTES:,} bytes, not read"
            return None, (SettingProblem(path, "", message, Location(path, 0, 0)),)
        values = tomllib.loads(text.decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        message, start = _reason(error, text)
        location = Location(path, start, min(start + 1, len(text)))
        return None, (SettingProblem(path, "", f"cannot be read: {message}", location),)
    return Source(path, values, os.path.dirname(path)), ()


def _text_of(path: str) -> bytes:
    return read_regular(path, MAX_SETTINGS_BYTES + 1)


_AT: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def _reason(error: Exception, text: bytes) -> tuple[str, int]:
    """Without number, path and place, which stand beside it; and the offset of the place."""
    if isinstance(error, OSError):
        return (error.strerror or type(error).__name__).lower(), 0
    if isinstance(error, UnicodeDecodeError):
        return f"{error.reason}: the file is not UTF-8", error.start
    place = _AT.search(str(error))
    if place is None:
        return str(error), 0
    message = str(error)[: place.start()]
    message = message[:1].lower() + message[1:]
    if place[1] is None:
        return f"{message}: the file ends too early", len(text.rstrip())
    return message, LineIndex(text).offset(int(place[1]) - 1, int(place[2]) - 1, PositionEncoding.UTF32)


def located(path: str, problems: tuple[SettingProblem, ...]) -> tuple[SettingProblem, ...]:
    """Those of the file at `path` with the place of their key; reads the file only where there are any."""
    if not any(problem.source == path for problem in problems):
        return problems
    try:
        text = _text_of(path)
        places = {_joined(place.path): place for place in reversed([*toml_places(text)])}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        text, places = b"", {}  # it was changed since it was read

    def location(problem: SettingProblem) -> Location:
        place = places.get(normalized(problem.key))
        if place is None:
            return Location(path, 0, 0)
        on_one_line = b"\n" not in text[place.start : place.end]
        return Location(path, place.start, place.end if on_one_line else _key_end(place, text))

    return tuple(
        replace(problem, location=location(problem)) if problem.source == path else problem for problem in problems
    )


def _joined(path: tuple[str, ...]) -> str:
    """As problems name their keys."""
    return normalized(".".join(path))


def _key_end(place: Entry | Header, text: bytes) -> int:
    """Of what goes over several lines the first one is shown."""
    return place.start + len(text[place.start : place.end].partition(b"\n")[0].rstrip())


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
