"""Comparisons as plain data, for `meld --json` and editors; names stay, new ones may come."""

from __future__ import annotations

from typing import TypedDict, assert_never

from sim.equivalence.model import Comparison, Confirmed, Figures, LaunchSummary, NotChecked, Refuted, Verdict


class FiguresObject(TypedDict):
    """`active_lanes` is the mean of all issued instructions."""

    issued_warp_instructions: int
    active_lanes: float
    memory_requests: int
    sectors: int
    thread_instructions: int
    simd_efficiency: float
    shared_requests: int
    bank_passes: int
    divergent_branches: int


class BothObject(TypedDict):
    before: FiguresObject
    after: FiguresObject


class InputObject(TypedDict):
    value: str
    why: str
    chosen: bool


class LaunchObject(TypedDict):
    kernel: str
    grid: list[int]
    block: list[int]
    warp_size: int
    seed: int
    threads: int
    inputs: dict[str, InputObject]


class FewerBlocksObject(TypedDict):
    grid: list[int]


def fewer_blocks_object(verdict: Verdict) -> FewerBlocksObject | None:
    """What the policies after the first ran, where that was not the whole launch."""
    match verdict:
        case Confirmed(fewer=fewer) | Refuted(fewer=fewer):
            return None if fewer is None else {"grid": list(fewer.grid)}
        case NotChecked():
            return None
        case _:
            assert_never(verdict)


def figures_object(figures: Figures) -> FiguresObject:
    return {
        "issued_warp_instructions": figures.warp_instructions,
        "active_lanes": round(figures.active_lanes, 4),
        "memory_requests": figures.memory_requests,
        "sectors": figures.sectors,
        "thread_instructions": figures.thread_instructions,
        "simd_efficiency": round(figures.simd_efficiency, 4),
        "shared_requests": figures.shared_requests,
        "bank_passes": figures.bank_passes,
        "divergent_branches": figures.divergent_branches,
    }


def policies_object(comparison: Comparison) -> dict[str, BothObject]:
    """By policy, the reference first."""
    return {
        one.policy: {"before": figures_object(one.before), "after": figures_object(one.after)}
        for one in comparison.figures
    }


def launch_object(launch: LaunchSummary) -> LaunchObject:
    return {
        "kernel": launch.kernel,
        "grid": list(launch.grid),
        "block": list(launch.block),
        "warp_size": launch.warp_size,
        "seed": launch.seed,
        "threads": launch.threads,
        "inputs": {
            choice.name: {"value": choice.value, "why": choice.why, "chosen": choice.is_chosen}
            for choice in launch.choices
        },
    }


def verdict_word(verdict: Verdict) -> str:
    match verdict:
        case Confirmed():
            return "confirmed"
        case Refuted():
            return "refuted"
        case NotChecked():
            return "not-checked"
        case _:
            assert_never(verdict)
