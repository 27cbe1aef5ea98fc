"""The calls that were inlined into one root, each as its callee sees it (`CallContext`).

Memory   The level of a pointer is what its callee believes of the values that it loads there.  That of memory that all
         threads share is the level of its address.  A local variable has one instance per thread at an address that
         agrees, so a pointer that may point to one counts as varying: what a callee reads there is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from analysis.affine.atoms import REGISTER_OF_AXIS
from analysis.affine.interval import type_range
from analysis.affine.linear_form import LinearForm
from analysis.divergence.call_context import NOTHING, Argument, CallContext, Steps, without_launch
from analysis.divergence.levels import Level
from analysis.facts.roots import RootAnalysis
from analysis.ir.function import FunctionKind
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.launch_relation import ArgumentRelation
from analysis.ir.source import OWN_FRAME, FrameId
from analysis.ir.types import BooleanType, IntegerType
from analysis.verdict.barriers import ASSUMED_SEEDS

MAX_ALIGNMENT: Final = 1 << 32


def context_of_call(root: RootAnalysis, called: FrameId) -> CallContext | None:
    """Of the call whose body is that frame; one that no thread comes to has none."""
    divergence = root.divergence
    frame = root.function.frames[called]
    block = frame.block
    if called == OWN_FRAME or block is None or not root.control.is_reachable(block):
        return None
    context = CallContext(
        tuple(NOTHING if value is None else _argument(root, value, block) for value in frame.arguments),
        divergence.convergence(block),
        tuple(root.launch.shapes),
        root.launch.one_dimensional and not root.launch.shapes,
        root.launch.has_several_blocks,
        divergence.waited_at(block),
        tuple(_relations(root, frame.arguments, block)),
    )
    return context if root.function.kind is FunctionKind.KERNEL else _from_anywhere(context)


def _relations(
    root: RootAnalysis, arguments: Sequence[ValueId | None], block: BasicBlockId
) -> Iterator[ArgumentRelation]:
    """What every launch says of parameters that the kernel passes on as they are."""
    for relation in root.launch.relations:
        parameter = root.function.parameters[relation.argument].value
        for position, value in enumerate(arguments):
            if value is not None and _is_passed_on(root, parameter, value, block):
                yield relation._replace(argument=position)


def _is_passed_on(root: RootAnalysis, parameter: ValueId, value: ValueId, block: BasicBlockId) -> bool:
    """Whether a value is a parameter, as a number of as many bits."""
    if value == parameter:
        return True
    type, other = root.function.types[parameter], root.function.types[value]
    form = root.affine.form_at(value, block)
    is_alike = isinstance(type, IntegerType) and isinstance(other, IntegerType) and type.bits == other.bits
    return is_alike and form is not None and form.exact and form == root.affine.form(parameter)


def _from_anywhere(context: CallContext) -> CallContext:
    """Of a call in a function that somebody else may call: with values that differ, in divergent code, after waits."""
    arguments = tuple(
        replace(
            argument,
            level=argument.level if argument.constant is not None else Level.VARYING,
            is_assumed=True,
            steps=None,
            step_alignment=1,
            is_integral=False,
            is_observed=argument.constant is None,
        )
        for argument in context.arguments
    )
    alone = without_launch(context)
    return replace(alone, arguments=arguments, convergence=Level.VARYING, waited=Level.VARYING)


def _argument(root: RootAnalysis, value: ValueId, block: BasicBlockId) -> Argument:
    divergence, affine = root.divergence, root.affine
    type_ = root.function.types[value]
    is_local = divergence.may_be_local(value)
    level = Level.VARYING if is_local else divergence.use_level(value, block)
    low = high = None
    alignment = 1
    if isinstance(type_, IntegerType | BooleanType):
        found = affine.range_at(value, block)
        if found != type_range(type_):
            low, high = found.low, found.high
        alignment = min(MAX_ALIGNMENT, affine.alignment(value))
    form = affine.form_at(value, block)
    steps = None if form is None or not form.exact or not form.coefficients else _steps(form)
    return Argument(
        level,
        is_local or (level is Level.VARYING and _is_doubtful(root, value, level)),
        low,
        high,
        alignment,
        root.spaces.space(value),
        steps,
        1 if steps is None or form is None else min(MAX_ALIGNMENT, affine.alignment(form.base)),
        steps is not None and affine.is_integral(value),
        is_local or divergence.is_observed(value),
    )


def _steps(form: LinearForm) -> Steps | None:
    """Where they are all numbers."""
    numbers = [(REGISTER_OF_AXIS[axis], step.constant) for axis, step in form.coefficients]
    known = tuple((register, step) for register, step in numbers if step is not None)
    return known if len(known) == len(numbers) else None


def _is_doubtful(root: RootAnalysis, value: ValueId, level: Level) -> bool:
    """Whether it varies for want of knowledge alone."""
    divergence = root.divergence
    if divergence.level(value) < level:
        return True  # it leaves a loop, which may be left apart for whatever reason
    seed = divergence.beginning(value)
    return seed is None or seed in ASSUMED_SEEDS
