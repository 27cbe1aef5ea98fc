"""How it ended to hold a finding against runs."""

from __future__ import annotations

from typing import TypeAlias

from simt_lsp.run_check import RunCheck
from simt_lsp.server.simulations.outcome import Failed, Refused, Stopped

ConfirmOutcome: TypeAlias = RunCheck | Refused | Failed | Stopped
