"""Reads types and struct layouts of the textual form."""

from __future__ import annotations

import re
from collections.abc import Mapping

from analysis.ir.text_tokens import Cursor, TokenKind
from analysis.ir.types import (
    BOOLEAN,
    VOID,
    ArrayType,
    BitRange,
    Field,
    FloatFormat,
    FloatType,
    GroupKind,
    GroupType,
    HandleType,
    IntegerType,
    MemorySpace,
    PointerType,
    StructLayout,
    StructType,
    TemplateType,
    Type,
    UnknownType,
    VectorType,
)

_INTEGER = re.compile(r"([su])(\d+)")
_SIMPLE: Mapping[str, Type] = {"void": VOID, "bool": BOOLEAN} | {
    format.value: FloatType(format) for format in FloatFormat
}
_SPACES = {space.value: space for space in MemorySpace}
_GROUPS = {kind.value: kind for kind in GroupKind}


def parse_type(cursor: Cursor) -> Type:
    if cursor.accept("["):
        length = None if cursor.accept("?") else cursor.integer()
        cursor.take("x")
        element = parse_type(cursor)
        cursor.take("]")
        return ArrayType(element, length)
    if cursor.accept("<"):
        return _vector(cursor)
    token = cursor.token
    word = cursor.word("a type")
    if word in _SIMPLE:
        return _SIMPLE[word]
    integer = _INTEGER.fullmatch(word)
    if integer is not None:
        return IntegerType(int(integer[2]), integer[1] == "s")
    match word:
        case "ptr":
            return _pointer(cursor)
        case "group":
            return _group(cursor)
        case "struct":
            return StructType(cursor.name())
        case "handle":
            return HandleType(cursor.name())
        case "template":
            return TemplateType(cursor.name())
        case "unknown":
            return UnknownType(cursor.name())
        case _:
            raise cursor.error("a type", token)


def parse_layout(cursor: Cursor) -> StructLayout:
    """`struct Point { x: f32 @0, y: f32 @4 } size 8 align 4`, or the same with `union`.

    `mode: u32 @4 bits 3 2` is a bit-field: two bits of the word at 4, from bit 3 on.
    """
    is_union = cursor.accept("union")
    if not is_union:
        cursor.take("struct")
    name = cursor.name()
    fields: list[Field] = []
    cursor.take("{")
    while not cursor.at("}"):
        if fields:
            cursor.take(",")
        field = cursor.name()
        cursor.take(":")
        type = parse_type(cursor)
        cursor.take("@")
        offset = cursor.integer()
        bits = BitRange(cursor.integer(), cursor.integer()) if cursor.accept("bits") else None
        fields.append(Field(field, type, offset, bits))
    cursor.take("}")
    cursor.take("size")
    size = cursor.integer()
    cursor.take("align")
    return StructLayout(name, tuple(fields), size, cursor.integer(), is_union)


def _vector(cursor: Cursor) -> VectorType:
    length = cursor.integer()
    cursor.take("x")
    element = parse_type(cursor)
    cursor.take("align")
    alignment = cursor.integer()
    cursor.take(">")
    return VectorType(element, length, alignment)


def _pointer(cursor: Cursor) -> PointerType:
    cursor.take("<")
    token = cursor.token
    space = _SPACES.get(cursor.word("a memory space"))
    if space is None:
        raise cursor.error("a memory space", token)
    volatile = cursor.accept("volatile")
    element = parse_type(cursor)
    cursor.take(">")
    return PointerType(element, space, volatile)


def _group(cursor: Cursor) -> GroupType:
    cursor.take("<")
    token = cursor.token
    kind = _GROUPS.get(cursor.word("a group"))
    if kind is None:
        raise cursor.error("a group", token)
    size = cursor.integer() if cursor.at_kind(TokenKind.NUMBER) else None
    cursor.take(">")
    return GroupType(kind, size)
