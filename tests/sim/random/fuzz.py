"""`python -m tests.sim.random.fuzz COUNT SEED`: random kernels; prints what was checked and what failed."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence

from tests.sim.random.choices import Choices, Replayed, Seeded, shrunken
from tests.sim.random.kernels import random_kernel
from tests.sim.random.referee import Findings, referee, some_policies

POLICIES_EACH = 2
SHRINKING = 120
"""How many smaller kernels are tried for one that fails."""


def check(choices: Sequence[int] | Seeded) -> tuple[str, frozenset[str], Findings]:
    """Text, features and findings of the kernel that the choices stand for."""
    source = choices if isinstance(choices, Seeded) else Replayed(choices)
    decisions = Choices(source)
    policies, ahead = some_policies(decisions, POLICIES_EACH), decisions.below(1 << 16)
    kernel = random_kernel(source, has_numbers=decisions.chance(2))
    try:
        findings = referee(kernel, Choices(Replayed([ahead])), policies)
    except Exception as problem:
        findings = Findings((f"{type(problem).__name__}: {problem}",), Counter())
    return kernel.text, kernel.features, findings


def fails_so(choices: Sequence[int], kind: str) -> bool:
    return any(_kind(failure) == kind for failure in check(choices)[2].failures)


def _kind(failure: str) -> str:
    """Its first words, without numbers."""
    return "".join(letter for letter in failure[:24] if not letter.isdigit())


def main(count: int, first: int) -> int:
    checked: Counter[str] = Counter()
    features: Counter[str] = Counter()
    failed = 0
    started = time.process_time()
    for seed in range(first, first + count):
        source = Seeded(seed)
        _, used, findings = check(source)
        features.update(used)
        checked.update(findings.checked)
        if findings.failures:
            failed += 1
            kind = _kind(findings.failures[0])
            smaller = shrunken(source.drawn, lambda drawn, kind=kind: fails_so(drawn, kind), SHRINKING)
            text, _, left = check(smaller)
            print(f"seed {seed}: {findings.failures[0]}\nshrunken: {left.failures}\n{text}", flush=True)
    seconds = time.process_time() - started
    for title, counts in (("checked", checked), ("features", features)):
        print(f"{title}: " + ", ".join(f"{name} {number:,}" for name, number in sorted(counts.items())))
    print(f"{count} kernels from seed {first}: {failed} failed, {seconds / count:.3f} s each")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
