"""Names with `::` and `<...>`: from a node to what it stands for.

Rules   The first component is looked up from inside out, each further one inside what was found.  A scope that nothing
        declares is taken for a namespace of the built-in libraries (`std`, `cub`).
        A member of a template parameter is a `DependentName`.
"""

from __future__ import annotations

from functools import lru_cache

from analysis.cpp.types.model import INT, SIZE, ClassType, QualType
from analysis.ir.types import (
    S32,
    U64,
    HandleType,
    StructLayout,
    StructType,
    TemplateType,
    Type,
    UnknownType,
)
from analysis.lower.builtins import (
    TemplateArgumentValue,
    builtin_function,
    builtin_layout,
    builtin_type,
    builtin_variable,
    nested_type,
    static_member,
)
from analysis.lower.builtins.types import element_of_handle
from analysis.lower.constant_values import ConstantObject
from analysis.lower.constants import entity_constant, evaluate, evaluate_any
from analysis.lower.cpp_types import named_by_library
from analysis.lower.layouts import size_and_alignment
from analysis.lower.library.limits import is_limit, limit
from analysis.lower.library.source import is_library
from analysis.lower.library.templates import library_template
from analysis.lower.names import (
    BuiltinName,
    ConstantName,
    DeclaredType,
    DependentName,
    Entity,
    FunctionDeclaration,
    FunctionSet,
    GlobalVariable,
    LambdaName,
    LocalVariable,
    MemberAddress,
    NamespaceName,
    PackPattern,
    Scope,
    TemplateArgument,
    TemplateValue,
    TypeName,
    TypeTemplate,
    VariableAddress,
)
from analysis.lower.packs import EXPANSION, element_scope, is_open, is_pack_size, pack_length, pack_size
from analysis.lower.types import NO_TYPE, descriptor_type, entity_type, innermost, resolve_type, shown
from analysis.syntax.tree import Node


def find(scope: Scope, node: Node) -> Entity | None:
    """What a possibly qualified, possibly templated name means."""
    kind = node.kind
    if kind in _PLAIN:
        return scope.find(node.text.decode("utf-8", "replace"))
    if kind in _TEMPLATED:
        name = node.field("name")
        if name is None:
            return None
        text = name.text.decode("utf-8", "replace")
        return _applied(scope, scope.find(text), text, node)
    if kind == "qualified_identifier":
        return _qualified(scope, node)
    if kind in ("dependent_type", "dependent_name"):
        for child in reversed(node.children):
            if child.kind in _PLAIN or child.kind in _TEMPLATED or child.kind == "qualified_identifier":
                return find(scope, child)
    if kind == "decltype":
        return TypeName(resolve_type(scope, node))
    return None


def member(scope: Scope, outer: Entity | None, name: str, spelling: str) -> Entity | None:
    """What `name` means inside `outer`."""
    if isinstance(outer, NamespaceName):
        return scope.program.find_in_namespace(outer.path, name)
    if isinstance(outer, DependentName):
        return DependentName(spelling)
    if isinstance(outer, TypeName):
        if outer.enumerators is not None and name in outer.enumerators:
            return ConstantName(outer.enumerators[name], outer.declared.type, outer.declared.exact)
        type = outer.declared.type
        if isinstance(type, TemplateType):
            return DependentName(spelling)
        if type == NO_TYPE:
            return outer
        if isinstance(type, StructType):
            record = scope.program.records.get(type.name)
            if record is not None:
                found = record.member(name)
                if record.is_guess and not isinstance(found, FunctionSet):
                    return DependentName(spelling)
                if found is None and (record.has_unknown_base or name in ("type", "value")):
                    return DependentName(spelling)
                return found
        nested = nested_type(type, name)
        if nested is not None:
            return TypeName(DeclaredType(nested))
        constant = static_member(type, name)
        if constant is not None:
            return ConstantName(constant, S32, INT)
        if isinstance(type, HandleType) and type.name.startswith("std::numeric_limits<") and is_limit(name):
            number = element_of_handle(type)
            return None if number is None else limit(name, number) or DependentName(spelling)
        return _builtin(f"{spelling.rsplit('::', 1)[0]}::{name}")
    return None


def _qualified(scope: Scope, node: Node) -> Entity | None:
    name = node.field("name")
    if name is None:
        return None
    outer_node = node.field("scope")
    spelling = shown(node)
    outer: Entity | None = NamespaceName(())
    if outer_node is not None:
        if outer_node.kind in _PLAIN:
            name_of_outer = outer_node.text.decode("utf-8", "replace")
            outer = scope.find_qualifier(name_of_outer) or NamespaceName((name_of_outer,))
        else:
            outer = find(scope, outer_node)
        if isinstance(outer, TypeTemplate):
            outer = scope.program.instantiate_type(outer, ())
    return _inside(scope, outer, name, spelling)


def _inside(scope: Scope, outer: Entity | None, node: Node, spelling: str) -> Entity | None:
    """The entity that `node` names within `outer`; arguments in `node` are looked up in `scope`."""
    if node.kind == "qualified_identifier":
        first, rest = node.field("scope"), node.field("name")
        if first is None or rest is None:
            return None
        inner = _inside(scope, outer, first, spelling)
        if inner is None and isinstance(outer, NamespaceName):
            inner = NamespaceName((*outer.path, first.text.decode("utf-8", "replace")))
        if isinstance(inner, TypeTemplate):
            inner = scope.program.instantiate_type(inner, ())
        return _inside(scope, inner, rest, spelling)
    if node.kind in ("dependent_name", "dependent_type"):
        return _inside(scope, outer, node.children[-1], spelling) if node.children else None
    if node.kind in _TEMPLATED:
        name = node.field("name")
        if name is None:
            return None
        text = name.text.decode("utf-8", "replace")
        found = member(scope, outer, text, spelling)
        qualified = "::".join((*outer.path, text)) if isinstance(outer, NamespaceName) else text
        return _applied(scope, found, qualified, node)
    text = node.text.decode("utf-8", "replace")
    return member(scope, outer, text, spelling)


def _applied(scope: Scope, entity: Entity | None, name: str, node: Node) -> Entity | None:
    """A template's name with its arguments; functions keep theirs for the call, in which only templates are meant."""
    if isinstance(entity, FunctionSet) and entity.declarations:
        return FunctionSet(entity.name, tuple(filter(is_template, entity.declarations)), entity.builtin)
    arguments = template_arguments(scope, node.field("arguments"))
    if isinstance(entity, TypeName) and isinstance(entity.declared.type, StructType):
        entity = scope.find_template(name) or entity
    if isinstance(entity, TypeTemplate):
        return scope.program.instantiate_type(entity, arguments)
    if isinstance(entity, TypeName) and entity.template is not None:
        return _of_template_parameter(scope, entity, arguments)
    if isinstance(entity, TypeName | DependentName) and not isinstance(entity_type(entity, name).type, UnknownType):
        built = builtin_type(name, builtin_arguments(arguments))
        return entity if built is None else TypeName(DeclaredType(built))
    built = builtin_type(name, builtin_arguments(arguments))
    if built is not None:
        return TypeName(DeclaredType(built))
    return entity


def _of_template_parameter(scope: Scope, entity: TypeName, arguments: tuple[TemplateArgument, ...]) -> TypeName:
    """`C<T>`, where C stands for any class template."""
    exact = scope.program.exact_arguments(arguments)
    if exact is None or entity.template is None:
        return TypeName(entity.declared)
    type = QualType(ClassType(entity.template, exact, is_parameter=True))
    return TypeName(DeclaredType(entity.declared.type, spelled=type))


def is_template(declaration: FunctionDeclaration) -> bool:
    """Whether `name<...>` may mean this function: a template, or an explicit specialisation of one."""
    name = innermost(declaration.declarator)
    while name is not None and name.kind == "qualified_identifier":
        name = name.field("name")
    if declaration.template_parameters or (name is not None and name.kind == "template_function"):
        return True
    headers = declaration.snippet.templates if declaration.node is declaration.snippet.root else ()
    return len(headers) > declaration.headers_of_classes


def builtin_arguments(arguments: tuple[TemplateArgument, ...]) -> tuple[TemplateArgumentValue, ...]:
    """Template arguments as the tables of builtins take them."""
    values: list[TemplateArgumentValue] = []
    for argument in arguments:
        if isinstance(argument, TypeName):
            values.append(argument.declared.type)
        elif isinstance(argument, ConstantName):
            values.append(int(argument.value))
        else:
            values.append(None)
    return tuple(values)


def builtin_record(type: StructType) -> StructLayout | None:
    """The members of a struct that the tables declare."""
    return builtin_layout(type)


def spelled_entity(scope: Scope, spelling: str) -> Entity | None:
    """What a name as written means, perhaps qualified, without its template arguments."""
    parts = [part for part in "".join(spelling.partition("<")[0].split()).split("::") if part]
    if not parts:
        return None
    found = scope.find(parts[0])
    if len(parts) == 1:
        return found
    if found is None or isinstance(found, NamespaceName):
        path = found.path if isinstance(found, NamespaceName) else (parts[0],)
        return scope.program.find_in_namespace((*path, *parts[1:-1]), parts[-1])
    inner: Entity | None = found
    for part in parts[1:]:
        inner = member(scope, inner, part, spelling)
    return inner or builtin_entity("::".join(parts))


@lru_cache(maxsize=1 << 11)
def builtin_entity(name: str) -> Entity | None:
    """The built-in type, variable or function of that (perhaps qualified) name."""
    return _builtin(name)


def _builtin(name: str) -> Entity | None:
    type = builtin_type(name, ())
    if type is not None:
        return TypeName(DeclaredType(type, spelled=named_by_library(name, type)))
    variable = builtin_variable(name)
    if variable is not None:
        return BuiltinName(name, variable)
    if builtin_function(name) is not None:
        return FunctionSet(name, (), name)
    return library_template(name)


def template_arguments(scope: Scope, node: Node | None) -> tuple[TemplateArgument, ...]:
    """The arguments in `<...>`; the grammar takes a constant's bare name for a type, which is put right here."""
    if node is None:
        return ()
    found: list[TemplateArgument] = []
    for child in node.children:
        if child.kind == EXPANSION:
            found += _expanded_argument(scope, child)
        else:
            found.append(_template_argument(scope, child))
    return tuple(found)


def _expanded_argument(scope: Scope, node: Node) -> list[TemplateArgument]:
    """`pattern...` for all elements of its packs; itself where these stand for themselves."""
    pattern = node.field("pattern")
    if pattern is None:
        return []
    length = pack_length(scope, pattern)
    if length is None:
        return [PackPattern(_template_argument(scope, pattern))]
    found: list[TemplateArgument] = []
    for index in range(length):
        argument = _template_argument(element_scope(scope, pattern, index), pattern)
        found.append(PackPattern(argument) if is_open(scope, pattern, index) else argument)
    return found


def _template_argument(scope: Scope, node: Node) -> TemplateArgument:
    if node.kind != "type_descriptor":
        is_lambda = node.kind == "lambda_expression"
        value = scope.program.closure_constant(scope, node) if is_lambda else evaluate_any(scope, node)
        if value is not None:
            return value
        named = _named_member(scope, node) or _named_function(scope, node) or _named_variable(scope, node)
        return named or TemplateValue(shown(node), S32)
    inner = node.field("type")
    if inner is not None and len(node.children) == 1 and inner.kind in _MAYBE_VALUES:
        entity = find(scope, inner)
        constant = evaluate_any(scope, inner) if isinstance(entity, _HOLDERS) else entity_constant(entity)
        if constant is not None:
            return constant
        if isinstance(entity, TemplateValue | ConstantObject | VariableAddress | MemberAddress):
            return entity
        if isinstance(entity, GlobalVariable) and entity.declaration.kind is not None:
            return entity
        if isinstance(entity, FunctionSet) and entity.declarations and b"<" not in inner.text:
            return entity
        if isinstance(entity, TypeName) and entity.enumerators is not None:
            return entity
        if isinstance(entity, TypeTemplate):
            named = None if entity.declarations else scope.program.instantiate_type(entity, ())
            return named if isinstance(named, TypeName) else entity
        if isinstance(entity, LocalVariable | LambdaName | DependentName) and inner.kind != "qualified_identifier":
            return TemplateValue(shown(node), S32)
    return TypeName(descriptor_type(scope, node))


def _named_member(scope: Scope, node: Node) -> MemberAddress | None:
    """`&Class::member`."""
    argument = node.field("argument") if node.kind == "pointer_expression" and node.text.startswith(b"&") else None
    return None if argument is None else scope.program.member_address(scope, argument)


def _named_function(scope: Scope, node: Node) -> FunctionSet | None:
    """`&name` of a function of the program."""
    argument = node.field("argument") if node.kind == "pointer_expression" else node
    if argument is None or argument.kind not in ("identifier", "qualified_identifier") or b"<" in argument.text:
        return None  # template arguments of its own would be lost
    entity = find(scope, argument)
    return entity if isinstance(entity, FunctionSet) and entity.declarations else None


def _named_variable(scope: Scope, node: Node) -> GlobalVariable | VariableAddress | None:
    """`name` of a variable of the device, or `&name`."""
    argument = node.field("argument") if node.kind == "pointer_expression" and node.text.startswith(b"&") else node
    if argument is None or argument.kind not in ("identifier", "qualified_identifier"):
        return None
    entity = find(scope, argument)
    if not isinstance(entity, GlobalVariable) or entity.declaration.kind is None:
        return None
    return entity if argument is node else VariableAddress(entity.declaration)


# -- types and constants that need lookup ------------------------------------------------------------------------


def type_of_name(scope: Scope, node: Node) -> DeclaredType:
    """The type that a possibly qualified name means, an instance of a template included."""
    entity = find(scope, node)
    if isinstance(entity, TypeTemplate):
        entity = scope.program.instantiate_type(entity, ())
    declared = entity_type(entity, shown(node))
    if isinstance(declared.type, UnknownType) and declared.type != NO_TYPE and node.kind == "template_type":
        return DeclaredType(_vague_instance(scope, node, declared.type))
    return declared


def _vague_instance(scope: Scope, node: Node, otherwise: Type) -> Type:
    """`Unseen<T>` depends on T, whatever it is."""
    arguments = template_arguments(scope, node.field("arguments"))
    for argument in arguments:
        if isinstance(argument, TypeName) and isinstance(argument.declared.type, TemplateType):
            return TemplateType(shown(node))
    return otherwise


def size_constant(scope: Scope, node: Node) -> ConstantName | None:
    """`sizeof`, `alignof` and `sizeof...`, as far as names and types say it."""
    if is_pack_size(node):
        return pack_size(scope, node)
    type_node = node.field("type")
    type: Type | None = None
    if type_node is not None:
        type = descriptor_type(scope, type_node).type
    else:  # a type's bare name parses as a value
        value = node.field("value")
        while value is not None and value.kind == "parenthesized_expression" and value.children:
            value = value.children[0]
        entity = None if value is None else find(scope, value)
        type = entity.declared.type if isinstance(entity, TypeName) else None
    if type is None:
        return None
    size, alignment = size_and_alignment(type, scope.program.layouts)
    if node.kind == "alignof_expression":
        return ConstantName(alignment, U64, SIZE)
    return None if size is None else ConstantName(size, U64, SIZE)


def functions_named(
    scope: Scope, node: Node
) -> tuple[tuple[FunctionDeclaration, ...], tuple[TemplateArgument, ...]] | None:
    """The functions that `f`, `a::f` or `f<3>` means, with the template arguments behind the name."""
    entity = find(scope, node)
    if not isinstance(entity, FunctionSet):
        return None
    last: Node | None = node
    while last is not None and last.kind in ("qualified_identifier", "dependent_name"):
        last = last.field("name") or (last.children[-1] if last.children else None)
    listed = last.field("arguments") if last is not None and last.kind == "template_function" else None
    return entity.declarations, template_arguments(scope, listed)


def constant_part(scope: Scope, node: Node) -> ConstantName | None:
    """The number that a member or an element of a named constant object is; None for any other object, at once."""
    root: Node | None = node
    while root is not None and root.kind in _PARTS:
        root = root.field("argument")
    if root is None or root.kind not in ("identifier", "qualified_identifier"):
        return None
    whole = find(scope, root)
    if isinstance(whole, LocalVariable):
        is_constant = whole.object is not None
    elif isinstance(whole, GlobalVariable):
        is_constant = whole.declaration.is_constexpr
    else:
        is_constant = isinstance(whole, ConstantObject)
    return evaluate(scope, node, is_required=False) if is_constant else None


def constant_object(scope: Scope, node: Node) -> ConstantName | None:
    """The value that an object of a class derived from `std::integral_constant` converts to."""
    entity = find(scope, node) if node.kind in _MAYBE_VALUES or node.kind in _TEMPLATED else None
    if isinstance(entity, TypeTemplate):
        entity = scope.program.instantiate_type(entity, ())
    type = entity.declared.type if isinstance(entity, TypeName) else None
    record = scope.program.records.get(type.name) if isinstance(type, StructType) else None
    bases = [] if record is None or record.is_guess else [record, *(base for base, _ in record.bases)]
    for base in bases:
        if is_library(base.item) and base.template == "integral_constant":
            value = base.member("value")
            return value if isinstance(value, ConstantName) else None
    return None


_PARTS = frozenset({"field_expression", "subscript_expression"})
_PLAIN = frozenset({"identifier", "type_identifier", "namespace_identifier", "field_identifier", "primitive_type"})
_TEMPLATED = frozenset({"template_type", "template_function", "template_method"})
_HOLDERS = LocalVariable | GlobalVariable
_MAYBE_VALUES = frozenset({"type_identifier", "qualified_identifier", "template_type"})
