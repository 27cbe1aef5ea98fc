"""Images for textures and surfaces that nobody gave: as large as the grid, texels as the kernel reads them.

Limits   Coordinates are not normalised, filtering is by point, coordinates outside are clamped.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.inputs.array_uses import ImageUse
from analysis.ir.index3 import Index3
from analysis.ir.operators import TextureOperation
from analysis.ir.types import FloatType, Type, VectorType
from sim.launch.contents import Limits, number_format
from sim.specification import TextureImage

IMAGES: Final = ("texture", "surface", "cudaTextureObject_t", "cudaSurfaceObject_t")
"""How the names of handles start that show an image."""

LEAST: Final = 16
MOST: Final = 1024
DEPTH: Final = 16
MAX_LINEAR: Final = 1 << 20
MAX_TEXEL: Final = 128
"""Integers stay below."""
NO_LIMITS: Final = Limits()


def choose_image(
    name: str, uses: Sequence[ImageUse], threads: Index3, seed: int, limits: Limits = NO_LIMITS
) -> TextureImage:
    """An image for one texture or surface; `threads` along each axis of the grid, `limits` for what texels hold."""
    dimensions = max((use.dimensions for use in uses), default=2)
    texel = next((use.texel for use in uses if use.texel is not None), None)
    shape = _shape(dimensions, threads, uses)
    channels = texel.length if isinstance(texel, VectorType) else 1
    generator = np.random.default_rng((seed, zlib.crc32(name.encode())))
    return TextureImage(_texels(generator, texel, (*shape, channels) if channels > 1 else shape, limits), channels)


def described(image: TextureImage) -> str:
    """`64x32 float32`: width first."""
    texels = image.texels
    extents = texels.shape[:-1] if image.channels > 1 else texels.shape
    return "x".join(str(extent) for extent in reversed(extents)) + f" {texels.dtype.name}"


def _shape(dimensions: int, threads: Index3, uses: Sequence[ImageUse]) -> tuple[int, ...]:
    if dimensions == 1:
        total = threads[0] * threads[1] * threads[2]
        is_linear = any(use.operation is TextureOperation.FETCH for use in uses)
        return (min(max(total, LEAST), MAX_LINEAR if is_linear else MOST),)
    width, height = (min(max(extent, LEAST), MOST) for extent in threads[:2])
    if dimensions == 2:
        return height, width
    if any(use.operation is TextureOperation.FETCH_CUBE for use in uses):
        return 6, min(width, 64), min(width, 64)
    return DEPTH, min(height, 128), min(width, 128)


def _texels(generator: np.random.Generator, texel: Type | None, shape: tuple[int, ...], limits: Limits) -> NDArray[Any]:
    scalar = texel.element if isinstance(texel, VectorType) else texel
    format = None if scalar is None else number_format(scalar)
    if format is None or isinstance(scalar, FloatType):
        low, high = limits.ranges.get((), (0.0, 1.0))
        return (low + (high - low) * generator.random(shape)).astype(np.float32)
    most = min(MAX_TEXEL, limits.below.get((), MAX_TEXEL))
    low, high = limits.ranges.get((), (0, most))
    return generator.integers(int(low), int(high), shape).astype(format)
