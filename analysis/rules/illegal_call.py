"""CAL701: a call of a function that does not run on the side of its caller, or of a kernel without a launch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar, Final, final

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.rules.compiled import is_compiled
from analysis.rules.device_mentions import device_location, device_mentions, device_object_uses
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.host_subject import HostSubject
from analysis.rules.rule import Subject
from analysis.rules.side_text import CALLERS, declared_at
from analysis.sides.device_builtins import DEVICE_BUILTINS, is_device_builtin
from analysis.sides.lambdas import calls_of_lambdas, has_lambdas_for_device, nodes_for_device
from analysis.sides.mentions import Mentions, NamedCall, mentions_among
from analysis.sides.objects import ObjectUse, Use, object_uses
from analysis.sides.side import Side, side_of
from analysis.sides.sides import Sides
from analysis.syntax.items import Item
from analysis.verdict.barriers import Tier


@final
@record
class IllegalCall:
    """## What it does

    Reports calls between host and device that no compiler of CUDA accepts: of a host function from device code, of a
    device function from host code (`__syncthreads()` and its like among them), and of a kernel without a launch. Host
    code is read as the host compiles it, where
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
    silent about overloads for both sides, about what unseen headers declare, and about `constexpr` functions, which
    nvcc allows in device code with `--expt-relaxed-constexpr` alone. A device function that is a template, `inline` or
    `static` is looked at where something comes to it that nvcc compiles in any case; a template of the host is left
    alone. Methods, constructors, destructors and operators are looked at where the object is a variable whose class
    has no base, and all of its functions with the name are on one side; copies, conversions and virtual methods are
    not. Of lambdas for the device, those are looked at that are arguments: what takes one is expected to call it.
    A function that is `__host__ __device__` may call host functions; CAL702 is about those that a kernel comes to.
    Code that is compiled with `-default-device` needs no qualifiers: switch the rule off for it.
    """

    code: ClassVar[str] = "CAL701"
    slug: ClassVar[str] = "illegal-call"
    severity: ClassVar[Severity] = Severity.ERROR

    site: Location
    callee: str
    """In words, with the name in back quotes."""
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
        calls = sides.may_call(item, partial(sides.unit.snippet, item), Side.HOST, Side.KERNEL)
        uses = sides.may_use_objects(item, Side.HOST)
        if not (calls or uses) or not is_compiled(subject):
            return
        for call, found, other in calls_of(device_mentions(subject), sides, item, _NOT_OF_DEVICE) if calls else ():
            yield cls(device_location(subject, call.callee), f"`{call.name}`", other, side, found)
        for use, found, other in uses_of(device_object_uses(subject), sides, item, _NOT_OF_DEVICE) if uses else ():
            yield cls(device_location(subject, use.site), called_of(use), other, side, found)

    @classmethod
    def find_on_host(cls, subject: HostSubject) -> Iterator[IllegalCall]:
        sides, item = subject.sides, subject.function
        if subject.is_template or (subject.side is Side.BOTH and sides.is_unchecked):
            return
        if has_lambdas_for_device(item):
            yield from cls._in_lambdas(subject)
        if not item.identifiers.isdisjoint(DEVICE_BUILTINS) and subject.is_of_cuda:
            for call in subject.mentions.calls:
                if is_device_builtin(sides, call.name, call.scopes) and all(map(sides.is_declared, call.within)):
                    yield cls(subject.location(call.callee), f"`{call.name}`", Side.DEVICE, subject.side, ())
        if sides.may_call(item, lambda: subject.snippet, Side.DEVICE, Side.KERNEL):
            for call, found, other in calls_of(subject.mentions, sides, item, _NOT_OF_HOST):
                yield cls(subject.location(call.callee), f"`{call.name}`", other, subject.side, found)
        if sides.may_use_objects(item, Side.DEVICE):
            for use, found, other in uses_of(subject.object_uses, sides, item, _NOT_OF_HOST):
                yield cls(subject.location(use.site), called_of(use), other, subject.side, found)

    @classmethod
    def _in_lambdas(cls, subject: HostSubject) -> Iterator[IllegalCall]:
        """Of the lambdas for the device in host code, as the device compiles them."""
        sides, item, snippet = subject.sides, subject.function, subject.snippet
        for call in calls_of_lambdas(snippet, item):
            if all(map(sides.is_declared, call.within)):
                yield cls(subject.location(call.callee), f"`{call.name}`", Side.DEVICE, subject.side, ())
        if sides is not subject.analysis.sides:  # another text than that of the device
            return
        mentions = mentions_among(nodes_for_device(snippet, item), snippet)
        for call, found, other in calls_of(mentions, sides, item, _NOT_OF_DEVICE):
            yield cls(subject.location(call.callee), f"`{call.name}`", other, Side.DEVICE, found)
        uses = tuple(object_uses(snippet, None, nodes_for_device(snippet, item)))
        for use, found, other in uses_of(uses, sides, item, _NOT_OF_DEVICE):
            yield cls(subject.location(use.site), called_of(use), other, Side.DEVICE, found)

    def message(self) -> str:
        callee = self.callee
        if self.callee_side is Side.KERNEL:
            return f"{callee} is a kernel: it is not called but launched, `{callee.strip('`')}<<<grid, block>>>(…)`."
        where = "on the host" if self.callee_side is Side.HOST else "on the device"
        which = " where the host compiles it" if self.caller_side is Side.BOTH else ""
        called = f"{callee[0].upper()}{callee[1:]}"
        return f"{called} runs {where} alone: {CALLERS[self.caller_side]} cannot call it{which}."

    def related(self) -> tuple[Related, ...]:
        words = {
            Side.HOST: "a host function: nothing says `__device__`",
            Side.DEVICE: "declared for the device alone",
            Side.KERNEL: "declared as a kernel",
            Side.BOTH: "declared here",
        }
        return declared_at(self.declared, words[self.callee_side])


_NOT_OF_DEVICE: Final = frozenset({Side.HOST, Side.KERNEL})
_NOT_OF_HOST: Final = frozenset({Side.DEVICE, Side.KERNEL})


def uses_of(
    uses: Sequence[ObjectUse], sides: Sides, caller: Item, wrong: frozenset[Side]
) -> Iterator[tuple[ObjectUse, Sequence[Item], Side]]:
    """The uses of objects that call functions on one of these sides, each place once."""
    told: set[int] = set()
    for use in uses:
        if use.site.start in told or any(not sides.is_declared(name) for name in use.within):
            continue
        meant = sides.of_object(use, caller)
        if meant is not None and meant[1] in wrong:
            told.add(use.site.start)
            yield use, *meant


def called_of(use: ObjectUse) -> str:
    """What a use of an object calls, in words."""
    match use.use:
        case Use.METHOD:
            return f"`{use.of}::{use.name}`"
        case Use.OPERATOR:
            return f"`{use.name}` of `{use.of}`"
        case Use.CONSTRUCTOR:
            return f"the constructor of `{use.of}`"
        case Use.DESTRUCTOR:
            return f"the destructor of `{use.of}`"


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
