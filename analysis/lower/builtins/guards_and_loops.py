"""The control flow that builtins expand to: a guard and a counting loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from analysis.ir.function import SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Branch
from analysis.ir.operators import CompareOperator
from analysis.ir.record import record
from analysis.lower.builtins.emitter import Emitter


@final
@record
class Count:
    """From `first` to `end`, which is not reached any more, in steps of `step`; all of the type of `first`."""

    first: ValueId
    end: ValueId
    step: ValueId

    @classmethod
    def by_one(cls, emit: Emitter, first: ValueId, end: ValueId) -> Count:
        return cls(first, end, emit.number(1, first))


def guarded(emit: Emitter, condition: ValueId, body: Callable[[], None]) -> None:
    """`if (condition) body();`"""
    builder, span = emit.builder, emit.span
    inside, after = builder.new_block(), builder.new_block()
    builder.terminate(Branch(condition, inside, after, None, span))
    builder.continue_in(inside)
    body()
    builder.jump(after, span)
    builder.continue_in(after)


def counted(emit: Emitter, name: str, count: Count, body: Callable[[ValueId], None]) -> None:
    """`for (name = first; name < end; name += step) body(name);`"""
    builder, span = emit.builder, emit.span
    type = emit.type_of(count.first)
    address = builder.symbol_address(builder.symbol(name, SymbolKind.LOCAL, type, span), span)
    builder.store(address, count.first, span)
    test, inside, after = builder.new_block(), builder.new_block(), builder.new_block()
    builder.jump(test, span)
    builder.continue_in(test)
    index = builder.load(address, type, span)
    builder.terminate(Branch(emit.compare(CompareOperator.LESS, index, count.end), inside, after, None, span))
    builder.continue_in(inside)
    body(index)
    builder.store(address, emit.add(index, count.step), span)
    builder.jump(test, span)
    builder.continue_in(after)
