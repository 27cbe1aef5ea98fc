"""`python -m tests.races.fuzz COUNT SEED`: random exchange kernels with planted races; prints rates and what fails."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from analysis.divergence.launch_shape import BlockShape
from tests.races.kernels import ROUNDS, ExchangeKernel, exchange_kernel, planted
from tests.races.oracle import racing_lines
from tests.races.referee import claims, names, observed, unreproduced
from tests.sim.random.choices import Choices, Seeded
from tests.support.seeds import Counts, exit_with, run_seeds


def check(seed: int, rates: Counter[str]) -> list[str]:
    """What is wrong with the claims about one kernel; counts what was found of what there is."""
    choices = Choices(Seeded(seed))
    kernel = exchange_kernel(choices)
    failures: list[str] = []
    if racing_lines(kernel):
        failures.append(f"a kernel without a plant races: {names(racing_lines(kernel))}")
    if not choices.chance(5):
        kernel = planted(kernel, choices)
    knows_shape = choices.chance(2)
    if choices.chance(3):
        kernel = replace(kernel, is_global=True)
    return failures + judge(kernel, rates, knows_shape=knows_shape)


def judge(kernel: ExchangeKernel, rates: Counter[str], *, knows_shape: bool) -> list[str]:
    text, shape = kernel.text, BlockShape(kernel.width, kernel.height)
    truth = racing_lines(kernel)
    seen = observed(text, (kernel.width, kernel.height, 1), {"n": ROUNDS})
    said = claims(text, shape if knows_shape else None)
    if kernel.is_global:
        said = replace(said, open=said.open | seen | truth)  # of global memory nothing but proven races is told
    failures: list[str] = []
    if seen - said.open:
        failures.append(f"ruled out, but a run has it: {names(seen - said.open)}")
    if truth - said.open:
        failures.append(f"ruled out, but the oracle has it: {names(truth - said.open)}")
    wrong = unreproduced(text, said.proven)
    if wrong:
        failures.append(f"proven, but not in the run of the witness: {names(wrong)}")
    if knows_shape and said.proven.keys() - truth:
        failures.append(f"proven, but the oracle does not have it: {names(said.proven.keys() - truth)}")
    kind = ("known" if knows_shape else "unknown") + (", global" if kernel.is_global else "")
    rates["kernels"] += 1
    rates["proven pairs"] += len(said.proven)
    if truth:
        rates["racy"] += 1
        rates["racy, seen in a run"] += bool(seen)
        rates[f"racy, shape {kind}"] += 1
        rates[f"racy, shape {kind}, proven"] += bool(said.proven)
        rates[f"racy, shape {kind}, proven or possible"] += bool(said.seen)
    return failures


def _check(seed: int, counts: Counts) -> str | None:
    failures = check(seed, counts)
    if not failures:
        return None
    choices = Choices(Seeded(seed))
    kernel = exchange_kernel(choices)
    if not choices.chance(5):
        kernel = planted(kernel, choices)
    return "; ".join(failures) + f"\n{kernel.text}"


def main(count: int, first: int) -> int:
    return run_seeds(_check, count, first)


if __name__ == "__main__":
    exit_with(main)
