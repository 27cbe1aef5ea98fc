"""Instructions as expressions over vectors, in the words of NumPy where it has them: one for each number of a result.

`div`, `rem`, `shl` and `shr` are C's operations; `i32(x)` and its like convert, `bits(f32, x)` keeps the bits;
`load(mask, type, address)` and `store(mask, type, address, value)` take addresses in bytes; `shared("tile#0")`,
`local("t#1")`, `constant("c#2")`, `device("d#3")` and `texture("t#4")` are where variables begin; `first(mask, x)` is
what the first lane of a mask holds.  Local memory is that of each lane: a scalar address in it is the same place in all
of them.

Meeting  `shuffle_down(mask, x, lane, width)`, `vote_ballot(mask, named, x)`, `match_any`, `reduce_add` and the like are
         exchanges among the lanes of the mask; `named` is what the program wrote.  All lanes that it names have to be
         there: nobody waits for lanes that are elsewhere.  `block_count(mask, x)` waits for the block.
Atomics  `atomic_add(mask, type, address, x)` gives old values; the lanes have their turns in their order.
Textures `texture_fetch2d(mask, type, channel, handle, x, y)` reads one channel of a texture, with the operations of the
         intermediate representation; `texture_surface_write(mask, handle, (r, g), x, y)` writes all.
Clocks   `clock()` and `global_timer()` are read where they stand, once for all lanes that come together.
Library  functions have the names of the intermediate representation; some take the type of their result first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, final

from analysis.ir.function import Function, SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Atomic,
    Binary,
    Bitcast,
    BlockBarrier,
    Compare,
    Constant,
    Convert,
    ElementAddress,
    FieldAddress,
    Instruction,
    Load,
    Match,
    Math,
    PointerDifference,
    ReadSpecial,
    Select,
    Shuffle,
    SymbolAddress,
    Texture,
    Unary,
    Undefined,
    Vote,
    WarpReduce,
)
from analysis.ir.operators import (
    COLLECTIVES,
    AtomicOperator,
    BinaryOperator,
    CompareOperator,
    MathFunction,
    SpecialRegister,
    UnaryOperator,
)
from analysis.ir.record import record
from analysis.ir.types import PointerType, StructType
from analysis.lower.layouts import size_of
from analysis.scalar.simd.literals import literal
from analysis.scalar.simd.parts import SimdPart, members_of

Names = Callable[[ValueId], Sequence[str]]
Parts = Callable[[ValueId], Sequence[SimdPart]]


@final
@record
class Computed:
    """What the numbers of a result are; `of_lanes`: each lane has its own, whatever they are computed of."""

    codes: Sequence[str]
    of_lanes: bool = False


def expressions(
    instruction: Instruction, function: Function, names: Names, parts: Parts, mask: str, warp_size: int
) -> Computed | None:
    """What an instruction computes, for the lanes of a mask; None where that has no form."""
    match instruction:
        case Constant() | Undefined():
            return _constant(instruction, parts)
        case ReadSpecial(register=register):
            code = (
                f"vote_ballot({mask}, None, True)"
                if register is SpecialRegister.ACTIVE_MASK
                else _SPECIAL.get(register)
            )
            return None if code is None else Computed([code], of_lanes=register in _OF_LANES)
        case SymbolAddress(symbol=symbol):
            found = function.symbol(symbol)
            word = _PLACES.get(found.kind)
            return None if word is None else Computed([f'{word}("{found.name}#{symbol}")'])
        case ElementAddress() | FieldAddress() | PointerDifference():
            return _address(instruction, function, names, warp_size)
        case Load(result=result, address=address):
            return Computed([f"load({mask}, {one.element}, {at(names(address)[0], one)})" for one in parts(result)])
        case Texture(result=int() as result, operation=operation, arguments=arguments):
            given = ", ".join(names(argument)[0] for argument in arguments)
            word = f"texture_{operation.value}({mask}"
            return Computed(
                [f"{word}, {one.element}, {channel}, {given})" for channel, one in enumerate(parts(result))]
            )
        case Shuffle() | Vote() | Match() | WarpReduce() | BlockBarrier() | Atomic():
            codes = _exchange(instruction, names, parts, mask)
            return None if codes is None else Computed(codes, of_lanes=True)
        case _:
            codes = _arithmetic(instruction, function, names, parts)
            return None if codes is None else Computed(codes)


def at(address: str, part: SimdPart) -> str:
    """Where a number of a value lies that begins at an address."""
    return f"{address} + {part.offset}" if part.offset else address


def _constant(instruction: Constant | Undefined, parts: Parts) -> Computed | None:
    value = instruction.value if isinstance(instruction, Constant) else 0
    if value is None or isinstance(value, str):
        return None
    return Computed([literal(value, one.element) for one in parts(instruction.result)])


def _address(
    instruction: ElementAddress | FieldAddress | PointerDifference, function: Function, names: Names, warp_size: int
) -> Computed | None:
    type = function.type_of(instruction.left if isinstance(instruction, PointerDifference) else instruction.result)
    size = size_of(type.element, function.structs) if isinstance(type, PointerType) else None
    match instruction:
        case ElementAddress(base=base, index=index):
            return None if size is None else Computed([f"{names(base)[0]} + {size} * i64({names(index)[0]})"])
        case PointerDifference(left=left, right=right):
            return None if not size else Computed([f"({names(left)[0]} - {names(right)[0]}) // {size}"])
        case FieldAddress(base=base, field=field):
            of = function.type_of(base)
            offset = _offset(of, field, function, warp_size) if isinstance(of, PointerType) else None
            return None if offset is None else Computed([f"{names(base)[0]} + {offset}" if offset else names(base)[0]])


def _offset(pointer: PointerType, field: int, function: Function, warp_size: int) -> int | None:
    of = pointer.element
    if isinstance(of, StructType):
        layout = function.structs.get(of.name)
        return None if layout is None or not layout.size else layout.fields[field].offset
    members = members_of(of, function.structs, warp_size)
    return None if members is None else members[field][1]


# -- arithmetic ------------------------------------------------------------------------------------------------------


def _arithmetic(instruction: Instruction, function: Function, names: Names, parts: Parts) -> Sequence[str] | None:
    match instruction:
        case Unary(result=result, operator=operator, operand=operand):
            pairs = zip(names(operand), parts(result), strict=True)
            return _all([_unary(operator, name, one.element) for name, one in pairs])
        case Binary(result=result, operator=operator, left=left, right=right):
            others = names(right) if len(names(right)) > 1 else list(names(right)) * len(names(left))
            threes = zip(names(left), others, parts(result), strict=True)
            return _all([_binary(operator, one, other, part.element) for one, other, part in threes])
        case Compare(operator=operator, left=left, right=right):
            pairs = [
                f"{one} {_COMPARISONS[operator]} {other}" for one, other in zip(names(left), names(right), strict=True)
            ]
            if len(pairs) == 1:
                return pairs
            joined = " | " if operator is CompareOperator.NOT_EQUAL else " & "
            is_order = operator not in (CompareOperator.EQUAL, CompareOperator.NOT_EQUAL)
            return None if is_order else [joined.join(f"({pair})" for pair in pairs)]
        case Select(condition=condition, if_true=one, if_false=other):
            asked = names(condition)[0]
            return [f"where({asked}, {a}, {b})" for a, b in zip(names(one), names(other), strict=True)]
        case Convert(result=result, operand=operand):
            return _converted(names(operand), parts(operand), parts(result))
        case Bitcast(result=result, operand=operand):
            return _cast(names(operand), parts(operand), parts(result))
        case Math():
            return _math(instruction, names, parts)
        case _:
            return None


def _all(codes: Sequence[str | None]) -> Sequence[str] | None:
    known = [code for code in codes if code is not None]
    return known if len(known) == len(codes) else None


def _unary(operator: UnaryOperator, name: str, element: str) -> str | None:
    if element == "bool":
        return {"True": "False", "False": "True"}.get(name, f"~{name}")
    match operator:
        case UnaryOperator.NEGATE:
            return f"-{name}"
        case UnaryOperator.COMPLEMENT:
            return f"~{name}"
        case UnaryOperator.LOGICAL_NOT:
            return f"{element}({name} == 0)"


def _binary(operator: BinaryOperator, left: str, right: str, element: str) -> str | None:
    if element[0] == "f" and operator is BinaryOperator.DIVIDE:
        return f"{left} / {right}"
    if element[0] == "f" and operator is BinaryOperator.REMAINDER:
        return f"fmod({left}, {right})"
    word = _CALLED.get(operator)
    if word is not None:
        return None if element[0] == "f" else f"{word}({left}, {right})"
    return f"{left} {_INFIX[operator]} {right}"


def _converted(names: Sequence[str], of: Sequence[SimdPart], to: Sequence[SimdPart]) -> Sequence[str] | None:
    """A scalar becomes each element of a vector."""
    if len(of) == 1 and len(to) > 1:
        names, of = list(names) * len(to), list(of) * len(to)
    if len(of) != len(to):
        return None
    pairs = zip(names, of, to, strict=True)
    return [name if one.element == other.element else f"{other.element}({name})" for name, one, other in pairs]


def _cast(names: Sequence[str], of: Sequence[SimdPart], to: Sequence[SimdPart]) -> Sequence[str] | None:
    """The same bits; None where the numbers of both do not lie at the same places."""
    same = [(one.offset, one.width) for one in of] == [(one.offset, one.width) for one in to]
    pairs = zip(names, of, to, strict=False)
    codes = [name if one.element == other.element else f"bits({other.element}, {name})" for name, one, other in pairs]
    return codes if same else None


def _math(instruction: Math, names: Names, parts: Parts) -> Sequence[str] | None:
    called = instruction.function
    if called in _WITHOUT_FORM:
        return None
    word = _FUNCTIONS.get(called, called.value.replace(".", "_"))
    codes: list[str] = []
    for index, part in enumerate(parts(instruction.result)):
        given: list[str] = [part.element] if called in _OF_TYPE else []
        for argument in instruction.arguments:
            operands, own = names(argument), parts(argument)
            at_ = index if len(operands) > 1 else 0
            is_converted = part.element[0] == "f" and own[at_].element[0] != "f" and called not in _AS_GIVEN
            given.append(f"{part.element}({operands[at_]})" if is_converted else operands[at_])
        codes.append(f"{word}({', '.join(given)})")
    return codes


# -- where lanes meet ------------------------------------------------------------------------------------------------


def _exchange(
    instruction: Shuffle | Vote | Match | WarpReduce | BlockBarrier | Atomic, names: Names, parts: Parts, mask: str
) -> Sequence[str] | None:
    match instruction:
        case Shuffle(mode=mode, value=value, lane=lane, width=width):
            whole = "warp_size" if width is None else names(width)[0]
            return [f"shuffle_{mode.value}({mask}, {one}, {names(lane)[0]}, {whole})" for one in names(value)]
        case Vote(kind=kind, mask=named, predicate=predicate):
            asked = "None" if named is None else names(named)[0]
            return [f"vote_{kind.value}({mask}, {asked}, {names(predicate)[0]})"]
        case Match(kind=kind, mask=named, value=value):
            one = names(value)
            return [f"match_{kind.value}({mask}, {names(named)[0]}, {one[0]})"] if len(one) == 1 else None
        case WarpReduce(operator=operator, mask=named, value=value):
            return [f"reduce_{operator.value}({mask}, {names(named)[0]}, {one})" for one in names(value)]
        case BlockBarrier(reduction=reduction, predicate=predicate):
            return None if predicate is None else [f"block_{reduction.value}({mask}, {names(predicate)[0]})"]
        case Atomic(result=result, operator=operator, address=address, arguments=arguments):
            own = parts(result)
            is_simple = len(own) == 1 or operator in (AtomicOperator.ADD, AtomicOperator.EXCHANGE)
            if not isinstance(operator, AtomicOperator) or not is_simple:
                return None
            given = [[names(argument)[index] for argument in arguments] for index in range(len(own))]
            word = f"atomic_{operator.value}({mask}"
            return [
                ", ".join((word, one.element, at(names(address)[0], one), *values)) + ")"
                for one, values in zip(own, given, strict=True)
            ]


_OF_LANES: Final = frozenset(
    register for register in SpecialRegister if register.value.split(".")[0] in ("thread", "lane", "lane_mask")
)
_SPECIAL: Final = {
    register: register.value.replace(".", "_")
    for register in SpecialRegister
    if register.value.split(".")[0]
    in (
        "thread",
        "block",
        "block_dim",
        "grid_dim",
        "lane",
        "lane_mask",
        "warp_size",
        "warp_index",
        "dynamic_shared_size",
    )
} | {SpecialRegister.CLOCK: "clock()", SpecialRegister.GLOBAL_TIMER: "global_timer()"}
_PLACES: Final = {
    SymbolKind.SHARED: "shared",
    SymbolKind.DYNAMIC_SHARED: "shared",
    SymbolKind.LOCAL: "local",
    SymbolKind.CONSTANT: "constant",
    SymbolKind.GLOBAL: "device",
    SymbolKind.TEXTURE: "texture",
}
_CALLED: Final = {
    BinaryOperator.DIVIDE: "div",
    BinaryOperator.REMAINDER: "rem",
    BinaryOperator.SHIFT_LEFT: "shl",
    BinaryOperator.SHIFT_RIGHT: "shr",
}
_INFIX: Final = {
    BinaryOperator.ADD: "+",
    BinaryOperator.SUBTRACT: "-",
    BinaryOperator.MULTIPLY: "*",
    BinaryOperator.AND: "&",
    BinaryOperator.OR: "|",
    BinaryOperator.XOR: "^",
    BinaryOperator.LOGICAL_AND: "&",
    BinaryOperator.LOGICAL_OR: "|",
}
_COMPARISONS: Final = {
    CompareOperator.EQUAL: "==",
    CompareOperator.NOT_EQUAL: "!=",
    CompareOperator.LESS: "<",
    CompareOperator.LESS_EQUAL: "<=",
    CompareOperator.GREATER: ">",
    CompareOperator.GREATER_EQUAL: ">=",
}
_FUNCTIONS: Final = {MathFunction.MINIMUM: "minimum", MathFunction.MAXIMUM: "maximum"}
_OF_TYPE: Final = frozenset(
    function
    for function in MathFunction
    if function.value.startswith(("cvt.", "random.")) or function.value in ("bfe", "nan")
)
"""Which take the type of their result first."""
_AS_GIVEN: Final = _OF_TYPE | frozenset(
    function
    for function in MathFunction
    if function.value.endswith(".directed") or function.value in ("ldexp", "pow", "jn", "yn")
)
"""Which take integers as they are, though the result is none."""
_WITHOUT_FORM: Final = (
    COLLECTIVES
    | frozenset(
        function
        for function in MathFunction
        if function.value.startswith("is") and function.value not in ("isnan", "isinf", "isfinite")
    )
    | {MathFunction.RANDOM_DISCRETE}
)
