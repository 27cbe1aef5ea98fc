"""Which of two constrained templates is the more constrained one?

Rules   Constraints are in normal form: conjunctions and disjunctions of atomic constraints, concepts replaced by what
        they say.  Two atomic constraints are the same if they are the same expression in the text, with the same
        arguments for the parameters that it names.
        P subsumes Q if every clause of P's disjunctive normal form has an atom in common with every clause of Q's
        conjunctive one.  The more constrained template subsumes the other and is not subsumed by it.
Limits  What has more than `MAX_CLAUSES` clauses subsumes nothing: then the call stays open.
Source  C++20 standard, [temp.constr.normal], [temp.constr.atomic], [temp.constr.order].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias, final

from analysis.ir.record import record

MAX_CLAUSES: Final = 256


@final
@record
class AtomicConstraint:
    """`expression` says which expression of the text it is, `arguments` what its parameters stand for, spelled."""

    expression: object
    arguments: tuple[str, ...]


@final
@record
class Conjunction:
    left: Constraint
    right: Constraint


@final
@record
class Disjunction:
    left: Constraint
    right: Constraint


Constraint: TypeAlias = AtomicConstraint | Conjunction | Disjunction

_Clause: TypeAlias = frozenset[AtomicConstraint]


def conjunction(constraints: Sequence[Constraint]) -> Constraint | None:
    """All of them; None where nothing is required."""
    found: Constraint | None = None
    for one in constraints:
        found = one if found is None else Conjunction(found, one)
    return found


def is_more_constrained(one: Constraint | None, other: Constraint | None) -> bool:
    """Whether a template that requires `one` is more constrained than one that requires `other`."""
    return _subsumes(one, other) and not _subsumes(other, one)


def _subsumes(one: Constraint | None, other: Constraint | None) -> bool:
    if one is None or other is None:
        return other is None
    alternatives, demands = _clauses(one, Disjunction), _clauses(other, Conjunction)
    if alternatives is None or demands is None:
        return False
    return all(not alternative.isdisjoint(demand) for alternative in alternatives for demand in demands)


def _clauses(constraint: Constraint, outer: type[Conjunction] | type[Disjunction]) -> list[_Clause] | None:
    """The clauses of the normal form whose clauses are joined as `outer` joins; None where there are too many."""
    if isinstance(constraint, AtomicConstraint):
        return [frozenset({constraint})]
    left, right = _clauses(constraint.left, outer), _clauses(constraint.right, outer)
    if left is None or right is None:
        return None
    if isinstance(constraint, outer):
        found = [*left, *right]
    else:
        found = [one | other for one in left for other in right] if len(left) * len(right) <= MAX_CLAUSES else None
    return found if found is not None and len(found) <= MAX_CLAUSES else None
