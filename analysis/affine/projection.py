"""Linear forms projected on Collange's lattice: along the lanes of one warp, at which stride does a value grow?

Rules   `lane` has stride 1 by definition.  Where a row of the block is a multiple of the warp, `threadIdx.x` grows by
        1 per lane and `y`, `z` agree in the warp; so they do in a block of one dimension.  Where rows are shorter, a
        warp spans several rows, and the form is linear in the lane only if its coefficient of `y` is that of `x` times
        the length of a row; the same for planes.  Several shapes: the same answer for all, or none.
Unknown shapes
        Warps are cut from `x + y * Dx + z * Dx * Dy`, whatever the extents: thread number `32 * w + lane` is the lane
        `lane` of warp `w`.  So a form whose coefficients of `y` and `z` are that of `x` times `Dx` and `Dx * Dy` is a
        multiple of that number plus what agrees in the warp, and grows by the coefficient of `x` from lane to lane.
        `x + y * Dx` alone is not: in a block of 8 x 2 x 2 it falls back to 0 in the middle of a warp.
"""

from __future__ import annotations

from typing import Final

from analysis.affine.atoms import Axis, RegisterAtom
from analysis.affine.collange import Affine, Bottom, CollangeTag, ConstantTag, Uniform, Unknown
from analysis.affine.facts import AffineFacts
from analysis.affine.linear_form import LinearForm
from analysis.affine.polynomial import variable
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.ir.ids import ValueId
from analysis.ir.operators import SpecialRegister

ROW: Final = variable(RegisterAtom(SpecialRegister.BLOCK_DIM_X))
_THREAD_AXES: Final = (Axis.THREAD_X, Axis.THREAD_Y, Axis.THREAD_Z)
PLANE: Final = ROW * variable(RegisterAtom(SpecialRegister.BLOCK_DIM_Y))


def project(facts: AffineFacts, value: ValueId) -> CollangeTag:
    divergence = facts.divergence
    if not divergence.control.is_reachable(divergence.home(value)):
        return Bottom()
    form = facts.forms[value]
    if form is not None and form.exact and form.is_uniform:
        constant = form.base.constant
        if constant is not None and facts.proven[value]:
            return ConstantTag(constant)
        return Uniform(facts.value_alignment(value))
    if divergence.level(value) <= Level.WARP:
        return Uniform(1)
    stride = None if form is None or not form.exact else lane_stride(form, divergence.launch)
    if stride is None:
        return Unknown()
    # The thread index of the lane 0 is part of the base, so the coefficients count in the alignment.
    alignment = facts.value_alignment(value)
    return Affine(stride, alignment) if stride else Uniform(alignment)


def lane_stride(form: LinearForm, launch: LaunchKnowledge) -> int | None:
    """By how much the value grows from one lane to the next, if that is one number for every warp of the launch."""
    along_lane = form.coefficient(Axis.LANE).constant
    if along_lane is None:
        return None
    if not form.coefficients or form.coefficients[0][0] is Axis.LANE:  # the last axis, so the only one
        return along_lane
    if follows_linear_index(form, launch):
        along_x = form.coefficient(Axis.THREAD_X).constant
        return None if along_x is None else along_x + along_lane
    shapes = launch.shapes or ((None,) if launch.one_dimensional else ())
    strides = {_thread_stride(form, shape, launch.warp_size) for shape in shapes}
    stride = strides.pop() if len(strides) == 1 else None
    return None if stride is None else stride + along_lane


def follows_linear_index(form: LinearForm, launch: LaunchKnowledge) -> bool:
    """Is the part of the thread index a multiple of the thread's number in its block, in blocks of unknown shape?"""
    if launch.shapes or launch.one_dimensional or len(form.coefficients) < len(_THREAD_AXES):
        return False
    x, y, z = map(form.coefficient, _THREAD_AXES)
    return not x.is_zero and y == x * ROW and z == x * PLANE


def spans_rows(axis: Axis, launch: LaunchKnowledge) -> bool:
    """Does a warp span several rows (of `y`) or planes (of `z`), in every shape that is known?"""
    along_y = axis is Axis.THREAD_Y
    return bool(launch.shapes) and all(
        (shape.x if along_y else shape.x * shape.y) % launch.warp_size and (shape.y if along_y else shape.z) > 1
        for shape in launch.shapes
    )


def _thread_stride(form: LinearForm, shape: BlockShape | None, warp: int) -> int | None:
    """`shape` None: one dimension of any length."""
    x, y, z = map(form.coefficient, _THREAD_AXES)
    if shape is None:
        return x.constant
    row, plane = shape.x, shape.x * shape.y
    if row % warp and shape.y > 1 and y != x.scaled(row):
        return None
    if plane % warp and shape.z > 1 and z != x.scaled(plane):
        return None
    return x.constant
