"""What conversions and overload choice ask about classes, answered from the records of the unit.

Rules   A class is known in full where all of its text is, bases included; of any other, every conversion is possible.
        A constructor or conversion function that is a template, or of a type that is not known, makes the class one of
        which not all is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import final

from analysis.cpp.conversions.implicit import ConversionFunction, ConvertingConstructor
from analysis.cpp.templates.deduction import Deduced, deduce_exactly
from analysis.cpp.types.model import ArrayType, ClassType, FunctionType, OpaqueType, QualType, TemplateArgument
from analysis.lower.exact_arguments import record_name, structured, structured_class
from analysis.lower.functions import generic_signature, is_for_constants
from analysis.lower.library.source import lacks_conversions
from analysis.lower.names import Declarations, DeclaredType, FunctionDeclaration, Record
from analysis.lower.records import constructors_of, initialising_constructors, methods_named
from analysis.lower.requirements import is_required
from analysis.syntax.tree import Node


@final
class RecordClasses:
    """Answers for one choice; the classes it was asked about are looked at once."""

    def __init__(self, program: Declarations) -> None:
        self._program = program
        self._records = program.records
        self._constructors: dict[ClassType, list[ConvertingConstructor]] = {}
        self._functions: dict[ClassType, list[ConversionFunction]] = {}
        self._complete: dict[ClassType, bool] = {}

    def bases(self, type: ClassType) -> Sequence[ClassType]:
        record = self._records.get(record_name(type))
        return () if record is None else [_class(self._program, base) for base, _ in record.bases]

    def converting_constructors(self, type: ClassType) -> Sequence[ConvertingConstructor]:
        known = self._constructors.get(type)
        if known is None:
            record = self._records.get(record_name(type))
            known = self._constructors[type] = [] if record is None else _converting(self._program, record)
        return known

    def conversion_functions(self, type: ClassType, wanted: QualType | None) -> Sequence[ConversionFunction]:
        known = self._functions.get(type)
        if known is None:
            record = self._records.get(record_name(type))
            known = self._functions[type] = [] if record is None else _functions(self._program, record)
        if not any(each.is_template for each in known):
            return known
        return [found for each in known if (found := self._giving(each, wanted)) is not None]

    def _giving(self, function: ConversionFunction, wanted: QualType | None) -> ConversionFunction | None:
        """The function for what is wanted; None where a template gives nothing like that."""
        if not function.is_template:
            return function
        if wanted is None:
            return replace(function, result=QualType(OpaqueType("?")))
        declaration = function.function
        assert isinstance(declaration, FunctionDeclaration)
        found = conversion_arguments(self._program, declaration, wanted)
        return None if found is None else replace(function, result=wanted.object.unqualified)

    def is_complete(self, type: ClassType) -> bool:
        known = self._complete.get(type)
        if known is None:
            record = self._records.get(record_name(type))
            known = self._complete[type] = record is not None and _is_known(self._program, record)
        return known


def _class(program: Declarations, record: Record) -> ClassType:
    own = ClassType(record.name)
    return structured_class(program, own) or own


def _exact(program: Declarations, declared: DeclaredType) -> QualType | None:
    return None if declared.exact is None else structured(program, declared.exact)


def _is_known(program: Declarations, record: Record) -> bool:
    if record.is_guess or record.has_unknown_base or lacks_conversions(record.item) or record.node.has_error:
        return False
    if record.node.field("body") is None:
        return False
    converting = [*_constructors(record), *_own_functions(record)]
    if sum(1 for each in converting if each.template_parameters) > 1:
        return False
    is_known = all(_has_known_type(program, each) for each in converting)
    return is_known and all(_is_known(program, base) for base, _ in record.bases)


def conversion_arguments(
    program: Declarations, declaration: FunctionDeclaration, wanted: QualType
) -> Sequence[TemplateArgument] | None:
    """The arguments with which a template of conversion functions gives just that type ([temp.deduct.conv])."""
    pattern = _exact(program, generic_signature(declaration).returns)
    target = wanted.object.unqualified
    if pattern is None or isinstance(target.type, ArrayType | FunctionType):
        return None
    names = [each.name for each in declaration.template_parameters]
    found: Deduced = {}
    if not deduce_exactly(frozenset(names), pattern.unqualified, target, found):
        return None
    return [found[name] for name in names] if found.keys() == set(names) else None


def _is_simple_template(program: Declarations, declaration: FunctionDeclaration) -> bool:
    """Whether what a conversion function gives says all of its template's arguments, and nothing else is asked."""
    exact = _exact(program, generic_signature(declaration).returns)
    is_asked = any(each.is_pack or each.concept is not None for each in declaration.template_parameters)
    return not is_asked and not is_required(declaration) and exact is not None and not exact.is_reference


def _has_known_type(program: Declarations, declaration: FunctionDeclaration) -> bool:
    if declaration.template_parameters:
        return not declaration.is_constructor and _is_simple_template(program, declaration)
    signature = generic_signature(declaration)
    if not declaration.is_constructor:
        return _exact(program, signature.returns) is not None
    return all(_exact(program, parameter.declared) is not None for parameter in signature.parameters)


def _converting(program: Declarations, record: Record) -> list[ConvertingConstructor]:
    found: list[ConvertingConstructor] = []
    for constructor in dict.fromkeys(_constructors(record)):
        signature = generic_signature(constructor)
        if is_explicit(constructor) or not signature.parameters or not signature.accepts(1):
            continue
        exact = _exact(program, signature.parameters[0].declared)
        if exact is not None:
            found.append(ConvertingConstructor(constructor, exact))
    return found


def _constructors(record: Record) -> Sequence[FunctionDeclaration]:
    return [*constructors_of(record), *(initialising_constructors(record) if record.inherited else ())]


def _functions(program: Declarations, record: Record) -> list[ConversionFunction]:
    """Those of the class, and those of its bases to other types."""
    own = [
        ConversionFunction(
            declaration,
            exact,
            is_for_constants(declaration),
            _class(program, record),
            bool(declaration.template_parameters),
            is_explicit(declaration),
        )
        for declaration in _own_functions(record)
        if (exact := _exact(program, generic_signature(declaration).returns)) is not None
    ]
    hidden = {_exact(program, generic_signature(declaration).returns) for declaration in _own_functions(record)}
    inherited = [function for base, _ in record.bases for function in _functions(program, base)]
    return [*own, *(function for function in inherited if function.result not in hidden)]


def _own_functions(record: Record) -> list[FunctionDeclaration]:
    names = [name for name in record.method_nodes if name.startswith("operator ")]
    return [declaration for name in names for declaration in methods_named(record, name)]


def is_explicit(declaration: FunctionDeclaration) -> bool:
    """Whether the class body says `explicit` in front of it."""
    owner = declaration.owner
    nodes = [declaration.node] if owner is None else [declaration.node, *owner.method_nodes.get(declaration.name, [])]
    return any(_says_explicit(node) for node in nodes)


def _says_explicit(node: Node) -> bool:
    return any(child.kind in ("explicit_function_specifier", "explicit") for child in node.children)
