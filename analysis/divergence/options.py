"""What is assumed when divergence is analysed."""

from __future__ import annotations

from typing import Final, final

from analysis.divergence.call_context import Argument, CallContext
from analysis.divergence.levels import Level
from analysis.ir.record import record


@final
@record
class DivergenceOptions:
    """`assume_barriers`: a block with a block barrier is asserted convergent (else barriers are what is checked).

    `exit_optimization`: threads that have nothing left to do but return do not count (section 3.4 of Lee et al.).
    `use_variance`: off, every branch counts as varying (convergence analysis alone).
    `parameters`: the level of the parameters; VARYING for a device function whose callers are not known.
    `entry`: the convergence of the entry; GRID means "relative to the callers".
    `context`: what all calls of a device function have in common, where they are known; `parameters` is then the most
    that is supposed of arguments of which nobody knows whether they vary, and `entry` of the way to the calls.
    `unknown`: the level of what opaque code and calls return; GRID asks what varies whatever they do.
    """

    assume_barriers: bool = False
    exit_optimization: bool = False
    use_variance: bool = True
    parameters: Level = Level.GRID
    entry: Level = Level.GRID
    unknown: Level = Level.VARYING
    context: CallContext | None = None

    def of_argument(self, argument: Argument) -> Level:
        """The level of a parameter for which all calls pass that."""
        is_doubtful = argument.level is Level.VARYING and argument.is_assumed
        return min(argument.level, self.parameters) if is_doubtful else argument.level

    @property
    def entry_level(self) -> Level:
        """The convergence of the entry."""
        return self.entry if self.context is None else min(self.entry, self.context.convergence)


# The variants of Lee et al., CGO 2013, Fig. 4; the fourth, dynamic preservation, is a policy of the simulator.

CONVERGENCE_ONLY: Final = DivergenceOptions(assume_barriers=True, use_variance=False)
"""CA"""
WITH_VARIANCE: Final = DivergenceOptions(assume_barriers=True)
"""CA + VA"""
WITH_EXITS: Final = DivergenceOptions(assume_barriers=True, exit_optimization=True)
"""CA + VA + exit"""
