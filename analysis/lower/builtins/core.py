"""What a builtin is: a name, an operation, and the signatures that CUDA declares for it.

Words    An *operation* says what to emit: an enum member of the IR (one instruction) or a function over a `BoundCall`.
         A *signature* is written as text, `"f32(f32, f32)"`; the notation stands in `signatures.py`.
Rules    A call picks the alternative that needs the least conversion; its arguments are converted to the parameter
         types, then the operation runs.  A call that fits no alternative becomes `Opaque`: user input never raises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias, final

from analysis.ir.calls import Opaque
from analysis.ir.ids import ValueId
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import Type, UnknownType, VoidType
from analysis.lower.builder import FunctionBuilder
from analysis.lower.builtins.call import BuiltinCall, Literal
from analysis.lower.builtins.operations import Operator, emit_operator
from analysis.lower.builtins.signatures import Generic, Passing, Signature, bind, cost_of, signatures_of


@final
@record
class BoundCall:
    """A call whose arguments have the parameter types of one signature; by-reference arguments are addresses."""

    call: BuiltinCall
    builder: FunctionBuilder
    arguments: tuple[ValueId, ...]
    result: Type
    span: Span

    @property
    def warp_size(self) -> int:
        return self.call.warp_size

    def type_of(self, index: int) -> Type:
        return self.builder.type_of(self.arguments[index])

    def literal(self, index: int) -> Literal:
        """The value of argument `index` where the caller knows it."""
        return self.call.literal(index)


Lowering: TypeAlias = Callable[[BoundCall], ValueId | None]
Operation: TypeAlias = Operator | Lowering
Table: TypeAlias = Mapping[str, tuple[Operation, str]]
"""Name to what it does and how it is declared; alternatives of a signature are separated by `|`."""


@final
@record
class BuiltinFunction:
    """One entry of a table; also the class of methods, which find their object in the call's `receiver`."""

    name: str
    operation: Operation
    declared: str
    is_certain: bool = True
    """False for a name that was found by its arguments' types: a call that does not fit means another function."""

    @property
    def signatures(self) -> tuple[Signature, ...]:
        return signatures_of(self.declared)

    def takes_address(self, index: int, count: int) -> bool:
        """Whether argument `index` of `count` is used by its address only, so that the caller need not load it.

        The caller then passes the address in `arguments` as well.
        """
        forms = [signature for signature in self.signatures if signature.required <= count]
        return bool(forms) and all(
            index < len(form.parameters) and form.parameters[index].passing is Passing.REFERENCE for form in forms
        )

    def takes_function(self, index: int) -> bool:
        """Whether argument `index` may be a function object, in some alternative."""
        return any(
            index < len(form.parameters) and form.parameters[index].type is Generic.FUNCTION for form in self.signatures
        )

    def lower(self, call: BuiltinCall) -> ValueId | None:
        """Emits the call and gives its value; None for void."""
        if call.builder.is_terminated:
            call.builder.continue_in(call.builder.new_block())  # dead code after `return`: keep its values defined
        fitting = [
            (cost, index)
            for index, signature in enumerate(self.signatures)
            if (cost := cost_of(signature, call)) is not None
        ]
        if not fitting:
            return opaque_call(call, self._declared_result(), may_contain_barrier=not self.is_certain)
        arguments, result = bind(self.signatures[min(fitting)[1]], call)
        bound = BoundCall(call, call.builder, arguments, result, call.span)
        if callable(self.operation):
            return self.operation(bound)
        return emit_operator(call.builder, self.operation, arguments, result, call.span)

    def _declared_result(self) -> Type:
        """The result of every alternative where they agree, for calls that fit none."""
        results = {signature.result.fixed for signature in self.signatures}
        first = results.pop()
        return first if first is not None and not results else UnknownType(self.name)


BuiltinMethod: TypeAlias = BuiltinFunction


def opaque_call(call: BuiltinCall, result: Type, *, may_contain_barrier: bool = False) -> ValueId | None:
    """The call as something that is not understood."""
    arguments = call.arguments if call.receiver is None else (call.receiver, *call.arguments)
    if isinstance(result, VoidType):
        call.builder.emit(Opaque(None, call.name, arguments, may_contain_barrier, call.span))
        return None
    return call.builder.opaque(call.name, arguments, result, call.span, may_contain_barrier=may_contain_barrier)


def opaque_bound(bound: BoundCall, *, may_contain_barrier: bool = False) -> ValueId | None:
    """A bound call whose operation cannot be expressed."""
    return opaque_call(bound.call, bound.result, may_contain_barrier=may_contain_barrier)


def does_nothing(bound: BoundCall) -> None:
    """Hints to the compiler, host calls without effect on the thread."""
