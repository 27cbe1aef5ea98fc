"""From a statement's node to the handler of its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from analysis.ir.instructions import Opaque
from analysis.ir.pace import spend
from analysis.lower.context import LoweringContext, LValue
from analysis.lower.expressions.dispatch import EXPRESSIONS, discard
from analysis.syntax.tree import Node

StatementHandler: TypeAlias = Callable[[LoweringContext, Node], None]

STATEMENTS: Final[dict[str, StatementHandler]] = {}
"""Filled by the modules of this package."""
ROUNDS_OF_STATEMENT: Final = 25
"""Of `analysis.ir.pace`, beside those of its values."""


def handles_statement(*kinds: str) -> Callable[[StatementHandler], StatementHandler]:
    """Registers the handler of these node kinds."""

    def register(handler: StatementHandler) -> StatementHandler:
        for kind in kinds:
            assert kind not in STATEMENTS, f"two handlers of {kind}"
            STATEMENTS[kind] = handler
        return handler

    return register


def statement(ctx: LoweringContext, node: Node) -> None:
    spend(ROUNDS_OF_STATEMENT)
    handler = STATEMENTS.get(node.kind)
    if handler is not None:
        handler(ctx, node)
    elif node.kind in EXPRESSIONS:
        discard(ctx, node)
    else:
        not_understood(ctx, node)


def not_understood(ctx: LoweringContext, node: Node, construct: str | None = None) -> None:
    """A statement that is not understood: it may do anything to the local variables it mentions."""
    if construct is None:
        construct = node.construct
    addresses = dict.fromkeys(
        operand.address
        for child in node.walk()
        if child.kind == "identifier" and isinstance(operand := EXPRESSIONS["identifier"](ctx, child), LValue)
    )
    ctx.builder.emit(Opaque(None, construct, tuple(addresses), node.is_error, ctx.span(node)))
