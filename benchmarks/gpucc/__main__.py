"""What of gpucc's evaluation needs no GPU: `python -m benchmarks.gpucc [ROOT...]`.

Examples   the running examples of sections 3.4 to 3.6 before and after, in machine instructions of a thread, beside
           what the paper says of them.
Trees      over all kernels of the trees that are given: accesses to memory that are generic by the qualifiers of
           variables alone and after the inference of spaces (section 3.2), 64-bit divisions (section 3.6) and how many
           of them ranges narrow, and machine instructions before and after all steps.
Source     Wu et al., CGO 2016.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.facts.analyzer import Analyzer
from analysis.facts.roots import RootAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.features.straightline.report import facts_of_root
from analysis.ir.instructions import Atomic, Bitcast, ElementAddress, FieldAddress, Load, Store, SymbolAddress
from analysis.ir.source import OWN_FRAME
from analysis.ir.types import MemorySpace
from analysis.lower.program import Program
from analysis.pipeline import ssa_form, unit_of_text
from analysis.straightline.code import Code
from analysis.straightline.divisions import is_wide_division
from analysis.straightline.facts import straight_facts
from analysis.straightline.optimise import optimise
from analysis.straightline.unroll import unrolled
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

EXAMPLES: Final = (
    (
        "Figure 6: 3 x 3 loads",
        "__global__ void k(const float *a, long b, long c, long n, float *out) { float s = 0;"
        " for (long x = 0; x < 3; ++x) for (long y = 0; y < 3; ++y) s += a[(c + y) + (b + x) * n]; *out = s; }",
        "each address but the first at most one instruction, six of nine none",
    ),
    (
        "Figure 7: two conditional loads",
        "__global__ void k(const int *a, long i, long j, bool b, bool c, int *out) { int u = 0, v = 0;"
        " if (b) u = a[i]; if (c) v = a[i + j]; *out = u + v; }",
        "the second address is one step from the first",
    ),
    (
        "j0, x1, j1",
        "__global__ void k(int c, int b, int n, int *out)"
        " { int x0 = b * n; int j0 = c + x0; int x1 = x0 + n; out[0] = j0; out[1] = c + x1; }",
        "j1 is one addition",
    ),
    (
        "a 64-bit division that fits",
        "__global__ void k(long *out, unsigned n) { long i = threadIdx.x; out[i] = i / (long)n; }",
        "about 70 instructions become about 20",
    ),
)


def main(roots: list[str]) -> None:
    print(f"{'example':<34}{'before':>8}{'after':>8}  the paper")
    for name, text, said in EXAMPLES:
        program = Program(unit_of_text(text))
        (found,) = program.device_functions()
        facts = straight_facts(unrolled(ssa_form(program, found.id)), LaunchKnowledge())
        result = optimise(facts.code(), facts.counter, facts.permissions)
        print(f"{name:<34}{result.before.of_thread:>8}{result.after.of_thread:>8}  {said}")
    if roots:
        counts = Counter[str]()
        for root in _roots(roots):
            counts.update(_counts(root))
        print()
        for name, number in counts.items():
            print(f"{name:<58}{number:>12,}")


def _roots(folders: list[str]) -> Iterator[RootAnalysis]:
    """Each kernel of each file, with what is beside it; nothing is searched for on include paths."""
    for folder in folders:
        for path in sorted(Path(folder).rglob("*.cu")):
            files = {str(one): one.read_bytes() for one in path.parent.glob("*.*h") if one.is_file()}
            document = Document.open(path.read_bytes())
            analysis = Analyzer().analyze(str(path), document, DictLoader(files), AnalysisSettings())
            for function in analysis.facts.functions:
                for view in analysis.views(function):
                    if view.frame == OWN_FRAME and view.root.is_of_kernel and view.root.function.id == function.id:
                        yield view.root
                        break


def _counts(root: RootAnalysis) -> Counter[str]:
    found = Counter[str](kernels=1)
    definition = root.divergence.definition
    for _, one in root.function.instructions():
        if not isinstance(one, Load | Store | Atomic):
            continue
        address = one.address
        step = definition(address)
        while isinstance(step, ElementAddress | FieldAddress | Bitcast):
            step = definition(step.operands[0])
        found["accesses to memory"] += 1
        found["generic by the qualifiers of variables alone"] += not isinstance(step, SymbolAddress)
        found["generic after the inference of spaces"] += root.spaces.space(address) is MemorySpace.GENERIC
    facts = facts_of_root(root)
    result = optimise(facts.code(), facts.counter, facts.permissions)
    found["64-bit divisions and remainders by what is not constant"] += _wide(result.original)
    found["of these left after ranges narrowed them"] += _wide(result.code)
    found["machine instructions of all kernels, as they stand"] += sum(facts.counter.by_cycle(result.original).values())
    found["machine instructions after all steps"] += sum(facts.counter.by_cycle(result.code).values())
    return found


def _wide(code: Code) -> int:
    return sum(
        is_wide_division(one, code.types) and code.number(one.operands[1]) is None for _, one in code.instructions()
    )


if __name__ == "__main__":
    main(sys.argv[1:])
