"""Virtual functions: which one does a call mean?

Question  Which function runs for an object, if its class may be derived from the one that it is seen as?
Rules     The final overrider in the class that the whole object has.  That class is known where the object is a local
          variable, a member, an element or a temporary itself, or what a reference to one is bound to; in constructors
          and destructors, whose object has no other class; in methods that are called on such objects, which are
          lowered for that class (`functions.for_class`); and where class or function are `final`.
          A function that a base declares as virtual is virtual, with or without `override`.
          Any other call is decided by the number of the class that the object holds (`class_numbers.py`), among the
          classes that the unit derives (`derived_classes.py`).
Source    C++20 standard, [class.virtual], [class.cdtor].
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.ir.types import StructType, Type
from analysis.lower.context import LValue
from analysis.lower.functions import generic_signature
from analysis.lower.names import Declarations, FunctionDeclaration, Record
from analysis.lower.records import is_derived, methods_named, parameter_types

_PURE: Final = re.compile(rb"=\s*0\s*;?\s*\Z")


def is_dispatched(record: Record, declaration: FunctionDeclaration) -> bool:
    """Whether a call of `declaration` on an object seen as `record` may run another function, by its class."""
    if not declaration.is_virtual and not _overrides(declaration):
        return False
    specifiers = (*record.node.children, *declaration.declarator.children)
    return not any(child.kind == "virtual_specifier" and child.text == b"final" for child in specifiers)


def is_polymorphic(record: Record) -> bool:
    """Whether calls on objects of the class may be virtual."""
    if record.is_polymorphic is None:
        record.is_polymorphic = False  # a class that is its own base
        names = [name for name in record.method_nodes if name != "~" + record.simple_name]
        own = any(each.is_virtual for name in names for each in methods_named(record, name))
        record.is_polymorphic = own or any(is_polymorphic(base) for base, _ in record.bases)
    return record.is_polymorphic


def is_pure(declaration: FunctionDeclaration) -> bool:
    """Whether it is declared with `= 0`: nothing runs for objects of its class, since there are none."""
    return declaration.body is None and _PURE.search(declaration.node.text) is not None


def is_abstract(record: Record) -> bool:
    """Whether there are no objects of just that class."""
    pure = (one for base in _with_bases(record) for name in base.method_nodes for one in methods_named(base, name))
    return any(is_pure(one) and (found := final_overrider(record, one)) is not None and is_pure(found) for one in pure)


def _with_bases(record: Record) -> Iterator[Record]:
    yield record
    for base, _ in record.bases:
        yield from _with_bases(base)


def most_derived(program: Declarations, object: LValue | None) -> Record | None:
    """The class of the whole object that `object` is, or is a base of; None where that is not known."""
    if object is None or object.most_derived is not None:
        return None if object is None else object.most_derived
    return whole_class(program, object.type) if object.variable is not None or object.is_temporary else None


def whole_class(program: Declarations, type: Type) -> Record | None:
    """The class of an object that is declared with that type: a variable, a member, an element."""
    return program.records.get(type.name) if isinstance(type, StructType) else None


def final_overrider(whole: Record, declaration: FunctionDeclaration) -> FunctionDeclaration | None:
    """What a virtual call of `declaration` runs on an object of class `whole`; None where that is not known."""
    found = list(_overriders(whole, declaration))
    if len(found) != 1:
        return None  # a base that the class has twice, or none that is seen
    returns = [generic_signature(each).returns for each in (found[0], declaration)]
    return found[0] if returns[0] == returns[1] else None


def _overriders(record: Record, declaration: FunctionDeclaration) -> Iterator[FunctionDeclaration]:
    own = [
        each
        for each in methods_named(record, declaration.name)
        if each.owner is record and parameter_types(each) == parameter_types(declaration)
    ]
    if own or record is declaration.owner:
        yield own[0] if own else declaration
        return
    for base, _ in record.bases:
        if declaration.owner is not None and is_derived(base, declaration.owner):
            yield from _overriders(base, declaration)


def _overrides(declaration: FunctionDeclaration) -> bool:
    """Whether a base of its class declares the function as virtual."""
    owner = declaration.owner
    if owner is None or declaration.is_constructor:
        return False
    found = [each for base, _ in owner.bases for each in methods_named(base, declaration.name)]
    return any(each.is_virtual or _overrides(each) for each in found)
