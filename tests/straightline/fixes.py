"""Random kernels with repairs of ARI601 and ARI602: analysed again without the finding, and run before and after.

`python -m tests.straightline.fixes COUNT SEED`; both versions have to leave the same memory.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from random import Random
from typing import Any, Final

import numpy as np

from analysis.refactor.edit import apply_replacements
from analysis.rules.check import check
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import analyze
from tests.sim.running import run

BLOCK: Final = 64
GRID: Final = 4
ROWS: Final = BLOCK * GRID


def division_kernel(random: Random) -> str:
    """Indices of 64 bits that are divided by each other; the launch says that they fit 32."""
    wide = random.choice(("long long", "long", "unsigned long long", "size_t"))
    left = random.choice(("i", "i", "(i + 3)", f"(i * {random.randint(2, 9)})"))
    right = random.choice(("j", "j", "(j + 1)", "(j * 2)"))
    operator = random.choice("/%")
    return (
        "__global__ void k(long long *out, const int *in, int n) {\n"
        f"  {wide} i = ({wide})blockIdx.x * blockDim.x + threadIdx.x;\n"
        f"  {wide} j = ({wide})blockIdx.y * blockDim.y + {random.randint(1, 5)};\n"
        f"  if (i < n) out[i] = in[{left} {operator} {right}];\n"
        "}\n"
        f"void host(long long *out, const int *in) {{ k<<<dim3({GRID}, 1), {BLOCK}>>>(out, in, {ROWS}); }}\n"
    )


def rows_kernel(random: Random) -> str:
    """A loop over the elements of a row, whose bound a store may change."""
    index = random.choice(("i + 1", "i + 1", "n - i - 1 + 1"))
    body = random.choice(("out[i] += in[j];", "out[i] += in[j] * j;", "{ int t = in[j]; out[i] = out[i] * 3 + t; }"))
    first = "start[i]" if index == "i + 1" else "start[n - i - 1]"
    step = random.choice(("j++", "j += 2", "++j"))
    test = random.choice(("<", "!=")) if step != "j += 2" else "<"
    return (
        "__global__ void k(int *out, const int *in, const int *start, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i >= n) return;\n"
        f"  for (int j = {first}; j {test} start[{index}]; {step}) {body}\n"
        "}\n"
    )


def problem_of(text: str, code: str) -> str | None:
    """What is wrong with the repair of the first finding; None where nothing is.  Raises LookupError without one."""
    settings = RuleSettings(select=frozenset({code}), share_threshold=0.1)
    before = check(analyze(text), settings)
    found = [one for one in before if one.fix is not None]
    if not found:
        raise LookupError(code)
    fix = found[0].fix
    assert fix is not None
    after = apply_replacements(text.encode(), fix.replacements).decode()
    analysis = analyze(after)
    if analysis.facts.parse_errors or any(one.unreadable for one in analysis.facts.functions):
        return f"the repair cannot be read:\n{after}"
    if len(check(analysis, settings)) >= len(before):
        return f"the finding is still there:\n{after}"
    before_run, after_run = run_of(text), run_of(after)
    same = all(np.array_equal(before_run[name], after_run[name]) for name in before_run)
    return None if same else f"another result:\n{after}"


def run_of(text: str) -> Mapping[str, Any]:
    random = np.random.default_rng(5)
    given: dict[str, Any] = {
        "out": np.zeros(ROWS, np.int64 if "long long *out" in text else np.int32),
        "in": random.integers(-9, 9, 16 * ROWS).astype(np.int32),
        "start": np.concatenate(([0], np.cumsum(random.integers(0, 6, ROWS)))).astype(np.int32),
        "n": ROWS,
    }
    head = text[text.index("(") :].partition(")")[0].replace("*", " ").replace(",", " ").split()
    result = run(text, {name: one for name, one in given.items() if name in head}, grid=GRID, block=BLOCK)
    assert not result.faults, (result.faults, text)
    return result.arrays


def main(count: int, first: int) -> int:
    checked = wrong = 0
    for seed in range(first, first + count):
        random = Random(seed)
        for make, code in ((division_kernel, "ARI601"), (rows_kernel, "ARI602")):
            text = make(random)
            try:
                problem = problem_of(text, code)
            except LookupError:
                continue
            checked += 1
            if problem is not None:
                wrong += 1
                print(f"seed {seed}, {code}: {problem}\nbefore:\n{text}", flush=True)
    print(f"{checked} repairs of {2 * count} kernels, {wrong} wrong")
    return int(bool(wrong) or not checked)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
