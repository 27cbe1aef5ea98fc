"""Which argument of a kernel, or of a function that is judged alone, does an address begin with?"""

from __future__ import annotations

from analysis.affine.atoms import ValueAtom
from analysis.affine.polynomial import Polynomial
from analysis.facts.merge import FrameView
from analysis.ir.types import PointerType


def argument_of(view: FrameView, rest: Polynomial) -> ValueAtom | None:
    """The argument that an address begins with."""
    arguments = {one.value for one in view.root.function.parameters}
    found = [
        monomial[0]
        for monomial, coefficient in rest.terms
        if len(monomial) == 1 and coefficient == 1 and isinstance(monomial[0], ValueAtom)
    ]
    pointers = [
        one for one in found if one.value in arguments and isinstance(view.root.function.types[one.value], PointerType)
    ]
    return pointers[0] if len(pointers) == 1 else None
