"""Holds what is known of kernels' launches, and all that follows from it, against the launches that programs make.

Each kernel runs in the simulator from each of its launches, with the numbers of that launch; templates do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, final

import numpy as np

from analysis.divergence.launch_shape import BlockShape, KnownLaunch, LaunchKnowledge
from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.ir.launch_relation import RelationKind, is_related
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from benchmarks.claims.observer import ClaimObserver
from benchmarks.claims.subject import analyze_subject
from sim.kernel import load_kernel
from sim.policies.registry import POLICIES
from sim.simulate import simulate
from sim.specification import Argument, Array, Budget, LaunchSpecification, Scalar, Struct
from simt_lsp.workspace.project_index.index import ProjectIndex
from simt_lsp.workspace.project_index.view import ProjectView
from tests.projects.launch_ways import Made
from tests.projects.random_project import RandomProject

POLICY = "ipdom"


LARGEST: Final = 20_000
"""Loops to a larger number run for a minute and show what shorter ones show; what is known of it is compared."""


@final
@dataclass(slots=True)
class Findings:
    failures: list[str] = field(default_factory=list[str])
    checked: Counter[str] = field(default_factory=Counter[str])


def referee(project: RandomProject) -> Findings:
    """What is wrong about the kernels of a project, and how much was compared."""
    findings = Findings()
    loader = DictLoader({path: text.encode() for path, text in project.files.items()})
    index = ProjectIndex()
    for path, text in loader.files.items():
        index.scan(path, text)
    analyzer = Analyzer()
    for (path, name), made in project.made.items():
        view = ProjectView(index, lambda _: None)
        context = next(iter(index.includers(path).paths), None) if path.endswith(".cuh") else None
        document = Document.open(loader.files[path])
        analysis = analyzer.analyze(path, document, loader, AnalysisSettings(), context=context, project=view)
        function = next(one for one in analysis.facts.functions if one.name == name)
        knowledge = analysis.launch_of(function)
        assert knowledge is not None
        findings.checked["kernels"] += 1
        findings.checked["kernels with shapes"] += bool(knowledge.shapes)
        findings.checked["kernels with numbers"] += bool(knowledge.passed)
        findings.checked["kernels with members"] += any(one.members for one in knowledge.launches)
        findings.checked["kernels with relations"] += bool(knowledge.relations)
        findings.checked["kernels with multiples"] += bool(knowledge.multiples)
        rounded = {RelationKind.WITHIN, RelationKind.EXCEEDS} <= {one.kind for one in knowledge.relations}
        findings.checked["kernels of rounded grids"] += rounded
        wrong = list(_wrong_knowledge(knowledge, made))
        if function.unlaunched is not None and made:
            wrong.append("told to be launched by nobody")
        if (path, name) in project.generic:  # which instance runs is not told
            findings.failures += [f"{path}:{name}: {one}" for one in wrong]
            continue
        kernel = load_kernel(analysis.program, function.id)
        subject = analyze_subject(kernel.function, knowledge)
        for launch in () if wrong else dict.fromkeys(one for one in made if not one.may and one.n <= LARGEST):
            observer = ClaimObserver(subject)
            number: dict[str, Argument] = {"n": Scalar(launch.n)}
            if (path, name) in project.packed:
                number = {"size": Struct({**number, "m": Scalar(1)})}
            arguments = {"x": Array(np.zeros(256, np.int32)), **number}
            specification = LaunchSpecification(launch.grid, launch.block, arguments, budget=Budget(seconds=60.0))
            found = observer.settle(simulate(kernel, specification, POLICIES[POLICY], [observer]))
            findings.checked["launches"] += 1
            findings.checked["claims"] += found.checked.total()
            wrong += [f"{launch}: {one}" for one in found.refutations]
        findings.failures += [f"{path}:{name}: {one}" for one in wrong]
    return findings


def _wrong_knowledge(knowledge: LaunchKnowledge, launches: list[Made]) -> Iterator[str]:
    made = [launch for launch in launches if not launch.may]
    shapes = {BlockShape(*launch.block) for launch in made}
    if knowledge.shapes and not shapes <= set(knowledge.shapes):
        yield f"blocks of {knowledge.shapes}, but runs in {shapes}"
    if knowledge.one_dimensional and any(shape.y * shape.z > 1 for shape in shapes):
        yield f"one-dimensional, but runs in {shapes}"
    several = [launch.grid[0] > 1 for launch in made]
    if knowledge.has_several_blocks is False and any(several):
        yield "one block, but runs in several"
    if knowledge.has_several_blocks is True and all(launch.grid[0] == 1 for launch in launches):
        yield "several blocks, but runs in one"
    for known in knowledge.launches:
        if not any(_is_known_as(known, launch) for launch in launches):
            yield f"launched as {known}, which nobody does"
    for relation in knowledge.relations:
        for launch in made if relation.argument == 1 else ():
            if not is_related(launch.n, relation, launch.block, launch.grid):
                yield f"{relation.kind} along {relation.axis}, but {launch}"
    for position, divisor in knowledge.multiples:
        for launch in made if position == 1 else ():
            if launch.n % divisor:
                yield f"a multiple of {divisor}, but {launch}"
    if knowledge.shapes and any(launch.n != number for launch in made for _, number in knowledge.passed):
        yield f"passes {knowledge.passed}, but {made}"
    numbers = {number for _, place, number in knowledge.always_members if place == (0,)}
    if any({launch.n} != numbers for launch in made) and numbers:
        yield f"passes members {knowledge.always_members}, but {made}"


def _is_known_as(known: KnownLaunch, launch: Made) -> bool:
    """Behind a condition that is not known the number of a launch must not be known either."""
    numbers = (launch.n,) if launch.elsewhere or not launch.may else ()
    of_place = (numbers, (1,))  # of `Size{n, 1}`
    if any(number not in of_place[at] for _, (at, *_), number in known.members):
        return False
    return (
        BlockShape(*launch.block) == known.shape
        and known.blocks in (None, launch.grid[0])
        and all(number in (None, *numbers) for number in known.arguments[1:])
    )
