"""Affine: how does a value depend on the thread index, between which numbers does it lie, what divides it?

Form      `base + sum(coefficient * axis)` modulo 2^width; base and coefficients are polynomials over atoms, which agree
          in each warp (`linear_form.py`, `atoms.py`).
Meaning   Among the threads of one warp that execute one dynamic instance of the definition, the value without its
          thread part is one number, that of the base.
Assumes   what divergence assumes; a form that is not `exact` also that no index arithmetic wraps before it is widened.
Gives up  at memory, at products of two thread indices, at polynomials of more than a dozen terms.
Source    Collange, HPPC 2009 and 2011; Lee et al., CGO 2013, section 3.5; Karrenberg and Hack, CC 2012.
"""

from __future__ import annotations

from analysis.affine.facts import AffineFacts
from analysis.affine.forms import FormPass
from analysis.affine.launch_bounds import LaunchBounds, launch_bounds
from analysis.affine.ranges import Ranges, find_ranges
from analysis.affine.result import AffineResult
from analysis.affine.uniformity import Uniformity
from analysis.affine.warp_levels import find_warp_levels
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function


def analyze_affine(function: Function, control: ControlFlow, divergence: DivergenceResult) -> AffineResult:
    """Forms and what follows from them."""
    bounds = launch_bounds(divergence.launch)
    ranges = find_ranges(function, control, bounds, divergence.definitions.get, divergence.arguments)
    facts = _without_forms(function, control, divergence, bounds, ranges)
    FormPass(facts, control).run()
    return AffineResult(facts, find_warp_levels(facts, control))


def with_warp_levels(
    function: Function, control: ControlFlow, divergence: DivergenceResult, first: AffineResult
) -> AffineResult:
    """The forms once divergence knows the levels that followed from the `first` ones, which stay the levels of warps.

    No range rests on levels, so they are those of `first`.
    """
    facts = _without_forms(function, control, divergence, first.bounds, first.ranges)
    if not FormPass(facts, control).go_on_from(first.facts):
        facts = _without_forms(function, control, divergence, first.bounds, first.ranges)
        FormPass(facts, control).run()
    return AffineResult(facts, first.warp_levels())


def _without_forms(
    function: Function, control: ControlFlow, divergence: DivergenceResult, bounds: LaunchBounds, ranges: Ranges
) -> AffineFacts:
    return AffineFacts(function, divergence, bounds, ranges, Uniformity(function, control, divergence))
