"""What the findings about barriers that some threads miss have in common."""

from __future__ import annotations

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.races.absent_model import Consequence
from analysis.rules.barrier_text import BarrierWords
from analysis.verdict.barriers import Tier


@record
class BarrierFinding:
    """The words for one barrier, which know its place and how sure it is."""

    words: BarrierWords

    @property
    def site(self) -> Location:
        return self.words.site

    @property
    def consequence(self) -> Consequence:
        return self.words.consequence

    @property
    def tier(self) -> Tier | None:
        return self.words.tier
