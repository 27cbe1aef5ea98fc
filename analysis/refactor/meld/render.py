"""The edit that melds the two arms of one branch: computed when somebody asks for it.

Rules     One replacement: the text of the `if` or `switch` statement, from its keyword to the end of its last arm.
          Braces go around it where it was the only statement of a loop or of another branch, or where a variable that
          an arm declared would meet another one of its name.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.meld.settings import DEFAULT_MELD_SETTINGS, MeldSettings
from analysis.refactor.edit import Replacement
from analysis.refactor.meld.constants import constants_in
from analysis.refactor.meld.guards import with_spelled_guards
from analysis.refactor.meld.model import Obstacle, Opportunity, Refusal
from analysis.refactor.meld.naming import NoNameError, with_final_names
from analysis.refactor.meld.reducing import with_reduced_selections
from analysis.refactor.meld.region import MeldableBranch, region_of
from analysis.refactor.meld.scopes import CASE, needs_braces
from analysis.refactor.meld.sharing import with_shared_selections
from analysis.refactor.meld.shortening import with_short_statements
from analysis.refactor.meld.spelled_types import spelled_types
from analysis.refactor.meld.structure import Branching, Simple, Statement
from analysis.refactor.meld.survey import Survey
from analysis.refactor.meld.terms import without_comments
from analysis.refactor.meld.tidying import tidied
from analysis.refactor.meld.writing import Style, style_of, text_of, written
from analysis.syntax.tree import Node


def render_meld(
    analysis: FileAnalysis, opportunity: Opportunity, settings: MeldSettings = DEFAULT_MELD_SETTINGS
) -> tuple[Replacement, ...] | Refusal:
    """The replacements that meld the arms, in order, or why the result cannot be written down."""
    branch = opportunity.branch
    function = next((one for one in analysis.facts.functions if one.id == opportunity.function), None)
    if function is None:
        message = "the function is not in this version of the file"
        return Refusal(opportunity.function, branch, Obstacle.TEXT, branch.keyword, message)
    found = region_of(analysis, function, branch, replace(settings, method=opportunity.method))
    if isinstance(found, Refusal):
        return found
    types = spelled_types(found.item.text, Survey(found.snippet))
    try:
        constants = constants_in(analysis.views(function), found.item.text, found.span)
        reduced = with_reduced_selections(tidied(found.plan.statements), constants)
        decided = with_spelled_guards(with_shared_selections(reduced, types))
        short = with_short_statements(decided, types, _style(found))
        final = with_final_names(short, _taken(analysis, function))
    except NoNameError:
        message = "a macro spells the name of a variable that would have to be renamed"
        return Refusal(opportunity.function, branch, Obstacle.MACRO, branch.keyword, message)
    return (_replacement(function, found, final),)


def _taken(analysis: FileAnalysis, function: FunctionFacts) -> frozenset[str]:
    """The words of the file that a new name could meet: not those inside other functions, but all of macros."""
    text = analysis.document.text
    # The name of another function could be called.
    others = [one for one in analysis.facts.functions if one.id != function.id]
    kept = bytearray(text)
    for one in others:
        if one.end <= function.start or function.end <= one.start:
            kept[one.start : one.end] = b" " * (one.end - one.start)
    lines = b"\n".join([bytes(kept), *(found[0] for found in _DIRECTIVE.finditer(text))])
    signatures = b" ".join(text[one.start : max(text.find(b"{", one.start), one.start)] for one in others)
    words = _WORD.findall(without_comments((lines + b"\n" + signatures).decode("utf-8", "replace")))
    return frozenset(words)


def _replacement(function: FunctionFacts, region: MeldableBranch, statements: tuple[Statement, ...]) -> Replacement:
    span = region.span
    around, branch = _around(region)
    names = {_declared_name(one) for one in statements if isinstance(one, Simple) and one.declares}
    if around.kind in (_BLOCK, CASE):
        in_braces = needs_braces(region.snippet.root, around, branch, names)
    else:
        # `else if (...)`; anywhere else an `if` without braces could take the `else` of the branch around it.
        is_chain = around.kind == _ELSE and len(statements) == 1 and _is_bare_if(statements[0])
        style = _style(region)
        in_braces = not is_chain and (len(statements) != 1 or bool(names) or style.braces_always)
    new = written(statements, _style(region), in_braces=in_braces)
    return Replacement(function.start + span.start, function.start + span.end, new)


def _style(region: MeldableBranch) -> Style:
    return style_of(region.item.text.decode("utf-8", "surrogateescape"), region.span.start, region.span.end)


def _is_bare_if(statement: Statement) -> bool:
    return isinstance(statement, Branching) and not statement.comments.above


def _around(region: MeldableBranch) -> tuple[Node, Node]:
    """The node that the branch is a child of, and the branch."""
    span = region.span
    for node in region.snippet.root.walk():
        for child in node.children:
            if child.kind in ("if_statement", "switch_statement"):
                own = region.snippet.span(child.start, child.end)
                if (own.start, own.end) == (span.start, span.end):
                    return node, child
    raise AssertionError("the branch was found in this tree")


def _declared_name(statement: Simple) -> str:
    local = statement.declares[0]
    for inner in statement.term.walk():
        if inner.meaning == local:
            return text_of(inner)
    return local.name


_ELSE: Final = "else_clause"
_BLOCK: Final = "compound_statement"
_DIRECTIVE: Final = re.compile(rb"^[ \t]*#(?:\\\r?\n|[^\n])*", re.MULTILINE)
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
