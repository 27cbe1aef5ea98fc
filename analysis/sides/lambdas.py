"""Lambdas in host code that are for the device alone: what they run, and who calls them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, final

from analysis.ir.record import record
from analysis.sides.mentions import NodeThatRuns, is_for_device, nodes_from, nodes_that_run
from analysis.syntax.items import Item
from analysis.syntax.snippet import Snippet
from analysis.syntax.tree import Node


@final
@record
class LambdaCall:
    """A call of the variable that holds one; `within`: what looks like macros around it."""

    name: str
    callee: Node
    within: frozenset[str]


def has_lambdas_for_device(item: Item) -> bool:
    """Whether a function that is not on the device says the word."""
    return not item.is_device and b"__device__" in item.identifiers


def nodes_for_device(snippet: Snippet, item: Item) -> Iterator[NodeThatRuns]:
    """What runs in the lambdas for the device of a host function that are passed on: no others are compiled."""
    nodes = [one for one in nodes_that_run(snippet, item, on_host=False) if one[0].kind in _OF_LAMBDAS]
    passed = {node.text for node, parent, _ in nodes if node.kind == "identifier" and parent.kind == "argument_list"}
    for node, parent, within in nodes:
        if node.kind != "lambda_expression" or not is_for_device(node, snippet, item):
            continue
        kept = _kept_in(parent, snippet, item)
        if parent.kind == "argument_list" or kept in passed:
            yield from nodes_from([(child, node, within) for child in reversed(node.children)], snippet, item, False)


def calls_of_lambdas(snippet: Snippet, item: Item) -> Iterator[LambdaCall]:
    """Where host code calls a variable that is declared once, as a lambda for the device."""
    nodes = list(nodes_that_run(snippet, item, on_host=True))
    kept = {name for node, _, _ in nodes if (name := _kept_in(node, snippet, item)) is not None}
    declared = Counter(node.text for node in snippet.root.walk() if node.kind == "identifier" and _declares(node))
    for node, _, within in nodes:
        callee = node.field("function") if node.kind == "call_expression" else None
        if callee is not None and callee.kind == "identifier" and callee.text in kept and declared[callee.text] == 1:
            yield LambdaCall(callee.text.decode("utf-8", "replace"), callee, within)


_OF_LAMBDAS: Final = frozenset({"lambda_expression", "identifier"})


def _kept_in(node: Node, snippet: Snippet, item: Item) -> bytes | None:
    """The variable, if a declarator makes it of such a lambda."""
    name, value = node.field("declarator"), node.field("value")
    is_made = node.kind == "init_declarator" and value is not None and value.kind == "lambda_expression"
    if not is_made or name is None or name.kind != "identifier" or value is None:
        return None
    return name.text if is_for_device(value, snippet, item) else None


def _declares(node: Node) -> bool:
    return node.role == "declarator"
