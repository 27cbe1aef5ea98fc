"""Nested `if`s as a list of guarded statements, so that arms of different shapes can be aligned.

Rules     `if (p) { a; b; }` becomes `if (p) a; if (p) b;`, with `p` decided once, in front.  A condition that calls or
          assigns, and an `if` whose arms declare variables, stay as they are.
Source    what HyBF adds to DARM (Rocha et al., CC 2023): whole arms are aligned as sequences, whatever their shapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analysis.refactor.meld.structure import (
    Branching,
    Comments,
    Decision,
    Simple,
    Statement,
    declared,
    followed,
    opened,
)
from analysis.refactor.meld.terms import Effect, GuardId, guard_test


def flattened(statements: Sequence[Statement], guards: Iterator[int]) -> tuple[Statement, ...]:
    """The statements with every plain `if` taken apart."""
    out: list[Statement] = []
    for statement in statements:
        if isinstance(statement, Branching) and _is_plain(statement):
            out += _taken_apart(statement, guards)
        else:
            out.append(statement)
    return tuple(out)


def _is_plain(fork: Branching) -> bool:
    inside = (*fork.then, *(fork.otherwise or ()))
    simple = all(isinstance(one, Simple) for one in inside)
    return simple and not declared(inside) and Effect.CHANGES not in fork.condition.effects


def _taken_apart(fork: Branching, guards: Iterator[int]) -> list[Statement]:
    guard = GuardId(next(guards))
    rounds = fork.condition.rounds
    then, otherwise = fork.then, opened(fork.otherwise or (), fork.openings[1])
    known = fork.comments
    above = known.above
    if otherwise:
        otherwise = followed(otherwise, known)
    elif then:
        then = followed(then, known)
    else:
        above = tuple(text for text in (*above, known.beside, *known.below) if text)
    out: list[Statement] = [Decision(guard, fork.condition, Comments(above), fork.openings[0])]
    out += [Branching(guard_test(guard, rounds), (one,), None) for one in then]
    out += [Branching(guard_test(guard, rounds, negated=True), (one,), None) for one in otherwise]
    return out
