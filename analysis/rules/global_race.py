"""RAC305: two threads of a block use the same element of global memory, and no barrier stands between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.ir.record import record
from analysis.races.model import RaceKind
from analysis.rules.diagnostic import Severity
from analysis.rules.race_finding import RaceFinding
from analysis.rules.race_text import element_words, launch_text, lines_words, race_groups, threads_words
from analysis.rules.rule import Subject


@final
@record
class GlobalRace(RaceFinding):
    """## What it does

    Reports two accesses of one block to the same element of global memory, at least one of them a plain write, with no
    barrier between. It names two threads that meet there.

    ## Why is this bad?

    Warps run in any order, and lanes of one warp may since compute capability 7.0. The read may see the old value or
    the new one, from run to run and from device to device.

    ## Example

    ```cuda
    __global__ void shift(float *x) {
      x[threadIdx.x] = x[threadIdx.x + 1];  //~ global-race
    }
    void host(float *x) { shift<<<1, 128>>>(x); }
    ```

    ## Use instead

    Where one block does all the work, a barrier between the accesses; else write to another array, or end the kernel
    between the reads and the writes.

    ```cuda
    __global__ void shift(float *x) {
      float next = x[threadIdx.x + 1];
      __syncthreads();
      x[threadIdx.x] = next;
    }
    void host(float *x) { shift<<<1, 128>>>(x); }
    ```

    ## Known noise

    Methods that are made for such races, as relaxations that read whatever a neighbour has by now, are reported.
    Kernels with fences, grid barriers, volatile accesses or atomics whose result is used are not: their threads may
    wait for each other. Neither are writes of one value, nor flags: a write of what is the same in all threads, where
    others read, unless it counts on from what was read (`count[0] += 1`). Two arguments are taken to point to different
    memory. What two blocks do as well is RAC303.
    """

    code: ClassVar[str] = "RAC305"
    slug: ClassVar[str] = "global-race"
    severity: ClassVar[Severity] = Severity.WARNING

    @classmethod
    def find(cls, subject: Subject) -> Iterator[GlobalRace]:
        for group in race_groups(subject, RaceKind.GLOBAL):
            yield cls(group)

    def message(self) -> str:
        one, witness = self.group.first, self.group.witness
        assert witness is not None, "only what is proven is kept"
        lines = lines_words(self.group.analysis, one, element_words(one))
        nothing = "no barrier between, and no `__syncwarp()`" if witness.is_same_warp else "no barrier between"
        launch = launch_text(self.group.analysis, one, witness)
        return f"Threads {threads_words(witness)}: {lines}; {nothing} ({launch})."
