"""What the lanes of a warp compute together: products of matrices, rows of matrices that are handed round.

A lane's share of a matrix is a sequence of values, each an array (rows, lanes).
Source    PTX ISA, "Matrix multiply-accumulate operation using mma instruction" (figures of the fragments), "ldmatrix".
Limits    Sums are exact to double precision and rounded once; the hardware's own order and width are not specified.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.operators import ShareLayout
from sim.arrays import Values

Shape = tuple[int, int]
_Index = tuple[NDArray[np.int64], NDArray[np.int64]]
"""For each lane and each element of its share: row and column in the matrix."""

_FIRST_BY_COLUMN: Final = (ShareLayout.COLUMN_ROW, ShareLayout.COLUMN_COLUMN)
_SECOND_BY_COLUMN: Final = (ShareLayout.ROW_COLUMN, ShareLayout.COLUMN_COLUMN)
_PER_REGISTER: Final[dict[int, int]] = {
    ShareLayout.REGISTERS_OF_1: 1,
    ShareLayout.REGISTERS_OF_2: 2,
    ShareLayout.REGISTERS_OF_4: 4,
}


def matrix_product(
    left: Sequence[Values],
    right: Sequence[Values],
    addend: Sequence[Values],
    sizes: tuple[int, int, int],
    layout: int,
    shape: Shape,
) -> list[Values]:
    """Each lane's share of `left * right + addend`; `sizes` are m, n, k."""
    m, n, k = (int(size) for size in sizes)
    lanes = shape[1]
    is_real = left[0].dtype.kind == "f"
    wide = np.float64 if is_real else np.int64
    each = _PER_REGISTER.get(int(layout))
    if each is not None:
        places = _register_places(m, each, lanes, len(left)), _swapped(_register_places(n, each, lanes, len(right)))
        result = _accumulator_places(lanes, len(addend))
    else:
        by_column = int(layout) in _FIRST_BY_COLUMN, int(layout) in _SECOND_BY_COLUMN
        places = (
            _linear_places(m, k, lanes, len(left), by_column=by_column[0]),
            _linear_places(k, n, lanes, len(right), by_column=by_column[1]),
        )
        result = _linear_places(m, n, lanes, len(addend), by_column=False)
    a = _gathered(left, places[0], (m, k), shape).astype(wide)
    b = _gathered(right, places[1], (k, n), shape).astype(wide)
    c = _gathered(addend, result, (m, n), shape).astype(wide)
    product = (np.matmul(a, b) + c).astype(addend[0].dtype)
    spread = product[:, result[0], result[1]]
    return [np.ascontiguousarray(spread[:, :, index]) for index in range(len(addend))]


def _gathered(share: Sequence[Values], places: _Index, size: tuple[int, int], shape: Shape) -> Values:
    """The matrices of all warps, (rows, *size)."""
    matrix = np.zeros((shape[0], *size), share[0].dtype)
    stacked = np.stack([np.broadcast_to(part, shape) for part in share], axis=2)
    matrix[:, places[0], places[1]] = stacked
    return matrix


def _linear_places(rows: int, columns: int, lanes: int, share: int, *, by_column: bool) -> _Index:
    """Lane `l` holds the elements from `l * share` on."""
    number = np.arange(lanes * share).reshape(lanes, share)
    return (number % rows, number // rows) if by_column else (number // columns, number % columns)


def _register_places(rows: int, each: int, lanes: int, share: int) -> _Index:
    """The fragment of the first operand; that of the second is the same with its columns as rows.

    A register holds `each` neighbours along a row, the four lanes of a group lie side by side, the eight groups are
    eight rows; further registers hold the eight rows below (if there are sixteen), then what is further along.
    """
    halves = rows // 8
    element = np.arange(share)[None, :]
    lane = np.arange(lanes)[:, None]
    register = element // each
    row = lane // 4 + 8 * (register % halves)
    column = lane % 4 * each + element % each + 4 * each * (register // halves)
    return np.broadcast_to(row, (lanes, share)), np.broadcast_to(column, (lanes, share))


def _accumulator_places(lanes: int, share: int) -> _Index:
    """Pairs of neighbours in the row of the group, then in the row eight below."""
    element = np.arange(share)[None, :]
    lane = np.arange(lanes)[:, None]
    row = lane // 4 + 8 * (element // 2)
    column = lane % 4 * 2 + element % 2
    return np.broadcast_to(row, (lanes, share)), np.broadcast_to(column, (lanes, share))


def _swapped(places: _Index) -> _Index:
    return places[1], places[0]


def matrix_rows(row: Sequence[Values], number: int, transposed: int, shape: Shape) -> Values:
    """Lane `l`'s two 16-bit elements of matrix `number`, of which the lanes from `8 * number` on hold a row each."""
    words = np.stack([np.broadcast_to(word, shape) for word in row], axis=2)
    first = 8 * int(number) % shape[1]
    matrix = np.ascontiguousarray(words[:, first : first + 8]).view(np.uint16)
    if transposed:
        matrix = np.ascontiguousarray(matrix.transpose(0, 2, 1))
    return matrix.view(np.uint32).reshape(shape[0], 32)
