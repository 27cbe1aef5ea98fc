"""Runs one random kernel under several policies and says what is wrong: with the run, or with what analyses claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, final

from analysis.access.analysis import analyze_accesses
from analysis.affine.analysis import analyze_affine
from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.options import DivergenceOptions
from analysis.graph.control_flow import ControlFlow
from analysis.memory.spaces import infer_spaces
from analysis.verdict.barriers import Tier, find_barriers
from sim.kernel import Kernel
from sim.observers.protocol import Events, Observer
from sim.observers.races import RaceObserver
from sim.policies.registry import POLICIES
from sim.result import Result
from sim.simulate import simulate
from tests.sim.random.access_claims import AccessClaims
from tests.sim.random.affine_claims import AffineClaims
from tests.sim.random.choices import Choices
from tests.sim.random.kernels import NAME, RandomKernel
from tests.sim.random.level_claims import LevelClaims
from tests.sim.random.witness import Witness
from tests.sim.running import kernel_of


@final
@dataclass(frozen=True, slots=True)
class Findings:
    """`failures` is empty where nothing is wrong; `checked` counts claims by kind."""

    failures: tuple[str, ...]
    checked: Counter[str]


class _SameCode(Observer):
    """Asks for values as the claims do, so that all policies run the code that was generated for the first."""

    events = Events.VALUES


_SAME_CODE: Final = _SameCode()


def referee(random: RandomKernel, choices: Choices, policies: Sequence[str]) -> Findings:
    """Under the first policy the claims are looked at, under the last one races; `choices` pick what the analyses may
    know of the launch."""
    kernel = kernel_of(random.text, NAME, random.launch.warp_size)
    checked: Counter[str] = Counter()
    failures: list[str] = []
    results: dict[str, Result] = {}
    for name in policies:
        checked[f"runs under {name}"] += 1
        observers: list[Observer] = [_SAME_CODE]
        claims: _Claims | None = None
        if name == policies[0]:
            claims = _Claims(kernel, random, _knowledge(random, choices))
            observers += claims.observers
        if name == policies[-1]:
            observers.append(RaceObserver())
        result = results[name] = simulate(kernel, random.launch, POLICIES[name], observers)
        failures += [f"under {name}: {fault}" for fault in result.faults]
        if result.truncated is not None:
            failures.append(f"under {name}: truncated, {result.truncated}")
        if claims is not None:
            failures += claims.refuted(result)
            checked.update(claims.checked)
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


@final
class _Claims:
    """What the analyses say of a kernel, and what a run under one policy says to it."""

    def __init__(self, kernel: Kernel, random: RandomKernel, knowledge: LaunchKnowledge) -> None:
        function, launch = kernel.function, random.launch
        control = ControlFlow.of(function)
        options = DivergenceOptions()
        divergence = analyze_divergence(function, control, knowledge, options)
        affine = analyze_affine(function, control, divergence)
        known = affine.warp_levels()
        if known:
            divergence = analyze_divergence(function, control, knowledge, options, known)
            affine = analyze_affine(function, control, divergence)
        accesses = analyze_accesses(function, control, divergence, infer_spaces(function, control), affine)
        self._divergence = divergence
        self._barriers = find_barriers(function, control, divergence, knowledge)
        self._levels = LevelClaims(divergence, launch)
        self._affine = AffineClaims(function, affine, launch)
        knows_shape = len(knowledge.shapes) == 1
        self._accesses = AccessClaims(function, control, accesses, launch, knows_shape=knows_shape)
        self._witness = self._affine.witness = Witness((self._levels, self._affine))
        self.observers: tuple[Observer, ...] = (self._witness, self._accesses)
        self.checked: Counter[str] = Counter()

    def refuted(self, result: Result) -> Iterator[str]:
        for claims in (self._levels, self._affine, self._accesses):
            yield from claims.refuted()
            self.checked.update(claims.checked)
        for branch in result.branches:
            if branch.function != str(self._divergence.function.id) or not self._witness.keeps_together:
                continue
            level = self._divergence.branch_level(branch.branch)
            if level <= Level.WARP:
                self.checked["uniform branches"] += 1
                if branch.diverged:
                    yield f"branch {branch} is {level.name} but diverged"
        for barrier in self._barriers:
            self.checked["barriers"] += 1
            if barrier.evidence is not None and barrier.evidence.tier is Tier.PROVEN:
                yield f"no barrier is wrong, but this one is said to be: {barrier}"
