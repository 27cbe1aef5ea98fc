"""Which of the launches with a kernel's name are launches of that kernel.

Rules    Where several kernels of a file have one name (overloads, namespaces, specialisations), a launch is of the
         only one that takes so many arguments.  If another one takes as many, or the arguments are not seen, nothing
         is known.
Limits   Kernels that are only declared in this file are not counted.
"""

from __future__ import annotations

from typing import Final

from analysis.launches.model import Launch
from analysis.syntax.items import Item
from analysis.syntax.translation_unit import TranslationUnit

_UNLIMITED: Final = 1 << 16
_VARIADIC: Final = frozenset({"variadic_parameter_declaration", "variadic_parameter", "..."})


def launches_of(unit: TranslationUnit, kernel: Item, launches: tuple[Launch, ...]) -> tuple[Launch, ...]:
    """None where another kernel may be meant."""
    if not launches:
        return ()
    here = kernel.identity
    same = [item for item in unit.lookup(kernel.name) if item.is_kernel and item.is_definition and item.active]
    others = [_counts(unit, item) for item in same if item.identity != here]
    if not others:
        return launches
    own = _counts(unit, kernel)
    of_it = [launch for launch in launches if _fits(launch, own)]
    is_certain = not any(_fits(launch, other) for launch in of_it for other in others)
    return tuple(of_it) if is_certain else ()


def takes(unit: TranslationUnit, kernel: Item, launch: Launch) -> bool:
    """Whether a launch may be one of this declaration of a kernel, by the number of its arguments."""
    return _fits(launch, _counts(unit, kernel))


def _fits(launch: Launch, counts: range) -> bool:
    """A launch through a function of the runtime does not show its arguments."""
    return not launch.arguments or len(launch.arguments) in counts


def _counts(unit: TranslationUnit, kernel: Item) -> range:
    """How many arguments the kernel takes."""
    for node in unit.snippet(kernel).root.walk():
        listed = node.field("parameters") if node.kind == "function_declarator" else None
        if listed is not None:
            kinds = [child.kind for child in listed.children]
            is_open = not _VARIADIC.isdisjoint(kinds)
            least = kinds.count("parameter_declaration")
            return range(least, _UNLIMITED if is_open else len(kinds) + 1)
    return range(_UNLIMITED)
