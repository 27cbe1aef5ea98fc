"""CAL705: a launch whose arguments are not those that the kernel takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, final

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.host_subject import HostSubject
from analysis.rules.side_text import declared_at
from analysis.sides.launch_calls import accepted_counts, arguments_of
from analysis.sides.mentions import NamedCall
from analysis.sides.plain_types import argument_type, is_refused, parameter_types
from analysis.sides.side import Side
from analysis.syntax.items import Item
from analysis.syntax.tree import Node
from analysis.verdict.barriers import Tier


@final
@record
class LaunchArguments:
    """## What it does

    Reports a launch that passes too few or too many arguments, or one that cannot become what the kernel takes: a
    `float *` for an `int *`, a number for a pointer, a pointer to constants where the kernel writes.

    ## Why is this bad?

    It does not compile.

    ## Example

    ```cuda
    __global__ void scale(float *x, float factor, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) x[i] *= factor;
    }

    void scaled(float *x, const float *y, int n) {
      scale<<<(n + 255) / 256, 256>>>(x, n);  //~ launch-arguments
      scale<<<(n + 255) / 256, 256>>>(y, 2.0f, n);  //~ launch-arguments
    }
    ```

    ## Use instead

    ```cuda
    __global__ void scale(float *x, float factor, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) x[i] *= factor;
    }

    void scaled(float *x, int n) {
      scale<<<(n + 255) / 256, 256>>>(x, 2.0f, n);
    }
    ```

    ## Known noise

    None is known. Types are compared where both are plain: numbers, CUDA's vectors and pointers to these, of variables
    and parameters with one declaration. Of kernels with overloads, and of launches in templates of host functions,
    arguments are only counted.
    """

    code: ClassVar[str] = "CAL705"
    slug: ClassVar[str] = "launch-arguments"
    severity: ClassVar[Severity] = Severity.ERROR

    site: Location
    text: str
    kernels: Sequence[Item]

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find_on_host(cls, subject: HostSubject) -> Iterator[LaunchArguments]:
        if not subject.names_any(subject.sides.names[Side.KERNEL]):
            return
        for call, kernels in subject.launches():
            given = arguments_of(call.call, subject.sides)
            if given is None:
                continue
            wrong = _wrong_count(subject, call, kernels, len(given))
            if wrong is not None:
                yield cls(subject.location(call.callee), wrong, kernels)
                continue
            for node, text in () if subject.is_template else _wrong_types(subject, call, kernels, given):
                yield cls(subject.location(node), text, kernels)

    def message(self) -> str:
        return self.text

    def related(self) -> tuple[Related, ...]:
        return declared_at(self.kernels, "the kernel is declared here")


def _wrong_count(subject: HostSubject, call: NamedCall, kernels: Sequence[Item], number: int) -> str | None:
    counts = [accepted_counts(kernel, subject.sides) for kernel in kernels]
    if any(count is None or number in count for count in counts):
        return None
    known = sorted({(count.start, count.stop - 1) for count in counts if count is not None})
    words = " or ".join(f"{least}" if least == most else f"{least} to {most}" for least, most in known)
    is_one = known[-1][1] == 1
    end = ": no instance of this template compiles." if subject.is_template else "."
    return f"`{call.name}` takes {words} argument{'' if is_one else 's'}, and this launch passes {number}{end}"


def _wrong_types(
    subject: HostSubject, call: NamedCall, kernels: Sequence[Item], given: Sequence[Node]
) -> Iterator[tuple[Node, str]]:
    """Where the kernel is known: its declarations agree in what they take."""
    sides = subject.sides
    snippets = [sides.unit.plain_snippet(kernel) for kernel in kernels]
    found = [parameter_types(snippet.root, snippet.templates, sides) for snippet in snippets]
    if any(one != found[0] for one in found) or any(kernel.is_template for kernel in kernels):
        return
    for position, (node, parameter) in enumerate(zip(given, found[0], strict=False)):
        type = argument_type(node, subject.variable_types, sides)
        if type is not None and parameter is not None and is_refused(type, parameter):
            text = node.text.decode("utf-8", "replace")
            yield (
                node,
                f"Argument {position + 1} of `{call.name}`: `{text}` is `{type}`, which is no `{parameter}`.",
            )
