"""How alike are two blocks, two subgraphs?  The published measures MP_B and MP_S, and the weights under them.

MP_B    the latency that two blocks would share if every common kind of instruction were melded, whatever the order,
        over the latency of both: 0.5 for blocks with the same instructions.  Phis do not count, terminators do;
        constants and addresses of variables are operands, not instructions.
MP_S    the mean of MP_B over corresponding blocks, weighted by their latencies.
Source  Saumya et al., CGO 2022, section IV-C; its artifact for the latencies and for what an opcode is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import final

from analysis.ir.instructions import (
    Binary,
    Compare,
    ElementAddress,
    FieldAddress,
    Instruction,
    Load,
    Math,
    Store,
    Terminator,
    Unary,
)
from analysis.ir.operators import BinaryOperator
from analysis.ir.record import record
from analysis.ir.types import FloatType
from analysis.meld.compatibility import is_source
from analysis.meld.draft import BlockIndex, FlowDraft
from analysis.meld.settings import Latencies


def published_latency(instruction: Instruction, latencies: Latencies) -> int:
    """What the paper's model charges for one instruction."""
    match instruction:
        case Binary(operator=BinaryOperator.ADD | BinaryOperator.SUBTRACT):
            return latencies.add
        case Binary(operator=BinaryOperator.MULTIPLY):
            return latencies.multiply
        case Binary(operator=BinaryOperator.DIVIDE | BinaryOperator.REMAINDER):
            return latencies.divide
        case Load() | Store():
            return latencies.memory
        case _:
            return latencies.other


@final
@record
class BlockProfile:
    """How much latency each kind of instruction adds to a block."""

    weights: Counter[Hashable]
    latency: int
    instructions: int
    """With the terminator."""


EMPTY_PROFILE = BlockProfile(Counter(), 0, 0)
"""Of a block that stands on one side only."""


def profile(draft: FlowDraft, block: BlockIndex, latencies: Latencies) -> BlockProfile:
    body = draft.blocks[block]
    weights: Counter[Hashable] = Counter({type(body.terminator): latencies.other})
    count = 1
    for step in body.steps:
        if not is_source(step.instruction):
            weights[_opcode(draft, step.instruction)] += published_latency(step.instruction, latencies)
            count += 1
    return BlockProfile(weights, weights.total(), count)


def block_profitability(left: BlockProfile, right: BlockProfile) -> float:
    """MP_B."""
    whole = left.latency + right.latency
    return (left.weights & right.weights).total() / whole if whole else 0.0


def subgraph_profitability(pairs: Iterable[tuple[BlockProfile, BlockProfile]]) -> float:
    """MP_S of subgraphs with these corresponding blocks."""
    shared = whole = 0.0
    for left, right in pairs:
        latency = left.latency + right.latency
        shared += block_profitability(left, right) * latency
        whole += latency
    return shared / whole if whole else 0.0


def _opcode(draft: FlowDraft, instruction: Instruction | Terminator) -> Hashable:
    """What LLVM would call the instruction."""
    match instruction:
        case Binary(operator=operator, result=result):
            return operator, isinstance(draft.types[result], FloatType)
        case Unary(operator=operator):
            return operator
        case Compare(left=left):
            return Compare, isinstance(draft.types[left], FloatType)
        case Math(function=function):
            return function
        case ElementAddress() | FieldAddress():
            return ElementAddress
        case _:
            return type(instruction)
