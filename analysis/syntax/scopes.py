"""The scopes that are open at a place of a file."""

from functools import lru_cache
from typing import final

from analysis.ir.record import record
from analysis.syntax.heads import Opened


@final
@record
class OpenScope:
    """An open namespace (`names` has one entry per level), `extern "C"` (none) or record (one)."""

    opened: Opened
    names: tuple[str, ...]
    is_inline: bool = False


Scopes = tuple[OpenScope, ...]


@lru_cache(maxsize=1 << 12)
def scope_names(scopes: Scopes) -> tuple[tuple[str, ...], str | None]:
    """The open namespaces, and the innermost record."""
    names: tuple[str, ...] = ()
    owner: str | None = None
    for scope in scopes:
        if scope.opened is Opened.RECORD:
            owner = scope.names[0]
        else:
            names += scope.names
    return names, owner


@lru_cache(maxsize=1 << 12)
def inline_namespaces(scopes: Scopes) -> frozenset[tuple[str, ...]]:
    """The paths of those open namespaces that are `inline`."""
    path: tuple[str, ...] = ()
    found: set[tuple[str, ...]] = set()
    for scope in scopes:
        if scope.opened is Opened.NAMESPACE:
            path += scope.names
            if scope.is_inline and scope.names:
                found.add(path)
    return frozenset(found)
