"""WRP208: an operation of the warp without a mask, which current devices do not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final, final

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.refactor.edit import Replacement
from analysis.rules.diagnostic import Applicability, Fix, Related, Severity
from analysis.rules.rule import Subject
from analysis.rules.warp_text import records_of
from analysis.verdict.barriers import Tier
from analysis.warp.model import WarpProblemKind
from analysis.warp.wide_warps import CUDA_WARP

_LEGACY: Final = re.compile(rb"(__(?:shfl(?:_up|_down|_xor)?|any|all|ballot))\s*\(")


@final
@record
class LegacyWarpIntrinsic:
    """## What it does

    Reports `__shfl`, `__shfl_up`, `__shfl_down`, `__shfl_xor`, `__any`, `__all` and `__ballot`, the forms without
    `_sync`. Where warps have 64 lanes nothing is reported: there these are the usual forms.

    ## Why is this bad?

    They were deprecated with CUDA 9 and do not exist for devices of compute capability 7.0 and later, where lanes of a
    warp need not run in step: the compiler refuses them.

    ## Example

    ```cuda
    __global__ void sum(float *x) {
      x[threadIdx.x] += __shfl_down(x[threadIdx.x], 1);  //~ legacy-warp-intrinsic
    }
    ```

    ## Use instead

    ```cuda
    __global__ void sum(float *x) {
      x[threadIdx.x] += __shfl_down_sync(0xffffffff, x[threadIdx.x], 1);
    }
    ```

    The fix writes the `_sync` form with a full mask. It is offered where it is certain that all lanes of a warp come
    together; elsewhere the mask is for the author to choose.

    ## Known noise

    None is known.
    """

    code: ClassVar[str] = "WRP208"
    slug: ClassVar[str] = "legacy-warp-intrinsic"
    severity: ClassVar[Severity] = Severity.ERROR

    site: Location
    name: str
    replacement: Fix | None

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[LegacyWarpIntrinsic]:
        for found in records_of(subject, WarpProblemKind.LEGACY):
            if found.warp_size != CUDA_WARP or found.operation.path != subject.analysis.facts.path:
                continue
            called = _LEGACY.match(subject.analysis.document.text, found.operation.start)
            if called is None:  # a macro, or a library that stands for it
                continue
            fix = None
            if found.problem.is_convergent:
                name = called[1].decode()
                start = found.operation.start
                edit = (Replacement(start, called.end(), f"{name}_sync(0xffffffff, "),)
                fix = Fix(f"Use `{name}_sync` with a full mask", edit, Applicability.SAFE)
            yield cls(found.operation, called[1].decode(), fix)

    def message(self) -> str:
        return (
            f"`{self.name}` has no mask and does not exist on devices of compute capability 7.0 and later; use "
            f"`{self.name}_sync`."
        )

    def related(self) -> tuple[Related, ...]:
        return ()

    def fix(self) -> Fix | None:
        return self.replacement
