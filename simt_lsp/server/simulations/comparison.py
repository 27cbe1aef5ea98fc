"""Where what a run counted at an access to memory meets what the analysis says about it: one sentence.

The analysis tells the worst request of a full warp.  Fewer is no contradiction: lanes that stay away, a base that lies
well, a size that is small; more is one, if the block that ran is one that the analysis spoke of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.access.model import Basis, RequestCost
from analysis.facts.model import AccessFact
from analysis.ir.types import MemorySpace

if TYPE_CHECKING:
    from analysis.divergence.launch_shape import LaunchKnowledge
    from sim.report.json_report import AccessObject, KernelObject, LineObject


def speaks_of(request: RequestCost, launch: LaunchKnowledge, report: KernelObject) -> bool:
    """Does the cost hold for the block that ran?"""
    if launch.warp_size != report["warp_size"]:
        return False
    width, height, depth = report["block"]
    match request.basis:
        case Basis.KNOWN_SHAPE:
            return any((shape.x, shape.y, shape.z) == (width, height, depth) for shape in launch.shapes)
        case Basis.LINE:
            return height == depth == 1
        case Basis.ROW:
            return width % report["warp_size"] == 0


def comparison(access: AccessFact, counted: AccessObject, line: LineObject | None) -> str | None:
    """For an access whose cost holds for the block that ran; None where nothing is claimed or nothing was counted."""
    request, requests = access.request, counted["requests"]
    if request is None or not requests:
        return None
    if access.space is MemorySpace.SHARED:
        found, least, word = counted["bank_conflicts"] / requests, request.bank_conflicts, "conflicts"
        most = least if request.is_exact else None
    elif access.space is MemorySpace.GLOBAL:
        far = request.far_apart
        found, most, word = counted["sectors"] / requests, request.sectors_max, "sectors"
        least = request.sectors if request.is_exact or far is None else far.sectors
    else:
        return None
    if most is not None and found > most:
        return f"The analysis allows {most} {word} at most: this is a defect of simt-lsp"
    if least is None:
        return None
    if found >= least:
        return "As the analysis says"
    if line is not None and line["simd_efficiency"] < 1:
        return f"Fewer than the {least} {word} that the analysis tells for a full warp: not all lanes took part"
    if not request.is_exact:
        return f"Fewer than the {least} {word} that the analysis tells for large sizes: here lanes are closer together"
    return f"Fewer than the {least} {word} that the analysis tells for the worst warp: not all warps are like it"
