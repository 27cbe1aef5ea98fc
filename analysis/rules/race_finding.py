"""What the findings about races have in common."""

from __future__ import annotations

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.rules.diagnostic import Related
from analysis.rules.race_text import RaceGroup
from analysis.rules.run_claim import RaceClaim
from analysis.verdict.barriers import Tier


@record
class RaceFinding:
    """The races that are reported at one place as one."""

    group: RaceGroup

    @property
    def site(self) -> Location:
        return self.group.site

    @property
    def tier(self) -> Tier | None:
        return self.group.tier

    def claim(self) -> RaceClaim:
        return self.group.claim()

    def related(self) -> tuple[Related, ...]:
        return self.group.related()
