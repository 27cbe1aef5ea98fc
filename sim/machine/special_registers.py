"""Special registers that are the same for all warps of a launch."""

from __future__ import annotations

import numpy as np

from analysis.ir.operators import SpecialRegister
from sim.arrays import Values, scalar
from sim.specification import LaunchSpecification


def special_register(register: SpecialRegister, launch: LaunchSpecification) -> Values:
    """A scalar, or one value per lane."""
    lane = np.arange(launch.warp_size, dtype=np.uint64)[None, :]
    one = np.uint64(1)
    below = (one << lane) - one
    every = np.uint64((1 << launch.warp_size) - 1)
    match register:
        case SpecialRegister.BLOCK_DIM_X | SpecialRegister.BLOCK_DIM_Y | SpecialRegister.BLOCK_DIM_Z:
            return scalar(np.uint32(launch.block["xyz".index(register.value[-1])]))
        case SpecialRegister.GRID_DIM_X | SpecialRegister.GRID_DIM_Y | SpecialRegister.GRID_DIM_Z:
            return scalar(np.uint32(launch.grid["xyz".index(register.value[-1])]))
        case SpecialRegister.WARP_SIZE:
            return scalar(np.uint32(launch.warp_size))
        case SpecialRegister.DYNAMIC_SHARED_SIZE:
            return scalar(np.uint32(launch.dynamic_shared_bytes))
        case SpecialRegister.LANE:
            return lane
        case SpecialRegister.LANE_MASK_EQUAL:
            return one << lane
        case SpecialRegister.LANE_MASK_LESS:
            return below
        case SpecialRegister.LANE_MASK_LESS_EQUAL:
            return below | one << lane
        case SpecialRegister.LANE_MASK_GREATER:
            return every & ~(below | one << lane)
        case SpecialRegister.LANE_MASK_GREATER_EQUAL:
            return every & ~below
        case _:  # one multiprocessor, one cluster, one grid
            return scalar(np.uint32(0))
