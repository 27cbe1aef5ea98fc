"""Virtual functions: is it known which one a call means?

Rules   It is where the object is a local variable or a temporary itself, and where class or function are `final`.
        A function that a base declares as virtual is virtual, with or without `override`.
Limits  A reference or pointer to a local object is not followed.  That no class of the file overrides a function says
        nothing: a header's class may be derived from elsewhere, and a new class would change what its base's callers
        mean without changing what they name.
Source  C++ standard, "Virtual functions".
"""

from __future__ import annotations

from analysis.lower.context import LValue
from analysis.lower.names import FunctionDeclaration, Record
from analysis.lower.records import methods_named


def is_dispatched(receiver: LValue | None, record: Record, declaration: FunctionDeclaration) -> bool:
    """Whether the call of `declaration` on an object seen as `record` may run another function."""
    if receiver is not None and (receiver.variable is not None or receiver.is_temporary):
        return False
    if not declaration.is_virtual and not _overrides(declaration):
        return False
    specifiers = (*record.node.children, *declaration.declarator.children)
    return not any(child.kind == "virtual_specifier" and child.text == b"final" for child in specifiers)


def _overrides(declaration: FunctionDeclaration) -> bool:
    """Whether a base of its class declares the function as virtual."""
    owner = declaration.owner
    if owner is None or declaration.is_constructor:
        return False
    found = [each for base, _ in owner.bases for each in methods_named(base, declaration.name)]
    return any(each.is_virtual or _overrides(each) for each in found)
