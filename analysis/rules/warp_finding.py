"""What the findings about operations of a warp have in common."""

from __future__ import annotations

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.rules.diagnostic import Related
from analysis.rules.run_claim import RunClaim
from analysis.verdict.barriers import Tier


@record
class WarpFinding:
    """A place, how sure it is, one sentence, and the places that explain it, the nearest cause first."""

    site: Location
    tier: Tier | None
    text: str
    places: tuple[Related, ...]
    expected: RunClaim | None = None
    """What a run shows if the finding is right; None where no run can say."""

    def message(self) -> str:
        return self.text

    def claim(self) -> RunClaim | None:
        return self.expected

    def related(self) -> tuple[Related, ...]:
        return self.places
