"""What runs say of a finding that the analysis could not decide, as plain data for reports and the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, final

from analysis.ir.record import record

CONFIRMED: Final = "confirmed"


@final
@record
class RunCheck:
    """`verdict`: confirmed, depends-on-choices, not-seen or not-run; `message` says it to a person.

    `runs` said something about the finding; `evidence` is the one that shows it, None where none does.
    """

    verdict: str
    message: str
    runs: int
    evidence: Mapping[str, Any] | None

    @property
    def is_confirmed(self) -> bool:
        return self.verdict == CONFIRMED

    def written(self) -> dict[str, Any]:
        """As JSON."""
        return {"verdict": self.verdict, "message": self.message, "runs": self.runs, "evidence": self.evidence}
