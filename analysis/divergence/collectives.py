"""Exchanges inside a warp: votes, shuffles, matches, reductions.  How uniform is the result?

Meeting   Hardware pairs the lanes that are named by a mask and execute the instruction with that mask.  They hand each
          other values of *one* dynamic instance if (a) the block is convergent for the warp: all lanes execute every
          instance or none; or (b) the block is in no loop (and was entered together): each lane executes it at most
          once, so there is only one instance to meet in.  Otherwise lanes of different iterations may be paired.
Mask      If the mask agrees in the warp (level <= WARP), all threads of the warp that execute the instance pass the
          same mask; each of them must be in it, and all lanes in it must come (else the behaviour is undefined), so
          they all take part in one vote and see one result.  This holds in divergent code too:
          `m = ballot(c); if (c) any_sync(m, p)`.  Different masks (`__activemask()`, a segment per lane) mean different
          votes and different results.  The old forms without a mask use the active lanes: only in convergent code.
Agreement If the operand already agrees in the warp, an `any`, `all`, `uni`, `min`, `max`, `and`, `or` or shuffle of it,
          whoever takes part, is a function of that one value: the level of the operand, even GRID.  (A lane outside
          the segment gets its own value; a lane that is not there gives an undefined one, which contributes nothing.)
Shuffles  of a varying value: WARP only for mode `idx` from a lane number that agrees, over the whole warp (a narrower
          width means one source per segment).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from analysis.divergence.levels import Level
from analysis.divergence.nodes import Exchange
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Match, Shuffle, Vote, WarpReduce
from analysis.ir.operators import AtomicOperator, MatchKind, ShuffleMode, VoteKind

IDEMPOTENT = frozenset({AtomicOperator.MINIMUM, AtomicOperator.MAXIMUM, AtomicOperator.AND, AtomicOperator.OR})


def exchange_level(
    exchange: Exchange, level: Callable[[ValueId], int], convergent: bool, meets: bool, whole_warp: bool
) -> int:
    """`convergent`: for the warp; `meets`: lanes are paired within one instance; `whole_warp`: one segment only."""
    mask = exchange.mask
    together = meets and (convergent if mask is None else level(mask) <= Level.WARP)
    agreed: int = Level.WARP if together else Level.VARYING
    match exchange:
        case Vote():
            if exchange.kind is VoteKind.BALLOT:
                return agreed
            return _kept(level(exchange.predicate), meets, agreed)
        case Match():
            if exchange.kind is MatchKind.ALL or level(exchange.value) <= Level.WARP:
                return agreed
            return Level.VARYING
        case WarpReduce():
            if exchange.operator in IDEMPOTENT:
                return _kept(level(exchange.value), meets, agreed)
            return agreed
        case Shuffle():
            broadcast = exchange.mode is ShuffleMode.INDEX and whole_warp and level(exchange.lane) <= Level.WARP
            return _kept(level(exchange.value), meets, agreed if broadcast else Level.VARYING)
        case _:
            assert_never(exchange)


def _kept(operand: int, meets: bool, otherwise: int) -> int:
    return operand if meets and operand <= Level.WARP else otherwise
