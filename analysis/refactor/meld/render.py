"""The edit that melds the two arms of one branch: computed when somebody asks for it.

Rules     One replacement: the text of the `if` statement, from its keyword to the end of its last arm.  Braces go
          around it where it was the only statement of a loop or of another branch, or where a variable that an arm
          declared would meet another one of its name.
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
from analysis.refactor.meld.region import Region, Regions
from analysis.refactor.meld.sharing import with_shared_selections
from analysis.refactor.meld.structure import Branching, Simple, Statement
from analysis.refactor.meld.terms import without_comments
from analysis.refactor.meld.tidying import tidied
from analysis.refactor.meld.writing import style_of, text_of, written
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
    found = Regions(analysis, function, replace(settings, method=opportunity.method)).region(branch)
    if isinstance(found, Refusal):
        return found
    file_text = analysis.document.text.decode("utf-8", "replace")
    try:
        source = found.item.text.decode("utf-8", "replace")
        constants = constants_in(analysis.views(function), found.item.text, found.span)
        shorter = with_reduced_selections(tidied(found.plan.statements), constants)
        statements = with_shared_selections(shorter, source)
        final = with_final_names(with_spelled_guards(statements), frozenset(_WORD.findall(without_comments(file_text))))
    except NoNameError:
        message = "a macro spells the name of a variable that would have to be renamed"
        return Refusal(opportunity.function, branch, Obstacle.MACRO, branch.keyword, message)
    return (_replacement(function, found, final),)


def _replacement(function: FunctionFacts, region: Region, statements: tuple[Statement, ...]) -> Replacement:
    span = region.span
    text = region.item.text.decode("utf-8", "surrogateescape")
    style = style_of(text, span.start, span.end)
    around = _around(region)
    names = {_declared_name(one) for one in statements if isinstance(one, Simple) and one.declares}
    outside = "" if around is None else _outside(region, around)
    alone = around is None or around.kind not in _LISTS
    # `else if (...)`; anywhere else an `if` without braces could take the `else` of the branch around it.
    is_chain = around is not None and around.kind == _ELSE and len(statements) == 1 and _is_bare_if(statements[0])
    clashes = bool(names & set(_WORD.findall(without_comments(outside)))) or (
        names and around is not None and around.kind == _CASE
    )
    in_braces = bool(clashes) or (alone and not is_chain and (len(statements) != 1 or bool(names)))
    new = written(statements, style, in_braces=in_braces)
    return Replacement(function.start + span.start, function.start + span.end, new)


def _is_bare_if(statement: Statement) -> bool:
    return isinstance(statement, Branching) and not statement.comments.above


def _around(region: Region) -> Node | None:
    """The node that the `if` is a child of."""
    span = region.span
    for node in region.snippet.root.walk():
        for child in node.children:
            if child.kind == "if_statement":
                own = region.snippet.span(child.start, child.end)
                if (own.start, own.end) == (span.start, span.end):
                    return node
    return None


def _outside(region: Region, around: Node) -> str:
    """The text of the block around the branch, without the branch."""
    own = region.snippet.span(around.start, around.end)
    span = region.span
    text = region.item.text
    return (text[own.start : span.start] + b" " + text[span.end : own.end]).decode("utf-8", "replace")


def _declared_name(statement: Simple) -> str:
    local = statement.declares[0]
    for inner in statement.term.walk():
        if inner.meaning == local:
            return text_of(inner)
    return local.name


_ELSE: Final = "else_clause"
_CASE: Final = "case_statement"
_LISTS: Final = frozenset({"compound_statement", _CASE})
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
