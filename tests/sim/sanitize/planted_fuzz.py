"""`python -m tests.sim.sanitize.planted_fuzz COUNT SEED`: random planted defects, and twins without them, through
`sanitize`; prints what was found of each family and what fails.

A defect has to be an error or a warning of its kind at its place; a twin has neither an error nor a warning.
A loop that may just be long is a note.
"""

from __future__ import annotations

from sim.sanitize.api import sanitize
from sim.sanitize.model import KernelFindings, Severity
from tests.sim.random.choices import Seeded
from tests.sim.sanitize.fuzz import LIMITS, loud, told
from tests.sim.sanitize.planted import Planted, planted
from tests.support.seeds import Counts, exit_with, run_seeds


def check(seed: int, counts: Counts) -> str | None:
    """What is wrong with the report on one defect and its twin."""
    kernel = planted(Seeded(seed))
    counts["planted"] += 1
    counts[f"planted: {kernel.family}"] += 1
    (found,) = sanitize(kernel.text, **LIMITS).kernels
    (clean,) = sanitize(kernel.twin, **LIMITS).kernels
    counts["clean twins"] += 1
    wrong = [_missed(kernel, found, counts), _false_alarm(kernel, clean)]
    counts["found"] += wrong[0] is None
    counts["false alarms"] += wrong[1] is not None
    return "\n".join(word for word in wrong if word is not None) or None


def _missed(kernel: Planted, found: KernelFindings, counts: Counts) -> str | None:
    places = [site for site in found.sites if site.place is not None and site.place.line in kernel.lines]
    sites = [site for site in places if site.kind in kernel.kinds]
    if any(site.severity is not Severity.NOTE for site in sites):
        return None
    if sites and kernel.may_be_long:
        counts["as a note: a loop that may be long"] += 1
        return None
    return f"{kernel.family}: not found; {told(list(found.sites))} {found.not_run} {found.left}\n{kernel.text}"


def _false_alarm(kernel: Planted, clean: KernelFindings) -> str | None:
    alarms = loud(clean)
    if not clean.ended or alarms:
        return f"{kernel.family}, twin: {told(alarms)} {clean.not_run} {clean.left}\n{kernel.twin}"
    return None


def main(count: int, first: int) -> int:
    return run_seeds(check, count, first)


if __name__ == "__main__":
    exit_with(main)
