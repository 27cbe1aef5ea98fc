"""MEM503: a pointer whose memory space every call agrees on, but which the compiler cannot see."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final, final

from analysis.facts.merge import FrameView
from analysis.facts.model import Location, VariableFact
from analysis.ir.function import FunctionKind
from analysis.ir.record import record
from analysis.ir.source import OWN_FRAME, Span
from analysis.ir.types import MemorySpace, PointerType
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.rule import Subject
from analysis.syntax.lexing import without_hidden
from analysis.verdict.barriers import Tier


@final
@record
class GenericPointer:
    """## What it does

    Reports a pointer parameter of a device function that is kept from being inlined, if every call in the file passes
    a pointer into one and the same memory space.

    ## Why is this bad?

    The compiler sees the space of a pointer through inlining, but not through a call. The function then uses generic
    loads and stores, which look up the space at run time, and the compiler must assume that pointers of different
    spaces may be equal.

    ## Example

    ```cuda
    __device__ __noinline__ float sum(const float *values, int n) {  //~ generic-pointer
      float total = 0.0f;
      for (int i = 0; i < n; i++) total += values[i];
      return total;
    }
    __global__ void k(float *out) {
      __shared__ float tile[64];
      tile[threadIdx.x] = out[threadIdx.x];
      __syncthreads();
      out[threadIdx.x] = sum(tile, 64);
    }
    ```

    ## Use instead

    Let the function be inlined, or tell the compiler what the pointer is.

    ```cuda
    __device__ __noinline__ float sum(const float *values, int n) {
      __builtin_assume(__isShared(values));
      float total = 0.0f;
      for (int i = 0; i < n; i++) total += values[i];
      return total;
    }
    __global__ void k(float *out) {
      __shared__ float tile[64];
      tile[threadIdx.x] = out[threadIdx.x];
      __syncthreads();
      out[threadIdx.x] = sum(tile, 64);
    }
    ```

    ## Known noise

    Calls from other files are not seen. Functions without `__noinline__` are not reported, as compilers inline nearly
    all of them.
    """

    code: ClassVar[str] = "MEM503"
    slug: ClassVar[str] = "generic-pointer"
    severity: ClassVar[Severity] = Severity.HINT

    site: Location
    name: str
    space: MemorySpace

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[GenericPointer]:
        function = subject.function
        if function.kind is not FunctionKind.DEVICE or not function.callers_known:
            return
        source = subject.text.bytes(Span(0, function.end - function.start))
        if b"noinline" not in source:
            return
        body = without_hidden(source)
        if _KEPT_APART.search(body.split(b"{", 1)[0]) is None:
            return
        views = subject.analysis.views(function)
        for variable in function.variables:
            if variable.is_parameter and not _is_told(body, variable.name):
                spaces = {space for view in views for space in _spaces(view, variable)}
                if len(spaces) == 1 and (space := spaces.pop()) is not MemorySpace.GENERIC:
                    yield cls(subject.text.location(variable.span), variable.name, space)

    def message(self) -> str:
        asks = _PREDICATES[self.space]
        return (
            f"Every call passes a pointer to {self.space.value} memory as `{self.name}`, but the function is not "
            f"inlined, so the compiler takes it as generic. `__builtin_assume({asks}({self.name}))` would tell it."
        )

    def related(self) -> tuple[Related, ...]:
        return ()


_KEPT_APART: Final = re.compile(rb"\b(?:__noinline__|noinline)\b")
_PREDICATES: Final = {
    MemorySpace.GLOBAL: "__isGlobal",
    MemorySpace.SHARED: "__isShared",
    MemorySpace.LOCAL: "__isLocal",
    MemorySpace.CONSTANT: "__isConstant",
}


def _is_told(body: bytes, name: str) -> bool:
    return (
        re.search(rb"\b__is(?:Global|Shared|Local|Constant)\s*\(\s*" + re.escape(name.encode()) + rb"\b", body)
        is not None
    )


def _spaces(view: FrameView, variable: VariableFact) -> Iterator[MemorySpace]:
    """Where the parameter points in one place where the function was inlined, whatever it is assigned there."""
    function = view.root.function
    for definition in view.root.records[view.frame].definitions:
        declared = function.variables[definition.variable]
        if (declared.span.start, declared.span.end) != (variable.span.start, variable.span.end):
            continue
        if isinstance(declared.type, PointerType) and view.frame != OWN_FRAME:
            yield view.root.spaces.space(definition.value)
