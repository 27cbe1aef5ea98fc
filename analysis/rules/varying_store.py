"""RAC302: the threads of a block write different values to one address."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.ir.record import record
from analysis.races.model import RaceKind
from analysis.rules.diagnostic import Fix, Severity
from analysis.rules.one_writer_fix import one_writer_fix
from analysis.rules.race_finding import RaceFinding
from analysis.rules.race_text import element_words, launch_text, race_groups, threads_words
from analysis.rules.rule import Subject
from analysis.verdict.barriers import Tier


@final
@record
class VaryingStore(RaceFinding):
    """## What it does

    Reports a write to one element of shared memory that several threads of a block make, with different values.

    ## Why is this bad?

    One of the values stays, and which one is not defined.

    ## Example

    ```cuda
    __global__ void first(float *out, const float *in) {
      __shared__ float chosen;
      chosen = in[threadIdx.x];  //~ varying-store-to-one-address
      __syncthreads();
      out[threadIdx.x] = chosen;
    }
    ```

    ## Use instead

    Let one thread write, or combine the values: in a reduction, or with an atomic operation.

    ```cuda
    __global__ void first(float *out, const float *in) {
      __shared__ float chosen;
      if (threadIdx.x == 0) chosen = in[0];
      __syncthreads();
      out[threadIdx.x] = chosen;
    }
    ```

    Where all other writes to the variable are those of one thread (`if (threadIdx.x == 0) chosen = 0;`), the fix makes
    this one a write of that thread too. It is unsafe (`check --fix --unsafe-fixes`): what the other threads wrote is
    lost. Elsewhere nothing says which thread should write, and no fix is offered.

    ## Known noise

    Writes of one value by all threads (`found = true`) are not reported. Where data decides who writes, or what is
    written is not a formula of numbers and of elements of the arguments, nothing is reported by default.
    """

    code: ClassVar[str] = "RAC302"
    slug: ClassVar[str] = "varying-store-to-one-address"
    severity: ClassVar[Severity] = Severity.WARNING

    repair: Fix | None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[VaryingStore]:
        for group in race_groups(subject, RaceKind.ONE_ADDRESS):
            yield cls(group, one_writer_fix(subject, group.first))

    def fix(self) -> Fix | None:
        return self.repair

    def message(self) -> str:
        witness, element = self.group.witness, element_words(self.group.first)
        if witness is None:
            return f"Data decides whether several threads write to one element of {element} here."
        values = "different values" if self.tier is Tier.PROVEN else "values that may differ"
        launch = launch_text(self.group.analysis, self.group.first, witness)
        return f"Threads {threads_words(witness)} write {values} to {element}, and nothing orders them ({launch})."
