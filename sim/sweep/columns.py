"""The columns of a sweep's result: a contract, which may grow; no name changes its meaning."""

from __future__ import annotations

from enum import Enum
from typing import Final, final

from analysis.ir.record import record


class Kind(Enum):
    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"


@final
@record
class Column:
    """`meaning` is the sentence of `docs/sweep.md`."""

    name: str
    kind: Kind
    meaning: str


def _text(name: str, meaning: str) -> Column:
    return Column(name, Kind.TEXT, meaning)


def _count(name: str, meaning: str) -> Column:
    return Column(name, Kind.INTEGER, meaning)


COLUMNS: Final = (
    _text(
        "point",
        "the point's name: a hash of its coordinates, the same in every run of the sweep; no two rows share one",
    ),
    _text("path", "the file, as it was given"),
    _text("kernel", "the kernel's name"),
    _text("kernel_id", "the kernel's name within the analysis, which tells overloads apart"),
    _text("form", "`as written`, or `melded`: with all melds that `meld` offers for the kernel"),
    _text("policy", "how warps reconverge"),
    _count("warp_size", "lanes of a warp"),
    _count("seed", "of all inputs that are chosen at random"),
    _text("asked_grid", "blocks that were asked for, as `x,y,z`; null where that is left to the file"),
    _text("asked_block", "threads of a block that were asked for, likewise"),
    _text("asked_arguments", "what `--arg` gave this point, as a JSON object"),
    _count("asked_shared", "bytes of dynamic shared memory that were asked for"),
    _text(
        "outcome",
        "`clean`, `faults`, `truncated` (ended by `--timeout` or `--max-steps` without a fault until then), `refused`"
        " (something is not simulated), `does not fit` (what was asked for does not fit the kernel), `not melded` (no"
        " meld is offered) or `failed` (a defect, or the process died twice)",
    ),
    _text("reason", "why, where the outcome is none of `clean` and `faults`"),
    _text("grid", "blocks of the launch that ran, as `x,y,z`; null where nothing ran"),
    _text("block", "threads of a block of the launch that ran"),
    _count("threads", "of the launch that ran, in all blocks"),
    _text("inputs", "every decision about the launch as a JSON object: name to `value`, `why` and `chosen`"),
    _text("faults", "kinds of faults as a JSON object: kind to the number of times it was met"),
    _count("notes", "findings that are no faults, as accesses past an array whose length was chosen"),
    _count("warp_instructions", "instructions that warps issued"),
    _count("thread_instructions", "the same, counted once for each active lane"),
    Column("simd_efficiency", Kind.NUMBER, "thread instructions for each lane that was issued, 0 to 1"),
    _count("sectors", "sectors of 32 bytes that requests to global memory moved"),
    _count("ideal_sectors", "as few as would have done for the bytes that lanes asked for"),
    _count("local_sectors", "sectors of local memory"),
    _count("bank_passes", "passes over the banks of shared memory"),
    _count("bank_conflicts", "passes beyond the first of each request"),
    _count("divergent_branches", "branches in the source that split a warp at least once"),
    _count("splits", "how often branches split a warp"),
    _count("lines", "lines with code of the kernel and what it calls"),
    _count("lines_reached", "those of which something ran"),
    Column("coverage", Kind.NUMBER, "the share of these lines, 0 to 1"),
    _text("memory_digest", "SHA-256 over all arrays and variables after the run"),
    _count("melds", "how many melds are in the kernel's text"),
    Column(
        "seconds", Kind.NUMBER, "that the run took; of a launch's first run, with planning and other attempts at it"
    ),
    _text("ran_on", "the machine and the process that ran it"),
)
"""In order."""
