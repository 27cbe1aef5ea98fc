"""Structs, classes and unions: members, bases, layouts.

Rules   A base class's members come first, flattened, so a member has one index.  A member whose type is an anonymous
        struct or union is a member without name; names inside it are found through it.
        A method with a body anywhere in the unit is found by its owner's name; inside the class body it belongs to the
        class text it stands in, so that specialisations keep theirs.
        The first member of its own of a class that is the first with virtual functions is none of the program's: it
        stands where compilers put the pointer to a table, and says the class of the object (`class_numbers.py`).
Limits  Virtual bases are not modelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Final

from analysis.cpp.types.model import ClassType, QualType
from analysis.ir.limits import Limit
from analysis.ir.types import CLASS_NUMBER, ArrayType, StructLayout, StructType, TemplateType, Type, UnknownType
from analysis.lower.alignment import is_packed, requested_alignment
from analysis.lower.constants import constant_integer
from analysis.lower.functions import (
    function_declarator,
    function_name,
    generic_signature,
    is_for_constants,
    is_specialisation,
    parameter_list,
)
from analysis.lower.globals import declare_global, find_declarator
from analysis.lower.layouts import BasePart, Empties, Member, lay_out, size_of
from analysis.lower.member_definitions import (
    Membership,
    bind_headers,
    classes_around,
    membership,
    specialised_pattern,
)
from analysis.lower.names import (
    DeclaredType,
    Entity,
    FunctionDeclaration,
    FunctionSet,
    GlobalDeclaration,
    GlobalVariable,
    MemberName,
    Origin,
    Record,
    RecordField,
    TypeName,
    TypeTemplate,
    TypeTemplateDeclaration,
    declared_as,
)
from analysis.lower.packs import element_scope, pack_length
from analysis.lower.templates import abbreviated_parameters, template_parameters
from analysis.lower.types import base_type, declare, innermost, resolve_type, specifier_words
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.tree import Node

MAX_PARTS: Final = 4_096
"""Of all classes in one class, since what makes, copies or ends an object visits each; `Limit.PARTS` says it."""
_EMPTIES_LOOKED_AT: Final = 16
"""Elements of an array of empty classes that must not lie on a base of their class: few bases lie behind so many."""


CLASS_NAME: Final = "virtual functions"
"""What is no name of a member."""


def methods_named(record: Record, name: str) -> tuple[FunctionDeclaration, ...]:
    """The methods of that name, a base's where this class has none."""
    known = record.methods.get(name)
    if known is None:
        record.methods[name] = ()
        known = find_methods(record, name)
        known += _introduced_methods(record, name, known)
        if not known and name != record.simple_name:
            for base, _ in record.bases:
                known = known or methods_named(base, name)
        record.methods[name] = known
    return known


def _introduced_methods(
    record: Record, name: str, own: tuple[FunctionDeclaration, ...]
) -> tuple[FunctionDeclaration, ...]:
    """The methods of bases that `using Base::name;` adds: all but those whose parameters an own method has."""
    introduced = record.introduced.get(name)
    if not introduced:
        return ()
    hidden = [parameter_types(declaration) for declaration in own]
    return tuple(
        declaration
        for base in introduced
        for declaration in methods_named(base, name)
        if parameter_types(declaration) not in hidden
    )


def parameter_types(declaration: FunctionDeclaration) -> tuple[object, ...]:
    """What tells two methods of one name apart."""
    parameters = [parameter.declared for parameter in generic_signature(declaration).parameters]
    reference = declaration.declarator.child("ref_qualifier")
    qualifiers = is_for_constants(declaration), None if reference is None else reference.text
    return (qualifiers, *((declared, declared.exact) for declared in parameters))


def constructors_of(record: Record) -> tuple[FunctionDeclaration, ...]:
    return methods_named(record, record.simple_name)


def written_constructors(record: Record) -> list[FunctionDeclaration]:
    """The constructors that run code of the class's own."""
    return [found for found in constructors_of(record) if not _is_deleted_or_default(found.node)]


def initialising_constructors(record: Record) -> list[FunctionDeclaration]:
    """The constructors among which an initialisation with arguments chooses, those of bases that are inherited too.

    Of the base those are left out that have the parameters of one of the class's own, and those that copy or move.

    Source: C++20 standard, [namespace.udecl], [over.match.funcs].
    """
    found = written_constructors(record)
    hidden = [parameter_types(declaration) for declaration in constructors_of(record)]
    for base in (one for one in record.inherited if record not in one.inherited and one is not record):
        for declaration in initialising_constructors(base):
            if parameter_types(declaration) not in hidden and not _takes_own_class(declaration):
                found.append(declaration)
    return found


def _takes_own_class(constructor: FunctionDeclaration) -> bool:
    """Whether it copies or moves."""
    parameters = generic_signature(constructor).parameters
    owner = constructor.owner
    return len(parameters) == 1 and owner is not None and parameters[0].declared.type == owner.type


def conversion_operators(record: Record) -> list[FunctionDeclaration]:
    """`operator T()` of the class and its bases."""
    names = [name for name in record.method_nodes if name.startswith("operator ")]
    found = [declaration for name in names for declaration in methods_named(record, name)]
    for base, _ in record.bases:
        found += conversion_operators(base)
    return found


def has_defaulted_constructor(record: Record) -> bool:
    """Whether `T() = default` stands beside other constructors."""
    return any(
        found.node.child("default_method_clause") is not None and not generic_signature(found).parameters
        for found in constructors_of(record)
    )


def _is_deleted_or_default(node: Node) -> bool:
    return node.child("default_method_clause") is not None or node.child("delete_method_clause") is not None


def destructors_of(record: Record) -> tuple[FunctionDeclaration, ...]:
    return find_methods(record, "~" + record.simple_name)


def has_destructor(record: Record) -> bool:
    """Whether leaving a scope runs code of this class."""
    for node in record.method_nodes.get("~" + record.simple_name, ()):
        body = node.field("body")
        if body is None and node.child("default_method_clause") is None:
            return True
        if body is not None and body.children:
            return True
    return False


def has_virtual_base(record: Record) -> bool:
    """Whether some of its bases are parts of what is derived from it, which say where they lie."""
    clause = record.node.child("base_class_clause")
    is_own = clause is not None and b"virtual" in clause.text
    return is_own or any(has_virtual_base(base) for base, _ in record.bases)


def has_virtual_destructor(record: Record) -> bool:
    """Whether an object that is seen as one of this class may end by the code of a class derived from it."""
    nodes = record.method_nodes.get("~" + record.simple_name, [])
    specifiers = [child.text for node in (record.node, *nodes) for child in node.children]
    specifiers += [child.text for node in nodes if (inner := function_declarator(node)) for child in inner.children]
    if b"final" in specifiers:
        return False
    is_said = any("virtual" in specifier_words(node) for node in nodes) or b"override" in specifiers
    return is_said or any(has_virtual_destructor(base) for base, _ in record.bases)


def fill_record(record: Record) -> StructLayout:
    """Reads bases and members of `record`, whose name is declared already."""
    record.scope.resolver = partial(resolve_member, record)
    for child in record.node.children:
        if child.kind == "base_class_clause":
            _read_bases(record, child)
    record.own_fields = len(record.fields)
    body = record.node.field("body")
    for child in body.children if body is not None else ():
        _read_declaration(record, child)
    if _has_table(record) and not any(_has_table(base) for base, _ in record.bases):
        record.fields.insert(record.own_fields, RecordField(CLASS_NAME, DeclaredType(CLASS_NUMBER), None))
        record.parts += 1
    record.scope.look_again()  # a member may have named a later one, or itself
    return layout_of(record)


def layout_of(record: Record) -> StructLayout:
    members = [
        Member(one.name, one.declared.stored, one.alignment, one.width, _empties_of(record, one.declared))
        for one in record.fields
    ]
    laid = lay_out(
        record.name,
        members,
        record.scope.program.layouts,
        bases=_base_parts(record),
        has_table=_has_table(record),
        is_union=record.is_union,
        is_packed=is_packed(record.node.children),
        alignment=requested_alignment(record.scope, record.node.children),
    )
    record.empties = laid.empties
    return laid.layout


def _empties_of(record: Record, member: DeclaredType) -> Empties:
    """The parts of a member that are of empty classes."""
    inner = record.scope.program.records.get(_element_name(member))
    if inner is None or not inner.empties or inner is record:
        return frozenset()
    size = size_of(member.type, record.scope.program.layouts) or 0
    each = record.scope.program.layouts[inner.name].size or 1
    count = min(size // each, _EMPTIES_LOOKED_AT)
    return frozenset((index * each + at, name) for index in range(count) for at, name in inner.empties)


def _base_parts(record: Record) -> list[BasePart]:
    layouts = record.scope.program.layouts
    found = [
        BasePart(first, layouts[base.name], _has_table(base), _is_plain(base), base.empties)
        for base, first in record.bases
        if base.name in layouts
    ]
    return found if sum(len(part.layout.fields) for part in found) == record.own_fields else []


def _has_table(record: Record, inside: frozenset[str] = frozenset()) -> bool:
    """Whether objects hold a pointer to a table of virtual functions; `inside` are the classes that it is a base of."""
    if b"virtual" in record.snippet.text:
        nodes = [node for named in record.method_nodes.values() for node in named]
        if any("virtual" in specifier_words(node) for node in nodes):
            return True
    inside |= {record.name}
    return any(_has_table(base, inside) for base, _ in record.bases if base.name not in inside)


def _is_plain(record: Record, inside: frozenset[str] = frozenset()) -> bool:
    """Whether it is a class as C has them, for the layout of what is derived from it: a POD of C++03."""
    if record.bases or record.is_union or _has_table(record) or has_destructor(record):
        return record.is_union
    own = [one for one in written_constructors(record) if one.owner is record]
    if own or "operator=" in record.method_nodes or any(field.default is not None for field in record.fields):
        return False
    inside |= {record.name}
    inner = [record.scope.program.records.get(_element_name(field.declared)) for field in record.fields]
    return _are_public(record) and all(one is None or one.name in inside or _is_plain(one, inside) for one in inner)


def _element_name(member: DeclaredType) -> str:
    type = member.type
    while isinstance(type, ArrayType):
        type = type.element
    return type.name if isinstance(type, StructType) and not member.is_reference else ""


def _are_public(record: Record) -> bool:
    """Whether all members that take room are."""
    body, is_public = record.node.field("body"), record.node.kind != "class_specifier"
    for child in body.children if body is not None else ():
        if child.kind == "access_specifier":
            is_public = child.text.strip(b" :") == b"public"
        is_member = child.kind == "field_declaration" and function_declarator(child) is None
        if is_member and not is_public and "static" not in specifier_words(child):
            return False
    return True


def _read_bases(record: Record, clause: Node) -> None:
    for child in clause.children:
        if child.kind == "access_specifier" or child.kind in ("virtual", "public", "private", "protected"):
            continue
        length = pack_length(record.scope, child) if _is_expanded(child) else None
        scopes = [record.scope] if length is None else [element_scope(record.scope, child, at) for at in range(length)]
        for scope in scopes:
            _read_base(record, resolve_type(scope, child).type)


def _is_expanded(base: Node) -> bool:
    """`struct S : Bases...`"""
    return base.source[base.end : base.end + 8].lstrip().startswith(b"...")


def _read_base(record: Record, type: Type) -> None:
    base = record.scope.program.records.get(type.name) if isinstance(type, StructType) else None
    if base is None or isinstance(type, TemplateType):
        record.has_unknown_base = True
        return
    record.has_unknown_base = record.has_unknown_base or base.has_unknown_base
    if record.parts + base.parts > MAX_PARTS:
        record.has_unknown_base = True
        return
    record.parts += base.parts
    record.bases.append((base, len(record.fields)))
    record.fields.extend(base.fields)


def _read_declaration(record: Record, node: Node) -> None:
    kind = node.kind
    if kind == "field_declaration" or (kind == "declaration" and function_declarator(node) is None):
        _read_field(record, node)
    elif kind in ("function_definition", "declaration"):
        _read_method(record, node)
    elif kind == "template_declaration":
        _read_template(record, node)
    elif kind == "alias_declaration" or kind == "type_definition":
        record.scope.program.declare_alias(record.scope, node)
    elif kind in ("struct_specifier", "class_specifier", "union_specifier", "enum_specifier"):
        resolve_type(record.scope, node)
    elif kind == "using_declaration":
        _read_using(record, node)


def _read_using(record: Record, node: Node) -> None:
    """`using Base::name;`, also of a base's instance or alias, and `using Bases::name...;`."""
    named = next((child for child in node.children if child.kind == "qualified_identifier"), None)
    scope = None if named is None else named.field("scope")
    name = None if named is None else named.field("name")
    if scope is None or name is None:
        return
    length = pack_length(record.scope, scope) if node.text.rstrip(b"; ").endswith(b"...") else None
    places = [record.scope] if length is None else [element_scope(record.scope, scope, at) for at in range(length)]
    for place in places:
        type = resolve_type(place, scope).type
        base = record.scope.program.records.get(type.name) if isinstance(type, StructType) else None
        if base is not None:
            _introduce(record, base, scope, name)


def _introduce(record: Record, base: Record, scope: Node, name: Node) -> None:
    text = "".join(name.text.decode("utf-8", "replace").split()) if name.kind == "operator_name" else name.text.decode()
    spelled = scope.text.decode("utf-8", "replace").partition("<")[0].rpartition("::")[2]
    if text in (base.simple_name, spelled.strip()):
        record.inherited.append(base)
    else:
        record.introduced.setdefault(text, []).append(base)


def _read_template(record: Record, node: Node) -> None:
    listed = node.field("parameters")
    for child in node.children:
        if child.kind in ("function_definition", "declaration", "field_declaration"):
            type_node = child.field("type")
            if child.kind == "field_declaration" and type_node is not None and not child.fields("declarator"):
                _read_type_template(record, listed, type_node)
            elif child.kind == "declaration" and function_declarator(child) is None:
                _read_variable_template(record, listed, child)
            else:
                _read_method(record, child)
        elif child.kind in ("struct_specifier", "class_specifier", "alias_declaration"):
            _read_type_template(record, listed, child)


def _read_type_template(record: Record, listed: Node | None, node: Node) -> None:
    """A class or alias template inside a class."""
    name = node.field("name")
    if name is None:
        return
    pattern = name.field("arguments") if name.kind == "template_type" else None
    inner = name.field("name") if name.kind == "template_type" else name
    text = "" if inner is None else inner.text.decode("utf-8", "replace")
    _declare_template(record, text, listed, node, pattern)


def _read_variable_template(record: Record, listed: Node | None, node: Node) -> None:
    """`template <class T> static constexpr int size = sizeof(T);` inside a class."""
    declarator = node.field("declarator")
    name = None if declarator is None else innermost(declarator)
    is_specialised = name is not None and name.kind == "template_function"
    pattern = None if name is None or not is_specialised else name.field("arguments")
    name = name.field("name") if name is not None and is_specialised else name
    if name is not None:
        _declare_template(record, name.text.decode("utf-8", "replace"), listed, node, pattern)


def _declare_template(record: Record, text: str, listed: Node | None, node: Node, pattern: Node | None) -> None:
    parameters = () if listed is None else template_parameters(record.scope.program, listed)
    found = [TypeTemplateDeclaration(record.item, record.scope, node, parameters, pattern)]
    known = record.scope.names.get(text)
    before = known.declarations if isinstance(known, TypeTemplate) else ()
    if not before:
        outside = _specialised_outside(record, text)
        is_replaced = any(each.pattern is None for each in outside)
        found = outside if is_replaced and pattern is None else [*found, *outside]
    record.scope.declare(text, TypeTemplate(text, (*before, *found)))


def _last_name(node: Node) -> str:
    """The name that a class declares, without what stands in front of it and its arguments."""
    name = node.field("name")
    while name is not None and name.kind in ("qualified_identifier", "template_type"):
        name = name.field("name")
    return "" if name is None else name.text.decode("utf-8", "replace")


def _specialised_outside(record: Record, name: str) -> list[TypeTemplateDeclaration]:
    """`template <> template <> struct A<int>::B<float>`: of the member template `B`, in an instance of `A` alone."""
    program = record.scope.program
    found: list[TypeTemplateDeclaration] = []
    items = () if record.is_local or record.template is None else program.unit.lookup(record.simple_name)
    for item in items:
        is_elsewhere = item.in_class or item.namespace != record.item.namespace
        is_qualified = b"::" in item.text.partition(b"{")[0]
        if item.kind is not ItemKind.RECORD or not item.is_template or is_elsewhere or not is_qualified:
            continue
        snippet = program.snippet(item)
        around = classes_around(snippet.root)
        owner = around[-1].field("name") if around else None
        headers = [template_parameters(program, header) for header in snippet.templates]
        is_member = owner is not None and owner.text.decode() == record.simple_name and len(headers) > 1
        if not is_member or _last_name(snippet.root) != name:
            continue
        if membership(record, snippet.root, headers) is not Membership.NONE:
            scope = record.scope.inside()
            scope.origin = Origin(item, snippet, record.name)
            pattern = specialised_pattern(snippet.root)
            found.append(TypeTemplateDeclaration(item, scope, snippet.root, headers[-1], pattern, snippet.requirements))
    return found


def _read_method(record: Record, node: Node) -> None:
    declarator = function_declarator(node)
    if declarator is not None:
        record.method_nodes.setdefault(function_name(declarator), []).append(node)


def _read_field(record: Record, node: Node) -> None:
    words = specifier_words(node)
    declarators = node.fields("declarator")
    if declarators and function_declarator(node) is not None:
        _read_method(record, node)
        return
    if "static" in words:
        for declarator in declarators:
            name = innermost(declarator)
            if name is not None:
                text = name.text.decode("utf-8", "replace")
                record.statics[text] = declare_global(record.scope, text, node, declarator, record.snippet)
        return
    base = base_type(record.scope, node, words)
    alignment = requested_alignment(record.scope, node.children)
    if not declarators:
        type_node = node.field("type")
        is_record = type_node is not None and type_node.kind in ("struct_specifier", "union_specifier")
        if is_record and type_node is not None and type_node.field("name") is None:
            record.fields.append(RecordField("", _counted(record, base), None, alignment))
        return
    for index, child in enumerate(node.children):
        if child.role != "declarator":
            continue
        whole = declare(record.scope, base, child)
        behind = list(takewhile(lambda one: one.role != "declarator", node.children[index + 1 :]))
        default = next((one for one in behind if one.role == "default_value"), None)
        text = "" if whole.name is None else whole.name.text.decode("utf-8", "replace")
        width = _bit_width(record, behind)
        member = _counted(record, whole.declared)
        record.fields.append(RecordField(text, member, default, alignment, width, "mutable" in words))


def _counted(record: Record, member: DeclaredType) -> DeclaredType:
    """The type of a member; unknown where classes in classes would make too many of it."""
    type = member.type
    while isinstance(type, ArrayType):
        type = type.element
    inner = record.scope.program.records.get(type.name) if isinstance(type, StructType) else None
    if inner is None or member.is_reference:
        record.parts += 1
        return member
    if record.parts + inner.parts > MAX_PARTS:
        return replace(member, type=UnknownType(Limit.PARTS.value))
    record.parts += inner.parts
    return member


def _bit_width(record: Record, behind: Sequence[Node]) -> int | None:
    """Of a bit-field, from the `: 3` behind its name; a width that is not known counts as none.

    Where a default follows (C++20), the grammar has an error around the width.
    """
    around = (*behind, *(child for one in behind if one.kind == "ERROR" for child in one.children))
    clause = next((one for one in around if one.kind == "bitfield_clause" and one.children), None)
    return None if clause is None else constant_integer(record.scope, clause.children[-1])


def resolve_member(record: Record, name: str) -> Entity | None:
    """What a name means in the body of a class; None where neither it nor a base declares it."""
    if record.field_index(name) is not None:
        return MemberName(record, name)
    static = _static(record, name)
    if static is not None:
        if static.constant is not None:
            return static.constant
        return GlobalVariable(static)
    for anonymous in record.fields:
        if anonymous.name == "" and _has_field(record, anonymous.declared.type, name):
            return MemberName(record, name)
    nested = _class_outside(record, name)
    if nested is not None:
        return nested
    methods = methods_named(record, name) if name != record.simple_name else ()
    if methods:
        return FunctionSet(name, methods)
    for base, _ in record.bases:
        found = base.member(name)
        if found is not None and not isinstance(found, MemberName):
            return found
    return None


def _class_outside(record: Record, name: str) -> TypeName | None:
    """A class in this one that is defined behind it: `template <class T> struct A<T>::B { ... };`."""
    program = record.scope.program
    called = name if record.template is None else record.simple_name  # of a template, items go by its name
    for item in () if record.is_local else program.unit.lookup(called):
        is_elsewhere = item.in_class or item.namespace != record.item.namespace or item.kind is not ItemKind.RECORD
        if is_elsewhere or b"::" not in item.text.partition(b"{")[0] or not item.is_definition:
            continue
        snippet = program.snippet(item)
        around = classes_around(snippet.root)
        owner = around[-1] if around and _last_name(snippet.root) == name else None
        owner = owner.field("name") if owner is not None and owner.kind == "template_type" else owner
        if owner is None or owner.text.decode() != record.simple_name or specialised_pattern(snippet.root) is not None:
            continue
        headers = [template_parameters(program, header) for header in snippet.templates]
        if membership(record, snippet.root, headers) is Membership.NONE:
            continue
        scope = record.scope.inside()
        scope.origin = Origin(item, snippet, record.name)
        if bind_headers(record, scope, snippet.root, headers):
            continue  # a template of its own
        type = program.declare_record(scope, snippet.root)
        found = program.records.get(type.name) if isinstance(type, StructType) else None
        return None if found is None else self_name(found)
    return None


def _static(record: Record, name: str) -> GlobalDeclaration | None:
    """A static member; one without an initialiser in the class is what the definition outside of it says."""
    static = record.statics.get(name)
    if static is None or static.value is not None or record.is_local:
        return static
    of_template: GlobalDeclaration | None = None
    for item in record.scope.program.unit.lookup(name):
        if item.kind is ItemKind.VARIABLE and item.owner == record.simple_name and _belongs(record, item):
            kind = _membership(record, item)
            found = None if kind is Membership.NONE else _static_definition(record, name, item)
            if found is None:
                continue
            found = replace(found, kind=static.kind if found.kind is None else found.kind)
            if kind is Membership.OF_INSTANCE:
                return found
            of_template = of_template or found
    return of_template or static


def _static_definition(record: Record, name: str, item: Item) -> GlobalDeclaration | None:
    """What a definition outside of the class declares, with the names of the headers in front of it."""
    program = record.scope.program
    snippet = program.snippet(item)
    declarator = find_declarator(snippet.root, name)
    if declarator is None:
        return None
    scope = record.scope.inside()
    headers = [template_parameters(program, header) for header in snippet.templates]
    bind_headers(record, scope, snippet.root, headers)
    return declare_global(scope, name, snippet.root, declarator, snippet)


def _has_field(record: Record, type: Type, name: str) -> bool:
    inner = record.scope.program.records.get(type.name) if isinstance(type, StructType) else None
    return inner is not None and inner.member(name) is not None


def find_methods(record: Record, name: str) -> tuple[FunctionDeclaration, ...]:
    """The methods of this very class: those with a body first, each declaration once."""
    program = record.scope.program
    found: list[FunctionDeclaration] = []
    nodes = record.method_nodes.get(name, [])
    specialised: list[FunctionDeclaration] = []
    if not record.is_local:
        for item in program.unit.lookup(name):
            if item.kind is not ItemKind.FUNCTION or item.is_friend:
                continue
            if item.owner == record.simple_name and _belongs(record, item):
                kind = _membership(record, item)
                declaration = None if kind is Membership.NONE else program.declaration(item, record)
                if declaration is not None:
                    _take_flags(declaration, nodes)
                    (specialised if kind is Membership.OF_INSTANCE else found).append(declaration)
    found = _replaced(found, specialised)
    defined = {len(declaration_parameters(declaration.declarator)) for declaration in found}
    for node in nodes:
        declarator = function_declarator(node)
        if declarator is None or len(declaration_parameters(declarator)) in defined:
            continue
        found.append(_inline_method(record, name, node, declarator))
    return tuple(found)


def _membership(record: Record, item: Item) -> Membership:
    if item.in_class or record.template is None:
        return Membership.OF_TEMPLATE
    snippet = record.scope.program.snippet(item)
    headers = [template_parameters(record.scope.program, header) for header in snippet.templates]
    return membership(record, snippet.root, headers)


def _replaced(
    found: Sequence[FunctionDeclaration], specialised: Sequence[FunctionDeclaration]
) -> list[FunctionDeclaration]:
    """The methods, with explicit specialisations in place of those that have the same parameters."""
    own = [parameter_types(declaration) for declaration in specialised if not is_specialisation(declaration)]
    if not specialised:
        return list(found)
    return [
        *specialised,
        *(each for each in found if each.template_parameters or parameter_types(each) not in own),
    ]


def is_derived(record: Record, base: Record) -> bool:
    """Whether `record` is `base` or derived from it."""
    return record is base or any(is_derived(parent, base) for parent, _ in record.bases)


def friends_named(record: Record, name: str) -> tuple[FunctionDeclaration, ...]:
    """The functions of that name that this class body defines as friends; they see the names of the class."""
    program = record.scope.program
    items = () if record.is_local else program.unit.lookup(name)
    found = [
        program.declaration(item, record)
        for item in items
        if item.is_friend and item.kind is ItemKind.FUNCTION and item.is_definition
        if item.owner == record.simple_name and _belongs(record, item)
    ]
    return tuple(declaration for declaration in found if declaration is not None)


def declaration_parameters(declarator: Node) -> list[Node]:
    listed = parameter_list(declarator)
    return [] if listed is None else [node for node in listed.children if node.text != b"void"]


def _belongs(record: Record, item: Item) -> bool:
    own = record.item
    if not item.active and own.active:
        return False
    if not item.in_class:
        return item.is_definition and _is_qualified_with(record, item)
    inside = own.span.start <= item.span.start and item.span.end <= own.span.end
    return item.path == own.path and inside and item.is_definition


def _is_qualified_with(record: Record, item: Item) -> bool:
    """Whether the class that a definition outside of it names is this one, and not one of that name further out."""
    own, around = record.item.namespace, item.namespace
    if own == around:
        return True
    named = record.scope.program.unit.lookup(record.simple_name)
    is_another = any(one.kind is ItemKind.RECORD and one.namespace == around for one in named)
    return own[: len(around)] == around and not is_another


def _take_flags(declaration: FunctionDeclaration, nodes: list[Node]) -> None:
    """`static` and `virtual` stand only in the class body."""
    for node in nodes:
        words = specifier_words(node)
        declaration.is_static = declaration.is_static or "static" in words
        declaration.is_virtual = declaration.is_virtual or "virtual" in words


def _inline_method(record: Record, name: str, node: Node, declarator: Node) -> FunctionDeclaration:
    """A method known only from the class body's text: of a local class, or without a definition."""
    words = specifier_words(node)
    parameters = [template_parameters(record.scope.program, header) for header in _headers(record.node, node)]
    own = (*(parameters[-1] if parameters else ()), *abbreviated_parameters(parameter_list(declarator)))
    return FunctionDeclaration(
        record.item,
        record.snippet,
        node,
        declarator,
        name,
        record.scope,
        record,
        own,
        "static" in words,
        "virtual" in words,
    )


def _headers(root: Node, wanted: Node) -> list[Node]:
    """The template parameter list around `wanted` in a class body."""
    body = root.field("body")
    for child in body.children if body is not None else ():
        if child.kind == "template_declaration" and wanted in child.children:
            listed = child.field("parameters")
            return [] if listed is None else [listed]
    return []


def self_name(record: Record) -> TypeName:
    return TypeName(declared_as(QualType(ClassType(record.name))))
