"""CAL701: a call of a function that does not run on the side of its caller, or of a kernel without a launch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, final

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.rules.compiled import is_compiled
from analysis.rules.device_mentions import device_location, device_mentions
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.host_subject import HostSubject
from analysis.rules.rule import Subject
from analysis.rules.side_text import CALLERS, declared_at
from analysis.sides.mentions import Mentions, NamedCall
from analysis.sides.side import Side, side_of
from analysis.sides.sides import Sides
from analysis.syntax.items import Item
from analysis.verdict.barriers import Tier


@final
@record
class IllegalCall:
    """## What it does

    Reports calls between host and device that no compiler of CUDA accepts: of a host function from device code, of a
    device function from host code, and of a kernel without a launch. Host code is read as the host compiles it, where
    `__CUDA_ARCH__` is not defined, and device code as the device does.

    ## Why is this bad?

    It does not compile: a function runs on the host unless `__device__` says otherwise, and only `<<<…>>>` starts a
    kernel.

    ## Example

    ```cuda
    int clamped(int x, int limit) { return x < limit ? x : limit; }

    __global__ void clamp(int *x, int limit) {
      x[threadIdx.x] = clamped(x[threadIdx.x], limit);  //~ illegal-call
    }
    ```

    ## Use instead

    ```cuda
    __host__ __device__ int clamped(int x, int limit) { return x < limit ? x : limit; }

    __global__ void clamp(int *x, int limit) {
      x[threadIdx.x] = clamped(x[threadIdx.x], limit);
    }
    ```

    ## Known noise

    None is known, since it only speaks where all functions with the name that the file sees are on one side. So it is
    silent about overloads for both sides, about methods, constructors and operators, about what unseen headers declare,
    and about `constexpr` functions, which nvcc allows in device code with `--expt-relaxed-constexpr` alone. A device
    function that is a template, `inline` or `static` is looked at where something comes to it that nvcc compiles in any
    case; a template of the host is left alone. A function that is `__host__ __device__` may call host functions;
    CAL702 is about those that a kernel comes to. Code that is compiled with `-default-device` needs no qualifiers:
    switch the rule off for it.
    """

    code: ClassVar[str] = "CAL701"
    slug: ClassVar[str] = "illegal-call"
    severity: ClassVar[Severity] = Severity.ERROR

    site: Location
    callee: str
    callee_side: Side
    caller_side: Side
    declared: Sequence[Item]

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[IllegalCall]:
        item = subject.analysis.declaration(subject.function)
        side, sides = side_of(item), subject.analysis.sides
        if side not in (Side.DEVICE, Side.KERNEL) or not sides.is_told:
            return
        wrong = frozenset({Side.HOST, Side.KERNEL})
        if sides.may_call(item, Side.HOST, Side.KERNEL) and is_compiled(subject):
            for call, found, other in calls_of(device_mentions(subject), sides, item, wrong):
                yield cls(device_location(subject, call.callee), call.name, other, side, found)

    @classmethod
    def find_on_host(cls, subject: HostSubject) -> Iterator[IllegalCall]:
        sides, item = subject.sides, subject.function
        is_left_out = subject.is_template or (subject.side is Side.BOTH and sides.is_unchecked)
        if is_left_out or not sides.may_call(item, Side.DEVICE, Side.KERNEL):
            return
        for call, found, other in calls_of(subject.mentions, sides, item, frozenset({Side.DEVICE, Side.KERNEL})):
            yield cls(subject.location(call.callee), call.name, other, subject.side, found)

    def message(self) -> str:
        if self.callee_side is Side.KERNEL:
            return f"`{self.callee}` is a kernel: it is not called but launched, `{self.callee}<<<grid, block>>>(…)`."
        where = "on the host" if self.callee_side is Side.HOST else "on the device"
        return f"`{self.callee}` runs {where} alone: {CALLERS[self.caller_side]} cannot call it."

    def related(self) -> tuple[Related, ...]:
        words = {
            Side.HOST: "a host function: nothing says `__device__`",
            Side.DEVICE: "declared for the device alone",
            Side.KERNEL: "declared as a kernel",
            Side.BOTH: "declared here",
        }
        return declared_at(self.declared, words[self.callee_side])


def calls_of(
    mentions: Mentions, sides: Sides, caller: Item, wrong: frozenset[Side]
) -> Iterator[tuple[NamedCall, Sequence[Item], Side]]:
    """The calls that are no launches of functions that are on one of these sides, with what declares them."""
    for call in mentions.calls:
        if call.is_launch or any(not sides.is_declared(name) for name in call.within):
            continue
        meant = sides.of_call(call.name, call.scopes, caller)
        if meant is not None and meant[1] in wrong:
            yield call, *meant
