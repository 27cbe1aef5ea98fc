"""CAL709: what only device code has, where the host compiles: thread indices, shared variables, the architecture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, assert_never, final

from analysis.facts.model import Location
from analysis.ir.enumeration import Enumeration
from analysis.ir.record import record
from analysis.rules.compiled import is_seen_outside
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.host_subject import HostSubject
from analysis.sides.device_builtins import ARCHITECTURE, DEVICE_NAMES, INDICES, SHARED
from analysis.sides.mentions import nodes_that_run
from analysis.sides.side import Side
from analysis.syntax.tree import Node
from analysis.verdict.barriers import Tier


class OfDevice(Enumeration):
    """What host code cannot have."""

    INDEX = "index"
    SHARED = "shared variable"
    ARCHITECTURE = "architecture"


@final
@record
class DeviceOnlyOnHost:
    """## What it does

    Reports `threadIdx`, `blockIdx`, `blockDim`, `gridDim` and `warpSize`, variables that are `__shared__`, and
    `__CUDA_ARCH__` as a number, in code that the host compiles: in host functions, and in `__host__ __device__` ones
    where `__CUDA_ARCH__` is not defined.

    ## Why is this bad?

    A shared variable and `__CUDA_ARCH__` do not compile there. An index compiles, but has no value on the host: the
    program does not link.

    ## Example

    ```cuda
    __host__ __device__ int element() {
    #ifdef __CUDA_ARCH__
      return threadIdx.x;
    #else
      return blockIdx.x;  //~ device-only-on-host
    #endif
    }
    ```

    ## Use instead

    ```cuda
    __host__ __device__ int element() {
    #ifdef __CUDA_ARCH__
      return threadIdx.x;
    #else
      return 0;
    #endif
    }
    ```

    ## Known noise

    A function that host code never calls links. Functions for both sides that are `inline`, `static`, templates or in
    a class are therefore looked at for indices only where they ask themselves for the side; templates of the host are
    not looked at for them at all. Code that is compiled with `-default-device` needs no qualifiers: switch the rule off
    for it.
    """

    code: ClassVar[str] = "CAL709"
    slug: ClassVar[str] = "device-only-on-host"
    severity: ClassVar[Severity] = Severity.ERROR

    site: Location
    name: str
    what: OfDevice
    side: Side

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find_on_host(cls, subject: HostSubject) -> Iterator[DeviceOnlyOnHost]:
        sides, item = subject.sides, subject.function
        if not subject.is_of_cuda or not subject.names_any(DEVICE_NAMES) or not sides.is_certain(item):
            return
        indices = INDICES if _is_linked(subject) and not subject.is_template else frozenset[str]()
        for value in subject.mentions.values:
            if any(not sides.is_declared(name) for name in value.within):
                continue
            if value.name == ARCHITECTURE:
                yield cls(subject.location(value.node), value.name, OfDevice.ARCHITECTURE, subject.side)
            elif value.name in indices and not _means_another(subject, value.name):
                yield cls(subject.location(value.node), value.name, OfDevice.INDEX, subject.side)
        if not subject.names_any(frozenset({SHARED})):
            return
        for node, _, within in nodes_that_run(subject.snippet, item, on_host=True):
            if _is_shared(node) and all(map(sides.is_declared, within)):
                name = node.text.decode("utf-8", "replace").partition(";")[0]
                yield cls(subject.location(node), name, OfDevice.SHARED, subject.side)

    def message(self) -> str:
        where = "host code" if self.side is Side.HOST else "what the host compiles of a function for both sides"
        match self.what:
            case OfDevice.INDEX:
                return f"`{self.name}` has no value in {where}: the program does not link."
            case OfDevice.SHARED:
                return f"A `__shared__` variable is not allowed in {where}."
            case OfDevice.ARCHITECTURE:
                return f"`{self.name}` is not defined in {where}."
            case _:
                assert_never(self.what)

    def related(self) -> tuple[Related, ...]:
        return ()


def _is_linked(subject: HostSubject) -> bool:
    """Whether code for the host is made of it whoever calls it, or it says itself what that is."""
    if subject.side is Side.HOST or subject.asks_for_side:
        return True
    return not subject.function.is_constexpr and is_seen_outside(subject.sides, subject.function)


def _means_another(subject: HostSubject, name: str) -> bool:
    """Whether the program has something of its own with that name."""
    return subject.sides.is_declared(name) or subject.sides.may_be_member(name, subject.function)


def _is_shared(node: Node) -> bool:
    """An array whose size the launch says is refused where it is used, not where it is declared."""
    words = {child.text for child in node.children} if node.kind == "declaration" else set[bytes]()
    return SHARED in words and b"extern" not in words
