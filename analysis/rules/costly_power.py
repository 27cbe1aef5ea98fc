"""ARI605: `pow` where a product or a root would do, or where it computes doubles of floats."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, final

from analysis.facts.merge import FrameView
from analysis.facts.model import Location
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Constant, Convert, Instruction, Math, Unary
from analysis.ir.operators import BinaryOperator, MathFunction, UnaryOperator
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import FloatFormat, FloatType
from analysis.refactor.edit import Replacement
from analysis.rules.diagnostic import Applicability, Fix, KernelShare, Related, Severity
from analysis.rules.operations import PricedOperation, powers, priced_operations
from analysis.rules.price import part_text
from analysis.rules.rule import Subject
from analysis.rules.source_text import one_line
from analysis.syntax.lexing import HIDDEN
from analysis.verdict.barriers import Tier
from analysis.verdict.doubles import is_double
from analysis.verdict.latency import DOUBLE, DOUBLE_DIVISION, DOUBLE_FUNCTION, FLOAT_DIVISION, HARD_FUNCTION, SIMPLE


@final
@record
class CostlyPower:
    """## What it does

    Reports `pow(x, 2)` and other powers with a small constant exponent, and `pow` of a `float` and an `int`, which is
    computed in double precision, if what could be saved is 5 % of the kernel's issue slots, or what `shareThreshold`
    says.

    ## Why is this bad?

    `pow` takes a logarithm and an exponential with extra digits, about 50 times what a product takes, and three times
    that in double precision. Compilers may replace it, and need not (CUDA C++ Best Practices Guide, "Exponentiation").

    ## Example

    ```cuda
    __global__ void energies(float *e, const float *v, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) e[i] = 0.5f * pow(v[i], 2);  //~ costly-power
    }
    ```

    ## Use instead

    ```cuda
    __global__ void energies(float *e, const float *v, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) e[i] = 0.5f * (v[i] * v[i]);
    }
    ```

    ## Known noise

    A product may differ from `pow` in the last digits, and `sqrt(x)` from `pow(x, 0.5)` for -0 and negative infinity.
    Where the base is long, calls something, or would be written more than twice, it needs a variable of its own, and
    no repair is offered.
    """

    code: ClassVar[str] = "ARI605"
    slug: ClassVar[str] = "costly-power"
    severity: ClassVar[Severity] = Severity.INFORMATION

    site: Location
    text: str
    instead: str
    is_widened: bool
    """It is computed in double precision for floats."""
    part: str
    cost: KernelShare
    others: tuple[Related, ...]
    repair: Fix | None

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[CostlyPower]:
        if b"pow" not in subject.text.bytes(Span(0, subject.function.end - subject.function.start)):
            return
        groups: dict[object, list[PricedOperation]] = {}
        for found in priced_operations(subject, powers, _saved):
            if 100 * found.part.share.expected >= subject.share_threshold:
                groups.setdefault(_same(subject, found), []).append(found)
        for group in groups.values():
            finding = cls._of(subject, group)
            if finding is not None:
                yield finding

    @classmethod
    def _of(cls, subject: Subject, group: Sequence[PricedOperation]) -> CostlyPower | None:
        """Of one power, which compilers compute once, wherever it is written."""
        found, *others = group
        power = found.item
        assert isinstance(power, Math)
        source = subject.text.bytes(found.span)
        call = _arguments(source)
        if call is None:
            return None
        base, exponent = call
        is_float = _is_of_floats(found.view, power)
        instead = _instead(
            base, exponent, _exponent(found.view, power.arguments[1]), is_float, _cast(found.view, power)
        )
        edits = tuple(Replacement(subject.text.start(one.span), subject.text.end(one.span), instead) for one in group)
        more = f", and {len(others)} more like it" if others else ""
        times = instead.count(base)
        is_short = times == 2 and _SHORT_TEXT.match(base.encode()) is not None
        can_be_written = times <= 1 or is_short or _SIMPLE_TEXT.match(base.encode()) is not None
        return cls(
            subject.text.location(found.span),
            subject.text.quoted(found.span),
            instead,
            is_float and is_double(found.view.root.function.types[power.result]),
            part_text(found.part, subject.function),
            KernelShare(found.part.whole, found.part.share.expected),
            tuple(Related(subject.text.location(one.span), "the same power") for one in others[:MAX_PLACES]),
            Fix(f"Write `{instead}`{more}", edits, Applicability.UNSAFE) if can_be_written else None,
        )

    def message(self) -> str:
        why = "computes a power of floats in double precision" if self.is_widened else "is more than is needed"
        instead = f"`{one_line(self.instead.encode())}`"
        if self.repair is None:
            instead = "a product of a variable that holds the base"
        return f"`{self.text}` {why}: {instead} would save {self.part}."

    def related(self) -> tuple[Related, ...]:
        return self.others

    def fix(self) -> Fix | None:
        return self.repair


MAX_PLACES: Final = 8
_SIMPLE_TEXT: Final = re.compile(rb"(?!.*(?:\+\+|--))[A-Za-z_][\w.]*(?:->\w+)*(?:\[[\w.+\-* ]*\])*(?:\.\w+)*\Z")
"""May be written several times."""
_SHORT_TEXT: Final = re.compile(rb"(?!.*(?:\+\+|--|\w\s*\())[\w.+\-*/ ()\[\]]{1,24}\Z")
"""May be written twice: it calls nothing, and a compiler computes it once."""
_CALL: Final = re.compile(rb"(?:::|std::)?(?:pow|powf|__powf)\s*\(")
_PRODUCTS: Final = {2.0: 2, 3.0: 3, 4.0: 4, 5.0: 5, 6.0: 6}
_QUOTIENTS: Final = {0.5: 1, -0.5: 1, -1.0: 1, 1.5: 1, -1.5: 2}
"""How many roots and quotients take their place."""


def _same(subject: Subject, found: PricedOperation) -> object:
    """Equal for powers that are written alike and are one number."""
    item = found.item
    assert isinstance(item, Math)
    base, exponent = item.arguments
    number = _exponent(found.view, exponent)
    return id(found.view), found.block, base, exponent if number is None else number, subject.text.bytes(found.span)


def _saved(view: FrameView, block: BasicBlockId, item: Instruction) -> int | None:
    """Issue slots; 0 where nothing is better."""
    del block
    if not isinstance(item, Math) or item.function is not MathFunction.POWER or len(item.arguments) != 2:
        return None
    is_double_ = is_double(view.root.function.types[item.result])
    cost = HARD_FUNCTION * (DOUBLE_FUNCTION if is_double_ else 1)
    is_float = _is_of_floats(view, item)
    exponent = _exponent(view, item.arguments[1])
    if exponent in _PRODUCTS:
        return cost - _PRODUCTS[exponent] * (SIMPLE if is_float else DOUBLE)
    if exponent in _QUOTIENTS:
        return cost - _QUOTIENTS[exponent] * (FLOAT_DIVISION if is_float else DOUBLE_DIVISION)
    return cost - HARD_FUNCTION if is_float and is_double_ else 0


def _is_of_floats(view: FrameView, power: Math) -> bool:
    """Whether it is computed of a float, and of a float, an integer or a constant."""
    types = view.root.function.types

    def source(value: ValueId) -> ValueId:
        item = view.root.divergence.definition(value)
        return item.operand if isinstance(item, Convert) else value

    base, exponent = (types[source(value)] for value in power.arguments)
    is_constant = _exponent(view, power.arguments[1]) is not None
    return (
        isinstance(base, FloatType) and base.format is FloatFormat.SINGLE and (is_constant or not is_double(exponent))
    )


def _exponent(view: FrameView, value: ValueId) -> float | None:
    """Also that of `1.0 / 2` and `-(3.0f / 2)`, whose quotients the roots among them hold exactly."""
    types = view.root.function.types
    match view.root.divergence.definition(value):
        case Convert(operand=operand, result=result):
            is_rounded = isinstance(types[operand], FloatType) and not isinstance(types[result], FloatType)
            return None if is_rounded else _exponent(view, operand)
        case Unary(operator=UnaryOperator.NEGATE, operand=operand):
            negated = _exponent(view, operand)
            return None if negated is None else -negated
        case Binary(operator=BinaryOperator.DIVIDE, left=left, right=right, result=result):
            if not isinstance(types[result], FloatType):
                return None
            over, under = _exponent(view, left), _exponent(view, right)
            return over / under if over is not None and under else None
        case Constant(value=int() | float() as number):
            return float(number)
        case _:
            return None


def _arguments(source: bytes) -> tuple[str, str] | None:
    """Of a call that stands there as it is."""
    found = _CALL.match(source)
    if found is None or not source.endswith(b")") or HIDDEN.search(source) is not None:
        return None
    inner, depth = source[found.end() : -1], 0
    commas: list[int] = []
    for at, byte in enumerate(inner):
        depth += (byte in b"([{") - (byte in b")]}")
        if depth == 0 and byte == ord(","):
            commas.append(at)
    if depth or len(commas) != 1:
        return None
    first, second = inner[: commas[0]].strip(), inner[commas[0] + 1 :].strip()
    return first.decode("utf-8", "replace"), second.decode("utf-8", "replace")


def _cast(view: FrameView, power: Math) -> str:
    """Before an integer, whose product may overflow where the power does not."""
    types, base = view.root.function.types, view.root.divergence.definition(power.arguments[0])
    if not isinstance(base, Convert) or isinstance(types[base.operand], FloatType):
        return ""
    return "(double)" if is_double(types[power.result]) else "(float)"


def _is_in_parentheses(base: str) -> bool:
    """All of it in one pair."""
    depth = 0
    for at, character in enumerate(base):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return at > 0 and at == len(base) - 1
    return False


def _instead(base: str, written: str, exponent: float | None, is_float: bool, cast: str) -> str:
    """`cast` stands before the first factor of a product."""
    is_simple = _SIMPLE_TEXT.match(base.encode()) is not None
    factor = base if is_simple or _is_in_parentheses(base) else f"({base})"
    if exponent in _PRODUCTS:
        return f"({cast}{' * '.join([factor] * int(exponent or 0))})"
    suffix = "f" if is_float else ""
    if exponent == 0.5:
        return f"sqrt{suffix}({base})"
    if exponent == -0.5:
        return f"rsqrt{suffix}({base})"
    if exponent in (1.5, -1.5):
        product = f"({cast}{factor} * sqrt{suffix}({base}))"
        return product if exponent > 0 else f"(1.0{suffix} / {product})"
    if exponent == -1.0:
        return f"(1.0{suffix} / {factor})"
    return f"powf({base}, {written})"
