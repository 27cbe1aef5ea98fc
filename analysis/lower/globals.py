"""Variables outside functions: where they live, and their value where it is a constant.

Rules   `__device__` and `__managed__` are global memory, `__constant__` and constant arrays constant memory.
        A constant or constexpr scalar whose initialiser is a constant expression is that constant.
Limits  A plain host variable has no place in device code: uses are opaque.
"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.cpp.types import model as cpp
from analysis.cpp.types.model import QualType, qualified
from analysis.ir.function import SymbolKind
from analysis.ir.types import ArrayType, HandleType, StructType, TemplateType, Type, UnknownType, VectorType
from analysis.lower.constant_values import ConstantObject
from analysis.lower.constants import evaluate_any, initial_value
from analysis.lower.conversions import is_arithmetic, wrapped
from analysis.lower.names import ConstantName, DeclaredType, GlobalDeclaration, Scope, is_inferred
from analysis.lower.packs import EXPANSION, expanded
from analysis.lower.strings import STRINGS, array_of_string
from analysis.lower.types import base_type, declare, innermost, specifier_words
from analysis.syntax.snippet import Snippet
from analysis.syntax.tree import Node


def declare_global(scope: Scope, name: str, node: Node, declarator: Node, snippet: Snippet | None) -> GlobalDeclaration:
    """The variable that `declarator`, inside the declaration `node`, declares."""
    words = specifier_words(node)
    value: Node | None = None
    if declarator.kind == "init_declarator":
        value = declarator.field("value")
        inner = declarator.field("declarator")
        declarator = declarator if inner is None else inner
    else:
        value = _default_value(node, declarator)
    declared = declare(scope, base_type(scope, node, words), declarator).declared
    if isinstance(declared.type, ArrayType) and declared.type.length is None and value is not None:
        type = ArrayType(declared.type.element, listed_length(scope, value, declared.type))
        declared = _of_length(declared, type)
    constant = None
    if value is not None and (declared.is_constant or "constexpr" in words):
        constant = _constant(scope, declared, value)
        if is_inferred(declared.type):
            known = constant or evaluate_any(scope, value)
            exact = known.exact if isinstance(known, ConstantName) else None
            exact = None if exact is None else qualified(exact, constant=True)
            declared = declared if known is None else DeclaredType(known.type, is_constant=True, spelled=exact)
    declared = _with_length(scope, declared, value)
    is_constexpr = "constexpr" in words and "__constant__" not in words
    kind = _kind(words, declared)
    return GlobalDeclaration(_qualified(scope, name), scope, declared, kind, value, snippet, constant, is_constexpr)


def _qualified(scope: Scope, name: str) -> str:
    around = "" if scope.origin is None else scope.origin.prefix
    return "::".join(part for part in (*around.split("::"), name) if part)


def listed_length(scope: Scope, value: Node, type: ArrayType) -> int | None:
    """The length of an array declared as `a[]`, by its initialiser."""
    if value.kind == "initializer_list":
        nodes = expanded(scope, value.children)
        return None if any(node.kind == EXPANSION for node in nodes) else _listed(nodes, type.element)
    characters = array_of_string(type, value)
    return type.length if characters is None else len(characters)


def _listed(nodes: Sequence[Node], element: Type) -> int | None:
    """How many elements a list has; those that are arrays of numbers may lack braces of their own.

    Of classes without braces it is not looked at how many numbers each takes: there are no more than this.
    """
    scalars: int | None = 1
    while isinstance(element, ArrayType) and scalars is not None:
        scalars = None if element.length is None else scalars * element.length
        element = element.element
    if not scalars or not is_arithmetic(element):
        return len(nodes)
    whole = single = 0
    for node in nodes:
        if node.kind in ("initializer_list", *STRINGS):
            whole, single = whole + -(-single // scalars) + 1, 0
        else:
            single += 1
    return whole + -(-single // scalars)


def find_declarator(node: Node, name: str) -> Node | None:
    """The declarator (or init_declarator) of `name`, qualified or not, in a declaration of several."""
    wanted = name.encode()
    for declarator in node.fields("declarator"):
        found = innermost(declarator)
        if found is not None and found.text.rpartition(b"::")[2].strip() == wanted:
            return declarator
    return None


def _default_value(node: Node, declarator: Node) -> Node | None:
    """The initialiser that follows a member's declarator."""
    at = node.children.index(declarator)
    following = node.children[at + 1] if at + 1 < len(node.children) else None
    return following if following is not None and following.role == "default_value" else None


def _with_length(scope: Scope, declared: DeclaredType, value: Node | None) -> DeclaredType:
    """`int a[] = {1, 2, 3}` has the length of its list."""
    type = declared.type
    if not isinstance(type, ArrayType) or type.length is not None or value is None:
        return declared
    length = listed_length(scope, value, type)
    if length is None:
        return declared
    return _of_length(declared, ArrayType(type.element, length))


def _of_length(declared: DeclaredType, type: ArrayType) -> DeclaredType:
    """An array with the length that the initialiser says."""
    exact = declared.exact
    if exact is not None and isinstance(exact.type, cpp.ArrayType):
        exact = QualType(cpp.ArrayType(exact.type.element, type.length))
    return DeclaredType(type, declared.is_reference, declared.is_constant, declared.is_volatile, spelled=exact)


def _constant(scope: Scope, declared: DeclaredType, value: Node) -> ConstantName | None:
    if value.kind == "initializer_list":
        if len(value.children) != 1:
            return None
        value = value.children[0]
    if not (is_arithmetic(declared.type) or is_inferred(declared.type)):
        return None
    found = evaluate_any(scope, value)
    if isinstance(found, ConstantObject) and not is_inferred(declared.type):
        found = initial_value(scope, declared, value)  # by a conversion function
    if not isinstance(found, ConstantName):
        return None
    if is_inferred(declared.type):
        return found
    return ConstantName(wrapped(found.value, declared.type), declared.type, declared.exact)


def _kind(words: frozenset[str], declared: DeclaredType) -> SymbolKind | None:
    if isinstance(declared.type, HandleType) and declared.type.name.startswith(("texture", "surface")):
        return SymbolKind.TEXTURE
    if "__constant__" in words:
        return SymbolKind.CONSTANT
    if "__shared__" in words:
        return SymbolKind.DYNAMIC_SHARED if "extern" in words else SymbolKind.SHARED
    if "__device__" in words or "__managed__" in words:
        return SymbolKind.GLOBAL
    aggregate = isinstance(declared.type, ArrayType | StructType | VectorType | TemplateType | UnknownType)
    if "constexpr" in words or (declared.is_constant and aggregate):
        return SymbolKind.CONSTANT
    return None
