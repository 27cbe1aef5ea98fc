"""How the outcome of a branch's condition is spelled: as the condition itself, or as a variable with a good name.

Rules     The condition stays where it is used if it is used once, has no effect, reads no memory, and nothing that it
          reads is changed by the melded statements; a plain variable may be used more often.  Otherwise it is evaluated
          once, in front, into a `const bool`.
          The name says what the author called the arm, else what the condition says (`is_even`, `tx_is_below_bound`),
          else what it picks (`takes_left` for `guard ? left : right`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from analysis.ir.types import BOOLEAN
from analysis.refactor.meld.structure import (
    Branching,
    Comments,
    Decision,
    Looping,
    Nested,
    Simple,
    Statement,
    Switching,
    bodies,
    changed,
    own_term,
    terms_in,
    with_bodies,
    with_comments,
)
from analysis.refactor.meld.terms import (
    GUARD,
    IDENTIFIER,
    SELECT,
    Effect,
    Guard,
    GuardId,
    Local,
    LocalId,
    Term,
    are_integers,
    bracketed,
    name_of,
    term,
    value_names,
    with_children,
)
from analysis.refactor.meld.tidying import is_one_assignment

FIRST_GUARD: Final = 2_000_000
"""Numbers of the variables that hold outcomes of conditions."""


def with_spelled_guards(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements without decisions: each guard is a condition in its place, or a variable."""
    spellings: dict[GuardId, Term] = {}
    everything = tuple(statements)
    return _spelled(everything, everything, spellings)


def _spelled(
    statements: Sequence[Statement], everything: Sequence[Statement], spellings: dict[GuardId, Term]
) -> tuple[Statement, ...]:
    out: list[Statement] = []
    above: tuple[str, ...] = ()
    for index, statement in enumerate(statements):
        if isinstance(statement, Decision):
            condition = _substituted(statement.condition, spellings)
            following = statements[index + 1] if index + 1 < len(statements) else None
            made = _decided(statement, condition, everything, following, spellings)
            above += statement.comments.above
            if made is None:
                above = _with_hint(above, statement.hint)
                continue
            found: Statement = made
        else:
            found = _with_guards(statement, everything, spellings)
        if above:
            known = found.comments
            lines = (*known.above[:1], *above, *known.above[1:]) if known.above[:1] == ("",) else (*above, *known.above)
            found = with_comments(found, Comments(lines, known.beside, known.below))
            above = ()
        out.append(found)
    return tuple(out)


def _with_hint(above: tuple[str, ...], hint: str) -> tuple[str, ...]:
    """The comment of an arm that needs no variable; what the arms of a ladder are called fits into one line."""
    if not hint:
        return above
    is_list = above and _SHORT_COMMENT.fullmatch(hint) and all(map(_SHORT_COMMENT.fullmatch, above[-1].split(",")))
    if not is_list or len(above[-1]) + len(hint) > MAX_HINTS:
        return (*above, hint)
    return (*above[:-1], f"{above[-1]}, {hint.removeprefix('//').strip()}")


def _with_guards(statement: Statement, everything: Sequence[Statement], spellings: dict[GuardId, Term]) -> Statement:
    own = own_term(statement)
    changed_own = None if own is None else _substituted(own, spellings)
    match statement:
        case Simple(declares=declares, comments=comments):
            assert changed_own is not None
            return Simple(changed_own, declares, comments)
        case Branching(then=then, otherwise=otherwise):
            assert changed_own is not None
            other = None if otherwise is None else _spelled(otherwise, everything, spellings)
            return replace(
                statement, condition=changed_own, then=_spelled(then, everything, spellings), otherwise=other
            )
        case Switching():
            assert changed_own is not None
            inside = tuple(_spelled(body, everything, spellings) for body in bodies(statement))
            return with_bodies(replace(statement, subject=changed_own), inside)
        case Looping(kind=kind, body=body, declares=declares, comments=comments):
            assert changed_own is not None
            return Looping(kind, changed_own, _spelled(body, everything, spellings), declares, comments)
        case Nested(body=body, comments=comments):
            return Nested(_spelled(body, everything, spellings), comments)
        case Decision():
            return statement


def _decided(
    decision: Decision,
    condition: Term,
    everything: Sequence[Statement],
    following: Statement | None,
    spellings: dict[GuardId, Term],
) -> Statement | None:
    """The declaration of the guard's variable, if it needs one."""
    uses = sum(_uses(whole, decision.guard) for whole in terms_in(everything))
    if uses == 0 and Effect.CHANGES not in condition.effects:
        spellings[decision.guard] = condition
        return None
    stays = condition.effects is Effect.NONE and not value_names(condition) & changed(everything)
    if (stays and (uses <= 1 or _is_plain(condition))) or _may_stay_in_front(
        condition, uses, following, decision.guard
    ):
        spellings[decision.guard] = condition
        return None
    number = LocalId(FIRST_GUARD + decision.guard)
    name = _name(decision, condition, everything)
    local = Local(number, name, "const bool", "", "", (BOOLEAN,), fixed=False)
    spellings[decision.guard] = name_of(local, condition.rounds)
    declarator = term("init_declarator", (name_of(local), " = ", condition), local.types)
    whole = term("declaration", ("const bool ", declarator, ";"), (), 0, condition.rounds)
    return Simple(whole, (local,), Comments((), decision.hint))


def _uses(whole: Term, guard: GuardId) -> int:
    return sum(isinstance(found.meaning, Guard) and found.meaning.number == guard for found in whole.walk())


def _may_stay_in_front(condition: Term, uses: int, following: Statement | None, guard: GuardId) -> bool:
    """Whether the condition, which may read memory, is evaluated by the next statement and by nothing else."""
    return uses == 1 and Effect.CHANGES not in condition.effects and _comes_first(following, guard)


def _comes_first(following: Statement | None, guard: GuardId) -> bool:
    """Whether the next statement uses the guard, and does nothing before that could change what it reads."""
    if not isinstance(following, Simple | Branching):
        return False
    own = following.term if isinstance(following, Simple) else following.condition
    if own.kind == "return_statement" and own.children:
        value = own.children[-1]  # The condition of `?:` comes before what it selects.
        return value.kind == SELECT and _uses(value.children[0], guard) == 1 == _uses(own, guard)
    return _uses(own, guard) == 1 and (Effect.CHANGES not in own.effects or is_one_assignment(own))


def _is_plain(condition: Term) -> bool:
    """A variable, or its negation."""
    if condition.kind == "unary_expression" and condition.children[0].key == "!":
        return condition.children[-1].kind == IDENTIFIER
    return condition.kind == IDENTIFIER


def _substituted(whole: Term, spellings: dict[GuardId, Term]) -> Term:
    if isinstance(whole.meaning, Guard):
        found = spellings.get(whole.meaning.number)
        if found is None:
            return whole
        return negated(found) if whole.meaning.negated else found
    children = whole.children
    if not children:
        return whole
    changed_children: list[Term] = []
    for child in children:
        new = _substituted(child, spellings)
        if child.kind == GUARD and new is not child:
            new = bracketed(new, _LOOSE_IN_SELECT) if whole.kind == SELECT else _in_logic(new)
        changed_children.append(new)
    if all(one is other for one, other in zip(children, changed_children, strict=True)):
        return whole
    return with_children(whole, changed_children)


def negated(condition: Term) -> Term:
    """The opposite, as people write it."""
    children = condition.children
    if condition.kind == "parenthesized_expression" and len(children) == 1:
        return negated(children[0])
    if condition.kind == "unary_expression" and len(children) == 2 and children[0].key == "!":
        inner = children[1]
        return inner.children[0] if inner.kind == "parenthesized_expression" and inner.children else inner
    if condition.kind == "binary_expression" and len(children) == 3:
        known = _OPPOSITES | _OPPOSITES_OF_INTEGERS if are_integers(condition) else _OPPOSITES
        if children[1].key in known:
            operator = term(children[1].kind, (known[children[1].key],))
            return with_children(condition, (children[0], operator, children[2]))
    tight = (IDENTIFIER, "call_expression", "subscript_expression", "field_expression", "macro_use")
    inner = condition if condition.kind in tight else term("parenthesized_expression", ("(", condition, ")"))
    return term("unary_expression", (term("!", ("!",)), inner), (BOOLEAN,), 0, condition.rounds)


def _in_logic(condition: Term) -> Term:
    """An operand of `&&` or `||`."""
    is_logic = condition.kind == "binary_expression" and any(c.key in ("&&", "||") for c in condition.children)
    if is_logic:
        return term("parenthesized_expression", ("(", condition, ")"), condition.types, 0, condition.rounds)
    return bracketed(condition, _LOOSE_IN_SELECT)


# -- names -------------------------------------------------------------------------------------------------------------


def _name(decision: Decision, condition: Term, everything: Sequence[Statement]) -> str:
    words = re.findall(r"\w+", decision.hint)
    if 1 <= len(words) <= 2 and all(word.isidentifier() and word.isascii() for word in words):
        return "_".join(["is", *(word.lower() for word in words)])
    said = condition_name(condition)
    if said is not None and len(said) <= SHORT_NAME:
        return said
    return _picking_name(decision.guard, everything) or said or "is_first_case"


def condition_name(condition: Term) -> str | None:
    """A name that says what the condition says, if that can be said in a few words."""
    said = _said(_spelled_key(condition))
    children = condition.children
    if said is None and condition.kind == "parenthesized_expression" and len(children) == 1:
        return condition_name(children[0])
    if said is None and condition.kind == "binary_expression" and children[1].key in _JOINING:
        one, other = condition_name(children[0]), condition_name(children[2])
        joined = f"{one}_{_JOINING[children[1].key]}_{other}"
        return joined if one is not None and other is not None and len(joined) <= SHORT_NAME else None
    return said


def _said(text: str) -> str | None:
    for pattern, name in _NAMES:
        found = pattern.fullmatch(text)
        if found:
            made = name(found)
            if made is not None:
                return made
    return None


def _picking_name(guard: GuardId, everything: Sequence[Statement]) -> str | None:
    """`takes_left`, after the first selection between two names."""
    for whole in terms_in(everything):
        for found in whole.walk():
            if found.kind != SELECT or not isinstance(found.children[0].meaning, Guard):
                continue
            asked = found.children[0].meaning
            if any(operand.kind == SELECT for operand in found.children[1:]):
                continue
            one, other = (_picked(operand) for operand in found.children[1:])
            if asked.number == guard and one is not None and other is not None and one != other:
                return f"takes_{other if asked.negated else one}"
    return None


def _picked(operand: Term) -> str | None:
    """The name of a variable, or of an array whose element it is."""
    while operand.kind in ("parenthesized_expression", "pointer_expression", "subscript_expression"):
        is_array = operand.kind == "subscript_expression"
        operand = operand.children[0 if is_array else -1]
    name = _word(_spelled_key(operand))
    return None if operand.kind != IDENTIFIER or name is None else name


def _spelled_key(condition: Term) -> str:
    """The text without spaces, with the names of local variables."""
    if condition.meaning is None:
        return "".join(
            _spelled_key(part) if isinstance(part, Term) else "".join(part.split()) for part in condition.parts
        )
    return "".join(part for part in condition.parts if isinstance(part, str))


def _word(text: str) -> str | None:
    """`threadIdx.x` as part of a name."""
    text = text.removeprefix("(").removesuffix(")")
    known = _BUILTINS.get(text)
    if known is not None:
        return known
    if not re.fullmatch(r"[A-Za-z_]\w*|\d+", text):
        return None
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text.strip("_")).lower()


def _relation(found: re.Match[str]) -> str | None:
    left, right = _word(found[1]), _word(found[3])
    if left is None or right is None or left[0].isdigit():
        return None
    return None if left == right else f"{left}_{_RELATIONS[found[2]]}_{right}"


def _last(found: re.Match[str]) -> str | None:
    """A bound that is written like a constant, or is one of the launch, counts; another number may not."""
    left, right = _word(found[1]), _word(found[2])
    if left is None or right is None or left[0].isdigit() or right[0].isdigit():
        return None
    counts = found[2].isupper() or found[2] in _BUILTINS
    return f"{left}_is_last" if counts else f"{left}_is_{right}_minus_1"


def _half(found: re.Match[str]) -> str | None:
    return "in_first_half" if found[1].startswith("<") else None


def _bit(found: re.Match[str]) -> str | None:
    mask = _word(found[1])
    if mask is None:
        return None
    state = "is_clear" if found[2] == "==" else "is_set"
    return f"bit_{state}" if mask[0].isdigit() else f"{mask}_bit_{state}"


def _zero(found: re.Match[str]) -> str | None:
    name = _word(found[1])
    return None if name is None or name[0].isdigit() else f"{name}_is_zero"


def _equals(found: re.Match[str]) -> str | None:
    name = _word(found[2])
    return None if name is None else f"{name}_is_{found[1]}"


def _negative(found: re.Match[str]) -> str | None:
    name = _word(found[1])
    return None if name is None or name[0].isdigit() else f"{name}_is_negative"


def _remainder(found: re.Match[str]) -> str | None:
    left, right = _word(found[1]), _word(found[2])
    return None if left is None or right is None or left[0].isdigit() else f"{left}_mod_{right}_is_{found[3]}"


_Namer = Callable[[re.Match[str]], str | None]


def _always(name: str) -> _Namer:
    return lambda _: name


_OPERAND: Final = r"([A-Za-z_][\w.]*|\d+)"
_ELEMENT: Final = _OPERAND + r"(?:\[[^\]]*\])*"
_NAMES: Final[tuple[tuple[re.Pattern[str], _Namer], ...]] = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"\(?.+>>[^=]+&(?:1|0x1)[uU]?\)?(?:==1[uU]?|!=0[uU]?)?", _always("bit_is_set")),
        (r"\(?.+>>[^=]+&(?:1|0x1)[uU]?\)?==0[uU]?", _always("bit_is_clear")),
        (r"\(?.+%2\)?==0[uU]?|!\(.+%2\)|\(.+&(?:1|0x1)[uU]?\)==0[uU]?|!\(.+&1[uU]?\)", _always("is_even")),
        (r"\(?[^=]+%2[uU]?\)?(?:==1|!=0)?[uU]?|\(?[^=]+&(?:1|0x1)[uU]?\)?(?:==1[uU]?|!=0[uU]?)?", _always("is_odd")),
        (r"[^<>=]+(<=?)[^<>=]+(?:/2|>>1)\)?", _half),
        (r"\([^=]+&([A-Za-z_]\w*|\d+)\)(==|!=)0[uU]?", _bit),
        (r"(\w+)(?:\[.*\])?==0(?:\.0*)?f?", _zero),
        (r"(\d+)==([A-Za-z_]\w*)", _equals),
        (_OPERAND + r"<0(?:\.0?f?)?", _negative),
        (r"\(?" + _OPERAND + r"%" + _OPERAND + r"\)?==(\d+)", _remainder),
        (_OPERAND + r"==\(?" + _OPERAND + r"-1\)?", _last),
        (_ELEMENT + r"(<=|>=|==|!=|<|>)" + _ELEMENT, _relation),
    )
)
_RELATIONS: Final = {
    "<": "is_below",
    ">": "is_above",
    "<=": "is_at_most",
    ">=": "is_at_least",
    "==": "is",
    "!=": "is_not",
}
_JOINING: Final = {"&&": "and", "||": "or"}
_BUILTINS: Final = {
    f"{variable}.{axis}": f"{word}_{axis}"
    for variable, word in (("threadIdx", "thread"), ("blockIdx", "block"), ("blockDim", "size"), ("gridDim", "grid"))
    for axis in "xyz"
}
_OPPOSITES: Final = {"==": "!=", "!=": "=="}
_OPPOSITES_OF_INTEGERS: Final = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}
"""Neither holds for what is not a number."""
SHORT_NAME: Final = 24
"""A longer name is taken only where nothing else says anything."""
MAX_HINTS: Final = 60
"""Columns of a line with the names of several arms."""
_SHORT_COMMENT: Final = re.compile(r"(?://)?\s*\w+(?: \w+)?")
_LOOSE_IN_SELECT: Final = frozenset({SELECT, "conditional_expression", "assignment_expression", "comma_expression"})
