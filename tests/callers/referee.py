"""What is claimed of a header's functions because of their callers, held against runs of the kernel that calls them.

The device functions of a random kernel become a header, the kernel a file that includes it.  The header is analysed
with what the kernel passes; each value of its functions then has a level, a range and an alignment that must hold in
every call.  The kernel runs with its functions inlined, so these claims are held against the values of each frame.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast, final

from analysis.affine.interval import Interval
from analysis.affine.polynomial import Polynomial
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.facts.analyzer import Analyzer
from analysis.facts.calls import known_callers
from analysis.facts.roots import RootAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.ir.function import Function
from analysis.ir.ids import FunctionId, ValueId
from analysis.ir.types import VOID
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from benchmarks.claims.observer import ClaimObserver
from benchmarks.claims.subject import Subject, analyze_subject
from sim.policies.registry import POLICIES
from sim.simulate import simulate
from tests.sim.random.kernels import NAME, RandomKernel
from tests.sim.running import kernel_of

Claimed = Mapping[ValueId, tuple[RootAnalysis, ValueId]]
"""By the value in the inlined kernel: the root of the function, and its value there."""


def referee(random: RandomKernel, policy: str, *, knows_block: bool) -> tuple[tuple[str, ...], Counter[str]]:
    """Failures, and how much was checked."""
    roots = called_roots(random, knows_block=knows_block)
    checked: Counter[str] = Counter()
    if not roots:
        return (), checked
    kernel = kernel_of(random.text, NAME, random.launch.warp_size)
    plain = analyze_subject(kernel.function, LaunchKnowledge(warp_size=random.launch.warp_size))
    claimed = _claimed(kernel.function, roots)
    checked["functions"] = len(roots)
    checked["values"] = len(claimed)
    for root, value in claimed.values():
        checked[f"level {root.divergence.level(value).name}"] += 1
    subject = _as_claimed(plain, claimed)
    observer = ClaimObserver(subject)
    result = simulate(kernel, random.launch, POLICIES[policy], [observer])
    found = observer.settle(result)
    failures = [
        f"{one.claim.value}: {one.subject}: {one.claimed}; {one.seen}"
        for one in found.refutations
        if not one.rests_on_undefined and one.is_exact
    ]
    return tuple(failures), checked


def called_roots(random: RandomKernel, *, knows_block: bool) -> Mapping[FunctionId, RootAnalysis]:
    """The functions of the header that are judged by what the kernel passes."""
    before, kernel = _parts(random.text)
    files = {"h.cuh": before, "main.cu": '#include "h.cuh"\n' + kernel}
    loader = DictLoader({name: text.encode() for name, text in files.items()})
    shape = BlockShape(*random.launch.block) if knows_block else None
    settings = AnalysisSettings(warp_size=random.launch.warp_size, block=shape)
    analyzer = Analyzer()

    def analyze(path: str, **options: Any) -> Any:
        return analyzer.analyze(path, Document.open(files[path].encode()), loader, settings, **options)

    callers = known_callers("h.cuh", [analyze("main.cu").calls()])
    header = analyze("h.cuh", context="main.cu", callers=callers)
    views = (view for function in header.facts.functions for view in header.views(function))
    return {view.root.function.id: view.root for view in views if view.root.context is not None}


def _parts(text: str) -> tuple[str, str]:
    start = text.index("__global__")
    return text[:start], text[start:]


def _claimed(kernel: Function, roots: Mapping[FunctionId, RootAnalysis]) -> Claimed:
    found: dict[ValueId, tuple[RootAnalysis, ValueId]] = {}
    for frame in kernel.frames[1:]:
        root = roots.get(frame.function)
        if root is None:
            continue
        inner = root.function.frames[1].value_base if len(root.function.frames) > 1 else len(root.function.types)
        for own in range(inner):
            value = ValueId(frame.value_base + own)
            types = kernel.types[value], root.function.types[own]
            if VOID not in types and types[0] == types[1]:
                found[value] = root, ValueId(own)
    return found


def _as_claimed(subject: Subject, claimed: Claimed) -> Subject:
    divergence = cast("Any", _Levels(subject.divergence, claimed))
    return replace(subject, divergence=divergence, affine=cast("Any", _Numbers(subject.affine, claimed)))


@final
class _Levels:
    """A divergence result that says of the values of the functions what their roots say."""

    def __init__(self, plain: Any, claimed: Claimed) -> None:
        self._plain = plain
        self._claimed = claimed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._plain, name)

    def level(self, value: ValueId) -> Level:
        known = self._claimed.get(value)
        return self._plain.level(value) if known is None else known[0].divergence.level(known[1])


@final
class _Numbers:
    """The same of ranges and alignments."""

    def __init__(self, plain: Any, claimed: Claimed) -> None:
        self._plain = plain
        self._claimed = claimed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._plain, name)

    def range(self, value: ValueId) -> Interval:
        known = self._claimed.get(value)
        return self._plain.range(value) if known is None else known[0].affine.range(known[1])

    def alignment(self, item: Polynomial | ValueId) -> int:
        known = None if isinstance(item, Polynomial) else self._claimed.get(item)
        return self._plain.alignment(item) if known is None else known[0].affine.alignment(known[1])
