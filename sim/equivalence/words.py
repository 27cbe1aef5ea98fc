"""Verdicts on a change, as a sentence without a full stop: for titles of actions, terminals and reports."""

from __future__ import annotations

from typing import assert_never

from analysis.rules.wording import quantity
from sim.equivalence.model import (
    BrokenText,
    Confirmed,
    Evidence,
    MemoryDiffers,
    NewFault,
    NotChecked,
    NotFewer,
    PrintedDiffers,
    Refuted,
    Verdict,
)
from sim.report.words import number


def verdict_words(verdict: Verdict) -> str:
    """Why the change is what it is: `x[37] becomes 5 instead of 37 under ipdom`."""
    match verdict:
        case Confirmed(policies=policies):
            return f"equal results under {quantity(len(policies), 'policy', 'policies')}{_reserve(verdict)}"
        case Refuted(policy=policy, evidence=evidence):
            under = "" if policy is None or isinstance(evidence, NotFewer | NewFault) else f" under {policy}"
            return f"{evidence_words(evidence)}{under}"
        case NotChecked(message=message, place=place):
            return message if place is None else f"{message}, in line {place.line}"
        case _:
            assert_never(verdict)


def _reserve(verdict: Confirmed) -> str:
    """What a reader of the confirmation should know."""
    words = ""
    if verdict.is_order_dependent:
        words += "; the kernel has a race, so that policies differ from each other before and after alike"
    if verdict.left_out:
        words += f"; threads wait for ever under {', '.join(verdict.left_out)}, before the change already"
    if verdict.unexecuted:
        words += f"; {verdict.unexecuted} of {quantity(verdict.instructions, 'instruction')} of the branch never ran"
    return words


def evidence_words(evidence: Evidence) -> str:
    match evidence:
        case MemoryDiffers(name=name, element=element, before=before, after=after, count=count):
            more = f", and {quantity(count - 1, 'more element')} differ{'s' if count == 2 else ''}" if count > 1 else ""
            return f"{name}{''.join(f'[{index}]' for index in element)} becomes {after} instead of {before}{more}"
        case PrintedDiffers(line=line, before=before, after=after):
            return f"prints {line.rstrip()!r} {quantity(after, 'time')} instead of {number(before)}"
        case NewFault(message=message, place=place):
            return f"new fault: {message}" + ("" if place is None else f", in line {place.line}")
        case NotFewer(before=before, after=after):
            return f"issues {quantity(after, 'instruction')} instead of {number(before)}"
        case BrokenText(message=message, place=place):
            return message if place is None else f"{message}, in line {place.line}"
        case _:
            assert_never(evidence)
