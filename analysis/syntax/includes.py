"""Which file does an `#include` mean?

Rules    `"x"`: beside the including file, then in the include directories, then by path suffix if the loader can
         search: of several such files, the loader's choice of the nearest.  A name that toolkits install
         (`"cuda_runtime.h"`) means a file of the project only where one is found outside of their folders; of their
         libraries (`"cub/cub.cuh"`) only at the first two places.
         `<x>`: the same without the first place; system and toolkit headers (`system_headers`) are never read.
         Paths are strings with `/`; they are normalised, never resolved against the disk.
Limits   `#include MACRO` works when the macro expands to a quoted or bracketed name.
"""

from posixpath import dirname, join, normpath
from typing import Final, Protocol, final, runtime_checkable

from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.syntax.system_headers import is_system_header

HEADER_SUFFIXES: Final = (".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl", ".inc", ".ipp", ".tpp", ".cui", ".cuinl")


class Loader(Protocol):
    """The only way in which this package sees files."""

    def read(self, path: str) -> bytes | None: ...

    def exists(self, path: str) -> bool: ...


@runtime_checkable
class SuffixLoader(Protocol):
    """A loader that can also look a file up by the end of its path; of several, that nearest to the file `near`."""

    def find_suffix(self, suffix: str, near: str) -> str | None: ...


@runtime_checkable
class SpecialLoader(Protocol):
    """A loader that can also say whether there is something at a path that it does not read."""

    def is_special(self, path: str) -> bool: ...


class FindingLoader(Loader, SuffixLoader, SpecialLoader, Protocol):
    """A loader that answers all of these."""


@final
class DictLoader:
    """Files from a dictionary."""

    def __init__(self, files: dict[str, bytes] | None = None) -> None:
        self.files = {} if files is None else files

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)

    def exists(self, path: str) -> bool:
        return path in self.files

    def find_suffix(self, suffix: str, near: str) -> str | None:
        found = (path for path in self.files if path == suffix or path.endswith("/" + suffix))
        return min(found, key=lambda path: nearness(path, near), default=None)


def nearness(path: str, near: str) -> tuple[int, int, str]:
    """Sorts paths: those that share most folders with the file `near` first, then the least deep, then by name."""
    folders, around = path.split("/")[:-1], near.split("/")[:-1]
    shared = next((index for index, pair in enumerate(zip(folders, around, strict=False)) if pair[0] != pair[1]), None)
    return -(min(len(folders), len(around)) if shared is None else shared), len(folders), path


_OF_TOOLKIT: Final = "cuda_runtime_api.h"
"""A header that the folder with the headers of a toolkit has."""


@final
@record
class IncludeUse:
    """One `#include` of the main file; `resolved` is None when the header is missing or a system header."""

    spelled: str
    resolved: str | None
    span: Span


def is_header(path: str) -> bool:
    """Whether the file is meant to be included, so that its callers are never all known; `.cuh` too, though it may
    stand alone."""
    return path.lower().endswith(HEADER_SUFFIXES)


def resolve(argument: bytes, including: str, directories: tuple[str, ...], loader: FindingLoader) -> str | None:
    """The path that `"x"` or `<x>` means, or None."""
    name = argument[1:-1].decode("utf-8", "surrogateescape").replace("\\", "/").strip()
    quoted = argument[:1] == b'"'
    if not name or argument[-1:] not in (b'"', b">") or "\0" in name:
        return None
    if not quoted and is_system_header(name):
        return None
    for path in _candidates(name, quoted, including, directories):
        if loader.exists(path) and not _is_of_toolkit(name, path, loader):
            return path
    is_of_library = "/" in name and is_system_header(name, quoted=True)
    if not is_of_library:
        suffix = normpath(name)
        while suffix.startswith("../"):
            suffix = suffix[3:]
        found = loader.find_suffix(suffix, including)
        return None if found is None or _is_of_toolkit(suffix, found, loader) else found
    return None


def _is_of_toolkit(name: str, path: str, loader: Loader) -> bool:
    """Whether a quoted name (`"cuda_runtime.h"`) was found in a folder of a toolkit, whose headers are not read; a file
    of the project may be called like one (`"math_functions.h"`)."""
    if not is_system_header(name, quoted=True):
        return False
    folder = path.removesuffix(name)
    return folder != path and loader.exists(normpath(join(folder, _OF_TOOLKIT)))


def is_special_file(argument: bytes, including: str, directories: tuple[str, ...], loader: SpecialLoader) -> bool:
    """Whether the name means something that is not read, where `resolve` finds nothing."""
    name = argument[1:-1].decode("utf-8", "surrogateescape").replace("\\", "/").strip()
    return any(map(loader.is_special, _candidates(name, argument[:1] == b'"', including, directories)))


def _candidates(name: str, quoted: bool, including: str, directories: tuple[str, ...]) -> list[str]:
    """The places at which a header is looked for, best first."""
    found = [join(dirname(including), name)] if quoted else []
    return [normpath(candidate) for candidate in (*found, *(join(directory, name) for directory in directories))]
