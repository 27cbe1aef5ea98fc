"""`statement`, with the handler of every kind of node registered: import it from here."""

from analysis.lower import constant_calls
from analysis.lower.expressions import (
    assembly,
    assignment,
    calls,
    casts,
    conditions,
    lambdas,
    literals,
    members,
    memory,
    names,
    operators,
    packs,
)
from analysis.lower.statements import control, declarations, ranges, simple
from analysis.lower.statements.dispatch import statement

__all__ = [
    "assembly",
    "assignment",
    "calls",
    "casts",
    "conditions",
    "constant_calls",
    "control",
    "declarations",
    "lambdas",
    "literals",
    "members",
    "memory",
    "names",
    "operators",
    "packs",
    "ranges",
    "simple",
    "statement",
]
