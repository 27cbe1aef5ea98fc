"""Code for vectors, structs and arrays as values: mostly names for parts; unions go through their bytes."""

from __future__ import annotations

from analysis.ir.instructions import BuildAggregate, ExtractElement, InsertElement
from sim.code.conversions import packed, unpacked
from sim.code.writer import Writer
from sim.values.scalars import is_union, member_ranges


def build(writer: Writer, instruction: BuildAggregate) -> None:
    type = writer.type_of(instruction.result)
    names = [name for element in instruction.elements for name in writer.read(element)]
    if not is_union(type, writer.unit.function.structs):
        writer.alias(instruction.result, tuple(names))
        return
    parts = writer.parts(instruction.result)
    first = instruction.elements[0]
    octets = f"octets_{instruction.result}"
    writer.line(f"{octets} = {packed(writer.read(first), writer.parts(first), len(parts))}")
    writer.set(instruction.result, [unpacked(octets, part) for part in parts])


def extract(writer: Writer, instruction: ExtractElement) -> None:
    structs = writer.unit.function.structs
    type = writer.type_of(instruction.aggregate)
    names = writer.read(instruction.aggregate)
    if not is_union(type, structs):
        start, end = member_ranges(type, structs, writer.unit.warp_size)[instruction.index]
        writer.alias(instruction.result, names[start:end])
        return
    octets = f"octets_{instruction.result}"
    writer.line(f"{octets} = {packed(names, writer.parts(instruction.aggregate), len(names))}")
    writer.set(instruction.result, [unpacked(octets, part) for part in writer.parts(instruction.result)])


def insert(writer: Writer, instruction: InsertElement) -> None:
    structs = writer.unit.function.structs
    type = writer.type_of(instruction.aggregate)
    names, new = writer.read(instruction.aggregate), writer.read(instruction.value)
    if not is_union(type, structs):
        start, end = member_ranges(type, structs, writer.unit.warp_size)[instruction.index]
        writer.alias(instruction.result, (*names[:start], *new, *names[end:]))
        return
    parts = writer.parts(instruction.value)
    size = max(part.offset + part.width for part in parts)
    octets = f"octets_{instruction.result}"
    writer.line(f"{octets} = {packed(new, parts, size)}")
    changed = [unpacked(octets, part) for part in writer.parts(instruction.result)[:size]]
    writer.set(instruction.result, [*changed, *names[size:]], fresh=False)
