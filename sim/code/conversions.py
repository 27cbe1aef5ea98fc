"""Code for conversions that keep the number, and for those that keep the bits."""

from __future__ import annotations

from typing import Final

from analysis.ir.instructions import Bitcast, Convert
from analysis.ir.types import FloatFormat, FloatType
from sim.code.writer import Writer
from sim.values.scalars import NoParts, Part

_SHORT: Final = (FloatType(FloatFormat.HALF), FloatType(FloatFormat.BFLOAT16))


def convert(writer: Writer, instruction: Convert) -> None:
    sources, targets = writer.parts(instruction.operand), writer.parts(instruction.result)
    names = writer.read(instruction.operand)
    if len(sources) == 1 and len(targets) > 1:  # a scalar to each element of a vector
        sources, names = sources * len(targets), names * len(targets)
    if len(sources) != len(targets):
        raise NoParts("a conversion between aggregates of different shape")
    expressions = [converted(a, one, other) for a, one, other in zip(names, sources, targets, strict=True)]
    if expressions == list(names):
        writer.alias(instruction.result, names)
    else:
        writer.set(instruction.result, expressions, fresh=not set(expressions) & set(names))


def converted(name: str, source: Part, target: Part) -> str:
    """The expression for one number in another type."""
    if source.held == target.held and source.is_bfloat16 == target.is_bfloat16:
        return name
    if target.held == "b1":
        return f"({name} != 0)"
    if isinstance(source.type, FloatType) and not isinstance(target.type, FloatType):
        if source.type in _SHORT and target.width < 4:  # as by `__half2char_rz`, which clamps
            return f"math_convert_trunc({target.held}, {name})"
        return f"from_float({name}, {target.held})"
    if target.is_bfloat16:
        if source.held in ("f4", "f2", "i1", "u1", "i2", "u2", "b1"):
            return f"to_bfloat16({name}.astype(f4))"
        if source.held in ("i8", "u8"):
            return f"long_to_bfloat16({name})"
        return f"double_to_bfloat16({name}.astype(f8))"
    return f"{name}.astype({target.held})" if source.held != target.held else name


def bitcast(writer: Writer, instruction: Bitcast) -> None:
    sources, targets = writer.parts(instruction.operand), writer.parts(instruction.result)
    names = writer.read(instruction.operand)
    same_places = [(part.offset, part.width) for part in sources] == [(part.offset, part.width) for part in targets]
    if same_places:
        expressions = [_reinterpreted(a, one, other) for a, one, other in zip(names, sources, targets, strict=True)]
        if expressions == list(names):
            writer.alias(instruction.result, names)
        else:
            writer.set(instruction.result, expressions, fresh=False)
        return
    size = max(part.offset + part.width for part in (*sources, *targets))
    octets = f"octets_{instruction.result}"
    writer.line(f"{octets} = {packed(names, sources, size)}")
    writer.set(instruction.result, [unpacked(octets, part) for part in targets])


def packed(names: tuple[str, ...], parts: tuple[Part, ...], size: int) -> str:
    """The bytes of a value as one array of shape (..., size)."""
    stored = ", ".join(f"({part.offset}, {_stored(name, part)})" for name, part in zip(names, parts, strict=True))
    return f"pack(({stored},), {size})"


def unpacked(octets: str, part: Part) -> str:
    found = f"unpack({octets}, {part.offset}, {part.stored})"
    return f"bfloat16_from_bits({found})" if part.is_bfloat16 else found


def _stored(name: str, part: Part) -> str:
    return f"bfloat16_bits({name})" if part.is_bfloat16 else name


def _reinterpreted(name: str, source: Part, target: Part) -> str:
    if source.held == target.held and source.is_bfloat16 == target.is_bfloat16:
        return name
    if target.is_bfloat16:
        return f"bfloat16_from_bits({name}.view(u2))"
    if target.held == "b1":
        return f"({name} != 0)"
    if source.is_bfloat16:
        return f"bfloat16_bits({name}).view({target.held})"
    return f"{name}.view({target.held})"
