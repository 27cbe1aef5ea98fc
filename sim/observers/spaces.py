"""Which memory do the accesses of a run go to?

What `analysis.memory` knows of the pointer decides; where it knows nothing, the address itself: objects of the
simulator's memory never share a page of 256 bytes, so a page is looked up once per wave.
"""

from __future__ import annotations

from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.graph.control_flow import ControlFlow
from analysis.ir.ids import FunctionId
from analysis.ir.instructions import Atomic, Load, Store
from analysis.ir.types import MemorySpace
from analysis.memory.spaces import SpaceResult, infer_spaces
from sim.arrays import Values
from sim.events import AccessSite, AddressBook

_PAGE: Final = 256
_SPACES: Final = tuple(MemorySpace)
_CODES: Final = {space.value: code for code, space in enumerate(_SPACES)}


@final
class AccessSpaces:
    def __init__(self, addresses: AddressBook) -> None:
        self._addresses = addresses
        self._results: dict[FunctionId, SpaceResult] = {}
        self._sites: dict[int, tuple[AccessSite, MemorySpace]] = {}
        self._pages: dict[int, int] = {}

    def forget(self) -> None:
        """Memory of the wave before is used anew."""
        self._pages.clear()

    def of_site(self, site: AccessSite) -> MemorySpace:
        """GENERIC where it depends on the address."""
        known = self._sites.get(id(site))
        if known is None:
            known = self._sites[id(site)] = (site, self._infer(site))
        return known[1]

    def of_addresses(self, addresses: Values) -> tuple[tuple[MemorySpace, NDArray[np.bool_]], ...]:
        """The spaces that occur, with where they do; GENERIC for addresses outside of every object."""
        pages, positions = np.unique(addresses // _PAGE, return_inverse=True)
        codes = [self._code_of(page) for page in pages.tolist()]
        found = np.array(codes)[positions].reshape(addresses.shape)
        return tuple((_SPACES[code], found == code) for code in sorted(set(codes)))

    def _infer(self, site: AccessSite) -> MemorySpace:
        if not isinstance(site.instruction, Load | Store | Atomic):
            return MemorySpace.GENERIC
        result = self._results.get(site.function.id)
        if result is None:
            result = infer_spaces(site.function, ControlFlow.of(site.function))
            self._results[site.function.id] = result
        return result.space(site.instruction.address)

    def _code_of(self, page: int) -> int:
        known = self._pages.get(page)
        if known is None:
            # Objects begin at a page, so the first byte of a page lies in one if any of its bytes does.
            found = self._addresses.find(page * _PAGE)
            known = self._pages[page] = _CODES[MemorySpace.GENERIC.value if found is None else found.space]
        return known
