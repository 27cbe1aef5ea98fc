"""Phis: what remains of the forms that meet, and the recurrences of loops.

Joins        Forms that are equal stay, whoever chooses.  Where threads of a warp come over one edge together, forms
             with the same thread part keep it, and the rest is an atom of the phi.
Recurrences  Every way back to the header of a loop brings the phi plus one step that does not change in the loop: the
             phi is `start + step * iteration`.  If the steps only agree in the warp at each iteration, the thread part
             is that of the start: the threads that execute iteration k of one dynamic instance executed the iterations
             before it together.  Ways back are guessed first and confirmed when the loop has been read; what is not
             confirmed is taken back, and the loop is read again.
Stale atoms  An atom that all forms at a phi share is defined above every way in, and so above the phi: it cannot change
             before the phi runs again.  What comes back to a header gives no form, only a step.
Gives up     in irreducible cycles, where iterations are a convention.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

from analysis.affine.arithmetic import add, scale, subtract
from analysis.affine.atoms import IterationAtom, ResidualAtom, ValueAtom
from analysis.affine.facts import AffineFacts
from analysis.affine.interval import Interval
from analysis.affine.linear_form import LinearForm
from analysis.affine.polynomial import variable
from analysis.divergence.levels import Level
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Phi
from analysis.ir.types import IntegerType

MAX_ROUNDS = 8


@final
@dataclass(slots=True)
class Recurrence:
    """What is believed of one phi at the header of a loop.

    `step` None: the steps agree in the warp at each iteration; `believed` False: nothing linear is left.
    """

    phi: Phi
    cycle: Cycle
    start: LinearForm | None = None
    step: LinearForm | None = None
    believed: bool = True
    integral: bool = True
    """Equal to its form as an integer, unless a way back says otherwise."""


@final
class PhiRules:
    def __init__(self, facts: AffineFacts, control: ControlFlow) -> None:
        self.facts = facts
        self.control = control
        self.divergence = facts.divergence
        self.forms = facts.forms
        self.recurrences: dict[ValueId, Recurrence] = {}
        self._headers = {cycle.header: cycle for cycle in control.cycles if cycle.reducible}
        self._has_irreducible = any(not cycle.reducible for cycle in control.cycles)

    @cached_property
    def _split(self) -> frozenset[BasicBlockId]:
        """Blocks where threads of one warp meet that took different ways."""
        found: set[BasicBlockId] = set()
        for block in self.control.order:
            if len(self.control.successors[block]) > 1 and self.divergence.terminator_level(block) > Level.WARP:
                found |= self.control.joins(block)
        return frozenset(found)

    def form(self, phi: Phi, block: BasicBlockId) -> LinearForm | None:
        """None: nothing linear; the caller makes an atom of it if it agrees in the warp."""
        if self._has_irreducible and any(not cycle.reducible for cycle in self.control.cycles_around(block)):
            return None
        cycle = self._headers.get(block)
        incoming = [(b, v) for b, v in phi.incoming if self.control.is_reachable(b) and v != phi.result]
        if cycle is None:
            return self._joined(phi.result, [value for _, value in incoming], block)
        entering = [value for source, value in incoming if source not in cycle.blocks]
        return self._recurring(phi, cycle, self._joined(phi.result, entering, block))

    # -- joins ------------------------------------------------------------------------------------------------------

    def _joined(self, result: ValueId, values: Sequence[ValueId], block: BasicBlockId) -> LinearForm | None:
        facts = self.facts
        distinct = dict.fromkeys(values)
        known = [
            form
            for value in distinct
            if (form := self.forms[value]) is not None and facts.uniformity.agrees(value, form, block)
        ]
        if not known or len(known) < len(distinct):
            return None
        first = known[0]
        same = all(form == first for form in known)
        facts.proven[result] = all(facts.proven[value] for value in values)
        if same:
            return first
        if not first.coefficients or any(form.coefficients != first.coefficients for form in known):
            return None
        if block in self._split:
            return None
        exact = all(form.exact for form in known)
        return self.with_residual(result, first, min(facts.polynomial_alignment(form.base) for form in known), exact)

    def with_residual(self, value: ValueId, form: LinearForm, alignment: int, exact: bool) -> LinearForm:
        """The thread part of the form, on the rest of the value as an atom."""
        facts = self.facts
        facts.residual_ranges[value] = facts.ranges.of(value) - facts.thread_range(form)
        facts.residual_alignments[value] = alignment
        return LinearForm(form.bits, variable(ResidualAtom(value)), form.coefficients, exact)

    # -- recurrences ------------------------------------------------------------------------------------------------

    def _recurring(self, phi: Phi, cycle: Cycle, start: LinearForm | None) -> LinearForm | None:
        value = phi.result
        known = self.recurrences.get(value)
        if known is None:
            known = self.recurrences[value] = Recurrence(phi, cycle)
        known.start = start
        if start is None or not known.believed:
            return None
        self.facts.proven[value] &= known.integral
        if known.step is not None:
            self._bound_iterations(known, start)
            return add(start, scale(known.step, variable(IterationAtom(cycle.id))))
        if self.divergence.level(value) <= Level.WARP:
            return LinearForm(start.bits, variable(ValueAtom(value)))
        return self.with_residual(value, start, 1, start.exact)

    def _bound_iterations(self, known: Recurrence, start: LinearForm) -> None:
        """A value that is bounded and moves by a number at each iteration bounds the iterations."""
        facts, value = self.facts, known.phi.result
        step = known.step.base.constant if known.step is not None and known.step.is_uniform else None
        if not step or not facts.proven[value] or not isinstance(facts.function.types[value], IntegerType):
            return
        whole, first = facts.ranges.of(value), facts.form_range(start)
        most = (whole.high - first.low) // step if step > 0 else (first.high - whole.low) // -step
        bound = Interval(0, max(0, most))
        before = facts.iteration_ranges.get(known.cycle.id)
        facts.iteration_ranges[known.cycle.id] = bound if before is None else before.meet(bound) or before

    def confirm(self, last: bool) -> bool:
        """Compares what came back to the headers with what was believed; True if the loops must be read again.

        `last`: give up everything that was believed.
        """
        changed = False
        for known in self.recurrences.values():
            if known.believed:
                changed |= self._give_up(known) if last else self._confirm(known)
        return changed

    def _confirm(self, known: Recurrence) -> bool:
        value, header = known.phi.result, known.cycle.header
        form = self.forms[value]
        if form is None or known.start is None:
            return self._give_up(known)
        steps: list[LinearForm] = []
        integral = True
        for source, back in known.phi.incoming:
            if source in known.cycle.blocks:
                returned = self.forms[back]
                if returned is None or not self.facts.uniformity.agrees(back, returned, header):
                    return self._give_up(known)
                integral &= bool(self.facts.proven[back])
                steps.append(subtract(returned, form))
        lost = known.integral and not integral
        known.integral &= integral
        first = steps[0]
        if all(step == first for step in steps) and self._is_invariant(first, known.cycle) and self._can_count(known):
            changed = known.step != first
            known.step = first
            return changed or lost
        together = header not in self._split and all(step.is_uniform and step.exact for step in steps)
        if known.step is None and (together or self.divergence.level(value) <= Level.WARP):
            return lost
        return self._give_up(known)

    @staticmethod
    def _can_count(known: Recurrence) -> bool:
        """Not if different starts meet in the phi: their rest is an atom of the phi itself."""
        start = known.start
        return start is not None and ResidualAtom(known.phi.result) not in start.base.atoms()

    def _is_invariant(self, step: LinearForm, cycle: Cycle) -> bool:
        polynomials = (step.base, *(coefficient for _, coefficient in step.coefficients))
        homes = (self.facts.uniformity.home(atom) for polynomial in polynomials for atom in polynomial.atoms())
        return all(home is None or home not in cycle.blocks for home in homes)

    @staticmethod
    def _give_up(known: Recurrence) -> bool:
        known.believed = False
        return True
