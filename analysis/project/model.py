"""What an analysis may ask about the files around the one that it reads."""

from __future__ import annotations

from typing import Protocol, final

from analysis.ir.record import record
from analysis.syntax.environment import Environment


@final
@record
class Users:
    """Compiled files, in a stable order; `are_all` False where there may be others that are not seen.

    A file that is listed may turn out to be none when it is read: it leaves the include out, or means another file.
    """

    paths: tuple[str, ...]
    are_all: bool
    doubtful: tuple[str, ...] = ()
    """Files that name it too, but may mean another one of several with that name: if they mean any, others are unseen.
    """


class Project(Protocol):
    """The files that belong together, as text shows them at a glance; answers by path, texts come from the `Loader`."""

    def includers(self, path: str) -> Users:
        """The compiled files that have the text of `path` in them, over any chain of includes; without itself."""
        ...

    def users(self, path: str, name: str, *, internal: bool) -> Users:
        """The compiled files, but `path` itself, that may name the function `name` which `path` defines.

        `internal`: other files see it only through its text (`static`, or in an unnamed namespace).
        """
        ...

    def launched_beside(self, path: str) -> frozenset[str]:
        """The names of the kernels that `path` and the files which include it launch, over any chain of includes."""
        ...

    def is_quoted(self, name: str) -> bool:
        """Whether a string of some file is the name: what it means may be looked up when the program runs."""
        ...

    def environment(self, path: str) -> Environment | None:
        """How the build reads a compiled file; None where it is read as the file that asks."""
        ...
