"""Which device functions of a file are compiled, so that what is wrong with them is an error.

Rules    Kernels are, and device functions that other files may call; a template, and what is `inline` or `static`, is
         where one of those comes to it.  A kernel template is where the file launches it with arguments that are known.
Limits   A head with a word that may be a macro may say `inline` through it, so it counts as if it did.
Source   What nvcc 13.0 does, with `-rdc=true` and without.
"""

from __future__ import annotations

import re
from typing import Final

from analysis.facts.merge import FrameView
from analysis.rules.rule import Subject
from analysis.sides.side import Side, side_of
from analysis.sides.sides import Sides, words_before_name
from analysis.syntax.items import Item


def is_compiled(subject: Subject) -> bool:
    """Whether every build of the file compiles the function for the device."""
    return any(_is_root_compiled(subject, kernels_alone=False))


def is_reached(subject: Subject) -> bool:
    """Whether a kernel comes to the function in every build of the file."""
    return any(_is_root_compiled(subject, kernels_alone=True))


def is_of_template(sides: Sides, function: Item) -> bool:
    """Whether a function is a template, or a method of a class that may be one."""
    if function.is_template or function.owner is None:
        return function.is_template
    return any(item.is_template or item.owner is not None for item in sides.unit.lookup(function.owner))


def _is_root_compiled(subject: Subject, *, kernels_alone: bool) -> list[bool]:
    """Of each place where the function is inlined, itself among them."""
    sides = subject.analysis.sides
    found: list[bool] = []
    for view in subject.analysis.views(subject.function):
        root = view.root.items.get(view.root.function.frames[0].function)
        if root is None or (is_of_template(sides, root) and not _is_instance(subject, view, root)):
            continue
        side = side_of(root)
        found.append(
            side is Side.KERNEL or (not kernels_alone and side is Side.DEVICE and is_seen_outside(sides, root))
        )
    return found


def _is_instance(subject: Subject, view: FrameView, root: Item) -> bool:
    """Whether a root is an instance of a kernel template that the file launches, and not the template itself."""
    own = view.root.function.frames[0].function
    return root.is_kernel and root.owner is None and all(one.id != own for one in subject.analysis.facts.functions)


def is_seen_outside(sides: Sides, function: Item) -> bool:
    """Whether another file may call it, so that it is compiled whoever does."""
    before = sides.unit.text_of(function.path) or b""
    if function.in_class or _NAMELESS.search(before, 0, function.span.start) is not None:
        return False
    words = words_before_name(function)
    return words is not None and not any(_may_be_local(sides, word) for word in words if word not in _SAID)


def _may_be_local(sides: Sides, word: bytes) -> bool:
    is_odd = word.startswith(_ODD) or (word.isupper() and not sides.is_declared(word.decode()))
    return word in _LOCAL or word in sides.unit.macros.names or is_odd


_NAMELESS: Final = re.compile(rb"\bnamespace\s*\{")
"""Where one ends is not asked."""
_LOCAL: Final = frozenset({b"static", b"inline", b"constexpr", b"consteval"})
_SAID: Final = frozenset({b"__device__", b"__noinline__", b"__host__", b"__launch_bounds__", b"C"})
_ODD: Final = b"__"
"""`__forceinline__`, `__inline__`, and what macros may be called."""
