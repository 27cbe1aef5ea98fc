"""Macros that are statements, declarations or heads of loops, and directives between the statements of an arm."""

from __future__ import annotations

from tests.meld.random.layout import Block, Line
from tests.meld.random.parts import Parts, Text
from tests.sim.random.scope import S32


def macro_block(parts: Parts) -> Text:
    return [f"TRADE({parts.place()}, {parts.place()});"]


def macro_declaration(parts: Parts) -> Text:
    name = parts.new("l")
    value = parts.as_int()
    parts.around.add_variable(name, S32)
    return [f"LET(int, {name}, {value});"]


def macro_pair(parts: Parts) -> Text:
    first, second = (f"{parts.any_target()} = {parts.value().text}" for _ in "ab")
    return [f"BOTH({first}, {second});"]


def macro_loop(parts: Parts) -> Text:
    name = parts.new("e")
    with parts.around.block():
        parts.around.add_constant(name, S32, 0, 2)
        body = Line(f"{parts.cell()} ^= {parts.as_int()};")
    return [Block(f"EACH({name}, 3)", (body,))]


def directives(parts: Parts) -> Text:
    test = parts.choices.pick(("#if LIMIT > 4", "#if SCALE > 4", "#ifdef NOTHING"))
    first, second = (f"{parts.any_target()} = {parts.value().text};" for _ in "ab")
    return [test, first, "#else", second, "#endif"]
