"""CAL710: a host function that compares `__CUDA_ARCH__`, which is not defined there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final, final

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.host_subject import HostSubject
from analysis.sides.device_builtins import ARCHITECTURE
from analysis.sides.lambdas import has_lambdas_for_device
from analysis.sides.side import Side
from analysis.syntax.lexing import HIDDEN
from analysis.verdict.barriers import Tier


@final
@record
class ArchitectureTestOnHost:
    """## What it does

    Reports `#if __CUDA_ARCH__ >= 800` in a function that only the host runs.

    ## Why is this bad?

    Where the host compiles, `__CUDA_ARCH__` is not defined, and `#if` takes it for 0: the condition has one answer,
    whatever the device is that the program runs on. Such a program chooses the same kernel everywhere.

    ## Example

    ```cuda
    __global__ void fast(float *x) { x[threadIdx.x] = 1; }
    __global__ void slow(float *x) { x[threadIdx.x] = 1; }

    void run(float *x) {
    #if __CUDA_ARCH__ >= 800  //~ architecture-test-on-host
      fast<<<1, 256>>>(x);
    #else
      slow<<<1, 256>>>(x);
    #endif
    }
    ```

    ## Use instead

    ```cuda
    __global__ void fast(float *x) { x[threadIdx.x] = 1; }
    __global__ void slow(float *x) { x[threadIdx.x] = 1; }

    void run(float *x) {
      int major = 0;
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
      if (major >= 8)
        fast<<<1, 256>>>(x);
      else
        slow<<<1, 256>>>(x);
    }
    ```

    ## Known noise

    None is known. A function that asks whether `__CUDA_ARCH__` is defined is left alone, and so is one with lambdas for
    the device, and one whose qualifiers a macro may hold that is not seen.
    """

    code: ClassVar[str] = "CAL710"
    slug: ClassVar[str] = "architecture-test-on-host"
    severity: ClassVar[Severity] = Severity.WARNING

    site: Location

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find_on_host(cls, subject: HostSubject) -> Iterator[ArchitectureTestOnHost]:
        item = subject.function
        if subject.side is not Side.HOST or not subject.names_any(frozenset({ARCHITECTURE.encode()})):
            return
        if not subject.is_of_cuda or has_lambdas_for_device(item) or not subject.sides.is_certain(item):
            return
        text = HIDDEN.sub(lambda hidden: re.sub(rb"[^\n]", b" ", hidden[0]), item.text)
        if _ASKED.search(text) is not None:
            return
        for found in _TEST.finditer(text):
            start = item.span.start + found.start(1)
            yield cls(Location(item.path, start, item.span.start + found.end(1)))

    def message(self) -> str:
        return (
            f"`{ARCHITECTURE}` is not defined where the host compiles this, and counts as 0: the condition has one "
            "answer, whatever the device is. Ask `cudaDeviceGetAttribute` or `cudaGetDeviceProperties`."
        )

    def related(self) -> tuple[Related, ...]:
        return ()


_NAME: Final = ARCHITECTURE.encode()
_ASKED: Final = re.compile(rb"\bdefined\s*\(?\s*" + _NAME + rb"|#[ \t]*ifn?def[ \t]+" + _NAME)
_TEST: Final = re.compile(
    rb"^[ \t]*(#[ \t]*(?:el)?if\b(?:[^\n\\]|\\.|\\\n)*?\b" + _NAME + rb"\b[^\n]*?)[ \t]*$", re.MULTILINE
)
