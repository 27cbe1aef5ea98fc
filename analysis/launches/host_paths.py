"""Which writes to a variable may be the last before a place in a host function?

Rules    A write counts if it stands before the place and on every way to it; earlier ones are then gone.  One in an arm
         of a branch counts if the condition is known, and is one of several if it is not.
         In a loop around both, a write behind the place may come before it in another round, unless a write in the
         loop always stands between; a write in an arm that is not surely taken may have been made in another round.
         Lambdas run at times that are not known: nothing is known of what one writes, and in one a variable must be
         written once in all.  The same holds in a function with a `goto`.
         Steps of `for` run after the body.  A case of a `switch` is taken where the number is its own, and is not where
         it is none of those that fall through to it; a case that others fall into may be left before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias, final

from analysis.ir.record import record
from analysis.syntax.tree import Node

Guards: TypeAlias = tuple[int, ...]
"""The conditionals around a place, outermost first, each with the arm that the place is in."""
Write: TypeAlias = tuple[Node, Guards]
Truth: TypeAlias = Callable[[int], bool | None]
"""Whether an arm is taken, where that is known."""

CONDITIONAL: Final = frozenset(
    (
        "if_statement",
        "for_statement",
        "while_statement",
        "do_statement",
        "switch_statement",
        "case_statement",
        "try_statement",
        "catch_clause",
        "for_range_loop",
        "conditional_expression",
        "lambda_expression",
    )
)
_LOOPS: Final = frozenset(("for_statement", "while_statement", "do_statement", "for_range_loop"))
_LEAVING: Final = frozenset(("break_statement", "return_statement", "continue_statement", "throw_statement"))
_ARMS: Final = ("consequence", "alternative")


@final
@record
class Arm:
    """A guard: the arm of a conditional at `start` for which the condition must be `value`; None for other guards."""

    start: int
    kind: str
    condition: Node | None = None
    value: bool = True
    case: Case | None = None


@final
@record
class Case:
    """A case of a `switch` over `number`: its own label, those that fall through to it, and all others."""

    number: Node
    own: Node | None
    above: tuple[Node, ...]
    others: tuple[Node, ...]
    is_default: bool
    is_below_default: bool
    """Whether the default falls through to it."""


@final
class HostPaths:
    """The conditionals of one function, and how it is left."""

    def __init__(self) -> None:
        self.arms: Final[list[Arm]] = []
        self.guards: Final[dict[int, Guards]] = {}
        """Those around each arm."""
        self.leaves: Final[list[tuple[int, Guards]]] = []
        """Where the function ends early."""
        self.has_jumps = False
        self._cases: dict[int, Case] = {}
        """By the place of the case."""

    def guards_of(self, parent: Node, around: Guards) -> Mapping[int, Guards]:
        """The guards of each child of a conditional, by its number."""
        inner: dict[int, Guards] = {}
        condition = parent.field("condition")
        if parent.kind in ("if_statement", "conditional_expression") and condition is not None:
            for number, child in enumerate(parent.children):
                if child.role in _ARMS:
                    inner[number] = self._add(Arm(parent.start, parent.kind, condition, child.role == _ARMS[0]), around)
            return inner
        if parent.kind == "binary_expression":
            return {len(parent.children) - 1: self._add(Arm(parent.start, parent.kind), around)}
        if parent.kind == "switch_statement":
            self._cases |= _cases_of(parent)
        whole = self._add(Arm(parent.start, parent.kind, case=self._cases.get(parent.start)), around)
        for number, child in enumerate(parent.children):
            if child.kind == "catch_clause":
                continue
            is_late = parent.kind == "for_statement" and child.role == "update"
            inner[number] = self._add(Arm(child.start, "update"), whole) if is_late else whole
        return inner

    @staticmethod
    def runs_once(node: Node) -> bool:
        """Whether it is `do { … } while (0)`, which nothing leaves before its end: no conditional, and no loop."""
        condition = node.field("condition") if node.kind == "do_statement" else None
        if condition is None or condition.text.strip(b"() ") not in (b"0", b"false"):
            return False
        return not any(inner.kind in ("break_statement", "continue_statement") for inner in node.walk())

    def _add(self, arm: Arm, around: Guards) -> Guards:
        self.arms.append(arm)
        guard = len(self.arms) - 1
        self.guards[guard] = around
        return (*around, guard)

    def is_reached(self, position: int, guards: Guards, truth: Truth) -> bool:
        """Whether nothing that is known keeps the program from coming there."""
        if any(truth(guard) is False for guard in guards):
            return False
        return not any(
            place < position and all(truth(guard) for guard in _beyond(around, guards)) for place, around in self.leaves
        )

    def last_writes(
        self, writes: Sequence[Write], position: int, guards: Guards, truth: Truth
    ) -> tuple[Sequence[Write], bool] | None:
        """Those of which one is the last before the place, and whether one of them surely is; None where that is not
        known."""
        if (self.has_jumps or self.is_in_lambda(guards)) and len(writes) > 1:
            return None
        before = [write for write in writes if write[0].start < position]
        if any(self._may_come_round(write, before, position, guards) for write in writes):
            return None
        if any(self.is_in_lambda(_beyond(write[1], guards)) for write in before):
            return None
        found: list[Write] = []
        arms: list[Arm] = []
        for write in sorted(before, key=_position, reverse=True):
            beyond = _beyond(write[1], guards)
            known = [truth(guard) for guard in beyond]
            if not all(known) and self._loops_in(_common(write[1], guards)):
                return None
            if False in known or self._is_other_arm(beyond, guards):
                continue
            found.append(write)
            if all(known):
                return found, True
            if len(beyond) == 1:
                arm = self.arms[beyond[0]]
                if any(one.condition is arm.condition is not None and one.value != arm.value for one in arms):
                    return found, True  # one of the arms was taken
                arms.append(arm)
        return found, False

    def is_in_lambda(self, guards: Guards) -> bool:
        """Whether a lambda is among the guards."""
        return any(self.arms[guard].kind == "lambda_expression" for guard in guards)

    def _loops_in(self, guards: Guards) -> Guards:
        return tuple(guard for guard in guards if self.arms[guard].kind in _LOOPS)

    def _may_come_round(self, write: Write, before: Sequence[Write], position: int, guards: Guards) -> bool:
        """Whether a write may come before the place in an earlier round of a loop around both."""
        around = self._loops_in(_common(write[1], guards))
        if not around:
            return False
        is_behind = write[0].start >= position or self._is_other_arm(_beyond(write[1], guards), guards)
        between = (one for one in before if not _beyond(one[1], guards))
        return is_behind and not any(around[-1] in one[1] for one in between)

    def _is_other_arm(self, beyond: Guards, guards: Guards) -> bool:
        """Whether the first of the guards is an arm of a branch whose other arm the place is in."""
        if not beyond:
            return False
        arm = self.arms[beyond[0]]
        return arm.condition is not None and any(
            other.condition is arm.condition and other.value != arm.value
            for other in (self.arms[guard] for guard in guards)
        )


def _cases_of(switch: Node) -> Mapping[int, Case]:
    condition, body = switch.field("condition"), switch.field("body")
    cases = [part for part in (() if body is None else body.children) if part.kind == "case_statement"]
    if condition is None or len(condition.children) != 1:
        return {}
    labels = [case.field("value") for case in cases]
    found: dict[int, Case] = {}
    above: list[Node | None] = []
    for case, own in zip(cases, labels, strict=True):
        known = {id(label) for label in (*above, own)}
        others = tuple(label for label in labels if label is not None and id(label) not in known)
        falling = tuple(label for label in above if label is not None)
        found[case.start] = Case(condition.children[0], own, falling, others, own is None, None in above)
        above = [] if _is_left(case) else [*above, own]
    return found


def _is_left(statement: Node) -> bool:
    """Whether nothing that stands behind the statement runs after it."""
    if statement.kind in ("compound_statement", "case_statement"):
        return bool(statement.children) and _is_left(statement.children[-1])
    return statement.kind in _LEAVING


def _position(write: Write) -> int:
    return write[0].start


def _common(one: Guards, other: Guards) -> Guards:
    count = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:count]


def _beyond(one: Guards, other: Guards) -> Guards:
    """The guards of `one` that are not around the other place as well."""
    return one[len(_common(one, other)) :]
