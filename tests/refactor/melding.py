"""Melds one branch of a CUDA text, and looks at the result from all sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.facts.analyzer import Analyzer
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.ir.inline import InlineBudget, inline_calls
from analysis.ir.promote import promote
from analysis.ir.types import FloatType, IntegerType, PointerType
from analysis.ir.verifier import verify
from analysis.meld.settings import DEFAULT_MELD_SETTINGS, MeldSettings
from analysis.refactor.edit import apply_replacements
from analysis.refactor.meld.model import Obstacle, Opportunity, Outcome, Refusal
from analysis.refactor.meld.outcomes import meld_outcomes
from analysis.refactor.meld.render import render_meld
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from sim.kernel import kernel_from_source
from sim.policies.ipdom import Ipdom
from sim.result import Result
from sim.simulate import simulate
from sim.specification import Argument, Array, LaunchSpecification, Scalar
from tests.support.accepted import assert_accepted

ELEMENTS: Final = 4096


def analyzed(text: str) -> FileAnalysis:
    return Analyzer().analyze("a.cu", Document.open(text.encode()), DictLoader({}), AnalysisSettings())


def outcomes(text: str, settings: MeldSettings = DEFAULT_MELD_SETTINGS) -> dict[int, Outcome]:
    """The outcome of each divergent branch, by the line of its keyword, from 1."""
    analysis = analyzed(text)
    found: dict[int, Outcome] = {}
    for function in analysis.facts.functions:
        for outcome in meld_outcomes(analysis, function, settings):
            found[analysis.document.lines.line_of(function.start + outcome.branch.keyword.start) + 1] = outcome
    return found


def obstacle(text: str, line: int, settings: MeldSettings = DEFAULT_MELD_SETTINGS) -> Obstacle:
    """Why the branch in that line is not melded."""
    found = outcomes(text, settings)[line]
    assert isinstance(found, Refusal), found
    return found.obstacle


def region(text: str, line: int, settings: MeldSettings = DEFAULT_MELD_SETTINGS) -> str:
    """What takes the place of the branch in that line: the new text from that line on, without what did not change."""
    after = melded(text, line, settings).splitlines(keepends=True)
    before = text.splitlines(keepends=True)
    same = 0
    while before[-1 - same] == after[-1 - same] and len(before) - same > line and len(after) - same > line:
        same += 1
    # An `if` that ends like its replacement shares a brace with it.
    return "".join(after[line - 1 : len(after) - same])


def melded(text: str, line: int, settings: MeldSettings = DEFAULT_MELD_SETTINGS) -> str:
    """The text after melding the branch in that line; it lowers and verifies."""
    analysis = analyzed(text)
    for function in analysis.facts.functions:
        for outcome in meld_outcomes(analysis, function, settings):
            here = analysis.document.lines.line_of(function.start + outcome.branch.keyword.start) + 1
            if here == line:
                assert isinstance(outcome, Opportunity), outcome
                assert 0 < outcome.predicted_saving <= 1
                edits = render_meld(analysis, outcome, settings)
                assert not isinstance(edits, Refusal), edits
                result = apply_replacements(text.encode(), edits).decode()
                assert_lowers(result)
                return result
    raise AssertionError(f"no divergent branch in line {line}")


def assert_lowers(text: str) -> None:
    """No syntax error, nothing unknown, and every function passes the verifier."""
    analysis = analyzed(text)
    assert analysis.facts.parse_errors == 0, text
    assert not analysis.facts.problems, text
    for found in analysis.program.device_functions():
        lowered = analysis.program.lower(found.id).function
        ssa = promote(lowered)
        assert verify(ssa) == (), text
        assert verify(inline_calls(ssa, lambda _: None, InlineBudget()).function) == ()
    for function in analysis.facts.functions:
        assert function.opaque == (), text


def check(before: str, line: int, after: str, settings: MeldSettings = DEFAULT_MELD_SETTINGS) -> None:
    """Melding the branch in that line of `before` gives exactly `after`."""
    assert melded(before, line, settings) == after


def assert_same_memory(
    before: str, after: str, kernel: str, scalars: Mapping[str, int] | None = None, block: Sequence[int] = (64, 1, 1)
) -> None:
    """Both versions leave the same memory, and the second one issues fewer instructions."""
    first, second = (_run(text, kernel, scalars or {}, tuple(block)) for text in (before, after))
    for name, array in first.arrays.items():
        assert np.array_equal(array, second.arrays[name], equal_nan=True), name
    assert second.warp_instructions < first.warp_instructions


def _run(text: str, name: str, scalars: Mapping[str, int], block: tuple[int, ...]) -> Result:
    kernel = kernel_from_source(text, name)
    random = np.random.default_rng(7)
    arguments: dict[str, Argument] = {}
    for parameter in kernel.function.parameters:
        type_ = kernel.function.type_of(parameter.value)
        if isinstance(type_, PointerType):
            arguments[parameter.name] = Array(_contents(type_, random))
        else:
            arguments[parameter.name] = Scalar(scalars.get(parameter.name, 5))
    launch = LaunchSpecification(grid=(2, 1, 1), block=(block[0], block[1], block[2]), arguments=arguments)
    result = simulate(kernel, launch, Ipdom)
    assert result.faults == (), result.faults
    return result


def _contents(type_: PointerType, random: np.random.Generator) -> NDArray[Any]:
    element = type_.element
    if isinstance(element, FloatType):
        return random.random(ELEMENTS).astype(np.float32)
    assert isinstance(element, IntegerType)
    kind = np.dtype(f"{'i' if element.signed else 'u'}{element.bits // 8}")
    signs = random.choice([-1, 1], ELEMENTS) if element.signed else 1
    return (random.integers(1, 50, ELEMENTS) * signs).astype(kind)


def assert_compiles(text: str) -> None:
    """`nvcc` takes the text, where it is installed, else the C++ compiler; the rest of the tests does without."""
    assert_accepted({"melded.cu": text})
