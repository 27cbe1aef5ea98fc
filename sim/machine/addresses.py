"""Names for addresses, for observers and reports."""

from __future__ import annotations

from typing import final

from analysis.ir.types import MemorySpace
from sim.arrays import Values
from sim.events import AddressBook, MemoryObject
from sim.memory.arena import Arena
from sim.specification import LaunchSpecification


@final
class Addresses(AddressBook):
    def __init__(self, arena: Arena, launch: LaunchSpecification) -> None:
        self._arena = arena
        self._launch = launch

    def starts(self, addresses: Values) -> Values:
        return self._arena.starts(addresses)

    def find(self, address: int) -> MemoryObject | None:
        found = self._arena.find(address)
        if found is None:
            return None
        region, number, offset = found
        return MemoryObject(
            region.name,
            offset,
            region.size,
            region.space.value,
            number if region.space is MemorySpace.SHARED else None,
            number if region.space is MemorySpace.LOCAL else None,
        )
