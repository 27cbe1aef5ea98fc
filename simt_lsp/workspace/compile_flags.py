"""Read the arguments of one compiler call: what the preprocessor and the choice of the target need, nothing else.

Rules    Understood: `-D -U -I -iquote -isystem -idirafter -include -x -rdc -dc`, the target architecture in the
         spellings of nvcc, clang and hipcc, `-Xcompiler` (its list is read as arguments), response files (`@file`,
         `-optf file`).
         Every other flag is ignored.  The last of `-DX` and `-UX` wins; the highest of several architectures wins.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, final

from analysis.ir.record import record
from simt_lsp.workspace.regular_file import read_regular
from simt_lsp.workspace.settings.kinds import parse_architecture

MAX_RESPONSE_DEPTH: Final = 4
MAX_RESPONSE_BYTES: Final = 1_000_000
MAX_ARGUMENTS: Final = 20_000


@final
@record
class CompileFlags:
    """What one compiler call says about the text; folders are absolute; None: not said."""

    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    forced_includes: tuple[str, ...] = ()
    architecture: int | None = None
    architectures: tuple[int, ...] = ()
    """All that it compiles for."""
    warp_size: int | None = None
    language: str | None = None
    is_linked: bool = False
    """Whether device code is relocatable: functions of other files may be called."""


_DEFINE: Final = "define"
_UNDEFINE: Final = "undefine"
_INCLUDE: Final = "include"
_SYSTEM: Final = "system"
_FORCED: Final = "forced"
_ARCHITECTURE: Final = "architecture"
_LANGUAGE: Final = "language"
_NESTED: Final = "nested"
_RELOCATABLE: Final = "relocatable"
_IGNORED: Final = "ignored"

_JOINED: Final = {"-D": _DEFINE, "-U": _UNDEFINE, "-I": _INCLUDE, "/D": _DEFINE, "/U": _UNDEFINE, "/I": _INCLUDE}
"""Flags whose value may follow without a space."""

_VALUED: Final = {
    "--define-macro": _DEFINE,
    "--undefine-macro": _UNDEFINE,
    "--include-path": _INCLUDE,
    "-iquote": _INCLUDE,
    "-isystem": _SYSTEM,
    "--system-include": _SYSTEM,
    "-idirafter": _SYSTEM,
    "-include": _FORCED,
    "--pre-include": _FORCED,
    "-arch": _ARCHITECTURE,
    "--gpu-architecture": _ARCHITECTURE,
    "-gencode": _ARCHITECTURE,
    "--generate-code": _ARCHITECTURE,
    "--cuda-gpu-arch": _ARCHITECTURE,
    "--offload-arch": _ARCHITECTURE,
    "-rdc": _RELOCATABLE,
    "--relocatable-device-code": _RELOCATABLE,
    "-x": _LANGUAGE,
    "--x": _LANGUAGE,
    "-Xcompiler": _NESTED,
    "--compiler-options": _NESTED,
    "-o": _IGNORED,
    "--output-file": _IGNORED,
    "-MF": _IGNORED,
    "-MT": _IGNORED,
    "-MQ": _IGNORED,
    "-Xptxas": _IGNORED,
    "-Xlinker": _IGNORED,
    "-Xfatbin": _IGNORED,
    "-Xcudafe": _IGNORED,
    "-Xnvlink": _IGNORED,
    "-Xclang": _IGNORED,
    "-ccbin": _IGNORED,
}
"""Flags whose value follows as the next argument or after `=`."""

_SWITCHES: Final = {
    "-dc": (_RELOCATABLE, "true"),
    "--device-c": (_RELOCATABLE, "true"),
    "-fgpu-rdc": (_RELOCATABLE, "true"),
    "-fno-gpu-rdc": (_RELOCATABLE, "false"),
}
"""Flags without a value, and what they say."""


@dataclass(slots=True)
class _Collected:
    macros: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    include_dirs: list[str] = field(default_factory=list[str])
    system_dirs: list[str] = field(default_factory=list[str])
    forced_includes: list[str] = field(default_factory=list[str])
    architectures: list[int] = field(default_factory=list[int])
    warp_size: int | None = None
    language: str | None = None
    is_linked: bool = False


def read_flags(arguments: Sequence[str], directory: str) -> CompileFlags:
    """The flags among `arguments` (with or without the compiler itself); relative folders start at `directory`."""
    found = _Collected()
    for kind, value in _flags(_expanded(arguments, directory, 0)):
        _collect(found, kind, value, directory)
    return CompileFlags(
        defines=tuple(definition for definition in found.macros.values() if definition is not None),
        undefines=tuple(name for name, definition in found.macros.items() if definition is None),
        include_dirs=tuple(dict.fromkeys(found.include_dirs + found.system_dirs)),
        forced_includes=tuple(found.forced_includes),
        architecture=max(found.architectures, default=None),
        architectures=tuple(sorted({*found.architectures})),
        warp_size=found.warp_size,
        language=found.language,
        is_linked=found.is_linked,
    )


def split_command(command: str) -> list[str]:
    """The arguments of a shell command; raises `ValueError` when a quote is not closed."""
    if os.name == "nt":  # there, a backslash is a path separator, not an escape
        return [argument.strip('"') for argument in shlex.split(command, posix=False)]
    return shlex.split(command)


def _flags(arguments: Iterable[str]) -> Iterator[tuple[str, str]]:
    waiting: str | None = None
    for argument in arguments:
        if waiting is not None:
            kind, waiting = waiting, None
            yield from _flag(kind, argument)
            continue
        if argument in _JOINED or argument in _VALUED:
            waiting = _JOINED.get(argument) or _VALUED[argument]
            continue
        name, equals, value = argument.partition("=")
        if argument in _SWITCHES:
            yield _SWITCHES[argument]
        elif equals and name in _VALUED:
            yield from _flag(_VALUED[name], value)
        elif argument[:2] in _JOINED and not argument.startswith("/D") and not _is_path(argument):
            yield _JOINED[argument[:2]], argument[2:].removeprefix("=") if argument[:2] == "-I" else argument[2:]
        elif argument.startswith("/D"):
            yield _DEFINE, argument[2:]


def _is_path(argument: str) -> bool:
    """`/Users/me/a.cu` is no `/U` flag."""
    return argument.startswith("/") and "/" in argument[1:]


def _flag(kind: str, value: str) -> Iterator[tuple[str, str]]:
    if kind == _NESTED:
        yield from _flags(value.split(","))
    else:
        yield kind, value


def _collect(found: _Collected, kind: str, value: str, directory: str) -> None:
    match kind:
        case "define":
            name = re.split(r"[=(]", value, maxsplit=1)[0]
            if name:
                found.macros.pop(name, None)
                found.macros[name] = value
        case "undefine":
            found.macros.pop(value, None)
            found.macros[value] = None
        case "include":
            found.include_dirs.append(_absolute(value, directory))
        case "system":
            found.system_dirs.append(_absolute(value, directory))
        case "forced":
            found.forced_includes.append(_absolute(value, directory))
        case "architecture":
            _collect_architecture(found, value)
        case "language":
            found.language = value
        case "relocatable":
            found.is_linked = value == "true"
        case _:
            pass


def _collect_architecture(found: _Collected, value: str) -> None:
    for word in re.findall(r"(?:sm|compute|lto)_\d+[af]?|gfx\w+", value):
        if word.startswith("gfx"):
            found.warp_size = 64 if re.match(r"gfx[6-9]\w{2}$", word) else 32
        elif (architecture := parse_architecture(word)) is not None:
            found.architectures.append(architecture)


def _absolute(path: str, directory: str) -> str:
    return os.path.normpath(os.path.join(directory, path)).replace(os.sep, "/")


def _expanded(arguments: Iterable[str], directory: str, depth: int) -> Iterator[str]:
    """`arguments` with response files replaced by what they hold."""
    response_next = False
    for count, argument in enumerate(arguments):
        if count > MAX_ARGUMENTS:
            return
        if response_next:
            response_next = False
            yield from _response(argument, directory, depth)
        elif argument in ("-optf", "--options-file"):
            response_next = True
        elif argument.startswith(("--options-file=", "-optf=")):
            yield from _response(argument.partition("=")[2], directory, depth)
        elif argument.startswith("@") and len(argument) > 1:
            yield from _response(argument[1:], directory, depth)
        else:
            yield argument


def _response(path: str, directory: str, depth: int) -> Iterator[str]:
    if depth >= MAX_RESPONSE_DEPTH:
        return
    try:
        words = split_command(read_regular(_absolute(path, directory), MAX_RESPONSE_BYTES).decode("utf-8", "replace"))
    except (OSError, ValueError):
        return  # the compiler will say so; here a missing response file is a call with fewer flags
    yield from _expanded(words, directory, depth + 1)
