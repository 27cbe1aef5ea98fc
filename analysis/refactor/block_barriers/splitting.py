"""A function's body split at its barriers, so that all threads come to each of them.

Method    One walk over the statements with a *guard*: the conditions that hold for the threads that still have work.  A
          branch or an early exit that keeps threads from a barrier becomes a part of the guard; from there on barriers
          stand outside of it, and what is between two of them under it.  Loops and branches on which all threads agree
          stay around both.  Loops that threads leave at different times are given equal rounds (`rounds.py`).
Guard     A condition is written again at each piece where nothing under the guard changes its variables; any other is
          evaluated once, where the author did, into a variable.
Why right Threads for whom the guard holds run what they ran, in the same order.  The others run barriers, heads of
          loops and declarations, all of them plain (`expressions.py`), and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import final

from tree_sitter import Node

from analysis.ir.record import record
from analysis.refactor.block_barriers.arms import Arm, in_step
from analysis.refactor.block_barriers.declarations import (
    apart,
    hoisted,
    is_shared,
    may_be_open,
    names_without_value,
)
from analysis.refactor.block_barriers.expressions import Condition, Expressions, conjunction, one_line
from analysis.refactor.block_barriers.knowledge import Knowledge
from analysis.refactor.block_barriers.model import Obstacle, RepairStep, WhyNotMet
from analysis.refactor.block_barriers.piece_list import PieceList
from analysis.refactor.block_barriers.pieces import Guarded, Lines, Nested, Open, Piece
from analysis.refactor.block_barriers.reading import (
    LOOPS,
    aliased,
    changed,
    changed_by,
    condition_of,
    contains,
    declared,
    evaluated,
    identifiers,
    jumps_out,
    other_arm,
    statements_of,
    text_of,
    walk,
)
from analysis.refactor.block_barriers.rounds import Rounds, padded, voted
from analysis.refactor.layout import end_of_line, indentation


@final
@record
class WalkState:
    """Where the walk is: `guard` holds for those who have work, `region` is all that stands under it.

    `loops` with barriers are around, whose heads all threads run; in them, what stands behind a barrier also stands
    before one.
    """

    guard: tuple[Condition, ...] = ()
    region: tuple[Node, ...] = ()
    loops: tuple[Node, ...] = ()
    is_outermost: bool = False
    """What stands behind is under the guard of an early exit here: the statements are those of the function itself."""

    def under(self, more: Condition, region: Sequence[Node]) -> WalkState:
        return replace(self, guard=(*self.guard, more), region=(*self.region, *region))

    def only_under(self, one: Condition, region: Sequence[Node]) -> WalkState:
        return replace(self, guard=(one,), region=(*self.region, *region))


@final
class Splitter:
    """Of one function; `fresh` gives a name that occurs nowhere in the file, `agrees` says of an identifier whether all
    threads of a block have the same value in it."""

    def __init__(
        self,
        text: bytes,
        function: Node,
        known: Knowledge,
        expressions: Expressions,
        fresh: Callable[[str], str],
        agrees: Callable[[Node], bool],
    ) -> None:
        self._text = text
        self._function = function
        self._known = known
        self._expressions = expressions
        self._fresh = fresh
        self._agrees = agrees
        self._handled: set[int] = set()
        self._unknown = frozenset(
            name for one in walk(function) if one.type == "declaration" for name in names_without_value(one)
        )
        self._aliased = aliased(function)
        self.steps: list[RepairStep] = []

    def body(self, body: Node) -> tuple[Piece, ...]:
        """Raises `Obstacle`."""
        if contains(body, "goto_statement", "try_statement"):
            raise Obstacle(WhyNotMet.JUMP, body.start_byte)
        statements = statements_of(body)
        outermost = WalkState(is_outermost=True)
        pieces = self._sequence(statements, body.start_byte + 1, body.end_byte - 1, outermost)
        missed = self._known.parting - self._handled
        if missed:
            raise Obstacle(WhyNotMet.EXIT, min(missed))
        return pieces

    # -- sequences ----------------------------------------------------------------------------------------------------

    def _block(self, body: Node, scope: WalkState) -> tuple[Piece, ...]:
        """What stands in braces, or one statement without."""
        statements, scope = statements_of(body), replace(scope, is_outermost=False)
        if body.type == "compound_statement":
            return self._sequence(statements, body.start_byte + 1, body.end_byte - 1, scope)
        return self._sequence(statements, body.start_byte, body.end_byte, scope)

    def _sequence(self, statements: Sequence[Node], start: int, end: int, scope: WalkState) -> tuple[Piece, ...]:
        position, found = start, PieceList()
        outside = indentation(self._text, statements[0].start_byte) if statements else ""
        for number, one in enumerate(statements):
            stop = min(end_of_line(self._text, one.end_byte) or one.end_byte, end)
            before = self._lines(position, one.start_byte, outside)
            if text_of(one) == ";" and number and self._meets(statements[number - 1]):
                position = stop
                continue  # behind the brace of a branch that is taken apart
            whole = _Whole(one, self._lines(position, stop, outside), before, self._lines(one.end_byte, stop, outside))
            position = stop
            if self._is_exit(one, scope):
                pieces, scope = self._exit(whole, statements[number + 1 :], scope)
                found.extend(pieces)
            else:
                found.add(one, self._statement(whole, statements, number, scope))
        rest = self._lines(position, end, outside)
        found.extend(list(_comments(rest)))
        return tuple(found.pieces)

    def _statement(self, whole: _Whole, statements: Sequence[Node], number: int, scope: WalkState) -> Iterator[Piece]:
        one = whole.node
        if not self._meets(one):
            yield from self._work(whole, statements, number, scope)
        elif not scope.guard and not self._known.parts(one.start_byte, one.end_byte):
            yield Open(whole.lines, is_meeting=self._is_meeting(one))
        elif self._is_meeting(one):
            yield Open(whole.lines, is_meeting=True)
        elif one.type == "if_statement":
            yield from _after(whole.before, self._branch(one, scope))
            yield from _comments(whole.behind)
        elif one.type in LOOPS:
            yield from _after(whole.before, self._loop(one, scope))
            yield from _comments(whole.behind)
        elif one.type == "compound_statement":
            yield from _after(whole.before, [Nested("", self._block(one, scope))])
            yield from _comments(whole.behind)
        else:
            raise Obstacle(self._why_not_split(one), one.start_byte)

    def _why_not_split(self, one: Node) -> WhyNotMet:
        if one.type not in ("expression_statement", "declaration"):
            return WhyNotMet.STATEMENT
        is_call = any(meeting.is_call for meeting in self._known.meets(one.start_byte, one.end_byte))
        return WhyNotMet.CALL if is_call else WhyNotMet.PARTICIPANTS

    def _work(self, whole: _Whole, statements: Sequence[Node], number: int, scope: WalkState) -> Iterator[Piece]:
        """A statement without a barrier."""
        one = whole.node
        if not scope.guard:
            yield Open(whole.lines)
            return
        if contains(one, "return_statement") and self._meets_after(one, scope):
            raise Obstacle(WhyNotMet.EXIT, one.start_byte)
        if scope.loops and jumps_out(one):
            raise Obstacle(WhyNotMet.JUMP, one.start_byte)
        if one.type != "declaration":
            yield Guarded(scope.guard, (whole.lines,), is_simple=one.type == "expression_statement")
            return
        is_used = number in self._hoisted(statements, scope)
        if is_shared(one) or (is_used and may_be_open(one, self._expressions, self._unknown)):
            yield Open(whole.lines)
        elif not is_used:
            yield Guarded(scope.guard, (whole.lines,), is_simple=False)
        else:
            parts = apart(one)
            self._unknown |= frozenset(declared(one))
            yield self._added(one, parts.declaration)
            indent = whole.lines.indent
            lines = [*whole.before.lines, *(indent + assignment for assignment in parts.assignments)]
            if whole.behind.lines:
                lines[-1] += f"  {whole.behind.lines[0].strip()}"
            is_simple = len(lines) == len(parts.assignments) == 1
            yield Guarded(scope.guard, (Lines(tuple(lines), indent),), is_simple=is_simple)

    def _hoisted(self, statements: Sequence[Node], scope: WalkState) -> frozenset[int]:
        def breaks(one: Node) -> bool:
            return bool(self._meets(one)) or is_shared(one) or self._is_exit(one, scope)

        return hoisted(statements, breaks, lambda one: may_be_open(one, self._expressions, self._unknown))

    # -- early exits --------------------------------------------------------------------------------------------------

    def _is_exit(self, one: Node, scope: WalkState) -> bool:
        """`if (c) return;` before a barrier, with work before the `return` perhaps."""
        if one.type != "if_statement" or self._meets(one) or not self._meets_after(one, scope):
            return False
        arm = one.child_by_field_name("consequence")
        if arm is None or not (scope.guard or self._parts(one)) or not contains(one, "return_statement"):
            return False
        last = statements_of(arm)[-1:] if arm.type == "compound_statement" else (arm,)
        returns = [found for found in walk(one) if found.type == "return_statement"]
        return one.child_by_field_name("alternative") is None and list(last) == returns

    def _exit(self, whole: _Whole, rest: Sequence[Node], scope: WalkState) -> tuple[list[Piece], WalkState]:
        one, condition, arm = whole.node, condition_of(whole.node), whole.node.child_by_field_name("consequence")
        assert arm is not None
        if not scope.is_outermost:
            raise Obstacle(WhyNotMet.EXIT, one.start_byte)
        if any(found.type == "return_statement" and found.named_child_count for found in walk(one)):
            raise Obstacle(WhyNotMet.RETURNS_VALUE, one.start_byte)
        self._handle(one, arm)
        self._step(RepairStep.EXIT)
        pieces: list[Piece] = list(_comments(whole.before))
        work = statements_of(arm)[:-1] if arm.type == "compound_statement" else ()
        region = (*work, *rest)
        goes_on = self._expressions.negated(condition)
        stops = self._expressions.positive(condition)
        if self._may_repeat(condition, (*scope.region, *region)):
            inner, leaving = scope.under(goes_on, rest), scope.under(stops, work)
        else:
            name = self._fresh("active")
            text = conjunction((*scope.guard, goes_on))
            pieces.append(self._added(one, f"const bool {name} = {text};"))
            inner = scope.only_under(Condition(name, 3), rest)
            leaving = scope.under(Condition(f"!{name}", 3), work)
        if work:
            end = arm.end_byte - 1
            last = statements_of(arm)[-1]
            pieces += self._sequence(work, arm.start_byte + 1, last.start_byte, leaving)
            pieces += _comments(self._lines(last.end_byte, end, indentation(self._text, last.start_byte)))
        pieces += _comments(whole.behind)
        return pieces, inner

    # -- branches -----------------------------------------------------------------------------------------------------

    def _branch(self, one: Node, scope: WalkState) -> Iterator[Piece]:
        condition, arm = condition_of(one), one.child_by_field_name("consequence")
        other = other_arm(one)
        assert arm is not None
        yield from (Open(self._lines_of(child)) for child in one.named_children if child.type == "comment")
        if not self._parts(one) and (not scope.guard or self._may_be_head([condition], scope)):
            head = f"if ({one_line(condition)})"
            otherwise = None if other is None else Nested("else", self._block(other, scope))
            yield Nested(head, self._block(arm, scope), otherwise=otherwise)
            return
        self._handle(one, arm)
        regions = [arm] if other is None else [arm, other]
        taken, skipped = self._expressions.positive(condition), self._expressions.negated(condition)
        if self._may_repeat(condition, (*scope.region, *regions)):
            inner, outer = scope.under(taken, regions), scope.under(skipped, regions)
        else:
            name = self._fresh("active")
            yield self._added(one, f"const bool {name} = {conjunction((*scope.guard, taken))};")
            inner = scope.only_under(Condition(name, 3), regions)
            outer = scope.under(Condition(f"!{name}", 3), regions)
        pieces = self._arms(one, arm, other, inner, outer)
        yield from self._scoped(one, pieces)

    def _arms(self, one: Node, arm: Node, other: Node | None, inner: WalkState, outer: WalkState) -> list[Piece]:
        if other is None:
            self._step(RepairStep.HOIST)
            return list(self._block(arm, inner))
        if self._meets(arm) and self._meets(other):
            self._step(RepairStep.MERGE)
            sides = self._block(arm, inner), self._block(other, outer)
            if not self._names_of(arm, sides[0]).isdisjoint(self._names_of(other, sides[1])):
                raise Obstacle(WhyNotMet.DECLARATION, one.start_byte)
            return list(in_step(one, (Arm(sides[0], inner.guard), Arm(sides[1], outer.guard))))
        self._step(RepairStep.HOIST)
        if self._meets(arm):
            return [*self._block(other, outer), *self._block(arm, inner)]
        return [*self._block(arm, inner), *self._block(other, outer)]

    def _scoped(self, one: Node, pieces: list[Piece]) -> Iterator[Piece]:
        """In braces where a variable that was declared in the branch would meet another of its name."""
        names = self._names_of(one, pieces)
        beside = [node for node in walk(self._function) if not one.start_byte <= node.start_byte < one.end_byte]
        used = {text_of(node) for node in beside if node.type == "identifier"}
        if names & used:
            yield Nested("", tuple(pieces))
        else:
            yield from pieces

    def _names_of(self, one: Node, pieces: Sequence[Piece]) -> frozenset[str]:
        """Those that are declared in `one`, and now by all threads."""
        lines = "\n".join(line for piece in pieces if isinstance(piece, Open) for line in piece.text.lines)
        nodes = (node for node in walk(one) if node.type == "declaration")
        return frozenset(name for node in nodes for name in declared(node) if name in lines)

    # -- loops --------------------------------------------------------------------------------------------------------

    def _loop(self, one: Node, scope: WalkState) -> Iterator[Piece]:
        body = one.child_by_field_name("body")
        assert body is not None
        if contains(one, "return_statement"):
            raise Obstacle(WhyNotMet.EXIT, one.start_byte)
        if self._parts(one):
            yield self._equal_rounds(one, body, scope)
            return
        inner = replace(scope, loops=(*scope.loops, one))
        if scope.guard and not self._may_be_loop_head(one, body, inner):
            raise Obstacle(WhyNotMet.HEAD, one.start_byte)
        if one.type == "do_statement":
            foot = " " + " ".join(self._text[body.end_byte : one.end_byte].decode().split())
            yield Nested("do", self._block(body, inner), foot)
            return
        head, remark = self._head(one, body)
        yield Nested(head, self._block(body, inner), remark=remark)

    def _equal_rounds(self, one: Node, body: Node, scope: WalkState) -> Nested:
        self._handle(one, body)
        if any(found.type in ("break_statement", "continue_statement") for found in walk(body)) and jumps_out(body):
            raise Obstacle(WhyNotMet.JUMP, one.start_byte)
        if any(meeting.is_of_grid for meeting in self._known.meets(body.start_byte, body.end_byte)):
            raise Obstacle(WhyNotMet.ROUNDS, one.start_byte)
        given = Rounds(
            one,
            body,
            scope.guard,
            self._expressions,
            self._unknown,
            self._aliased,
            self._agrees,
            self._fresh,
            self._function,
        )
        found = padded(given)
        if found is not None:
            self._step(RepairStep.PAD)
        else:
            found = voted(given)
            self._step(RepairStep.VOTE)
        guard = (found.goes_on,) if found.is_whole else (*scope.guard, found.goes_on)
        inner = WalkState(guard, (*scope.region, body), (*scope.loops, one))
        first = tuple(self._added(one, line) for line in found.first)
        return Nested(found.head, (*first, *self._block(body, inner)), remark=self._head(one, body)[1])

    def _head(self, one: Node, body: Node) -> tuple[str, str]:
        """All up to the body, in one line, and the comment in front of that; raises `Obstacle` for other comments."""
        before = [child for child in one.children if child.end_byte <= body.start_byte]
        remarks = [child for child in before if child.type == "comment"]
        last = next(child for child in reversed(before) if child.type != "comment")
        if len(remarks) > 1 or any(child.start_byte < last.end_byte for child in remarks):
            raise Obstacle(WhyNotMet.HEAD, one.start_byte)
        head = " ".join(self._text[one.start_byte : last.end_byte].decode("utf-8", "surrogateescape").split())
        return head, text_of(remarks[0]) if remarks else ""

    def _may_be_loop_head(self, one: Node, body: Node, scope: WalkState) -> bool:
        """Whether all threads may run the head, and make the same rounds whatever is under the guard."""
        parts = [child for child in one.named_children if child != body and child.type != "comment"]
        own = changed(parts)
        values = [value for part in parts for value in evaluated(part)]
        if not own.isdisjoint(changed([body]) | self._aliased):
            return False
        others = identifiers(parts) - own
        if not others.isdisjoint(self._changed(scope.region, scope.loops)):
            return False
        return all(self._expressions.is_plain(value, self._unknown - own) for value in values)

    def _may_be_head(self, values: Sequence[Node], scope: WalkState) -> bool:
        is_fixed = identifiers(values).isdisjoint(self._changed(scope.region, scope.loops))
        return is_fixed and all(self._expressions.is_plain(value, self._unknown) for value in values)

    # -- questions ----------------------------------------------------------------------------------------------------

    def _may_repeat(self, condition: Node, region: Sequence[Node]) -> bool:
        """A condition of several comparisons is easier to read in a variable."""
        is_fixed = identifiers([condition]).isdisjoint(self._changed(region))
        return (
            is_fixed and self._expressions.positive(condition).strength == 3 and self._expressions.is_plain(condition)
        )

    def _changed(self, region: Sequence[Node], loops: Sequence[Node] = ()) -> frozenset[str]:
        """What the region changes, but for the heads of the loops."""
        bodies = ((loop, loop.child_by_field_name("body")) for loop in loops)
        heads = [range(loop.start_byte, body.start_byte) for loop, body in bodies if body is not None]
        nodes = (one for node in region for one in walk(node) if not any(one.start_byte in head for head in heads))
        return frozenset(name for one in nodes for name in changed_by(one)) | self._aliased

    def _meets(self, one: Node) -> bool:
        return bool(self._known.meets(one.start_byte, one.end_byte))

    def _meets_after(self, one: Node, scope: WalkState) -> bool:
        return bool(scope.loops) or any(meeting.start >= one.end_byte for meeting in self._known.meetings)

    def _is_meeting(self, one: Node) -> bool:
        """Whether the statement is a barrier, or a call that only waits."""
        found = self._known.meets(one.start_byte, one.end_byte)
        if one.type != "expression_statement" or len(found) != 1 or not found[0].waits:
            return False
        call = next(iter(one.named_children), None)
        is_whole = call is not None and (call.start_byte, call.end_byte) == (found[0].start, found[0].end)
        if call is None or call.type != "call_expression" or not is_whole:
            return False
        arguments = call.child_by_field_name("arguments")
        return arguments is not None and all(
            self._expressions.is_plain(argument, self._unknown) for argument in arguments.named_children
        )

    def _parts(self, one: Node) -> bool:
        body = one.child_by_field_name("consequence") or one.child_by_field_name("body")
        return self._known.parts(one.start_byte, one.end_byte if body is None else body.start_byte)

    def _handle(self, one: Node, body: Node) -> None:
        self._handled |= {at for at in self._known.parting if one.start_byte <= at < body.start_byte}

    def _step(self, step: RepairStep) -> None:
        if step not in self.steps:
            self.steps.append(step)

    # -- text ---------------------------------------------------------------------------------------------------------

    def _added(self, beside: Node, line: str) -> Open:
        indent = indentation(self._text, beside.start_byte)
        return Open(Lines((indent + line,), indent))

    def _lines_of(self, node: Node) -> Lines:
        return self._lines(node.start_byte, node.end_byte, indentation(self._text, node.start_byte))

    def _lines(self, start: int, end: int, indent: str) -> Lines:
        """The lines of a stretch; what it begins with in the middle of a line stands on a line of its own."""
        if start >= end:
            return Lines((), indent)
        lines = [line.rstrip("\r") for line in self._text[start:end].decode("utf-8", "surrogateescape").split("\n")]
        if start > 0 and self._text[start - 1 : start] != b"\n":
            lines[0] = indent + lines[0].lstrip() if lines[0].strip() else ""
            lines = lines if lines[0] else lines[1:]
        if lines and not lines[-1].strip():
            lines.pop()
        return Lines(tuple(lines), indent)


@final
@record
class _Whole:
    """A statement with the comments before it and behind it in its last line."""

    node: Node
    lines: Lines
    before: Lines
    behind: Lines


def _comments(lines: Lines) -> Iterator[Open]:
    """Blank lines alone belong to what comes next."""
    if any(line.strip() for line in lines.lines):
        yield Open(lines)


def _after(before: Lines, pieces: Iterator[Piece] | Sequence[Piece]) -> Iterator[Piece]:
    if before.lines:
        yield Open(before)
    yield from pieces
