"""Textures and surfaces as arrays: point and linear filtering, address modes, typed reads.

Linear filtering is exact in double precision; the hardware rounds its weights to 8 bits.
Source    CUDA C++ programming guide, "Texture fetching".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from sim.arrays import Lanes, Values
from sim.launch.specification import AddressMode, TextureImage
from sim.memory.arena import Arena

_DIMENSIONS: Final = {"fetch": 1, "fetch1d": 1, "fetch2d": 2, "fetch3d": 3}


@final
class Textures:
    """Handle k shows image k - 1; surfaces are written in place."""

    def __init__(self, images: Sequence[TextureImage], arena: Arena) -> None:
        self._images = images
        self._texels = [np.array(image.texels) for image in images]
        self._arena = arena

    def operate(
        self,
        operation: str,
        lanes: Lanes | None,
        shape: tuple[int, int],
        arguments: tuple[tuple[Values, ...], ...],
        kinds: tuple[str, ...],
    ) -> tuple[Values, ...] | None:
        """The fetched parts in the wanted types; None where the operation is not simulated."""
        handle = np.unique(np.broadcast_to(arguments[0][0], shape)[_present(lanes, shape)])
        if len(handle) != 1 or not 1 <= int(handle[0]) <= len(self._images):
            return None
        number = int(handle[0]) - 1
        image, texels = self._images[number], self._texels[number]
        if operation in _DIMENSIONS:
            place = [np.broadcast_to(one[0], shape) for one in arguments[1 : 1 + _DIMENSIONS[operation]]]
            found = _fetch(image, texels, place, is_index=operation == "fetch")
            return tuple(_channel(found, image, index).astype(kind) for index, kind in enumerate(kinds))
        if operation == "surface_read":
            at, inside = _surface_place(texels, image, arguments[1:], shape)
            found = np.where(inside[..., None], _channels(texels, image)[at], texels.dtype.type(0))
            return tuple(_channel(found, image, index).astype(kind) for index, kind in enumerate(kinds))
        if operation == "surface_write":
            at, inside = _surface_place(texels, image, arguments[2:], shape)
            chosen = inside & _present(lanes, shape)
            target = tuple(index[chosen] for index in at)
            for channel, part in enumerate(arguments[1]):
                _channels(texels, image)[(*target, channel)] = np.broadcast_to(part, shape)[chosen]
            return ()
        return None


def _present(lanes: Lanes | None, shape: tuple[int, int]) -> Lanes:
    return np.ones(shape, np.bool_) if lanes is None else lanes


def _extent(texels: NDArray[Any], image: TextureImage) -> tuple[int, ...]:
    """([depth, height,] width) in texels."""
    return texels.shape[:-1] if image.channels > 1 else texels.shape


def _channels(texels: NDArray[Any], image: TextureImage) -> NDArray[Any]:
    return texels if image.channels > 1 else texels[..., None]


def _channel(found: Values, image: TextureImage, index: int) -> Values:
    if image.channels == 1:
        found = found if found.ndim == 2 else found[..., 0]
        return found if index == 0 else np.zeros_like(found)
    if index < image.channels:
        return found[..., index]
    return np.full(found.shape[:-1], 1 if index == 3 else 0, found.dtype)


def _fetch(image: TextureImage, texels: NDArray[Any], place: list[Values], *, is_index: bool) -> Values:
    """`place` is x, y, z; the result has the channels as last axis."""
    numbers = _channels(texels, image)
    if image.normalized_values and texels.dtype.kind in "iu":
        numbers = np.maximum(numbers.astype(np.float32) / np.float32(np.iinfo(texels.dtype).max), np.float32(-1))
    extent = _extent(texels, image)[::-1]
    if len(place) > len(extent):
        place = place[: len(extent)]
    if is_index:
        return _texel(image, numbers, [axis.astype(np.int64) for axis in place], extent, index_only=True)
    scaled = [
        axis.astype(np.float64) * (extent[number] if image.normalized_coordinates else 1)
        for number, axis in enumerate(place)
    ]
    if not image.linear:
        return _texel(image, numbers, [np.floor(axis).astype(np.int64) for axis in scaled], extent)
    base = [np.floor(axis - 0.5).astype(np.int64) for axis in scaled]
    weight = [axis - 0.5 - low for axis, low in zip(scaled, base, strict=True)]
    total: Values | None = None
    for corner in range(1 << len(base)):
        at = [low + (corner >> number & 1) for number, low in enumerate(base)]
        share = np.ones_like(weight[0])
        for number, part in enumerate(weight):
            share = share * (part if corner >> number & 1 else 1.0 - part)
        term = _texel(image, numbers, at, extent) * share[..., None]
        total = term if total is None else total + term
    assert total is not None
    return total


def _texel(
    image: TextureImage, numbers: Values, at: list[Values], extent: tuple[int, ...], *, index_only: bool = False
) -> Values:
    """Whole texels, by the address mode; outside of a border (and of a linear texture) there are zeros."""
    index: list[Values] = []
    inside = np.ones(at[0].shape, np.bool_)
    for number, place in enumerate(at):
        size = extent[number]
        inside &= (place >= 0) & (place < size)
        if image.address_mode is AddressMode.WRAP and not index_only:
            place = place % size
        elif image.address_mode is AddressMode.MIRROR and not index_only:
            folded = place % (2 * size)
            place = np.where(folded < size, folded, 2 * size - 1 - folded)
        index.insert(0, np.clip(place, 0, size - 1))
    found = numbers[tuple(index)]
    if image.address_mode is AddressMode.BORDER or index_only:
        return np.where(inside[..., None], found, numbers.dtype.type(0))
    return found


def _surface_place(
    texels: NDArray[Any],
    image: TextureImage,
    arguments: tuple[tuple[Values, ...], ...],
    shape: tuple[int, int],
) -> tuple[tuple[Values, ...], Lanes]:
    """Indices into the texels, outermost first, and which are inside; x counts bytes."""
    extent = _extent(texels, image)
    width = texels.dtype.itemsize * image.channels
    index: list[Values] = []
    inside = np.ones(shape, np.bool_)
    for axis, argument in enumerate(arguments[: len(extent)]):
        place = np.broadcast_to(argument[0], shape).astype(np.int64) // (width if axis == 0 else 1)
        size = extent[len(extent) - 1 - axis]
        inside &= (place >= 0) & (place < size)
        index.insert(0, np.clip(place, 0, size - 1))
    return tuple(index), inside
