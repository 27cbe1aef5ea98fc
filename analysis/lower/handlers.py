"""`statement`, with the handler of every kind of node registered: import it from here."""

from analysis.lower import requires_expressions
from analysis.lower.expressions import (
    assembly,
    assignment,
    calls,
    casts,
    conditions,
    lambdas,
    literals,
    member_pointers,
    memory,
    names,
    operators,
    packs,
    statement_expressions,
)
from analysis.lower.statements import control, declarations, ranges, returns, simple
from analysis.lower.statements.dispatch import statement

__all__ = [
    "assembly",
    "assignment",
    "calls",
    "casts",
    "conditions",
    "control",
    "declarations",
    "lambdas",
    "literals",
    "member_pointers",
    "memory",
    "names",
    "operators",
    "packs",
    "ranges",
    "requires_expressions",
    "returns",
    "simple",
    "statement",
    "statement_expressions",
]
