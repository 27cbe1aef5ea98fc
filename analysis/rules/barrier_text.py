"""The sentences that the barrier rules share."""

from __future__ import annotations

from typing import final

from analysis.facts.barrier_records import BarrierRecord
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import BarrierScope, Location
from analysis.ir.record import record
from analysis.races.absent_model import Consequence
from analysis.rules.barrier_survey import UnsafeBarrier
from analysis.rules.consequence_text import consequence_text, related_need
from analysis.rules.diagnostic import Related
from analysis.rules.guard_text import GuardWords, guard_chain, guard_words
from analysis.rules.witness_text import is_single, launch_text, ranges_text, threads_text
from analysis.rules.wording import GROUP_WORDS, SCOPE_WORDS
from analysis.verdict.barriers import Tier
from analysis.verdict.witness import Witness


@final
@record
class BarrierWords:
    """What the messages say of one unsafe barrier; `barrier` is "this barrier" or, from a call, where it stands."""

    site: Location
    place: Location
    """Where the barrier stands."""
    scope: BarrierScope
    tier: Tier
    witness: Witness | None
    guard: GuardWords
    related: tuple[Related, ...]
    barrier: str
    destructor: str
    consequence: Consequence
    aftermath: str
    """What follows for the others, as a sentence with a blank in front; empty where they wait in vain."""

    @property
    def group(self) -> str:
        return GROUP_WORDS[self.scope]

    def who(self) -> str:
        """Who arrives and who does not; with a witness by number."""
        if self.witness is not None:
            arriving, missing = threads_text(self.witness.arriving), ranges_text(self.witness.missing)
            verb = "arrives" if is_single(self.witness.arriving) else "arrive"
            rest = "does not" if is_single(self.witness.missing) else "do not"
            start = f"{arriving[0].upper()}{arriving[1:]} of {self.group} {verb} at {self.barrier}"
            return f"{start}, {missing} {rest} ({self.launch()})"
        if self.tier is Tier.ASSUMED:
            return f"It is not known whether all threads of {self.group} arrive at {self.barrier}"
        return f"Some threads of {self.group} may not arrive at {self.barrier}"

    def call(self) -> str:
        """What leads to the barrier from the site: a call, or the end of an object."""
        return f"`{self.destructor}`, which runs here," if self.destructor else "This call"

    def launch(self) -> str:
        assert self.witness is not None
        permitting = ", other conditions permitting" if self.witness.assumed else ""
        return f"{launch_text(self.witness)}{permitting}"

    def where(self) -> str:
        """Where threads part: "at the `if` in line 12, `i < n` depends on `threadIdx.x`"."""
        return f"at {self.guard.place}, {self.guard.cause}"


def barrier_words(analysis: FileAnalysis, unsafe: UnsafeBarrier, *, at_barrier: bool = False) -> BarrierWords:
    """The words for the finding's site or, `at_barrier`, for a reader who looks at the barrier itself."""
    record = unsafe.record
    here = at_barrier or unsafe.site == record.barrier
    return BarrierWords(
        unsafe.site,
        record.barrier,
        record.scope,
        record.tier,
        record.witness,
        guard_words(analysis, record.guards[0]),
        (*guard_chain(analysis, record), *related_need(record.needed)),
        "this barrier" if here else barrier_behind(analysis, record),
        record.destructor,
        record.consequence,
        consequence_text(analysis, record.consequence, record.needed),
    )


def barrier_behind(analysis: FileAnalysis, record: BarrierRecord) -> str:
    """For a reader who looks at another place: "the block barrier at line 12"."""
    barrier, words = record.barrier, SCOPE_WORDS[record.scope]
    if barrier.path != analysis.facts.path:
        return f"the {words} in {barrier.path.rpartition('/')[2]}"
    return f"the {words} at line {analysis.document.lines.line_of(barrier.start) + 1}"
