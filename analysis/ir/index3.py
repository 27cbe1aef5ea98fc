"""A place in a grid or a block, or the extent of one."""

from __future__ import annotations

from typing import TypeAlias

Index3: TypeAlias = tuple[int, int, int]
"""x, y, z: of a block in its grid, of a thread in its block, or how many there are along each."""
