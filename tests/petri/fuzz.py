"""`python -m tests.petri.fuzz 5000 [first seed]`: referees the verdicts on random graphs and programs.

It prints the first that is refuted; else how often net and fixpoint differ, which is where the net proves more.
"""

from __future__ import annotations

import sys
from collections import Counter
from random import Random

from analysis.ir.function import Function
from analysis.ir.printer import print_function
from tests.petri.random_graphs import random_graph
from tests.petri.referee import refute
from tests.support.programs import random_kernel


def function_of(seed: int) -> Function:
    """Three graphs, then one program that lowering could have made."""
    return random_kernel(Random(seed), structured=seed % 8 == 3) if seed % 4 == 3 else random_graph(Random(seed))


def check_seed(seed: int, counts: Counter[str]) -> None:
    function = function_of(seed)
    wrong = next(refute(function, counts), None)
    if wrong is not None:
        raise AssertionError(f"seed {seed}: {wrong}\n{print_function(function)}")


def main(count: int, first: int) -> None:
    counts: Counter[str] = Counter()
    for seed in range(first, first + count):
        check_seed(seed, counts)
    print(f"{count} graphs from seed {first}: nothing refuted; blocks, for each group and mode:")
    for words in sorted(counts):
        print(f"{counts[words]:8} {words}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
