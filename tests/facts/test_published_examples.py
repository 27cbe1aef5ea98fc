"""The worked examples of Lee et al. (CGO 2013), from CUDA text, with the paper's own answers."""

from __future__ import annotations

from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.options import DivergenceOptions
from analysis.facts.analyzer import Analyzer
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.roots import RootAnalysis, analyze_root
from analysis.facts.settings import AnalysisSettings
from analysis.ir.instructions import Load, Store
from analysis.ir.promote import promote
from analysis.lower.program import Program
from analysis.pipeline import unit_of_text
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

FIR = """\
__global__ void fir(float* samples, float* coeffs, int flen, float* results) {
  int idx = threadIdx.x;
  float result = 0;
  for (int i = 0; i < flen; i++)
    result += (coeffs[i] * samples[idx + i]);
  results[idx] = result;
}
"""

EARLY_EXIT = """\
__global__ void f(int* out, int n) {
  if (threadIdx.x <= 3) {
    out[n] = n;
  }
}
"""


def _analyzed(text: str) -> FileAnalysis:
    return Analyzer().analyze("a.cu", Document.open(text.encode()), DictLoader(), AnalysisSettings())


def _root(text: str) -> RootAnalysis:
    unit = unit_of_text(text)
    program = Program(unit)
    (function,) = program.device_functions()
    own = promote(program.lower(function.id).function)
    return analyze_root(own, lambda _: None, lambda _: None, lambda _: LaunchKnowledge())


def test_figure_1_scalar_registers_are_uniform_and_private_ones_vary() -> None:
    analysis = _analyzed(FIR)
    (fir,) = analysis.facts.functions
    levels = {variable.name: variable.level for variable in fir.variables}
    # s1 to s4 and s7 in Fig. 1(c): the arguments and the loop counter; r6 and r9: the sum and the thread index.
    assert levels == {
        "samples": Level.GRID,
        "coeffs": Level.GRID,
        "flen": Level.GRID,
        "results": Level.GRID,
        "i": Level.GRID,
        "idx": Level.VARYING,
        "result": Level.VARYING,
    }
    (loop,) = fir.branches
    assert (loop.level, loop.trips, loop.convergent) == (Level.GRID, Level.GRID, Level.GRID)


def test_figure_1_the_coefficient_is_scalar_and_the_sample_is_not() -> None:
    root = _root(FIR)
    loads = [instruction for _, instruction in root.function.instructions() if isinstance(instruction, Load)]
    assert [root.divergence.level(load.result) for load in loads] == [Level.GRID, Level.VARYING]


def test_section_3_4_code_before_an_early_exit_is_convergent_with_the_exit_optimisation() -> None:
    root = _root(EARLY_EXIT)
    (guarded,) = [block for block, instruction in root.function.instructions() if isinstance(instruction, Store)]
    assert root.divergence.convergence(guarded) is Level.VARYING
    options = DivergenceOptions(exit_optimization=True)
    relaxed = analyze_divergence(root.function, root.control, root.launch, options)
    assert relaxed.convergence(guarded) is Level.GRID
