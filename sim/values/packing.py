"""Values as bytes and back: for unions and for casts between aggregates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim.arrays import Values


def pack(parts: Sequence[tuple[int, Values]], size: int) -> Values:
    """The (offset, values) pairs as bytes: an array of shape (..., size); what no part covers is 0."""
    shape = np.broadcast_shapes(*(np.shape(values) for _, values in parts))
    octets = np.zeros((*shape, size), np.uint8)
    for offset, values in parts:
        whole = np.ascontiguousarray(np.broadcast_to(values, shape))
        width = whole.dtype.itemsize
        octets[..., offset : offset + width] = whole[..., None].view(np.uint8).reshape(*shape, width)
    return octets


def unpack(octets: Values, offset: int, kind: Any) -> Values:
    """The scalar at `offset`; bytes beyond the end are 0."""
    width = np.dtype(kind).itemsize
    found = octets[..., offset : offset + width]
    if found.shape[-1] < width:
        found = np.concatenate([found, np.zeros((*found.shape[:-1], width - found.shape[-1]), np.uint8)], axis=-1)
    if np.dtype(kind) == np.bool_:
        return found[..., 0] != 0
    return np.ascontiguousarray(found).view(kind)[..., 0]


def as_kind(values: Values, kind: Any) -> Values:
    """The same numbers in another type, where the function that made them chose one of its own."""
    return values if values.dtype == kind else values.astype(kind)
