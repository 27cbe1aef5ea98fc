"""Declarations: references, pointers, arrays, names that hide others, constants, enumerations, names for types."""

from __future__ import annotations

from tests.meld.random.parts import Parts, Text
from tests.sim.random.scope import S16, S32, S64, STORED, U8, U32


def reference(parts: Parts) -> Text:
    """What follows may assign it: another name of a variable or of an element."""
    constant = parts.choices.chance(3)
    place = parts.place()
    value = parts.as_int()
    name = parts.new("r")
    if constant:
        parts.around.add_constant(name, S32, S32.low, S32.high)
        return [f"const int &{name} = {place};"]
    parts.around.add_variable(name, S32)
    return [f"int &{name} = {place};", f"{name} = {value};"]


def pointer(parts: Parts) -> Text:
    form = parts.choices.below(4)
    if form == 0:
        offset, first, second = parts.index(4), parts.as_int(), parts.as_int()
        name = parts.new("s")
        return [f"int *{name} = p + {offset};", f"*{name}++ = {first};", f"*{name} = {second};"]
    if form == 1:
        place, value, target = parts.cell(), parts.as_int(), parts.any_target()
        name = parts.new("s")
        return [f"int *{name} = &{place};", f"*{name} = {value};", f"{target} = *{name};"]
    qualifier = "" if form == 2 else "__restrict__ "
    source = parts.choices.pick(("x", "x2"))
    offset, index, target = parts.index(8), parts.index(56), parts.any_target()
    name = parts.new("s")
    return [f"const int *{qualifier}{name} = {source} + {offset};", f"{target} = {name}[{index}];"]


def local_array(parts: Parts) -> Text:
    values = [parts.as_int() for _ in range(2)]
    index, other, value, target = parts.index(3), parts.index(3), parts.as_int(), parts.any_target()
    name = parts.new("v")
    return [
        f"int {name}[3] = {{{values[0]}, {values[1]}, n}};",
        f"{name}[{index}] = {value};",
        f"{target} = {name}[{other}];",
    ]


def shadow(parts: Parts) -> Text:
    """A variable of the kernel is hidden until the block ends."""
    kind = parts.choices.pick((S32, U32, S64, U8, S16))
    name = parts.around.declare(parts.choices.pick(("a0", "a1", "a2")))
    value = parts.value().text
    parts.around.add_variable(name, kind)
    return [f"{kind.name} {name} = {value};"]


def deduced(parts: Parts) -> Text:
    name = parts.new("u")
    value = parts.value()
    parts.around.add_variable(name, value.kind)
    return [f"auto {name} = {value.text};"]


def constant(parts: Parts) -> Text:
    """Known to the compiler, which needs it where it is an extent or an argument of a template."""
    number = parts.choices.pick((3, 5))
    form = parts.choices.below(3)
    spelling = parts.choices.pick(("constexpr int", "const int"))
    value, target = parts.as_int(), parts.any_target()
    name = parts.new("K")
    parts.around.add_constant(name, S32, number, number)
    first = f"{spelling} {name} = {number};"
    if form == 0:
        return [first]
    if form == 1:
        return [first, f"{target} = stepped<{name}>({value});"]
    array = parts.new("v")
    return [first, f"int {array}[{name}] = {{{value}}};", f"{target} = {array}[t % {name}];"]


def enumeration(parts: Parts) -> Text:
    form = parts.choices.below(4)
    if form == 0:
        return [f"level = {parts.choices.pick(('LOW', 'HIGH', '(Level)4'))};"]
    if form == 1:
        return [
            f"{parts.any_target()} = level {parts.choices.pick('+*')} {parts.choices.pick(('LOW', 'FEW', 'MANY'))};"
        ]
    target = parts.any_target()
    shade = parts.choices.pick(("Shade::DARK", "Shade::LIGHT", "Tint::PALE"))
    if form == 2:
        return [f"{target} = (int){shade};"]
    name = parts.new("h")
    return [f"{shade.partition('::')[0]} {name} = {shade};", f"{target} = (int){name};"]


def alias(parts: Parts) -> Text:
    kind = parts.choices.pick((S32, U32, S64))
    keyword = parts.choices.below(2)
    word = parts.new("Word")
    name = parts.new("l")
    value = parts.value().text
    parts.around.add_variable(name, kind)
    first = f"using {word} = {kind.name};" if keyword else f"typedef {kind.name} {word};"
    return [first, f"{word} {name} = {value};"]


def attribute(parts: Parts) -> Text:
    name = parts.new("l")
    value = parts.as_int()
    parts.around.add_constant(name, S32, S32.low, S32.high)
    return [f"[[maybe_unused]] const int {name} = {value};"]


def local_volatile(parts: Parts) -> Text:
    value, target = parts.as_int(), parts.any_target()
    kind = parts.choices.pick(STORED)
    name = parts.new("z")
    return [f"volatile {kind.name} {name} = {value};", f"{target} = {name};"]
