"""Texture fetches, surface reads and writes, in the object, reference and out-parameter forms.

A level of detail, or the gradients that choose one, follow the coordinates: they matter where there are several levels.
A layer is the one integer among the coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.memory import Texture
from analysis.ir.operators import TextureOperation
from analysis.ir.types import PointerType
from analysis.lower.builtins.core import BoundCall, Lowering, Table

_T = TextureOperation


def _fetch(operation: TextureOperation) -> Lowering:
    """`tex2D<float>(texture, x, y)`, or `tex2D(&out, texture, x, y)`."""

    def lower(call: BoundCall) -> ValueId | None:
        builder, span, arguments = call.builder, call.span, call.arguments
        pointer = builder.type_of(arguments[0])
        if not isinstance(pointer, PointerType):
            result = builder.value(call.result)
            builder.emit(Texture(result, operation, arguments, span))
            return result
        result = builder.value(pointer.element)
        builder.emit(Texture(result, operation, arguments[1:], span))
        builder.store(arguments[0], result, span)
        return None

    return lower


def _write(call: BoundCall) -> None:
    """`surf2Dwrite(value, surface, x, y)`: the handle comes first in the instruction."""
    value, surface, *place = call.arguments
    call.builder.emit(Texture(None, _T.SURFACE_WRITE, (surface, value, *place), call.span))


# function → operation, what follows the handle
_FETCHES: Final[Mapping[str, tuple[TextureOperation, str]]] = {
    "tex1Dfetch": (_T.FETCH, "s32"),
    "tex1D": (_T.FETCH_1D, "f32"),
    "tex2D": (_T.FETCH_2D, "f32, f32"),
    "tex3D": (_T.FETCH_3D, "f32, f32, f32"),
    "tex1DLayered": (_T.FETCH_LAYERED, "f32, s32"),
    "tex2DLayered": (_T.FETCH_LAYERED, "f32, f32, s32"),
    "texCubemap": (_T.FETCH_CUBE, "f32, f32, f32"),
    "texCubemapLayered": (_T.FETCH_CUBE, "f32, f32, f32, s32"),
    "tex2Dgather": (_T.GATHER, "f32, f32, s32?"),
    "tex1DLod": (_T.FETCH_1D, "f32, f32"),
    "tex2DLod": (_T.FETCH_2D, "f32, f32, f32"),
    "tex3DLod": (_T.FETCH_3D, "f32, f32, f32, f32"),
    "tex1DLayeredLod": (_T.FETCH_LAYERED, "f32, s32, f32"),
    "tex2DLayeredLod": (_T.FETCH_LAYERED, "f32, f32, s32, f32"),
    "texCubemapLod": (_T.FETCH_CUBE, "f32, f32, f32, f32"),
    "texCubemapLayeredLod": (_T.FETCH_CUBE, "f32, f32, f32, s32, f32"),
    "tex1DGrad": (_T.FETCH_1D, "f32, f32, f32"),
    "tex2DGrad": (_T.FETCH_2D, "f32, f32, float2, float2"),
    "tex3DGrad": (_T.FETCH_3D, "f32, f32, f32, float4, float4"),
    "tex1DLayeredGrad": (_T.FETCH_LAYERED, "f32, s32, f32, f32"),
    "tex2DLayeredGrad": (_T.FETCH_LAYERED, "f32, f32, s32, float2, float2"),
    "surf1Dread": (_T.SURFACE_READ, "s32, any?"),
    "surf2Dread": (_T.SURFACE_READ, "s32, s32, any?"),
    "surf3Dread": (_T.SURFACE_READ, "s32, s32, s32, any?"),
    "surf1DLayeredread": (_T.SURFACE_READ, "s32, s32, any?"),
    "surf2DLayeredread": (_T.SURFACE_READ, "s32, s32, s32, any?"),
    "surfCubemapread": (_T.SURFACE_READ, "s32, s32, s32, any?"),
    "surfCubemapLayeredread": (_T.SURFACE_READ, "s32, s32, s32, any?"),
}

_WRITES: Final[Mapping[str, str]] = {
    "surf1Dwrite": "s32, any?",
    "surf2Dwrite": "s32, s32, any?",
    "surf3Dwrite": "s32, s32, s32, any?",
    "surf1DLayeredwrite": "s32, s32, any?",
    "surf2DLayeredwrite": "s32, s32, s32, any?",
    "surfCubemapwrite": "s32, s32, s32, any?",
    "surfCubemapLayeredwrite": "s32, s32, s32, any?",
}

TABLE: Final[Table] = {
    **{
        name: (_fetch(operation), f"R(handle, {place}) | void(any*, handle, {place})")
        for name, (operation, place) in _FETCHES.items()
    },
    **{name: (_write, f"void(any, handle, {place})") for name, place in _WRITES.items()},
}
