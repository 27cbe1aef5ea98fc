"""Control-flow melding: similar code in the two arms of a divergent branch becomes code that both run together.

Question  Which divergent branches of a function can be melded, what does it save, and what is the function then?
Rounds    Each round analyses the function anew (divergence, trips of loops, memory spaces), tries every divergent
          branch on a copy (`attempt.py`), and melds those that pay, the most profitable one first: so an inner region
          that saves little does not spoil an outer one that saves more (the paper's regression on SRAD).  It ends with
          a round in which nothing is melded, or after `MeldSettings.max_rounds`, and says so.
Gain      With BEST a meld is made where a gain is certain as far as the sample of warps goes (`pricing.py`); with a
          published method the published threshold alone decides, and the predicted gain is told.
Loops     how often they run is known of the function that was given alone: a loop with selected bounds has none that
          can be seen.  So each block keeps its rounds from one round of melding to the next.
Checked   the verifier reads the result of every round.  A round whose result is not well formed is given up: its
          regions are refused as BROKEN, and what was melded before stands.  `after_each` sees every single meld.
Result    runs in the simulator in place of the function that was given.
Limits    the estimate is that of `analysis/verdict/latency.py`: an order of merit, no time.
Source    Saumya et al., "DARM: Control-Flow Melding for SIMT Thread Divergence Reduction", CGO 2022, Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import fmean
from typing import final

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Branch, Switch
from analysis.ir.source import Span
from analysis.ir.verifier import verify
from analysis.meld.attempt import Answer, Attempt, Failure, best_attempt
from analysis.meld.draft import BlockIndex, FlowDraft
from analysis.meld.facts import MeldFacts, draft_of, meld_facts
from analysis.meld.model import MeldedRegion, MeldObstacle, MeldResult, RefusedRegion
from analysis.meld.pricing import Price, passing_lanes, total_price
from analysis.meld.settings import DEFAULT_MELD_SETTINGS, MeldSettings

ANY_LAUNCH = LaunchKnowledge()


def meld_function(
    function: Function,
    settings: MeldSettings = DEFAULT_MELD_SETTINGS,
    launch: LaunchKnowledge = ANY_LAUNCH,
    after_each: Callable[[Function], None] | None = None,
) -> MeldResult:
    """Melds `function`, which is in SSA form with its calls inlined; what may be assumed of its launch is `launch`.

    `after_each` is called with the function after each meld: tests verify it there.
    """
    return _Melding(function, settings, launch, after_each).run()


@final
class _Melding:
    """The state of Algorithm 1."""

    def __init__(
        self,
        function: Function,
        settings: MeldSettings,
        launch: LaunchKnowledge,
        after_each: Callable[[Function], None] | None,
    ) -> None:
        self._after_each = after_each
        self._function = function
        self._settings = settings
        self._launch = launch
        self._melded: list[MeldedRegion] = []
        self._refused: tuple[RefusedRegion, ...] = ()
        self._blocks: frozenset[BasicBlockId] = frozenset()
        self._rounds: tuple[int, ...] | None = None
        self._slots_before: float | None = None
        self._saved = 0.0

    def run(self) -> MeldResult:
        rounds = 0
        is_cut = is_broken = False
        while True:
            facts = meld_facts(self._function, self._launch)
            draft = draft_of(facts, self._blocks, self._rounds)
            price = total_price(draft, facts)
            if self._slots_before is None:
                self._slots_before = max(1.0, fmean(price.slots))
            answers = self._answers(draft, price, facts)
            found = [(entry, answer) for entry, answer in answers if isinstance(answer, Attempt)]
            is_cut = bool(found) and rounds >= self._settings.max_rounds
            if not found or is_cut:
                break
            noted, saved = len(self._melded), self._saved
            is_broken = not self._finish(self._meld_all(draft, found, price, facts))
            if is_broken:
                del self._melded[noted:]
                self._saved = saved
                break
            rounds += 1
        assert self._slots_before is not None
        stop = MeldObstacle.BROKEN if is_broken else MeldObstacle.CUT
        self._refused = tuple(self._refusal(draft, entry, answer, stop) for entry, answer in answers)
        slots = round(self._slots_before), round(self._slots_before - self._saved)
        return MeldResult(self._function, tuple(self._melded), self._refused, self._blocks, rounds, is_cut, slots)

    def _answers(self, draft: FlowDraft, price: Price, facts: MeldFacts) -> list[tuple[BlockIndex, Answer]]:
        lanes = passing_lanes(draft, facts)
        return [
            (entry, best_attempt(draft, entry, price, facts, self._settings, lanes))
            for entry in draft.order()
            if _is_candidate(draft, entry)
        ]

    def _meld_all(
        self, draft: FlowDraft, found: Iterable[tuple[BlockIndex, Attempt]], price: Price, facts: MeldFacts
    ) -> FlowDraft:
        """Melds the most profitable region, then what still stands of the others, in order of their profit."""
        ranked = sorted(found, key=lambda one: -one[1].slots.mean)
        names = [_name(draft, entry) for entry, _ in ranked]
        first = ranked[0][1]
        self._note(draft, ranked[0][0], first)
        draft = first.draft
        for name in names[1:]:
            entries = [entry for entry in draft.order() if _is_candidate(draft, entry) and _name(draft, entry) == name]
            if len(entries) != 1:
                continue
            answer = best_attempt(draft, entries[0], total_price(draft, facts), facts, self._settings)
            if isinstance(answer, Attempt):
                self._note(draft, entries[0], answer)
                draft = answer.draft
        return draft

    def _note(self, draft: FlowDraft, entry: BlockIndex, attempt: Attempt) -> None:
        branch = draft.blocks[entry].terminator
        assert isinstance(branch, Branch)
        assert self._slots_before is not None
        share = attempt.slots.mean / self._slots_before
        self._saved += attempt.slots.mean
        if self._after_each is not None:
            self._after_each(attempt.draft.copy().finish()[0])
        self._melded.append(MeldedRegion(branch.branch, branch.span, attempt.method, attempt.pairs, share))

    def _finish(self, draft: FlowDraft) -> bool:
        """Takes the draft as the function, unless it is not well formed."""
        function, order = draft.finish()
        if verify(function):
            return False
        self._function = function
        self._rounds = tuple(draft.blocks[old].rounds for old in order)
        self._blocks = frozenset(BasicBlockId(new) for new, old in enumerate(order) if draft.blocks[old].is_melded)
        return True

    def _refusal(self, draft: FlowDraft, entry: BlockIndex, answer: Answer, stop: MeldObstacle) -> RefusedRegion:
        """`stop` is why what could be melded was not."""
        terminator = draft.blocks[entry].terminator
        branch = terminator.branch if isinstance(terminator, Branch | Switch) else None
        assert self._slots_before is not None
        match answer:
            case Failure(obstacle=obstacle, place=place, profitability=profitability, saved=saved):
                share = None if saved is None else saved / self._slots_before
                return RefusedRegion(branch, terminator.span, obstacle, place, profitability, share)
            case Attempt(slots=slots, pairs=pairs):
                best = max(pair.profitability for pair in pairs)
                share = slots.mean / self._slots_before
                return RefusedRegion(branch, terminator.span, stop, terminator.span, best, share)


def _is_candidate(draft: FlowDraft, block: BlockIndex) -> bool:
    return draft.blocks[block].is_divergent and len(draft.successors(block)) > 1


def _name(draft: FlowDraft, block: BlockIndex) -> tuple[ValueId | None, Span]:
    """What a branch is known by while blocks around it change."""
    terminator = draft.blocks[block].terminator
    condition = draft.find(terminator.condition) if isinstance(terminator, Branch) else None
    return condition, terminator.span
