"""RAC303: two blocks of a grid use the same element of global memory, and nothing orders them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.access.model import AccessKind
from analysis.ir.record import record
from analysis.races.model import RaceKind
from analysis.rules.diagnostic import Severity
from analysis.rules.race_finding import RaceFinding
from analysis.rules.race_text import block_threads_words, element_words, launch_text, lines_words, race_groups
from analysis.rules.rule import Subject


@final
@record
class InterBlockRace(RaceFinding):
    """## What it does

    Reports two accesses to the same element of global memory by two blocks of one grid, at least one of them a plain
    write, or two atomics of which one is for its block alone (`atomicAdd_block`). It names a thread of each.

    ## Why is this bad?

    Blocks run in any order and at the same time, and `__syncthreads()` orders none of them. The read may see the old
    value or the new one.

    ## Example

    ```cuda
    __global__ void smooth(float *x, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n - 1) return;
      float next = x[i + 1];  // of the last thread of a block, the first element of the next block
      x[i] = (x[i] + next) / 2;  //~ inter-block-race
    }
    ```

    ## Use instead

    Write to another array, or end the kernel between the reads and the writes.

    ```cuda
    __global__ void smooth(float *out, const float *x, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n - 1) return;
      out[i] = (x[i] + x[i + 1]) / 2;
    }
    ```

    ## Known noise

    Methods that are made for such races, as relaxations that read whatever a neighbour has by now, are reported.
    Kernels with fences, grid barriers, volatile accesses or atomics whose result is used are not: their blocks may
    wait for each other. Neither are writes of one value, nor flags: a write of what is the same in all threads, where
    others read, unless it counts on from what was read (`count[0] += 1`). Two arguments are taken to point to different
    memory. Where every launch in the file has one block, or
    nothing is known of the launch and the kernel never reads `blockIdx.x`, nothing is reported.
    """

    code: ClassVar[str] = "RAC303"
    slug: ClassVar[str] = "inter-block-race"
    severity: ClassVar[Severity] = Severity.WARNING

    @classmethod
    def find(cls, subject: Subject) -> Iterator[InterBlockRace]:
        for group in race_groups(subject, RaceKind.BLOCKS):
            yield cls(group)

    def message(self) -> str:
        one, witness = self.group.first, self.group.witness
        assert witness is not None, "only what is proven is kept"
        lines = lines_words(self.group.analysis, one, element_words(one))
        launch = launch_text(self.group.analysis, one, witness)
        uses = (one.race.first, one.race.second)
        is_narrow = all(use.kind is AccessKind.ATOMIC for use in uses)
        why = "an atomic for the block is none for another block" if is_narrow else "nothing orders two blocks"
        return f"{block_threads_words(witness)}: {lines}; {why} ({launch})."
