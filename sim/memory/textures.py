"""Textures and surfaces as arrays: point and linear filtering, address modes, typed reads.

Linear filtering is exact in double precision; the hardware rounds its weights to 8 bits.
Source    CUDA C++ programming guide, "Texture fetching".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from sim.arrays import Lanes, Values
from sim.memory.arena import Arena
from sim.specification import AddressMode, TextureImage


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
        coordinates = [np.broadcast_to(one[0], shape) for one in arguments[1:]]
        if operation in _FETCHES:
            found = _FETCHES[operation](image, texels, coordinates)
            return tuple(_channel(found, image, index).astype(kind) for index, kind in enumerate(kinds))
        if operation == "gather":
            corners = _gathered(image, texels, coordinates)
            return tuple(corner.astype(kind) for corner, kind in zip(corners, kinds, strict=True))
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


# -- fetches ----------------------------------------------------------------------------------------------------------


def _plain(dimensions: int) -> Callable[[TextureImage, Values, list[Values]], Values]:
    """Coordinates x, y, z; a level of detail that follows does not matter to an image of one level."""

    def fetch(image: TextureImage, texels: Values, coordinates: list[Values]) -> Values:
        place = coordinates[: min(dimensions, len(_extent(texels, image)))]
        return _filtered(image, _numbers(image, texels), place)

    return fetch


def _indexed(image: TextureImage, texels: Values, coordinates: list[Values]) -> Values:
    """`tex1Dfetch`: whole texels, zeros outside."""
    at = [coordinates[0].astype(np.int64)]
    return _texel(image, _numbers(image, texels), at, index_only=True)


def _layered(image: TextureImage, texels: Values, coordinates: list[Values]) -> Values:
    """Coordinates, then the layer: an integer that is clamped."""
    depth = next((number for number, axis in enumerate(coordinates) if axis.dtype.kind in "iu"), len(coordinates) - 1)
    return _filtered(image, _numbers(image, texels), coordinates[:depth], coordinates[depth])


def _cube(image: TextureImage, texels: Values, coordinates: list[Values]) -> Values:
    """A direction, perhaps a layer: the face it points to, and where on the face, from -1 to 1.

    Source: CUDA C++ programming guide, "Cubemap textures".
    """
    x, y, z = (axis.astype(np.float64) for axis in coordinates[:3])
    ax, ay, az = np.abs(x), np.abs(y), np.abs(z)
    by_x, by_y = (ax >= ay) & (ax >= az), (ay > ax) & (ay >= az)
    major = np.where(by_x, x, np.where(by_y, y, z))
    is_back = np.signbit(major)
    face = np.where(by_x, 0, np.where(by_y, 2, 4)) + is_back
    sign = np.where(is_back, -1.0, 1.0)
    across = np.where(by_x, -sign * z, np.where(by_y, x, sign * x))
    down = np.where(by_y, sign * z, -y)
    size = np.where(major == 0, 1.0, np.abs(major))
    layered = len(coordinates) > 3 and coordinates[3].dtype.kind in "iu"
    layer = face + (6 * coordinates[3].astype(np.int64) if layered else 0)
    width = _extent(texels, image)[-1]
    place = [(across / size + 1) / 2 * width, (down / size + 1) / 2 * width]
    image = replace(image, normalized_coordinates=False, address_mode=AddressMode.CLAMP)
    return _filtered(image, _numbers(image, texels), place, layer)


def _gathered(image: TextureImage, texels: Values, coordinates: list[Values]) -> list[Values]:
    """One channel of the four texels that a linear fetch would weigh, counter-clockwise from the lower left."""
    numbers = _numbers(image, texels)
    low = [np.floor(axis - 0.5).astype(np.int64) for axis in _scaled(image, numbers, coordinates[:2])]
    channel = coordinates[2].astype(np.int64) if len(coordinates) > 2 else np.zeros(low[0].shape, np.int64)
    found: list[Values] = []
    for right, below in ((0, 1), (1, 1), (1, 0), (0, 0)):
        texel = _texel(image, numbers, [low[0] + right, low[1] + below])
        chosen = np.clip(channel, 0, texel.shape[-1] - 1)
        found.append(np.take_along_axis(texel, chosen[..., None], axis=-1)[..., 0])
    return found


def _numbers(image: TextureImage, texels: Values) -> Values:
    """The texels as the kernel reads them, channels last."""
    numbers = _channels(texels, image)
    if image.normalized_values and texels.dtype.kind in "iu":
        numbers = np.maximum(numbers.astype(np.float32) / np.float32(np.iinfo(texels.dtype).max), np.float32(-1))
    return numbers


def _scaled(image: TextureImage, numbers: Values, place: list[Values]) -> list[Values]:
    """Coordinates in texels."""
    extent = numbers.shape[-2::-1]
    return [
        axis.astype(np.float64) * (extent[number] if image.normalized_coordinates else 1)
        for number, axis in enumerate(place)
    ]


def _filtered(image: TextureImage, numbers: Values, place: list[Values], layer: Values | None = None) -> Values:
    """`place` is x, y, z; the result has the channels as last axis."""
    scaled = _scaled(image, numbers, place)
    if not image.linear:
        return _texel(image, numbers, [np.floor(axis).astype(np.int64) for axis in scaled], layer)
    base = [np.floor(axis - 0.5).astype(np.int64) for axis in scaled]
    weight = [axis - 0.5 - low for axis, low in zip(scaled, base, strict=True)]
    total: Values | None = None
    for corner in range(1 << len(base)):
        at = [low + (corner >> number & 1) for number, low in enumerate(base)]
        share = np.ones_like(weight[0])
        for number, part in enumerate(weight):
            share = share * (part if corner >> number & 1 else 1.0 - part)
        term = _texel(image, numbers, at, layer) * share[..., None]
        total = term if total is None else total + term
    assert total is not None
    return total


_FETCHES: Final[dict[str, Callable[[TextureImage, Values, list[Values]], Values]]] = {
    "fetch": _indexed,
    "fetch1d": _plain(1),
    "fetch2d": _plain(2),
    "fetch3d": _plain(3),
    "layered": _layered,
    "cube": _cube,
}


def _texel(
    image: TextureImage, numbers: Values, at: list[Values], layer: Values | None = None, *, index_only: bool = False
) -> Values:
    """Whole texels, by the address mode; outside of a border (and of a linear texture) there are zeros."""
    extent = numbers.shape[-2::-1]
    index: list[Values] = []
    inside = np.ones(at[0].shape, np.bool_)
    for number, coordinate in enumerate(at):
        size, place = int(extent[number]), coordinate
        inside &= (place >= 0) & (place < size)
        if image.address_mode is AddressMode.WRAP and not index_only:
            place = place % size
        elif image.address_mode is AddressMode.MIRROR and not index_only:
            folded = place % (2 * size)
            place = np.where(folded < size, folded, 2 * size - 1 - folded)
        index.insert(0, np.clip(place, 0, size - 1))
    missing = numbers.ndim - 1 - len(index)
    if layer is not None and missing:
        index.insert(0, np.clip(layer.astype(np.int64), 0, numbers.shape[missing - 1] - 1))
        missing -= 1
    index[:0] = [np.zeros(at[0].shape, np.int64)] * missing
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
