"""RAC301: two threads of a block use the same element of shared memory, and no barrier stands between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.ir.record import record
from analysis.races.model import RaceKind
from analysis.rules.diagnostic import Severity
from analysis.rules.race_finding import RaceFinding
from analysis.rules.race_text import (
    element_words,
    launch_text,
    lines_words,
    race_groups,
    threads_words,
)
from analysis.rules.rule import Subject
from analysis.verdict.barriers import Tier


@final
@record
class SharedRace(RaceFinding):
    """## What it does

    Reports two accesses of one block to the same element of shared memory, at least one of them a write, with no
    barrier between. It names two threads that meet there, and how: in one pass through the code, in the next round of
    a loop, in two calls of one function.

    ## Why is this bad?

    Warps run in any order. The read may see the old value or the new one, from run to run and from device to device.
    Lanes of one warp are no exception since compute capability 7.0: without `__syncwarp()` nothing orders what they do
    in memory.

    ## Example

    ```cuda
    __device__ float block_sum(float *s, float v) {
      s[threadIdx.x] = v;  //~ shared-race
      __syncthreads();
      for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
      }
      return s[0];  // the next call overwrites it while other threads still read
    }
    __global__ void two_sums(float *out, const float *in) {
      __shared__ float s[256];
      float a = block_sum(s, in[threadIdx.x]);
      float b = block_sum(s, in[threadIdx.x + blockDim.x]);
      out[threadIdx.x] = a + b;
    }
    ```

    ## Use instead

    A barrier between the accesses, here behind the last read. The editor and `check --fix` put it where it orders all
    pairs of the kernel if there is such a place: behind the last store of a tile, at the end of a loop's body, between
    two calls, or at the beginning of a function that is called more often. `s[t] = s[t + 1];` is taken apart into a
    read, a barrier and a write. The fix is withheld where not all threads of the block come to the barrier, and made
    where a run of both versions confirms that the races are gone and that results no longer depend on who is first.

    ```cuda
    __device__ float block_sum(float *s, float v) {
      s[threadIdx.x] = v;
      __syncthreads();
      for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
      }
      float sum = s[0];
      __syncthreads();
      return sum;
    }
    __global__ void two_sums(float *out, const float *in) {
      __shared__ float s[256];
      float a = block_sum(s, in[threadIdx.x]);
      float b = block_sum(s, in[threadIdx.x + blockDim.x]);
      out[threadIdx.x] = a + b;
    }
    ```

    ## Known noise

    Code that relies on the lanes of a warp running in step is reported, as the programming model asks; accesses through
    `volatile` pointers inside a warp are not. Only kernels are looked at, with what they call. Two writes of one value
    are not reported. By default only races are shown that happen whatever the arguments are, in every block that the
    kernel is made for; what data decides has the tier `assumed`, or `possible` where an atomic whose address comes from
    memory stands beside a plain write; `check --confirm` holds both against runs.
    """

    code: ClassVar[str] = "RAC301"
    slug: ClassVar[str] = "shared-race"
    severity: ClassVar[Severity] = Severity.WARNING

    @classmethod
    def find(cls, subject: Subject) -> Iterator[SharedRace]:
        for group in race_groups(subject, RaceKind.SHARED):
            yield cls(group)

    def message(self) -> str:
        one, witness = self.group.first, self.group.witness
        lines = lines_words(self.group.analysis, one, element_words(one))
        if witness is None:
            open_lines = f"{lines[0].upper()}{lines[1:]}, with no barrier between"
            if self.tier is Tier.POSSIBLE:
                return f"{open_lines}: a race if data lead the atomic of one thread to what another one writes."
            return f"{open_lines}; data decides whether two threads meet."
        nothing = "no barrier between, and no `__syncwarp()`" if witness.is_same_warp else "no barrier between"
        certain = "" if self.tier is Tier.PROVEN else " Whether it matters depends on the block, or on what is written."
        launch = launch_text(self.group.analysis, one, witness)
        return f"Threads {threads_words(witness)}: {lines}; {nothing} ({launch}).{certain}"
