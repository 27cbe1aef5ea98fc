"""Definitions of members outside of their class: `template <class T> int A<T *>::m(T x) { ... }`.

Question  Of which class is this a member, and what do the template headers in front of it declare?
Rules     Each class template on the way to the name has a header.  Its arguments are the parameters of the primary
          template, or the pattern of a partial specialisation, under whatever names; a member that is specialised
          explicitly (`template <> int A<int>::m(int)`) is that of the one instance, in place of the template's.
Source    C++ standard, "Member functions of class templates", "Explicit specialization".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

from analysis.lower.lookup import template_arguments
from analysis.lower.names import Record, Scope, TemplateParameter
from analysis.lower.types import spelled_argument
from analysis.syntax.tree import Node


class Membership(Enum):
    """Whether a definition is of a member of the class, and whether it is for this instance alone."""

    NONE = auto()
    OF_TEMPLATE = auto()
    OF_INSTANCE = auto()


def classes_around(node: Node) -> list[Node]:
    """The classes and namespaces in front of the name that `node` declares, from outside in."""
    declarator = node.field("declarator") or node.field("name")
    while declarator is not None and declarator.kind != "qualified_identifier":
        inner = declarator.field("declarator")
        declarator = inner if inner is not None or not declarator.children else declarator.children[-1]
    found: list[Node] = []
    while declarator is not None and declarator.kind == "qualified_identifier":
        scope = declarator.field("scope")
        if scope is not None:
            found.append(scope)
        declarator = declarator.field("name")
    return found


def specialised_pattern(node: Node) -> Node | None:
    """The arguments behind the name of a class, which a specialisation is for."""
    name = node.field("name")
    while name is not None and name.kind == "qualified_identifier":
        name = name.field("name")
    return name.field("arguments") if name is not None and name.kind == "template_type" else None


def membership(record: Record, node: Node, headers: Sequence[Sequence[TemplateParameter]]) -> Membership:
    """Whether the definition `node` behind these headers is one of a member of `record`."""
    around = classes_around(node)
    owner = around[-1] if around else None
    if owner is None or owner.kind != "template_type" or record.template is None:
        return Membership.OF_TEMPLATE
    listed = owner.field("arguments")
    if record.parameters and headers and not headers[0]:
        given = template_arguments(record.scope, listed)
        same = [*map(spelled_argument, given)] == [*map(spelled_argument, record.arguments)]
        return Membership.OF_INSTANCE if same else Membership.NONE
    name = record.node.field("name")
    name = name.field("name") if name is not None and name.kind == "qualified_identifier" else name
    pattern = None if name is None or name.kind != "template_type" else name.field("arguments")
    header = (
        headers[len(_templates(around)) - 1] if record.parameters and len(headers) >= len(_templates(around)) else ()
    )
    wanted = _parameters(record.parameters) if pattern is None else _text(pattern, record.parameters)
    given_text = "" if listed is None else _text(listed, header)
    return Membership.OF_TEMPLATE if given_text == wanted else Membership.NONE


def bind_headers(
    record: Record, scope: Scope, node: Node, headers: Sequence[tuple[TemplateParameter, ...]]
) -> list[tuple[TemplateParameter, ...]]:
    """Declares in `scope` what the headers of the classes around stand for; returns those that are left."""
    templates = _templates(classes_around(node))
    if not templates or not headers:
        return list(headers)
    count = len(templates) if record.parameters or record.template is None else len(templates) - 1
    if record.parameters and len(headers) >= count:
        own = record.scope.parent
        for parameter, declared in zip(record.parameters, headers[count - 1], strict=False):
            bound = None if own is None else own.names.get(parameter.name)
            if bound is not None:
                scope.declare(declared.name, bound)
    return list(headers[count:])


def _templates(around: Sequence[Node]) -> list[Node]:
    return [one for one in around if one.kind == "template_type"]


def _parameters(parameters: Sequence[TemplateParameter]) -> str:
    """The arguments of the primary template inside of it, as `_text` has them."""
    listed = [f"${number}..." if one.is_pack else f"${number}" for number, one in enumerate(parameters)]
    return f"<{','.join(listed)}>"


def _text(listed: Node, parameters: Sequence[TemplateParameter]) -> str:
    """An argument list without spaces, its parameters by number."""
    numbers = {one.name: f"${number}" for number, one in enumerate(parameters)}
    text = _NAME.sub(lambda found: numbers.get(found[0], found[0]), listed.text.decode("utf-8", "replace"))
    words = _WORD.findall(text)
    return "".join(
        f" {word}" if index and _ends_word(words[index - 1]) and _ends_word(word) else word
        for index, word in enumerate(words)
    )


def _ends_word(word: str) -> bool:
    return word[-1].isalnum() or word[-1] == "_"


_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_WORD: Final = re.compile(r"\$?\w+|[^\s\w]")
