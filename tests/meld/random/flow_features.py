"""Control flow: `if constexpr`, `if` with a declaration, `goto`, loops in loops, pragmas, blocks, `__syncwarp`."""

from __future__ import annotations

from tests.meld.random.layout import Block, Branches, Line
from tests.meld.random.parts import Parts, Text
from tests.sim.random.scope import S32


def constant_if(parts: Parts) -> Text:
    target = parts.any_target()
    first, second = Line(f"{target} = {parts.value().text};"), Line(f"{target} = {parts.value().text};")
    return [Branches(((f"if constexpr ({parts.choices.pick(('LIMIT', 'SCALE'))} > 4)", (first,)), ("else", (second,))))]


def initialised_if(parts: Parts) -> Text:
    start = parts.as_int()
    bound = parts.choices.below(9)
    target = parts.any_target()
    with parts.around.block():
        name = parts.new("k")
        parts.around.add_constant(name, S32, S32.low, S32.high)
        body = Line(f"{target} = {name} ^ {parts.as_int()};")
    return [Branches(((f"if (int {name} = {start}; {name} > {bound})", (body,)),))]


def goto(parts: Parts) -> Text:
    """Forward, over an assignment."""
    label = parts.around.new_label()
    jump = Branches(((f"if {parts.condition()}", (Line(f"goto {label};"),)),))
    return [jump, f"{parts.any_target()} = {parts.value().text};", f"{label}: ;"]


def unrolled(parts: Parts) -> Text:
    pragma = parts.choices.pick(("#pragma unroll", "#pragma unroll 2", "#pragma unroll 1"))
    name = parts.new("e")
    with parts.around.block():
        parts.around.add_constant(name, S32, 0, 2)
        body = Line(f"{parts.cell()} ^= {parts.as_int()};")
    return [pragma, Block(f"for (int {name} = 0; {name} < 3; {name}++)", (body,))]


def nested_loops(parts: Parts) -> Text:
    outer, inner = parts.new("g"), parts.new("e")
    way, condition = parts.choices.pick(("break", "continue")), parts.condition()
    last = parts.condition()
    with parts.around.block():
        parts.around.add_constant(outer, S32, 0, 1)
        parts.around.add_constant(inner, S32, 0, 2)
        body = Line(f"{parts.cell()} ^= {parts.as_int()};")
    leave = Branches(((f"if {condition}", (Line(f"{way};"),)),))
    within = Block(f"for (int {inner} = 0; {inner} < 3; {inner}++)", (leave, body))
    stop = Branches(((f"if {last}", (Line("break;"),)),))
    return [Block(f"for (int {outer} = 0; {outer} < 2; {outer}++)", (within, stop))]


def lone_block(parts: Parts) -> Text:
    with parts.around.block():
        name = parts.new("l")
        value = parts.value()
        parts.around.add_variable(name, S32)
        body = (Line(f"int {name} = {value.text};"), Line(f"{parts.any_target()} = {parts.value().text};"))
    return [Block("", body)]


def warp_sync(parts: Parts) -> Text:
    """Where the lanes that come here are known."""
    mask = parts.inside.arm.mask
    if not mask or parts.inside.alone:
        return [f"{parts.any_target()} = {parts.value().text};"]
    return [f"__syncwarp({mask});"]
