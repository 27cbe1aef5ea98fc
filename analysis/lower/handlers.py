"""Importing this module registers the handler of every kind of node."""

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
)
from analysis.lower.statements import control, declarations, simple

HANDLERS = (
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
    control,
    declarations,
    simple,
)
