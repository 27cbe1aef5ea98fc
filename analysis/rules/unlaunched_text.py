"""That nothing launches the kernels which run a function, in one sentence."""

from __future__ import annotations

from analysis.facts.model import Unlaunched
from analysis.rules.wording import quantity


def unlaunched_text(unlaunched: Unlaunched) -> str:
    """Without its end: `the project never launches `old`, while 3 other kernels are launched`."""
    *more, last = [f"`{kernel}`" for kernel in unlaunched.kernels]
    kernels = f"{', '.join(more)} or {last}" if more else last
    others, are = quantity(unlaunched.others, "other kernel"), "is" if unlaunched.others == 1 else "are"
    return f"the project never launches {kernels}, while {others} {are} launched"
