"""How the check of an edit ended: a melding, or barriers that were inserted.

Rules    Only a confirmed edit is applied without a question.  One that was not checked may be applied on request;
         one that is refuted never is.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeAlias, final

from analysis.ir.record import record
from analysis.refactor.edit import Replacement
from simt_lsp.server.simulations.outcome import Failed, Refused, Stopped


class EditVerdict(Enum):
    """The values are those of the protocol."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    NOT_CHECKED = "not-checked"


@final
@record
class CheckedEdit:
    """The edit could be written, and both versions were compared.

    `message` says why it is not confirmed, or what the confirmation leaves open.  `before` and `after` are what both
    versions cost under the first policy, `launch` is what they ran with; None where nothing was counted.
    """

    verdict: EditVerdict
    title: str
    message: str | None
    replacements: tuple[Replacement, ...]
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    launch: Mapping[str, Any] | None


EditOutcome: TypeAlias = CheckedEdit | Refused | Failed | Stopped
"""`Refused`: the edit cannot be written, and why."""
