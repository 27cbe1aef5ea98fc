"""A class for a template parameter whose objects the kernel hands to a function that takes objects of that class.

Rules    `T state; draw(x, state);` beside `draw(float &, Generator &)`: T is Generator.  Of several functions of that
         name the first decides that takes as many arguments, and the types of other template parameters where they are
         known already.
Limits   Only arguments that are variables of a type written as the parameter alone, and only functions that are no
         templates: those take anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from analysis.ir.types import HandleType, StructType, Type
from analysis.lower.functions import generic_signature
from analysis.lower.lookup import find
from analysis.lower.names import DeclaredType, FunctionDeclaration, FunctionSet, TemplateArgument, TypeName, declared_as
from analysis.syntax.tree import Node


def taken_type(declaration: FunctionDeclaration, name: str, bound: Mapping[str, TemplateArgument]) -> TypeName | None:
    """The class for the type parameter `name`, where the others are `bound`."""
    parameters = [parameter.name for parameter in declaration.template_parameters if parameter.is_type]
    owners = {variable: parameter for parameter in parameters for variable in _variables(declaration, parameter)}
    for called, arguments in _calls(declaration):
        passed = [owners.get(argument) for argument in arguments]
        entity = find(declaration.scope, called) if name in passed else None
        if not isinstance(entity, FunctionSet):
            continue
        for candidate in entity.declarations:
            types = _taken(candidate)
            if len(types) == len(passed) and _agree(types, passed, bound):
                chosen = types[passed.index(name)]
                if isinstance(chosen.declared.type, StructType | HandleType):
                    return chosen
    return None


def _taken(candidate: FunctionDeclaration) -> Sequence[TypeName]:
    """What a function takes; nothing for a template."""
    if candidate.template_parameters:
        return ()
    return [TypeName(_of_object(parameter.declared)) for parameter in generic_signature(candidate).parameters]


def _of_object(declared: DeclaredType) -> DeclaredType:
    exact = declared.exact
    return DeclaredType(declared.type) if exact is None else declared_as(exact.object.unqualified)


def _agree(types: Sequence[TypeName], passed: Sequence[str | None], bound: Mapping[str, TemplateArgument]) -> bool:
    """Whether the function takes what the parameters stand for that are known."""

    def known(name: str | None) -> Type | None:
        argument = None if name is None else bound.get(name)
        return argument.declared.type if isinstance(argument, TypeName) else None

    wanted = [known(name) for name in passed]
    return all(type is None or type == taken.declared.type for type, taken in zip(wanted, types, strict=True))


def _variables(declaration: FunctionDeclaration, name: str) -> Sequence[str]:
    """Those declared with that type, not with a pointer to it: a guess from the text is enough here."""
    pattern = rb"\b" + re.escape(name.encode("utf-8", "replace")) + rb"\b\s*&?\s*(\w+)\s*[;,=)({]"
    return [word.decode("utf-8", "replace") for word in re.findall(pattern, declaration.snippet.text)]


def _calls(declaration: FunctionDeclaration) -> Iterator[tuple[Node, Sequence[str]]]:
    """Calls by a plain name, with their arguments as they are written."""
    for node in declaration.snippet.root.walk():
        function, arguments = node.field("function"), node.field("arguments")
        if node.kind != "call_expression" or function is None or arguments is None:
            continue
        if function.kind in ("identifier", "qualified_identifier"):
            yield function, [one.text.decode("utf-8", "replace") for one in arguments.children]
