"""What is done with each part of a term, by the kind of the term: what melding may put in its place depends on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Final

from analysis.refactor.meld.terms import BOUND_ARGUMENT, IDENTIFIER, SELECT, Term


class Context(Enum):
    """What is done with the result of a term."""

    VALUE = "value"
    TARGET = "target"
    """It is converted to a type that both sides agree on."""
    PLACE = "place"
    """It is assigned to, or its address is taken."""
    BASE = "base"
    """It is indexed."""
    STATEMENT = "statement"
    """Nothing: it is evaluated for what it does."""
    EXACT = "exact"
    """It must be equal on both sides."""


_Contexts = Callable[[Sequence[Term], Context], Sequence[Context] | None]


def _all(context: Context) -> _Contexts:
    return lambda children, _: [context] * len(children)


def _fixed(*contexts: Context) -> _Contexts:
    return lambda children, _: contexts if len(contexts) == len(children) else None


def _inherited(children: Sequence[Term], context: Context) -> Sequence[Context]:
    return [context] * len(children)


def _update(children: Sequence[Term], _: Context) -> Sequence[Context]:
    return [Context.EXACT if child.key in ("++", "--") else Context.PLACE for child in children]


def _unary(children: Sequence[Term], _: Context) -> Sequence[Context]:
    return [*([Context.EXACT] * (len(children) - 1)), Context.VALUE]


def _pointer(children: Sequence[Term], _: Context) -> Sequence[Context]:
    is_address = any(child.key == "&" for child in children)
    return [*([Context.EXACT] * (len(children) - 1)), Context.PLACE if is_address else Context.VALUE]


def _assignment(children: Sequence[Term], _: Context) -> Sequence[Context] | None:
    return (Context.PLACE, Context.EXACT, Context.TARGET) if len(children) == 3 else None


def _field(children: Sequence[Term], context: Context) -> Sequence[Context] | None:
    if len(children) != 3:
        return None
    is_arrow = children[1].key == "->"
    return (Context.VALUE if is_arrow else Context.PLACE, Context.EXACT, Context.EXACT)


def _call(children: Sequence[Term], _: Context) -> Sequence[Context] | None:
    return (Context.EXACT, Context.VALUE) if len(children) == 2 and children[0].kind in CALLABLE else None


def _init(children: Sequence[Term], _: Context) -> Sequence[Context] | None:
    return (Context.EXACT, Context.TARGET) if len(children) == 2 else None


def _declaration(children: Sequence[Term], _: Context) -> Sequence[Context]:
    return [Context.TARGET if child.kind == "init_declarator" else Context.EXACT for child in children]


BASES: Final = frozenset({IDENTIFIER, SELECT, "field_expression", "subscript_expression", "call_expression"})
CALLABLE: Final = frozenset({IDENTIFIER, "qualified_identifier", "template_function"})
CONTEXTS: Final[dict[str, _Contexts]] = {
    "expression_statement": _all(Context.STATEMENT),
    "return_statement": lambda children, _: [*([Context.EXACT] * (len(children) - 1)), Context.TARGET],
    "declaration": _declaration,
    "init_declarator": _init,
    "assignment_expression": _assignment,
    "update_expression": _update,
    "binary_expression": lambda children, _: (
        (Context.VALUE, Context.EXACT, Context.VALUE) if len(children) == 3 else None
    ),
    "unary_expression": _unary,
    "pointer_expression": _pointer,
    "parenthesized_expression": _inherited,
    "comma_expression": _inherited,
    "conditional_expression": _all(Context.VALUE),
    SELECT: _all(Context.VALUE),
    "call_expression": _call,
    "argument_list": _all(Context.VALUE),
    BOUND_ARGUMENT: _all(Context.PLACE),
    "cast_expression": _fixed(Context.EXACT, Context.VALUE),
    "subscript_expression": _fixed(Context.BASE, Context.TARGET),
    "subscript_argument_list": _all(Context.TARGET),
    "field_expression": _field,
    "for_head": lambda children, _: [
        Context.STATEMENT if child.kind in EFFECTIVE else Context.VALUE for child in children
    ],
    "condition_clause": _all(Context.VALUE),
    "while_head": _all(Context.VALUE),
    "do_head": _all(Context.VALUE),
}
"""For each kind of term what is done with its children; a kind that is missing is never taken apart."""
PLACES: Final = frozenset(
    {"subscript_expression", "field_expression", "pointer_expression", "parenthesized_expression"}
)
EFFECTIVE: Final = frozenset(
    {"declaration", "expression_statement", "assignment_expression", "update_expression", "comma_expression"}
)
STATEMENTS: Final = frozenset({"expression_statement", "return_statement", "declaration", "init_declarator"})
CONDITIONAL: Final = frozenset({"conditional_expression", SELECT, "for_head", "while_head", "do_head"})
DELIMITED: Final = frozenset(
    {
        *STATEMENTS,
        "assignment_expression",
        "argument_list",
        BOUND_ARGUMENT,
        "subscript_argument_list",
        "parenthesized_expression",
        "condition_clause",
        "for_head",
        "while_head",
        "do_head",
    }
)
"""Terms in which an operand needs no parentheses."""
SELECTS: Final = frozenset({SELECT})
LOOSE: Final = frozenset(
    {SELECT, "conditional_expression", "assignment_expression", "comma_expression", "binary_expression"}
)
TIGHT: Final = frozenset({"subscript_expression", "call_expression", "field_expression", "parenthesized_expression"})
NO_VALUES: Final = frozenset(
    {"expression_statement", "declaration", "init_declarator", "argument_list", "subscript_argument_list", "for_head"}
    | {
        BOUND_ARGUMENT,
        "while_head",
        "do_head",
        "condition_clause",
        "initializer_list",
        "return_statement",
        "break_statement",
        "continue_statement",
    }
)
