"""The calls in the text of a function, and the names that it uses otherwise.

Question  Which functions and variables does this text use by name, where it is run?
Rules     Operands that are never evaluated are left out (`sizeof`, `decltype`, `noexcept`), and so are template
          arguments, local classes, and the arms of `if constexpr`, of which some are never compiled.  So are the
          arguments of what looks like a macro that nobody defines: it may leave them out.
          A call through a name that the function declares, or uses in another way than by calling it, is no call of a
          function that the file declares.
Limits    Calls of methods on objects, of constructors and of operators are none by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias, final

from analysis.ir.pace import popped
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.syntax.items import Item
from analysis.syntax.lexing import IDENTIFIER
from analysis.syntax.snippet import Snippet
from analysis.syntax.tree import Node


@final
@record
class NamedCall:
    """`solver::step<4>(x)`: the name, the scopes that are written before it, and the node of the name.

    `is_launch`: a configuration stands between the name and the arguments.
    """

    name: str
    scopes: tuple[str, ...]
    callee: Node
    call: Node
    is_launch: bool
    within: frozenset[str]
    """What looks like macros around it, which may leave it out where nobody defines them."""


@final
@record
class NamedValue:
    """A name that is used as a value, with the node around it."""

    name: str
    node: Node
    parent: Node
    within: frozenset[str]


@final
@record
class Mentions:
    """What a function uses by name; of those names that it declares itself there are none."""

    calls: tuple[NamedCall, ...]
    values: tuple[NamedValue, ...]


NodeThatRuns: TypeAlias = tuple[Node, Node, frozenset[str]]
"""With its parent and with what looks like macros around it."""

NO_MENTIONS: Final = Mentions((), ())


def mentions_of(snippet: Snippet, item: Item, *, on_host: bool) -> Mentions:
    """`on_host`: lambdas for the device are left out."""
    return mentions_among(nodes_that_run(snippet, item, on_host=on_host), snippet)


def mentions_among(nodes: Iterable[NodeThatRuns], snippet: Snippet) -> Mentions:
    """What these nodes of a function use by name."""
    calls: list[NamedCall] = []
    values: list[NamedValue] = []
    for node, parent, within in nodes:
        if node.kind == "call_expression":
            call = _call(node, within)
            if call is not None:
                calls.append(call)
        elif node.kind == "identifier" and not _declares(node, parent):
            values.append(NamedValue(_text(node), node, parent, within))
    own = _declared(snippet)
    used = own | {value.name for value in values}
    return Mentions(
        tuple(call for call in calls if call.scopes or call.name not in used),
        tuple(value for value in values if value.name not in own),
    )


def nodes_that_run(snippet: Snippet, item: Item, *, on_host: bool) -> Iterator[NodeThatRuns]:
    """The nodes of a function that are compiled for its side."""
    body = [child for child in snippet.root.children if child.kind in _RUN]
    if not body or snippet.unreadable() is not None:
        return
    yield from nodes_from([(child, snippet.root, NOWHERE) for child in reversed(body)], snippet, item, on_host)


def nodes_from(stack: list[NodeThatRuns], snippet: Snippet, item: Item, on_host: bool) -> Iterator[NodeThatRuns]:
    """The same of a part; the stack holds its first node last."""
    for node, parent, within in popped(stack):
        if node.kind in _NOT_RUN or (node.kind == "if_statement" and node.child("constexpr") is not None):
            continue
        if node.kind == "call_expression" and (callee := node.field("function")) and callee.text in _OPERATORS:
            continue
        if node.kind == "lambda_expression" and on_host and is_for_device(node, snippet, item) is not False:
            continue
        yield node, parent, within
        children = node.children
        if node.kind == "call_expression" and (call := _call(node, within)) is not None:
            children = [child for child in children if child.role != "function"]
            within = within | {call.name} if _MACRO.fullmatch(call.name) else within
        stack += ((child, node, within) for child in reversed(children))


def place_of(snippet: Snippet, item: Item, node: Node) -> Span:
    """Where a node stands in the file of its item."""
    span = snippet.span(node.start, node.end)
    return Span(item.span.start + span.start, item.span.start + span.end)


def _call(node: Node, within: frozenset[str]) -> NamedCall | None:
    callee = node.field("function")
    if callee is None:
        return None
    name, scopes = callee, list[str]()
    while name.kind == "qualified_identifier":
        scope, inner = name.field("scope"), name.field("name")
        if inner is None:
            return None
        scopes.append("" if scope is None else _text(scope.field("name") or scope))
        name = inner
    if name.kind == "template_function":
        name = name.field("name") or name
    if name.kind != "identifier":
        return None
    is_launch = node.child("kernel_call_syntax") is not None
    return NamedCall(_text(name), tuple(scopes), name, node, is_launch, within)


def is_for_device(node: Node, snippet: Snippet, item: Item) -> bool | None:
    """Whether a lambda is for the device alone; None where it is for both, or a macro wrote it or may say so.

    The words stand between its captures and its parameters: the tree does not know them.
    """
    captures, body = node.field("captures"), node.field("body")
    whole = snippet.span(node.start, node.end if body is None else body.start)
    text = item.text[whole.start : whole.end]
    if captures is None or not text.startswith(b"["):
        return None
    head = snippet.span(captures.end, node.end if body is None else body.start)
    words = set(IDENTIFIER.findall(item.text[head.start : head.end].partition(b"(")[0]))
    if words - _OF_LAMBDAS or words >= {b"__device__", b"__host__"}:
        return None
    return b"__device__" in words


def _declared(snippet: Snippet) -> frozenset[str]:
    """The names that a function declares, its parameters and those of its template among them."""
    found: set[str] = set()
    stack = [(node, node) for node in (snippet.root, *snippet.templates)]
    for node, parent in popped(stack):
        is_name = node.kind == "identifier" and _declares(node, parent)
        is_type = node.kind == "type_identifier" and (parent.kind in _TYPE_PARAMETERS or node.role == "name")
        if is_name or is_type:
            found.add(_text(node))
        stack += ((child, node) for child in node.children)
    return frozenset(found)


def _declares(node: Node, parent: Node) -> bool:
    return node.role == "declarator" or parent.kind in _DECLARATORS


def _text(node: Node) -> str:
    return node.text.decode("utf-8", "replace")


_OF_LAMBDAS: Final = frozenset({b"__device__", b"__host__", b"mutable", b"noexcept", b"static"})
NOWHERE: Final = frozenset[str]()
_RUN: Final = frozenset({"compound_statement", "field_initializer_list", "try_statement"})
_NOT_RUN: Final = frozenset(
    {"sizeof_expression", "alignof_expression", "decltype", "noexcept", "requires_expression", "requires_clause"}
    | {"template_argument_list", "static_assert_declaration", "attribute_declaration", "attribute_specifier"}
    | {"struct_specifier", "class_specifier", "union_specifier", "enum_specifier", "optional_parameter_declaration"}
    | {"gnu_asm_expression", "typeof", "offsetof_expression", "alignas_qualifier", "type_descriptor"}
)
_OPERATORS: Final = frozenset({b"noexcept", b"typeid", b"__typeof__", b"typeof", b"sizeof", b"alignof", b"decltype"})
"""Read as calls where their operand is one; it is not run."""
_DECLARATORS: Final = frozenset(
    {"reference_declarator", "structured_binding_declarator", "variadic_declarator", "lambda_capture_initializer"}
)
_TYPE_PARAMETERS: Final = frozenset(
    {"type_parameter_declaration", "optional_type_parameter_declaration", "variadic_type_parameter_declaration"}
)
_MACRO: Final = re.compile(r"[A-Z_][A-Z0-9_]+")
