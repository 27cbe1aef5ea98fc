"""Fetches from images of all kinds, against NumPy's indexing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sim.specification import TextureImage
from tests.sim.running import run

LAYERS = np.arange(6 * 8 * 8, dtype=np.float32).reshape(6, 8, 8)
FOUR = np.arange(8 * 8 * 4, dtype=np.float32).reshape(8, 8, 4)
X, Y = np.arange(64) % 8, np.arange(64) // 8


def fetched(expression: str, image: TextureImage, type: str = "float", count: int = 64) -> NDArray[Any]:
    text = f"""__global__ void k(cudaTextureObject_t t, {type} *out) {{
        int x = threadIdx.x % 8, y = threadIdx.x / 8; out[threadIdx.x] = {expression}; }}"""
    found = run(text, {"t": image, "out": np.zeros(count, np.float32)}, block=64)
    assert found.faults == ()
    return found.arrays["out"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("tex2DLayered<float>(t, x + 0.5f, y + 0.5f, 3)", LAYERS[3, Y, X]),
        ("tex2DLayered<float>(t, x, y, 99)", LAYERS[5, Y, X]),
        ("tex2DLayeredLod<float>(t, x, y, x % 6, 0.0f)", LAYERS[X % 6, Y, X]),
        ("tex2DLod<float>(t, x, y, 2.0f)", LAYERS[0, Y, X]),
        ("tex3D<float>(t, x, y, 4.5f)", LAYERS[4, Y, X]),
    ],
)
def test_layers_and_levels(expression: str, expected: NDArray[Any]) -> None:
    assert fetched(expression, TextureImage(LAYERS)).tolist() == expected.tolist()


def test_rows_of_layers() -> None:
    image = TextureImage(LAYERS[0])
    assert fetched("tex1DLayered<float>(t, x, y)", image).tolist() == LAYERS[0, Y, X].tolist()
    assert fetched("tex1DLayeredLod<float>(t, x, y, 0.f)", image).tolist() == LAYERS[0, Y, X].tolist()


def test_a_linear_fetch_stays_in_its_layer() -> None:
    found = fetched("tex2DLayered<float>(t, x + 1.0f, y + 0.5f, 2)", TextureImage(LAYERS, linear=True))
    assert found.tolist() == np.minimum(LAYERS[2, Y, X] + 0.5, LAYERS[2, Y, 7]).tolist()


@pytest.mark.parametrize(
    ("direction", "face", "row", "column"),
    [
        ("1.f, v, -u", 0, -1, 1),
        ("-1.f, v, u", 1, -1, 1),
        ("u, 1.f, v", 2, 1, 1),
        ("u, -1.f, -v", 3, 1, 1),
        ("u, v, 1.f", 4, -1, 1),
        ("-u, v, -1.f", 5, -1, 1),
    ],
)
def test_faces_of_a_cube(direction: str, face: int, row: int, column: int) -> None:
    """`u` and `v` lie in the middles of texels, from -1 to 1."""
    u, v = "(x + 0.5f) / 4 - 1", "(y + 0.5f) / 4 - 1"
    place = direction.replace("u", f"({u})").replace("v", f"({v})")
    found = fetched(f"texCubemap<float>(t, {place})", TextureImage(LAYERS))
    rows = Y if row > 0 else 7 - Y
    columns = X if column > 0 else 7 - X
    assert found.tolist() == LAYERS[face, rows, columns].tolist()


def test_a_gather_takes_one_channel_of_four_texels() -> None:
    image = TextureImage(FOUR, channels=4)
    found = fetched("tex2Dgather<float4>(t, x + 1.f, y + 1.f, 2)", image, "float4", 256).reshape(64, 4)
    right, below = np.minimum(X + 1, 7), np.minimum(Y + 1, 7)
    expected = [FOUR[below, X, 2], FOUR[below, right, 2], FOUR[Y, right, 2], FOUR[Y, X, 2]]
    assert found.tolist() == np.stack(expected, axis=1).tolist()
