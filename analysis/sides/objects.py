"""What a function does with objects of classes: calls of their methods and operators, and where they begin and end.

Question  Which member functions of a class does this text call, where the class is known by the text alone?
Rules     An object is a variable that the function declares once, with the name of a class as its type, or `this`; an
          element or the target of a pointer to such.  `x.get()`, `p->get()` and `x[i].get()` call methods, operators
          with an object on the left call those of its class or free ones, and declarations, temporaries and `new` call
          constructors, of which a single argument is looked at only if it is a literal: it is no object to copy.
          A local variable calls the destructor.
Limits    Members of members, results of functions, copies, conversions and bases are left alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, final

from analysis.ir.enumeration import Enumeration
from analysis.ir.record import record
from analysis.sides.mentions import NodeThatRuns
from analysis.syntax.snippet import Snippet
from analysis.syntax.tree import Node


class Use(Enumeration):
    """How an object is used."""

    METHOD = "method"
    OPERATOR = "operator"
    CONSTRUCTOR = "constructor"
    DESTRUCTOR = "destructor"


@final
@record
class ObjectUse:
    """`of` is the class of the object, as it is written without scopes and arguments, `name` what is called of it.

    `site` is what is shown; `within`: what looks like macros around it.
    """

    use: Use
    of: str
    scopes: tuple[str, ...]
    name: str
    site: Node
    within: frozenset[str]


@final
@record
class _Object:
    of: str
    scopes: tuple[str, ...]
    depth: int
    """How many times it is to be dereferenced."""


def object_uses(snippet: Snippet, owner: str | None, nodes: Iterable[NodeThatRuns]) -> Iterator[ObjectUse]:
    """`owner`: the class of a method; `nodes`: those that are compiled."""
    declared = _declared(snippet)
    objects = {name: all_[0] for name, all_ in declared.items() if len(all_) == 1 and all_[0] is not None}
    if owner is not None:
        objects["this"] = _Object(owner, (), 1)
    hidden = _own_types(snippet) | declared.keys()
    for node, parent, within in nodes:
        for use, of, name, site in _uses_of(node, parent, objects):
            if of.of not in hidden:
                yield ObjectUse(use, of.of, of.scopes, name, site, within)


def _uses_of(node: Node, parent: Node, objects: dict[str, _Object]) -> Iterator[tuple[Use, _Object, str, Node]]:
    match node.kind:
        case "call_expression":
            yield from _of_call(node, objects)
        case "subscript_expression":
            if (of := _direct(node.field("argument"), objects)) is not None:
                yield Use.OPERATOR, of, "operator[]", node
        case "binary_expression" | "assignment_expression":
            operator = _operator(node)
            if (of := _direct(node.field("left"), objects)) is not None and operator not in _BUILT_IN:
                yield Use.OPERATOR, of, f"operator{operator}", node
        case "unary_expression" | "update_expression" | "pointer_expression":
            operator = _operator(node)
            if (of := _direct(node.field("argument"), objects)) is not None and operator not in _BUILT_IN:
                yield Use.OPERATOR, of, f"operator{operator}", node
        case "compound_literal_expression" | "new_expression":
            of = _type(node.field("type"))
            arguments = node.field("value") or node.field("arguments")
            if of is not None and node.field("placement") is None and _is_no_copy(arguments):
                yield Use.CONSTRUCTOR, of, of.of, node
        case "declaration" if parent.kind in _BLOCKS:
            yield from _of_declaration(node)
        case _:
            return


def _of_call(node: Node, objects: dict[str, _Object]) -> Iterator[tuple[Use, _Object, str, Node]]:
    callee = node.field("function")
    if callee is None:
        return
    if callee.kind == "identifier" and (of := _direct(callee, objects)) is not None:
        yield Use.OPERATOR, of, "operator()", node
    elif callee.kind == "field_expression":
        argument, field = callee.field("argument"), callee.field("field")
        of = None if argument is None else _object(argument, objects)
        is_arrow = _operator(callee) == "->"
        if of is not None and field is not None and of.depth == int(is_arrow):
            name = field.field("name") or field if field.kind == "template_method" else field
            if name.kind == "field_identifier":
                yield Use.METHOD, of, _text(name), name
    elif callee.kind in ("identifier", "template_function", "qualified_identifier"):
        of = _type(callee)
        if of is not None and _is_no_copy(node.field("arguments")):
            yield Use.CONSTRUCTOR, of, of.of, callee


def _of_declaration(node: Node) -> Iterator[tuple[Use, _Object, str, Node]]:
    """Of local variables: `S a;`, `S b(1, 2);`, `S c{1};`, `S d[4];`."""
    of = _type(node.field("type"))
    if of is None or any(not child.role and child.kind != "type_qualifier" for child in node.children):
        return
    for declarator in node.fields("declarator"):
        named = declarator.field("declarator") if declarator.kind == "init_declarator" else declarator
        is_array = named is not None and named.kind == "array_declarator"
        name = named.field("declarator") if is_array and named is not None else named
        if name is None or name.kind != "identifier":
            continue
        value = declarator.field("value")
        is_made = value is None or (value.kind in _LISTS and not is_array and _is_no_copy(value))
        if is_made and node.field("value") is None:
            yield Use.CONSTRUCTOR, of, of.of, name
        yield Use.DESTRUCTOR, of, f"~{of.of}", name


def _is_no_copy(arguments: Node | None) -> bool:
    """Whether what stands in the brackets can be no object of the class itself."""
    if arguments is None:
        return True
    given = [one for one in arguments.children if one.kind != "comment"]
    return len(given) != 1 or given[0].kind in _LITERALS


def _direct(node: Node | None, objects: dict[str, _Object]) -> _Object | None:
    of = None if node is None else _object(node, objects)
    return of if of is not None and of.depth == 0 else None


def _object(node: Node, objects: dict[str, _Object]) -> _Object | None:
    """What an expression says; None for what is no variable of a class, or more than one."""
    match node.kind:
        case "identifier" | "this":
            return objects.get(_text(node))
        case "parenthesized_expression":
            inner = [child for child in node.children if child.kind != "comment"]
            return _object(inner[0], objects) if len(inner) == 1 else None
        case "subscript_expression":
            argument = node.field("argument")
            found = None if argument is None else _object(argument, objects)
            return None if found is None or found.depth == 0 else _Object(found.of, found.scopes, found.depth - 1)
        case "pointer_expression":
            argument = node.field("argument")
            found = None if argument is None or _operator(node) != "*" else _object(argument, objects)
            return None if found is None or found.depth == 0 else _Object(found.of, found.scopes, found.depth - 1)
        case _:
            return None


def _declared(snippet: Snippet) -> Mapping[str, Sequence[_Object | None]]:
    """Of each variable and parameter all declarations: None where that has no type with a name, or is no variable."""
    found: defaultdict[str, list[_Object | None]] = defaultdict(list)
    for node in snippet.root.walk():
        if node.kind in _DECLARING:
            of = _type(node.field("type"))
            named = [_named(one) for one in node.children if one.role == "declarator"]
            for name, depth in (one for one in named if one is not None):
                found[name].append(None if of is None or depth is None else _Object(of.of, of.scopes, depth))
        elif node.kind in _HIDING:
            for one in node.walk():
                if one.kind == "identifier":
                    found[_text(one)].append(None)
    return found


def _named(declarator: Node) -> tuple[str, int | None] | None:
    """The name that is declared, and how many pointers or arrays are around it; None for functions and the like."""
    depth, node = 0, declarator
    while node.kind != "identifier":
        if node.kind in ("pointer_declarator", "array_declarator"):
            depth += 1
        elif node.kind not in ("init_declarator", "reference_declarator"):
            names = [one for one in node.walk() if one.kind == "identifier"]
            return (_text(names[0]), None) if names else None
        inner = node.field("declarator") or next((one for one in node.children if one.kind in _NAMING), None)
        if inner is None:
            return None
        node = inner
    return _text(node), depth


def _type(node: Node | None) -> _Object | None:
    """A class by its name: `n::V<int>` is `V` in `n`."""
    scopes: list[str] = []
    while node is not None and node.kind == "qualified_identifier":
        scope = node.field("scope")
        if scope is not None and scope.kind not in ("namespace_identifier", "identifier"):
            return None
        scopes.append("" if scope is None else _text(scope))
        node = node.field("name")
    if node is not None and node.kind in ("template_type", "template_function"):
        node = node.field("name")
    if node is None or node.kind not in ("type_identifier", "identifier"):
        return None
    return _Object(_text(node), tuple(scopes), 0)


def _own_types(snippet: Snippet) -> frozenset[str]:
    """Types that the function declares or takes, which hide those of the file."""
    found: set[str] = set()
    for top in (snippet.root, *snippet.templates):
        for node in top.walk():
            if node.kind in _TYPES:
                found.update(_text(one) for one in node.walk() if one.kind in ("type_identifier", "identifier"))
            elif node.kind in _CLASSES and (name := node.field("name")) is not None:
                found.add(_text(name))
    return frozenset(found)


def _operator(node: Node) -> str:
    found = node.field("operator")
    return "" if found is None else _text(found)


def _text(node: Node) -> str:
    return node.text.decode("utf-8", "replace")


_BUILT_IN: Final = frozenset({"", "&", "&&", "||", ","})
"""Operators that mean something of every object, or may."""
_BLOCKS: Final = frozenset({"compound_statement", "case_statement", "for_statement"})
_LISTS: Final = frozenset({"argument_list", "initializer_list"})
_LITERALS: Final = frozenset({"number_literal", "string_literal", "char_literal", "true", "false", "null", "nullptr"})
_DECLARING: Final = frozenset({"declaration", "parameter_declaration", "for_range_loop"})
_HIDING: Final = frozenset(
    {"lambda_capture_initializer", "structured_binding_declarator", "optional_parameter_declaration"}
    | {"variadic_parameter_declaration", "catch_clause"}
)
_NAMING: Final = frozenset({"identifier", "pointer_declarator", "array_declarator", "reference_declarator"})
_TYPES: Final = frozenset(
    {"type_definition", "alias_declaration", "using_declaration", "type_parameter_declaration"}
    | {"optional_type_parameter_declaration", "variadic_type_parameter_declaration", "template_template_parameter"}
    | {"template_template_parameter_declaration"}
)
_CLASSES: Final = frozenset({"struct_specifier", "class_specifier", "union_specifier", "enum_specifier"})
