"""From the syntax tree of a function to statements and terms, in the author's own text.

Rules     The tree is that of the text with macros expanded; what a term prints is the text of the file.  A part of the
          tree that no range of the file stands for alone (the inside of a macro) is not told apart: the smallest
          expression around it is one term without children.
          Comments and pragmas between statements belong to the statement below them, or beside them.
Refused   statements that begin or end inside a macro, preprocessor directives, labels, `goto`, lambdas, code that the
          grammar cannot read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, final

from analysis.ir.source import Span
from analysis.refactor.meld.cases import CaseNodes, NoCases, cases_of
from analysis.refactor.meld.knowledge import Price
from analysis.refactor.meld.model import Obstacle
from analysis.refactor.meld.passage import Passage
from analysis.refactor.meld.places import SourceText, UnreadableError, within
from analysis.refactor.meld.structure import (
    Branching,
    Case,
    Comments,
    Looping,
    LoopKind,
    Nested,
    Simple,
    Statement,
    Switching,
    followed,
    with_comments,
)
from analysis.refactor.meld.survey import statement_of
from analysis.refactor.meld.terms import BOUND_ARGUMENT, Effect, Local, LocalId, Term, term
from analysis.refactor.meld.trivia import after_head, comments_of, lines_of
from analysis.syntax.tree import Node
from analysis.verdict.latency import switch_latency


@final
class Reader:
    """Reads the statements of one passage; numbers the variables that they declare."""

    def __init__(self, passage: Passage) -> None:
        self._text = SourceText(passage.text, len(passage.source), passage.source_map)
        self._root = passage.tree.thawed(passage.source)
        self._prices = passage.prices
        self._types = {(start, end): types for start, end, types in passage.types}
        self._names = dict(passage.names)
        self._aliased = passage.aliased
        self._hidden = passage.hidden
        self._has_macros = bool(passage.source_map.starts)
        self._scopes: list[dict[str, Local]] = []
        self._numbers = 0
        self._declared: list[Local] = []
        self._around = 1.0
        """How often the loops that are being read run, for statements that cost nothing themselves."""
        self._bound = passage.bound

    @property
    def is_switch(self) -> bool:
        return self._root.kind == "switch_statement"

    def fork(self) -> Branching:
        """The branch that the passage is about; raises `UnreadableError`."""
        node = self._root
        self._begun()
        condition = within(self._prices, self._text.span(self._field(node, "condition")))
        self._around = max((price.rounds for price in condition), default=1.0)
        # A loop that lanes leave in different rounds runs the arm that leaves it as often as the other one.
        return self._branching(node, [price.in_rounds(self._around) for price in self._prices])

    def switch(self) -> Switching:
        """The cases of a `switch` statement; raises `UnreadableError`."""
        node = self._root
        span = self._begun()
        cases = cases_of(node)
        if isinstance(cases, NoCases):
            raise UnreadableError(cases.obstacle, self._text.span(cases.node), cases.message)
        value = self._decided_value(self._field(node, "condition"))
        whole = [price for price in self._prices if (price.start, price.end) == (span.start, span.end)]
        rounds = self._around = max((price.rounds for price in whole), default=1.0)
        prices = [price.in_rounds(rounds) for price in self._prices]
        asked = self._term(value, prices)
        choice = switch_latency(sum(len(case.labels) for case in cases)) * rounds
        subject = term("switch_value", (asked,), asked.types, choice, rounds, own_issued=rounds)
        body = self._field(node, "body")
        starts = [self._text.spelled(case.parts[0]).start for case in cases]
        ends = [*starts[1:], self._text.span(body).end - 1]
        above = self._text.slice(self._text.span(body).start + 1, starts[0])
        found: list[Case] = []
        for case, end in zip(cases, ends, strict=True):
            read, above = self._case(case, end, above, prices)
            found.append(read)
        below = tuple(comments_of(above))
        tested = self._text.span(value)
        said = self._text.slice(span.start, tested.start) + "\n"
        said += self._text.slice(tested.end, self._text.span(body).start)
        comments = Comments(tuple(comments_of(said)), "", below)
        return Switching(subject, tuple(found), comments, cases[-1].leaving is not None)

    # -- statements -------------------------------------------------------------------------------------------------

    def _begun(self) -> Span:
        """The text of the branch, which is read from now on."""
        span = self._text.span(self._root)
        self._text.check_text(span)
        self._text.indent = self._text.indent_at(span.start)
        return span

    def _decided_value(self, clause: Node) -> Node:
        """What is asked in the parentheses behind `if` or `switch`."""
        value = clause.field("value") or next(iter(clause.children), None)
        if value is None or any(child.kind in _DECLARING for child in clause.walk()):
            message = "the condition declares a variable"
            raise UnreadableError(Obstacle.CONDITION, self._text.span(clause), message)
        return value

    def _case(self, nodes: CaseNodes, end: int, before: str, prices: list[Price]) -> tuple[Case, str]:
        """The case, and the text between its last statement's line and the next label."""
        labels: list[Term] = []
        for value in nodes.labels:
            place = self._text.spelled(value)
            labels.append(term(value.kind, (self._text.slice(place.start, place.end),)))
        head = self._text.span(nodes.colon_follows).end
        colon = self._text.text.index(b":", head)
        above = [*lines_of(before), *comments_of(self._text.slice(self._text.span(nodes.parts[0]).start, colon))]
        start = colon if nodes.block is None else self._text.span(nodes.block).start
        inner_end = end if nodes.block is None else self._text.span(nodes.block).end - 1
        stop = inner_end if nodes.leaving is None else min(self._text.spelled(nodes.leaving).start, inner_end)
        said = comments_of(self._text.slice(colon, start))
        self._scopes.append({})
        span = Span(start, stop + 1)
        found = self._list(nodes.statements, span, within(prices, Span(start, end)), is_arm=True)
        self._scopes.pop()
        statements = tuple(one for one in found if not _is_empty(one))
        opening = ""
        if nodes.statements:
            first = self._text.span(nodes.statements[0]).start
            opening, _ = self._text.opened(start + 1, first, self._text.comments(start + 1, first, is_first=True)[1])
        if not statements:
            said += comments_of(self._text.slice(start, stop))
        left = stop
        if nodes.leaving is not None:
            left = self._text.span(nodes.leaving).end
        line, newline, following = self._text.slice(left, end).partition("\n")
        after = Comments(below=tuple(comments_of(self._text.slice(inner_end, left) + line)))
        if statements:
            statements = followed(statements, after)
        else:
            said += after.below
        case = Case(tuple(labels), nodes.is_default, statements, (*above, *said), opening)
        return case, f"{newline}{following}"

    def _statement(self, node: Node, prices: Sequence[Price]) -> Statement:
        self._text.spelled(node)
        match node.kind:
            case "if_statement":
                return self._branching(node, prices)
            case "for_statement" | "while_statement" | "do_statement":
                return self._loop(node, prices)
            case "compound_statement":
                return Nested(self._body(node, prices))
            case "alias_declaration" | "type_definition" | "using_declaration" | "struct_specifier" | "enum_specifier":
                message = "an arm declares a type or a name for one, and the melded statements stand outside of the arm"
                raise UnreadableError(Obstacle.DECLARATION, self._text.span(node), message)
            case "labeled_statement" | "goto_statement" | "try_statement" | "seh_try_statement":
                raise UnreadableError(Obstacle.LEAVES_ARM, self._text.span(node), "an arm jumps to a label")
            case _:
                return self._simple(node, prices)

    def _body(self, node: Node, prices: Sequence[Price], *, is_arm: bool = False) -> tuple[Statement, ...]:
        """The statements of an arm or a loop, whether it has braces or not; what stands behind the opening brace of an
        arm is left to the caller."""
        if node.kind == "else_clause":
            node = statement_of(node)
        self._scopes.append({})
        span = self._text.span(node)
        around = self._text.indent
        if node.kind != "compound_statement":
            self._text.indent = self._text.indent_at(span.start)
            found: list[Statement] = [self._statement(node, prices)]
        else:
            self._text.spelled(node)
            found = self._list(node.children, span, prices, is_arm=is_arm)
        self._scopes.pop()
        self._text.indent = around
        return tuple(one for one in found if not _is_empty(one))

    def _list(self, children: Sequence[Node], span: Span, prices: Sequence[Price], *, is_arm: bool) -> list[Statement]:
        """The statements between the two characters that begin and end the range."""
        found: list[Statement] = []
        end = span.start + 1
        for child in children:
            own = self._text.span(child)
            self._text.indent = self._text.indent_at(own.start)
            beside, above = self._text.comments(end, own.start, is_first=not found)
            if not found and is_arm:
                above = self._text.opened(end, own.start, above)[1]
            if found and beside:
                found[-1] = with_comments(found[-1], _beside(found[-1].comments, beside))
            statement = self._statement(child, within(prices, own))
            known = statement.comments
            statement = with_comments(statement, Comments((*above, *known.above), known.beside, known.below))
            found.append(statement)
            end = own.end
            self._text.indent = self._text.indent_at(own.start)
        beside, below = self._text.comments(end, span.end - 1, is_first=not found)
        if found:
            below = tuple(text for text in below if text)
            known = _beside(found[-1].comments, beside)
            found[-1] = with_comments(found[-1], Comments(known.above, known.beside, (*known.below, *below)))
        return found

    def _branching(self, node: Node, prices: Sequence[Price]) -> Branching:
        clause = self._field(node, "condition")
        value = self._decided_value(clause)
        if any(child.kind == "constexpr" for child in node.children):
            raise UnreadableError(Obstacle.UNKNOWN_CODE, self._text.span(node), "an arm has an `if constexpr`")
        condition = self._term(value, prices)
        first, second = self._field(node, "consequence"), node.field("alternative")
        keyword = self._text.span(next(child for child in node.children if child.kind == "if"))
        tested, whole = self._text.span(value), self._text.span(clause)
        above = comments_of(
            self._text.slice(keyword.end, tested.start) + "\n" + self._text.slice(tested.end, whole.end)
        )
        above += self._text.between(clause, first)
        then, opening = self._arm(first, prices)
        otherwise, other_opening = None, ""
        above += self._alone(first, then)
        if second is not None:
            inner = statement_of(second)
            beside, between = self._text.comments(
                self._text.span(first).end, self._text.span(second).start, is_first=False
            )
            then = followed(then, Comments((), beside))
            otherwise, other_opening = self._arm(second, prices)
            said = (
                *between,
                *comments_of(self._text.slice(self._text.span(second).start, self._text.span(inner).start)),
            )
            said = tuple(text for text in (*said, *self._alone(second, otherwise)) if text)
            if otherwise:
                known = otherwise[0].comments
                first_one = with_comments(otherwise[0], Comments((*said, *known.above), known.beside, known.below))
                otherwise = (first_one, *otherwise[1:])
            else:
                above += said
        return Branching(condition, then, otherwise, keyword, Comments(tuple(above)), (opening, other_opening))

    def _arm(self, node: Node, prices: Sequence[Price]) -> tuple[tuple[Statement, ...], str]:
        """The statements of an arm, and the comment behind its opening brace."""
        inner = statement_of(node)
        if inner.kind != "compound_statement":
            return self._body(node, within(prices, self._text.span(node))), ""
        first = inner.children[0] if inner.children else None
        found = self._body(node, within(prices, self._text.span(node)), is_arm=True)
        if first is None:
            return found, ""
        start, end = self._text.span(inner).start + 1, self._text.span(first).start
        opening, _ = self._text.opened(start, end, self._text.comments(start, end, is_first=True)[1])
        return found, opening

    def _alone(self, node: Node, statements: tuple[Statement, ...]) -> list[str]:
        """The comments of an arm or a body that has nothing else."""
        return (
            [] if statements else comments_of(self._text.slice(self._text.span(node).start, self._text.span(node).end))
        )

    def _loop(self, node: Node, prices: Sequence[Price]) -> Statement:
        body = self._field(node, "body")
        span, inner = self._text.span(node), self._text.span(body)
        self._scopes.append({})
        before = len(self._declared)
        if node.kind == "do_statement":
            kind, head_span = LoopKind.DO, Span(inner.end, span.end)
        else:
            kind = LoopKind.FOR if node.kind == "for_statement" else LoopKind.WHILE
            head_span = Span(span.start, inner.start)
        heads = [child for child in node.children if child is not body and child.role is not None]
        in_head = [price for price in prices if not (inner.start <= price.start and price.end <= inner.end)]
        tail = after_head(self._text.text[head_span.start : head_span.end].decode("utf-8", "replace"))
        above = () if kind is LoopKind.DO else tuple(comments_of(tail))
        if above:
            head_span = Span(head_span.start, head_span.end - len(tail.encode()))
        head = self._assembled(f"{kind.value}_head", head_span, heads, in_head, self._around)
        declares = tuple(self._declared[before:])
        outer, self._around = self._around, max((price.rounds for price in prices), default=self._around)
        statements = self._body(body, within(prices, inner))
        self._around = outer
        self._scopes.pop()
        above += tuple(self._alone(body, statements))
        return Looping(kind, head, statements, declares, Comments(above))

    def _simple(self, node: Node, prices: Sequence[Price]) -> Statement:
        before = len(self._declared)
        found = self._term(node, prices)
        declares = tuple(self._declared[before:]) if node.kind == "declaration" else ()
        return Simple(found, declares)

    # -- terms ------------------------------------------------------------------------------------------------------

    def _term(self, node: Node, prices: Sequence[Price], around: float | None = None) -> Term:
        """`around`: how often the term around it runs, for names, which cost nothing themselves."""
        if (node.start, node.end) in self._bound:
            inner = self._plain_term(node, prices, around)
            return term(BOUND_ARGUMENT, (inner,), inner.types, 0, inner.rounds)
        return self._plain_term(node, prices, around)

    def _plain_term(self, node: Node, prices: Sequence[Price], around: float | None) -> Term:
        span = self._text.spelled(node)
        around = max((price.rounds for price in prices), default=self._around if around is None else around)
        if node.is_error or node.is_missing:
            raise UnreadableError(Obstacle.UNKNOWN_CODE, span, "an arm contains text that the grammar cannot read")
        if node.kind == "lambda_expression":
            raise UnreadableError(Obstacle.UNKNOWN_CODE, span, "an arm contains a lambda")
        self._check_constant(node)
        if node.kind in _SCOPES:
            self._scopes.append({})
            found = self._statement_term(node, span, prices, around)
            self._scopes.pop()
            return found
        return self._statement_term(node, span, prices, around)

    def _statement_term(self, node: Node, span: Span, prices: Sequence[Price], around: float) -> Term:
        if node.kind in ("declaration", "for_range_loop"):
            return self._declaration(node, span, prices, around)
        if node.kind == "identifier" or (
            node.kind == "type_identifier" and self._local(self._text.slice(span.start, span.end))
        ):
            return self._identifier(node, span, prices, around)
        if self._has_macros and not all(self._text.is_spelled(child) for child in node.children):
            return self._macro_use(node, span, prices, around)
        return self._assembled(node.kind, span, node.children, prices, around)

    def _check_constant(self, node: Node) -> None:
        """What the compiler must know may not name a variable of an arm: a selected value is no constant."""
        known = node.field("size") if node.kind == "array_declarator" else node.field("value")
        if node.kind == "template_argument_list":
            known = node
        elif node.kind not in ("array_declarator", "case_statement"):
            return
        for inner in () if known is None else known.walk():
            # `f<K>` is read as if `K` were a type.
            if (
                inner.kind in ("identifier", "type_identifier")
                and self._local(inner.text.decode("utf-8", "replace")) is not None
            ):
                message = "the compiler must know the value of a constant that an arm declares"
                raise UnreadableError(Obstacle.DECLARATION, self._text.span(inner), message)

    def _assembled(
        self, kind: str, span: Span, children: Sequence[Node], prices: Sequence[Price], around: float
    ) -> Term:
        """A term of its children and the text between them."""
        parts: list[str | Term] = []
        end = span.start
        own = within(prices, span)
        effects = Effect.CHANGES if kind in _CHANGING else Effect.NONE
        for child in children:
            place = self._text.spelled(child)
            theirs = within(own, place)
            parts += [self._text.slice(end, place.start), self._term(child, theirs, around)]
            inside = set(map(id, theirs))
            own = [price for price in own if id(price) not in inside] if inside else own
            end = place.end
        parts.append(self._text.slice(end, span.end))
        return self._priced(kind, [part for part in parts if part != ""], span, own, effects, around)

    def _priced(
        self, kind: str, parts: list[str | Term], span: Span, own: Sequence[Price], effects: Effect, around: float
    ) -> Term:
        for price in own:
            effects |= price.effects
        rounds = max((price.rounds for price in own), default=around)
        slots, issued = sum(price.slots for price in own), sum(price.issued for price in own)
        types = self._types.get((span.start, span.end), ())
        return term(kind, parts, types, slots, rounds, effects, own_issued=issued)

    def _identifier(self, node: Node, span: Span, prices: Sequence[Price], around: float) -> Term:
        name = self._text.slice(span.start, span.end)
        local = self._local(name)
        types = self._types.get((span.start, span.end), ()) or self._names.get(name, ())
        effects = Effect.LOADS if name in self._aliased else Effect.NONE
        found = self._priced(node.kind, [name], span, within(prices, span), effects, around)
        types = local.types if local is not None and local.types else types
        return term(node.kind, [name], types, found.own, found.rounds, found.effects, local, found.own_issued)

    def _macro_use(self, node: Node, span: Span, prices: Sequence[Price], around: float) -> Term:
        """One term; names of local variables among the arguments are children, so that they can be renamed."""
        parts: list[str | Term] = []
        end = span.start
        changes = any(inner.kind in _CHANGING for inner in node.walk())
        source = self._text.slice(span.start, span.end)
        for word in _WORD.finditer(source):
            local = self._local(word[0])
            if local is not None:
                parts += [
                    self._text.slice(end, span.start + word.start()),
                    term("identifier", [word[0]], meaning=local),
                ]
                end = span.start + word.end()
        parts.append(self._text.slice(end, span.end))
        own = within(prices, span)
        effects = Effect.CHANGES if changes else Effect.NONE
        if self._reads_elsewhere(node, source):
            effects |= Effect.LOADS
        return self._priced("macro_use", [part for part in parts if part != ""], span, own, effects, around)

    def _reads_elsewhere(self, node: Node, source: str) -> bool:
        """Whether it names a variable that its text does not name, or one that has several names."""
        spelled = set(_WORD.findall(source))
        names = {inner.text.decode("utf-8", "replace") for inner in node.walk() if inner.kind == "identifier"}
        hidden = {name for name in names - spelled if name in self._names}
        return bool(names & self._aliased or hidden)

    def _declaration(self, node: Node, span: Span, prices: Sequence[Price], around: float) -> Term:
        """The declared names are known to what follows them."""
        if not all(self._text.is_spelled(child) for child in node.children):
            raise UnreadableError(Obstacle.MACRO, span, "a macro spells part of a declaration in an arm")
        declarators = [child for child in node.children if child.role == "declarator"]
        spelling = self._text.slice(span.start, self._text.span(declarators[0]).start).strip() if declarators else ""
        for declarator in declarators:
            self._declare(declarator, spelling)
        return self._assembled(node.kind, span, node.children, prices, around)

    def _declare(self, declarator: Node, spelling: str) -> None:
        whole = self._text.span(declarator.field("declarator") or declarator)
        if declarator.kind != "init_declarator":
            whole = self._text.span(declarator)
        name_node = declarator
        while name_node.kind != "identifier":
            inner = name_node.field("declarator") or next(
                (child for child in name_node.children if child.kind in _DECLARATORS), None
            )
            if inner is None:
                raise UnreadableError(Obstacle.DECLARATION, whole, "a declaration in an arm has an unusual form")
            name_node = inner
        place = self._text.spelled(name_node)
        name = self._text.slice(place.start, place.end)
        types = self._names.get(name, ())
        if any(self._local(word) is not None for word in _WORD.findall(spelling)):
            message = "the type of a variable of an arm is that of another one (`decltype`)"
            raise UnreadableError(Obstacle.DECLARATION, whole, message)
        local = Local(
            LocalId(self._numbers),
            name,
            " ".join(spelling.split()),
            self._text.slice(whole.start, place.start),
            self._text.slice(place.end, whole.end),
            types,
            name in self._hidden,
        )
        self._numbers += 1
        self._declared.append(local)
        self._scopes[-1][name] = local

    def _local(self, name: str) -> Local | None:
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)

    def _field(self, node: Node, name: str) -> Node:
        found = node.field(name)
        if found is None:
            raise UnreadableError(Obstacle.UNKNOWN_CODE, self._text.span(node), "a statement is not complete")
        return found


def _beside(comments: Comments, beside: str) -> Comments:
    return Comments(comments.above, comments.beside or beside, comments.below)


def _is_empty(statement: Statement) -> bool:
    return isinstance(statement, Simple) and statement.term.key == ";" and statement.comments == Comments()


_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_CHANGING: Final = frozenset({"assignment_expression", "update_expression", "delete_expression", "new_expression"})
_DECLARING: Final = frozenset({"declaration", "init_statement", "init_declarator"})
_SCOPES: Final = frozenset(
    {
        "compound_statement",
        "if_statement",
        "switch_statement",
        "for_statement",
        "for_range_loop",
        "while_statement",
        "do_statement",
    }
)
"""What they declare is not known behind them; of statements that stay as they are written."""
_DECLARATORS: Final = frozenset(
    {"identifier", "pointer_declarator", "array_declarator", "reference_declarator", "parenthesized_declarator"}
)
