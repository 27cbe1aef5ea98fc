"""The instances of kernel templates that a file launches: what is analysed in place of the template.

Rules    A template counts as launched with known arguments only where every launch of it in the file says them, none of
         its instances is asked for by name for other files, and there are at most `MAX_INSTANCES`.
         What was found holds as long as the text of the functions that launch, and of what they name, stays the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from typing import Final, TypeAlias, final

from analysis.ir.ids import FunctionId
from analysis.ir.record import record
from analysis.launches import Launch
from analysis.launches.instances import Launched, launched_instances, launching_functions
from analysis.launches.model import LaunchText
from analysis.lower.names import ConstantName, FunctionInstance
from analysis.lower.program import DeviceFunction, Program
from analysis.store.bounded import BoundedCache
from analysis.syntax.items import Item, ItemKind

MAX_INSTANCES: Final = 8

InstanceKey: TypeAlias = tuple[FunctionId, bytes, bytes]

_EXPLICIT: Final = re.compile(rb"\s*(?:extern\s+)?template\s*(?!<)")


@final
@record
class LaunchedAs:
    """An instance, how its launches read, and its template arguments: None for one that is no number."""

    id: FunctionId
    texts: frozenset[LaunchText]
    constants: tuple[int | None, ...]


@final
@record
class Instances:
    """Launched instances, each with how its launches read; `are_all` says that the template runs in no other form."""

    launched: tuple[LaunchedAs, ...]
    are_all: bool

    @property
    def ids(self) -> tuple[FunctionId, ...]:
        return tuple(one.id for one in self.launched)

    def launches_of(self, instance: FunctionId, launches: Sequence[Launch]) -> tuple[Launch, ...]:
        """Those of the kernel's launches that run the instance; without blocks if it is not certain which of them."""
        own = next(one for one in self.launched if one.id == instance)
        found = tuple(launch for launch in launches if launch.text in own.texts)
        is_shared = any(other.id != instance and not own.texts.isdisjoint(other.texts) for other in self.launched)
        possible = tuple(launch.running(own.constants) for launch in found or launches)
        if found and not is_shared:
            return possible
        blocks = {numbers.block for launch in possible for numbers in launch.every}
        is_decided = bool(found) and all(self._is_decided(own, launch) for launch in possible)
        if is_decided or len(blocks) == 1:
            return possible
        return tuple(replace(launch, block=None, possible=()) for launch in possible)

    def _is_decided(self, own: LaunchedAs, launch: Launch) -> bool:
        """Whether the numbers of the template arguments leave no other instance that reads the same."""
        others = [one for one in self.launched if one.id != own.id and launch.text in one.texts]
        return not any(numbers.may_run(other.constants) for other in others for numbers in launch.every)


NONE: Final = Instances((), are_all=False)


@final
class LaunchedTemplates:
    """Answers for one version of a file; the host code is read only where nothing is known from an earlier version."""

    def __init__(self, program: Program, cache: BoundedCache[InstanceKey, Instances]) -> None:
        self._program = program
        self._cache = cache
        self._items: dict[FunctionId, Item] = {}
        self._instances: dict[FunctionId, Instances] = {}

    def of(self, kernel: DeviceFunction) -> Instances:
        """The instances of a kernel template that are launched."""
        if not kernel.item.is_template:
            return NONE
        key = (kernel.id, self._program.unit.seen(kernel.item), self._digest)
        found = self._cache.get_or_compute(key, lambda: self._find(kernel))
        self._items |= dict.fromkeys(found.ids, kernel.item)
        self._instances |= dict.fromkeys(found.ids, found)
        return found

    def launches_of(self, function: FunctionId, launches: tuple[Launch, ...]) -> tuple[Launch, ...]:
        """The launches of a kernel; of an instance those that run it."""
        found = self._instances.get(function)
        return launches if found is None else found.launches_of(function, launches)

    def item_of(self, function: FunctionId) -> Item | None:
        """The template that a launched instance is one of; None for any other function."""
        return self._items.get(function)

    def make_known(self) -> None:
        """Makes the instances in the program, so that they can be lowered."""
        _ = self._launched

    @cached_property
    def _digest(self) -> bytes:
        """A hash of all that the launches depend on: no bodies of kernels."""
        digest = blake2b(digest_size=16)
        for item in self._hosts:
            digest.update(self._program.unit.to_lower(item))
        return digest.digest()

    @cached_property
    def _hosts(self) -> Sequence[Item]:
        return launching_functions(self._program)

    @cached_property
    def _launched(self) -> Launched:
        return launched_instances(self._program, self._hosts)

    def _find(self, kernel: DeviceFunction) -> Instances:
        declaration = self._program.declaration_of(kernel.id)
        found = self._launched.get(id(declaration), ())
        known = tuple(
            LaunchedAs(one.instance.id, one.launches, _constants(one.instance)) for one in found if one is not None
        )
        if not known or len(known) > MAX_INSTANCES:
            return NONE
        return Instances(known, None not in found and not self._is_instantiated(kernel.item.name))

    def _is_instantiated(self, name: str) -> bool:
        """Whether the file asks for instances that other files use: `template __global__ void k<float>(float *);`."""
        return any(
            item.kind is ItemKind.FUNCTION and not item.is_definition and _EXPLICIT.match(item.text)
            for item in self._program.unit.lookup(name)
        )


def _constants(instance: FunctionInstance) -> tuple[int | None, ...]:
    """The template arguments in front of the first pack."""
    found: list[int | None] = []
    for parameter in instance.declaration.template_parameters:
        if parameter.is_pack:
            break
        argument = instance.scope.names.get(parameter.name)
        value = argument.value if isinstance(argument, ConstantName) else None
        found.append(int(value) if isinstance(value, int) else None)
    return tuple(found)
