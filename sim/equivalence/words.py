"""Verdicts on a change, as a sentence without a full stop: for titles of actions, terminals and reports."""

from __future__ import annotations

import math
from typing import assert_never

from analysis.rules.wording import quantity
from sim.equivalence.model import (
    BrokenText,
    Comparison,
    Confirmed,
    Evidence,
    MemoryDiffers,
    NewFault,
    NotChecked,
    NotFewer,
    PrintedDiffers,
    Refuted,
    StillRaces,
    Verdict,
)
from sim.report.words import number


def verdict_words(verdict: Verdict) -> str:
    """Why the change is what it is: `x[37] becomes 5 instead of 37 under ipdom`."""
    match verdict:
        case Confirmed():
            gone = f"{quantity(verdict.races, 'race')} gone, " if verdict.races else ""
            return f"{gone}equal results under {_where_equal(verdict)}{_reserve(verdict)}"
        case Refuted(policy=policy, evidence=evidence, fewer=fewer):
            under = "" if policy is None or isinstance(evidence, NotFewer | NewFault) else f" under {policy}"
            blocks = "" if fewer is None else f" with {quantity(fewer.blocks, 'block')}"
            return f"{evidence_words(evidence)}{under}{blocks}"
        case NotChecked(message=message, place=place):
            return message if place is None else f"{message}, in line {place.line}"
        case _:
            assert_never(verdict)


def edit_title(what: str, comparison: Comparison, gain: str | None) -> str:
    """What an action that makes the change is called; `gain` is what a confirmation is worth, if that is known."""
    verdict, launch = comparison.verdict, comparison.launch
    match verdict:
        case Confirmed():
            if gain is None or launch is None:
                return what
            return f"{what}: {gain}, checked on {quantity(launch.threads, 'thread')}"
        case Refuted():
            return f"{what} (refuted: {verdict_words(verdict)})"
        case NotChecked():
            return f"{what} (not checked: {verdict_words(verdict)})"
        case _:
            assert_never(verdict)


def _where_equal(verdict: Confirmed) -> str:
    policies, fewer = verdict.policies, verdict.fewer
    if fewer is None:
        return quantity(len(policies), "policy", "policies")
    first = f"{policies[0]} with {quantity(math.prod(fewer.whole), 'block')}"
    if len(policies) == 1:
        return first
    others = quantity(len(policies) - 1, "other policy", "other policies")
    return f"{first}, and under {others} with {quantity(fewer.blocks, 'block')}"


def _reserve(verdict: Confirmed) -> str:
    """What a reader of the confirmation should know."""
    words = ""
    if verdict.is_order_dependent:
        words += "; the kernel has a race, so that policies differ from each other before and after alike"
    if verdict.left_out:
        words += f"; threads wait for ever under {', '.join(verdict.left_out)}, before the change already"
    if verdict.too_long:
        words += f"; not compared under {', '.join(verdict.too_long)}, which would take too long"
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
            return f"the kernel then issues {quantity(after, 'instruction')} instead of {number(before)}"
        case BrokenText(message=message, place=place) | StillRaces(message=message, place=place):
            return message if place is None else f"{message}, in line {place.line}"
        case _:
            assert_never(evidence)
