"""Runs one random kernel under several policies and says what is wrong: with the run, or with what analyses claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, final

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.verdict.barriers import Tier
from benchmarks.claims.claim import Claim
from benchmarks.claims.observer import ClaimObserver
from benchmarks.claims.subject import Subject, analyze_subject
from sim.events import Observer
from sim.observers.races import RaceObserver
from sim.policies.registry import POLICIES
from sim.result import Result
from sim.simulate import simulate
from tests.sim.random.choices import Choices
from tests.sim.random.kernels import NAME, RandomKernel
from tests.sim.running import kernel_of


@final
@dataclass(frozen=True, slots=True)
class Findings:
    """`failures` is empty where nothing is wrong; `checked` counts claims by kind."""

    failures: tuple[str, ...]
    checked: Counter[str]


class _SameCode(Observer):
    """Asks for what the claims ask for, so that all policies run the code that was generated for the first."""

    events = ClaimObserver.events


_SAME_CODE: Final = _SameCode()


def referee(random: RandomKernel, choices: Choices, policies: Sequence[str]) -> Findings:
    """Under the first policy the claims are looked at, under the last one races; `choices` pick what the analyses may
    know of the launch."""
    kernel = kernel_of(random.text, NAME, random.launch.warp_size)
    checked: Counter[str] = Counter()
    failures: list[str] = []
    results: dict[str, Result] = {}
    subject = analyze_subject(kernel.function, _knowledge(random, choices))
    claims = ClaimObserver(subject)
    for name in policies:
        checked[f"runs under {name}"] += 1
        observers: list[Observer] = [_SAME_CODE]
        if name == policies[0]:
            observers.append(claims)
        if name == policies[-1]:
            observers.append(RaceObserver())
        result = results[name] = simulate(kernel, random.launch, POLICIES[name], observers)
        failures += [f"under {name}: {fault}" for fault in result.faults]
        if result.truncated is not None:
            failures.append(f"under {name}: truncated, {result.truncated}")
        if name == policies[0]:
            found = _refuted(subject, claims, result)
            failures += found.failures
            checked.update(found.checked)
    failures += _disagreements(results)
    return Findings(tuple(failures), checked)


def some_policies(choices: Choices, count: int) -> tuple[str, ...]:
    """Different ones, in any order."""
    left = list(POLICIES)
    return tuple(left.pop(choices.below(len(left))) for _ in range(count))


def _knowledge(random: RandomKernel, choices: Choices) -> LaunchKnowledge:
    launch = random.launch
    shape = BlockShape(*launch.block)
    is_line = shape.y == shape.z == 1
    return choices.pick(
        (
            LaunchKnowledge((shape,), warp_size=launch.warp_size),
            LaunchKnowledge((shape,), warp_size=launch.warp_size),
            LaunchKnowledge((shape, BlockShape(2 * shape.x, shape.y, shape.z)), warp_size=launch.warp_size),
            LaunchKnowledge(one_dimensional=is_line, warp_size=launch.warp_size),
            LaunchKnowledge(warp_size=launch.warp_size),
        )
    )


def _disagreements(results: dict[str, Result]) -> Iterator[str]:
    (first, expected), *others = results.items()
    for name, result in others:
        if result.memory_digest != expected.memory_digest:
            arrays = [key for key, array in result.arrays.items() if (array != expected.arrays[key]).any()]
            yield f"{first} and {name} leave different memory: {', '.join(arrays)}"
        if result.thread_instructions != expected.thread_instructions:
            yield f"{first} and {name} run {expected.thread_instructions} and {result.thread_instructions} instructions"


def _refuted(subject: Subject, observer: ClaimObserver, result: Result) -> Findings:
    """What the run says to the claims.  Index arithmetic of random kernels does not wrap and no fault is tolerated, so
    costs are due whatever the forms are; only values nobody wrote excuse a claim."""
    found = observer.settle(result)
    failures = [
        f"{one.claim.value}: {one.subject}: {one.claimed}; {one.seen}"
        for one in found.refutations
        if not one.rests_on_undefined and (one.is_exact or one.claim not in _FORMS)
    ]
    checked = Counter({claim.name: count for claim, count in found.checked.items()})
    checked.update({f"{claim.name} {level.name}": count for (claim, level), count in found.by_level.items()})
    if observer.keeps_together:
        for branch in result.branches:
            if (
                branch.function == str(subject.function.id)
                and subject.divergence.branch_level(branch.branch) <= Level.WARP
            ):
                checked["uniform branches"] += 1
                if branch.diverged:
                    failures.append(f"branch {branch} is uniform in each warp but diverged")
    proven = [one for one in subject.barriers if one.evidence is not None and one.evidence.tier is Tier.PROVEN]
    failures += [f"no barrier is wrong, but this one is said to be: {barrier}" for barrier in proven]
    return Findings(tuple(failures), checked)


_FORMS: Final = (Claim.FORM, Claim.USE_FORM, Claim.STRIDE)
