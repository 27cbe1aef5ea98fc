"""Turns the analysis' chain of causes into steps a person can read: a place and a sentence each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias, assert_never

from analysis.divergence.causes import (
    BlockSubject,
    BranchSubject,
    Cause,
    CauseStep,
    ControlCause,
    ConvergenceCause,
    DataCause,
    ExitCause,
    IrreducibleCause,
    LoopSubject,
    MemoryCause,
    MemorySubject,
    NestingCause,
    Seed,
    SeedCause,
    Subject,
    SyncCause,
    TemporalCause,
    ValueSubject,
)
from analysis.divergence.levels import Level
from analysis.facts.model import Location, StepKind, WhyStep
from analysis.ir.source import Span

Place: TypeAlias = Callable[[Span], tuple[Location, str] | None]
"""Where a span of the inlined function lies, and the source text there; None for what no text stands behind."""

LEVEL_PHRASE: Final = {
    Level.GRID: "is the same in the whole grid",
    Level.BLOCK: "is the same within a block only",
    Level.WARP: "is the same within a warp only",
    Level.VARYING: "varies from thread to thread",
}

SEED_PHRASE: Final = {
    Seed.THREAD_INDEX: "the thread index differs in every thread",
    Seed.LANE: "the lane id differs in every lane",
    Seed.WARP_INDEX: "the warp id is one per warp",
    Seed.BLOCK_INDEX: "the block index is one per block",
    Seed.MULTIPROCESSOR: "the multiprocessor id is one per block",
    Seed.CLOCK: "every thread reads the clock at its own time",
    Seed.ACTIVE_MASK: "which lanes are active depends on how the warp happens to run",
    Seed.ATOMIC: "every thread gets its own old value from an atomic",
    Seed.PHASE: "threads that ask whether a phase of a barrier is complete may get different answers",
    Seed.VOLATILE: "a volatile load may see another value in every thread",
    Seed.SHARED_MEMORY: "shared memory is one per block",
    Seed.LOCAL_MEMORY: "local memory is one per thread, and these contents are not followed",
    Seed.WAITING: "memory read after waiting for other threads may differ per thread",
    Seed.ALLOCATION: "every thread gets its own allocation",
    Seed.BARRIER_REDUCTION: "the reduction is one per block",
    Seed.WARP_OPERATION: "the exchange is one per warp",
    Seed.PARTIAL_EXCHANGE: "the lanes exchange with different partners",
    Seed.OPAQUE: "this is not understood, so it counts as varying",
    Seed.CALL: "this call is not followed, so its result counts as varying",
    Seed.PARAMETER: "the callers of this function are not known, so its argument counts as varying",
    Seed.ENTRY: "the callers of this function are not known",
    Seed.ARGUMENT: "its callers do not pass one value to all threads",
    Seed.UNKNOWN_ARGUMENT: "its callers do not tell whether they pass one value, so it counts as varying",
    Seed.APART: "a call of this function stands in code that not all threads run",
    Seed.STRUCTURE: "every branch counts as varying in this mode",
}


def why_steps(steps: Iterable[CauseStep], place: Place) -> tuple[WhyStep, ...]:
    """The chain in reading order; links without source text are left out, equal neighbours merged."""
    found: list[WhyStep] = []
    for step in steps:
        located = place(step.span)
        if located is None:
            continue
        location, source = located
        text = _sentence(step.subject, step.level, step.cause, source)
        link = WhyStep(_kind(step.cause), location, text, step.is_read)
        if not found or (found[-1].location, found[-1].text) != (link.location, link.text):
            found.append(link)
    return tuple(found)


def _kind(cause: Cause) -> StepKind:
    match cause:
        case SeedCause():
            return StepKind.SEED
        case DataCause():
            return StepKind.DATA
        case SyncCause() | ControlCause() | NestingCause() | ConvergenceCause() | IrreducibleCause():
            return StepKind.CONTROL
        case TemporalCause() | ExitCause():
            return StepKind.TIME
        case MemoryCause():
            return StepKind.MEMORY
        case _:
            assert_never(cause)


def _sentence(subject: Subject, level: Level, cause: Cause, source: str) -> str:
    name = _subject(subject, source)
    match cause:
        case SeedCause(seed=seed):
            return f"{name}: {SEED_PHRASE[seed]}"
        case DataCause():
            return f"{name} {LEVEL_PHRASE[level]}"
        case SyncCause():
            return f"{name} depends on which way a thread came: paths of a branch meet here"
        case TemporalCause():
            return f"{name} leaves a loop that threads leave in different iterations"
        case ExitCause():
            return f"{name} ends in different iterations, because of a branch in it"
        case ControlCause():
            return f"{name} runs only where a branch leads there"
        case NestingCause():
            return f"{name} is nested in code that not all threads run"
        case ConvergenceCause():
            return f"{name} needs its threads together, and they are not"
        case MemoryCause():
            return f"{name} passes through a local variable in memory"
        case IrreducibleCause():
            return f"{name} is in a loop with several entries, where threads may part"
        case _:
            assert_never(cause)


def _subject(subject: Subject, source: str) -> str:
    match subject:
        case ValueSubject():
            return f"`{source}`" if source else "this value"
        case BranchSubject():
            return f"the branch on `{source}`" if source else "this branch"
        case BlockSubject():
            return "this code"
        case LoopSubject():
            return "the loop"
        case MemorySubject():
            return f"the variable `{source}`" if source else "the variable"
        case _:
            assert_never(subject)
