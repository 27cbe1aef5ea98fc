"""Variable templates: `template <class T> constexpr bool is_wide_v = sizeof(T) > 4;`, and concepts, which are such.

Rules   An instance whose initialiser is a constant expression is that constant, a number or an object.
        `template <class T> __device__ T total;` is a variable for each list of arguments; where these are open, two
        lists may be the same one, so what device code may write has no meaning then.
        Any other instance is one value for the whole grid that is not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.ir.types import BOOLEAN, S32, TemplateType, UnknownType
from analysis.lower.constant_values import ConstantObject
from analysis.lower.constants import evaluate, initial_value
from analysis.lower.conversions import is_arithmetic, wrapped
from analysis.lower.globals import declare_global
from analysis.lower.names import (
    ConstantName,
    DeclaredType,
    Entity,
    GlobalVariable,
    PackPattern,
    Scope,
    TemplateArgument,
    TemplateValue,
    TypeName,
    TypeTemplateDeclaration,
    is_inferred,
)
from analysis.lower.types import base_type, innermost, specifier_words, spelled_argument
from analysis.syntax.tree import Node

VARIABLES: Final = frozenset({"declaration", "field_declaration", "concept_definition"})


def variable_pattern(node: Node) -> Node | None:
    """The arguments that a specialisation is for, in `template <> constexpr int width<float2> = 2;`."""
    name = _declarator(node)[0]
    return None if name is None or name.kind not in _TEMPLATED else name.field("arguments")


def variable_instance(
    scope: Scope, declaration: TypeTemplateDeclaration, arguments: Sequence[TemplateArgument], *, is_certain: bool
) -> Entity | None:
    """What the variable is for the arguments that `scope` binds; None where that is not known."""
    name, value = _declarator(declaration.node)
    words = specifier_words(declaration.node)
    if not words.isdisjoint(_IN_MEMORY) and "constexpr" not in words:
        is_certain = is_certain and (_CONSTANT in words or not any(map(is_dependent, arguments)))
        return _in_memory(scope, declaration, arguments) if is_certain else None
    is_concept = declaration.node.kind == "concept_definition"
    declared = DeclaredType(BOOLEAN) if is_concept else base_type(scope, declaration.node)
    type = declared.type
    constant = evaluate(scope, value) if value is not None and is_certain else None
    if constant is not None and is_inferred(type):
        return constant
    if constant is not None and is_arithmetic(type):
        return ConstantName(wrapped(constant.value, type), type, declared.exact)
    whole = declaration.node.field("declarator")
    whole = None if whole is None else whole.field("value")
    if whole is not None and is_certain and "constexpr" in words:
        found = initial_value(scope, declared, whole)
        if isinstance(found, ConstantObject):
            return found
    known = S32 if isinstance(type, TemplateType | UnknownType) else type
    return TemplateValue(_instance_name(name, arguments), known)


def _in_memory(
    scope: Scope, declaration: TypeTemplateDeclaration, arguments: Sequence[TemplateArgument]
) -> GlobalVariable | None:
    """The variable of its own that an instance with these arguments is; the same whenever it is asked for."""
    declarator, origin = declaration.node.field("declarator"), scope.origin
    if declarator is None or origin is None:
        return None
    name = _instance_name(innermost(declarator), arguments)
    program = scope.program
    qualified = "::".join(part for part in (origin.prefix, name) if part)
    known = program.used_variable(qualified)
    if known is None:
        known = declare_global(scope, name, declaration.node, declarator, origin.snippet)
        program.use_variable(known)
    return GlobalVariable(known)


def _instance_name(name: Node | None, arguments: Sequence[TemplateArgument]) -> str:
    stem = "" if name is None else name.text.decode("utf-8", "replace").partition("<")[0]
    return f"{stem}<{', '.join(map(spelled_argument, arguments))}>"


def is_dependent(argument: TemplateArgument) -> bool:
    """Whether it is not known what the argument stands for."""
    if isinstance(argument, TypeName):
        return isinstance(argument.declared.type, TemplateType)
    return isinstance(argument, TemplateValue | PackPattern)


def _declarator(node: Node) -> tuple[Node | None, Node | None]:
    """The name, perhaps with arguments, and the initialiser."""
    if node.kind == "concept_definition":
        return node.field("name"), node.children[-1]
    declarator = node.field("declarator")
    if declarator is None or declarator.kind != "init_declarator":
        return declarator, node.field("default_value")
    value = declarator.field("value")
    if value is not None and value.kind in ("initializer_list", "argument_list") and len(value.children) == 1:
        value = value.children[0]
    return declarator.field("declarator"), value


_CONSTANT: Final = "__constant__"
_IN_MEMORY: Final = frozenset({_CONSTANT, "__device__", "__managed__"})
_TEMPLATED: Final = frozenset({"template_function", "template_type"})
