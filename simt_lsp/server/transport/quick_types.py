"""Import lsprotocol faster.

Reason   `lsprotocol.types` builds 554 attrs classes when it is imported, and its converter resolves the types of their
         fields: 0.5 s, more than everything else at start.  A session uses a tenth of these classes.
Rules    A class is built when it is first instantiated or asked for its fields; until then it has the fields as its
         module wrote them.  It gets no `repr`, no equality and no slots (each class would be built twice for them): a
         server never uses them.  Only the process of the server does this.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from inspect import get_annotations
from threading import RLock
from typing import Any, Final, final, get_type_hints


def import_types() -> None:
    """Import `lsprotocol.types` with its classes still to be built; does nothing when it is there already."""
    if "lsprotocol.types" in sys.modules:
        return
    import attrs

    complete: Any = attrs.define

    def define(maybe_class: Any = None, **options: Any) -> Any:
        if options or not isinstance(maybe_class, type):
            return complete(maybe_class, **options)
        return _built_later(maybe_class, partial(complete, init=True, repr=False, eq=False, slots=False))

    attrs.define = define
    try:
        import lsprotocol.types as _  # noqa: F401  # for its effect: the module is now loaded
    finally:
        attrs.define = complete

    import lsprotocol._hooks as hooks

    hooks._resolved_forward_references = True  # pyright: ignore[reportPrivateUsage]  # each class does it for its own


_BUILDING: Final = RLock()


def _built_later(cls: type[Any], define: Callable[[type[Any]], Any]) -> type[Any]:
    def build() -> None:
        from lsprotocol.types import ALL_TYPES_MAP

        with _BUILDING:  # the worker makes diagnostics while the event loop reads messages
            if isinstance(cls.__dict__["__attrs_attrs__"], _Unbuilt):
                hints = get_type_hints(cls, ALL_TYPES_MAP, {}, include_extras=True)
                cls.__annotations__ = {name: hints[name] for name in get_annotations(cls)}
                define(cls)

    def initialise(self: object, *arguments: Any, **named: Any) -> None:
        build()
        self.__init__(*arguments, **named)

    cls.__attrs_attrs__ = _Unbuilt(build)
    cls.__init__ = initialise
    return cls


@final
class _Unbuilt:
    """The fields of a class, which attrs and cattrs read before they do anything else with it."""

    def __init__(self, build: Callable[[], None]) -> None:
        self._build = build

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        self._build()
        return owner.__attrs_attrs__
