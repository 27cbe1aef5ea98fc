"""Statements of an arm as nested data, with the comments that belong to them.

A statement that is neither an `if` nor a loop nor a block is *simple*: a term that ends in a semicolon, or a `switch`
inside an arm, which stays as it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace as copy
from enum import Enum
from typing import Final, TypeAlias, assert_never, final

from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.refactor.meld.terms import (
    GuardId,
    Local,
    Term,
    changed_names,
    comments_in,
    comments_of,
    free_names_in,
    name_of,
    replaced,
)


@final
@record
class Comments:
    """Lines above a statement (pragmas and blank lines too), a comment behind it on its line, and lines below it."""

    above: tuple[str, ...] = ()
    beside: str = ""
    below: tuple[str, ...] = ()


NO_COMMENTS: Final = Comments()


class LoopKind(Enum):
    FOR = "for"
    WHILE = "while"
    DO = "do"


@final
@record
class Simple:
    """`declares` are the variables that it makes known to the statements after it."""

    term: Term
    declares: tuple[Local, ...] = ()
    comments: Comments = NO_COMMENTS


@final
@record
class Branching:
    """An `if`; `keyword` is None for a guard that melding made."""

    condition: Term
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] | None
    keyword: Span | None = None
    comments: Comments = NO_COMMENTS
    openings: tuple[str, str] = ("", "")
    """The comments behind the opening braces of both arms."""


@final
@record
class Looping:
    """`head` is everything in front of the body, or behind it for `do`."""

    kind: LoopKind
    head: Term
    body: tuple[Statement, ...]
    declares: tuple[Local, ...] = ()
    comments: Comments = NO_COMMENTS


@final
@record
class Case:
    """What a `switch` runs for some values; the `break` that ends it is not among the statements."""

    labels: tuple[Term, ...]
    is_default: bool
    body: tuple[Statement, ...]
    above: tuple[str, ...] = ()
    """The lines of comments above its first label."""
    opening: str = ""
    """The comment behind its last label."""


@final
@record
class Switching:
    """A `switch` in which no case runs on into the next one; the choice is priced with `subject`."""

    subject: Term
    cases: tuple[Case, ...]
    comments: Comments = NO_COMMENTS
    last_breaks: bool = False
    """Whether a `break` stands at the end of the last case too."""


@final
@record
class Nested:
    """Statements in braces of their own."""

    body: tuple[Statement, ...]
    comments: Comments = NO_COMMENTS


@final
@record
class Decision:
    """The place where the condition of a melded branch is evaluated, and given a name if it needs one."""

    guard: GuardId
    condition: Term
    comments: Comments = NO_COMMENTS
    hint: str = ""
    """What the author called the first arm."""


Statement: TypeAlias = Simple | Branching | Switching | Looping | Nested | Decision


def slots(statement: Statement) -> float:
    """Issue slots of a statement with all that it contains."""
    return total((statement,))


def total(statements: Iterable[Statement]) -> float:
    """Issue slots of all of them."""
    return sum(found.slots for found in terms_in(statements))


def total_issued(statements: Iterable[Statement]) -> float:
    """Instructions that a warp issues for all of them."""
    return sum(found.issued for found in terms_in(statements))


def bodies(statement: Statement) -> tuple[tuple[Statement, ...], ...]:
    """The statement lists inside it."""
    match statement:
        case Branching(then=then, otherwise=otherwise):
            return (then,) if otherwise is None else (then, otherwise)
        case Switching(cases=cases):
            return tuple(case.body for case in cases)
        case Looping(body=body) | Nested(body=body):
            return (body,)
        case Simple() | Decision():
            return ()
        case _:
            assert_never(statement)


def with_bodies(statement: Statement, inside: tuple[tuple[Statement, ...], ...]) -> Statement:
    """The statement with other lists in place of its `bodies`."""
    match statement:
        case Branching():
            return copy(statement, then=inside[0], otherwise=inside[1] if len(inside) > 1 else None)
        case Switching(cases=cases):
            again = tuple(copy(case, body=body) for case, body in zip(cases, inside, strict=True))
            return copy(statement, cases=again)
        case Looping() | Nested():
            return copy(statement, body=inside[0])
        case Simple() | Decision():
            return statement
        case _:
            assert_never(statement)


def own_term(statement: Statement) -> Term | None:
    """The term of the statement itself."""
    match statement:
        case Simple(term=found) | Branching(condition=found) | Looping(head=found) | Decision(condition=found):
            return found
        case Switching(subject=found):
            return found
        case Nested():
            return None
        case _:
            assert_never(statement)


def terms_in(statements: Iterable[Statement]) -> Iterator[Term]:
    """Every term, in the order of the text."""
    for statement in statements:
        own = own_term(statement)
        if own is not None:
            yield own
        if isinstance(statement, Switching):
            yield from (label for case in statement.cases for label in case.labels)
        for body in bodies(statement):
            yield from terms_in(body)


def all_statements(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Every statement, those inside others too."""
    for statement in statements:
        yield statement
        for body in bodies(statement):
            yield from all_statements(body)


def mentioned(statements: Iterable[Statement]) -> frozenset[Local]:
    return frozenset(local for found in terms_in(statements) for local in found.locals)


def free_names(statements: Iterable[Statement]) -> frozenset[str]:
    return frozenset(name for found in terms_in(statements) for name in free_names_in(found))


def changed(statements: Iterable[Statement]) -> frozenset[str | Local]:
    return frozenset(name for found in terms_in(statements) for name in changed_names(found))


def declared(statements: Iterable[Statement]) -> frozenset[Local]:
    """The variables that any of them declares, at any depth."""
    return frozenset(
        local for found in all_statements(statements) if isinstance(found, Simple | Looping) for local in found.declares
    )


def key(statement: Statement) -> str:
    """Equal for statements that do the same."""
    match statement:
        case Simple(term=whole):
            return whole.key
        case Branching(condition=condition, then=then, otherwise=otherwise):
            other = "" if otherwise is None else f"else{{{keys(otherwise)}}}"
            return f"if({condition.key}){{{keys(then)}}}{other}"
        case Switching(subject=subject, cases=cases):
            return f"switch({subject.key}){{{''.join(map(_case_key, cases))}}}"
        case Looping(kind=kind, head=head, body=body):
            return f"{kind.value}({head.key}){{{keys(body)}}}"
        case Nested(body=body):
            return f"{{{keys(body)}}}"
        case Decision(guard=guard, condition=condition):
            return f"\x02{guard}={condition.key}"
        case _:
            assert_never(statement)


def _case_key(case: Case) -> str:
    labels = ",".join(label.key for label in case.labels)
    return f"case {labels}{' default' if case.is_default else ''}:{{{keys(case.body)}}}"


def keys(statements: Iterable[Statement]) -> str:
    return "".join(map(key, statements))


def mapped(statements: Sequence[Statement], replace: Callable[[Term], Term | None]) -> tuple[Statement, ...]:
    """The statements with every term replaced for which `replace` has an answer."""
    return tuple(_mapped(statement, replace) for statement in statements)


def _mapped(statement: Statement, replace: Callable[[Term], Term | None]) -> Statement:
    match statement:
        case Simple(term=whole, declares=declares, comments=comments):
            return Simple(replaced(whole, replace), declares, comments)
        case Branching(condition=condition, then=then, otherwise=otherwise):
            other = None if otherwise is None else mapped(otherwise, replace)
            condition = replaced(condition, replace)
            return copy(statement, condition=condition, then=mapped(then, replace), otherwise=other)
        case Switching(subject=subject):
            inside = tuple(mapped(body, replace) for body in bodies(statement))
            return with_bodies(copy(statement, subject=replaced(subject, replace)), inside)
        case Looping(kind=kind, head=head, body=body, declares=declares, comments=comments):
            return Looping(kind, replaced(head, replace), mapped(body, replace), declares, comments)
        case Nested(body=body, comments=comments):
            return Nested(mapped(body, replace), comments)
        case Decision(condition=condition):
            return copy(statement, condition=replaced(condition, replace))
        case _:
            assert_never(statement)


def renamed(statements: Sequence[Statement], names: Mapping[Local, Local]) -> tuple[Statement, ...]:
    """The statements with other local variables in place of their own, in uses and declarations."""
    if not names:
        return tuple(statements)

    def replace(found: Term) -> Term | None:
        other = names.get(found.meaning) if isinstance(found.meaning, Local) else None
        return None if other is None else name_of(other, found.rounds)

    return tuple(_redeclared(statement, names) for statement in mapped(statements, replace))


def _redeclared(statement: Statement, names: Mapping[Local, Local]) -> Statement:
    def again(inner: Sequence[Statement]) -> tuple[Statement, ...]:
        return tuple(_redeclared(one, names) for one in inner)

    match statement:
        case Simple(term=whole, declares=declares, comments=comments):
            return Simple(whole, tuple(names.get(local, local) for local in declares), comments)
        case Branching(then=then, otherwise=otherwise):
            return copy(statement, then=again(then), otherwise=None if otherwise is None else again(otherwise))
        case Switching():
            return with_bodies(statement, tuple(map(again, bodies(statement))))
        case Looping(kind=kind, head=head, body=body, declares=declares, comments=comments):
            found = tuple(names.get(local, local) for local in declares)
            return Looping(kind, head, again(body), found, comments)
        case Nested(body=body, comments=comments):
            return Nested(again(body), comments)
        case Decision():
            return statement
        case _:
            assert_never(statement)


def with_comments(statement: Statement, comments: Comments) -> Statement:
    """The statement with other comments."""
    return copy(statement, comments=comments)


def opened(statements: Sequence[Statement], opening: str) -> tuple[Statement, ...]:
    """The comment behind the brace of an arm stands above what became of it."""
    if not opening or not statements:
        return tuple(statements)
    first = statements[0]
    known = first.comments
    return (with_comments(first, Comments((*known.above, opening), known.beside, known.below)), *statements[1:])


def followed(statements: Sequence[Statement], comments: Comments) -> tuple[Statement, ...]:
    """The statements with the comments that stood behind and below what they take the place of."""
    after = (comments.beside, *comments.below) if comments.beside else comments.below
    if not after or not statements:
        return tuple(statements)
    *others, last = statements
    known = last.comments
    if known.beside or not comments.beside or not isinstance(last, Simple):
        new = Comments(known.above, known.beside, (*known.below, *after))
    else:
        new = Comments(known.above, comments.beside, (*known.below, *comments.below))
    return (*others, with_comments(last, new))


def merged_comments(left: Statement, right: Statement) -> Comments:
    """The comments of both, each once; those inside their terms stay there or are found by `missing_comments`.

    Of the pragmas those of the left one stay; of the others only their comments.
    """
    one, other = left.comments, right.comments
    openings = right.openings if isinstance(right, Branching) else ()
    kept = {*one.above, one.beside, *one.below, *(left.openings if isinstance(left, Branching) else ())}
    kept.update(comment for line in one.above if line.startswith("#") for comment in comments_of(line))
    said = [text for line in other.above for text in (comments_of(line) if line.startswith("#") else [line])]
    lost = [text for text in (*said, *openings) if text and text not in kept]
    beside = one.beside
    if other.beside and other.beside not in kept and other.beside not in lost:
        if beside:
            lost.append(other.beside)
        else:
            beside = other.beside
    below = (*one.below, *(text for text in other.below if text not in kept))
    pragmas = tuple(text for text in one.above if text.startswith("#"))
    return Comments((*(text for text in one.above if text not in pragmas), *lost, *pragmas), beside, below)


def missing_comments(before: Iterable[Statement], after: Sequence[Statement]) -> tuple[str, ...]:
    """The comments inside the terms of some statements that others have neither in their terms nor beside them."""
    wanted = [text for one in before for text in comments_in(own_term(one))]
    if not wanted:
        return ()
    kept = {text for whole in terms_in(after) for text in comments_in(whole)}
    for statement in all_statements(after):
        kept.update((*statement.comments.above, statement.comments.beside, *statement.comments.below))
    return tuple(dict.fromkeys(text for text in wanted if text not in kept))


def united(left: Statement, right: Statement) -> Statement:
    """One of two statements with equal keys, with the comments of both, those of inner statements too."""
    comments = merged_comments(left, right)
    missing = tuple(text for text in missing_comments((right,), (left,)) if text not in comments.above)
    whole = with_comments(left, Comments((*comments.above, *missing), comments.beside, comments.below))
    match whole, right:
        case Branching(then=then, otherwise=otherwise), Branching(then=other_then, otherwise=other_otherwise):
            second = _united_lists(otherwise or (), other_otherwise or ()) or otherwise
            return copy(whole, then=_united_lists(then, other_then), otherwise=second)
        case Looping(body=body), Looping(body=other_body):
            return copy(whole, body=_united_lists(body, other_body))
        case Nested(body=body), Nested(body=other_body):
            return copy(whole, body=_united_lists(body, other_body))
        case _:
            return whole


def _united_lists(left: Sequence[Statement], right: Sequence[Statement]) -> tuple[Statement, ...]:
    return tuple(united(one, other) for one, other in zip(left, right, strict=True))
