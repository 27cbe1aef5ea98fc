"""What the findings about operations of a warp have in common."""

from __future__ import annotations

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.rules.diagnostic import Related
from analysis.verdict.barriers import Tier


@record
class WarpFinding:
    """A place, how sure it is, one sentence, and the places that explain it, the nearest cause first."""

    site: Location
    tier: Tier | None
    text: str
    places: tuple[Related, ...]

    def message(self) -> str:
        return self.text

    def related(self) -> tuple[Related, ...]:
        return self.places
