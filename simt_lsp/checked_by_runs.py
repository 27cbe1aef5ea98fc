"""From what the simulator says of a finding to plain data; imports the simulator, and with it NumPy."""

from __future__ import annotations

from sim.confirm.model import RunVerdict
from sim.confirm.words import evidence_object, run_count, run_words, verdict_name
from simt_lsp.run_check import RunCheck


def run_check(verdict: RunVerdict) -> RunCheck:
    return RunCheck(verdict_name(verdict), run_words(verdict), run_count(verdict), evidence_object(verdict))
