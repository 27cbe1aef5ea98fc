"""Textual IR in tests, with the names of the text kept."""

from __future__ import annotations

import re
from dataclasses import dataclass

from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.options import DivergenceOptions
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.instructions import BasicBlockId, SourceBranchId, ValueId
from analysis.ir.parser import parse_function
from analysis.ir.verifier import verify

HEADER = "kernel @k(%n: s32, %p: ptr<global s32>)"


@dataclass(frozen=True)
class Named:
    """A function, with the words of its text."""

    function: Function
    values: dict[str, ValueId]
    labels: dict[str, BasicBlockId]

    @property
    def control(self) -> ControlFlow:
        return ControlFlow.of(self.function)

    def block(self, label: str) -> BasicBlockId:
        return self.labels[label]

    def label(self, block: BasicBlockId | None) -> str | None:
        return None if block is None else next(name for name, other in self.labels.items() if other == block)

    def label_set(self, blocks: frozenset[BasicBlockId]) -> set[str | None]:
        return {self.label(block) for block in blocks}


def read(body: str, header: str = HEADER) -> Named:
    """`body`: declarations, labels and instructions; the function must verify."""
    text = f"{header} {{\n{body}\n}}"
    function = parse_function(text)
    assert verify(function) == ()
    plain = re.sub(r"//.*", "", text)
    words = dict.fromkeys(re.findall(r"%([A-Za-z_]\w*)", plain))
    labels = re.findall(r"^\s*([A-Za-z_]\w*):\s*$", plain, re.MULTILINE)
    return Named(
        function,
        {word: ValueId(index) for index, word in enumerate(words)},
        {label: BasicBlockId(index) for index, label in enumerate(labels)},
    )


@dataclass(frozen=True)
class Facts:
    """The divergence of a text, asked by name."""

    named: Named
    result: DivergenceResult

    def level(self, name: str) -> Level:
        return self.result.level(self.named.values[name])

    def convergence(self, label: str) -> Level:
        return self.result.convergence(self.named.labels[label])

    def decision(self, label: str) -> Level:
        return self.result.terminator_level(self.named.labels[label])

    def branch(self, number: int) -> Level:
        return self.result.branch_level(SourceBranchId(number))


def analyze(
    body: str,
    header: str = HEADER,
    launch: LaunchKnowledge | None = None,
    options: DivergenceOptions | None = None,
) -> Facts:
    named = read(body, header)
    result = analyze_divergence(
        named.function, named.control, launch or LaunchKnowledge(), options or DivergenceOptions()
    )
    return Facts(named, result)
