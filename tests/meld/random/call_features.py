"""Calls of templates, overloads, functions that take references, lambdas, and methods."""

from __future__ import annotations

from tests.meld.random.parts import Parts, Text
from tests.sim.random.scope import S32, FloatKind


def template_call(parts: Parts) -> Text:
    """Deduced arguments say what the type is; explicit ones convert."""
    form = parts.choices.below(5)
    target = parts.any_target()
    if form == 0:
        return [f"{target} = halved({parts.value().text});"]
    if form == 1:
        return [f"{target} = type_of({parts.value().text});"]
    if form == 2:
        return [f"{target} = stepped<{parts.choices.pick((1, 3))}>({parts.as_int()});"]
    if form == 3:
        return [f"{target} = halved<{parts.choices.pick(('int', 'unsigned', 'long long'))}>({parts.as_int()});"]
    return [f"keep_in<int>(&{parts.cell()}, {parts.value().text});"]


def overload(parts: Parts) -> Text:
    target = parts.any_target()
    if parts.choices.chance(3):
        kind = parts.choices.pick((FloatKind.FLOAT, FloatKind.DOUBLE))
        return [f"{target} = described({parts.numbers.of(parts.context, kind, parts.context.level).text});"]
    return [f"{target} = described({parts.value().text});"]


def reference_call(parts: Parts) -> Text:
    form = parts.choices.below(5)
    place = parts.place()
    if form == 0:
        return [f"raise_by({place}, {parts.as_int()});"]
    if form == 1:
        return [f"trade({place}, {parts.place()});"]
    if form == 2:
        return [f"{parts.any_target()} = take({place});"]
    if form == 3:
        return [f"{parts.any_target()} = smaller({place}, {parts.place()});"]
    return [f"trade_any({place}, {parts.place()});"]


def lambda_in_arm(parts: Parts) -> Text:
    capture = parts.choices.pick(("[=]", "[&]"))
    added = parts.as_int()
    given = parts.as_int()
    target = parts.any_target()
    name = parts.new("f")
    body = f"return (int)((unsigned)v * 3u + (unsigned){added});"
    return [f"auto {name} = {capture}(int v) {{ {body} }};", f"{target} = {name}({given});"]


def lambda_call(parts: Parts) -> Text:
    """Of one that the kernel declares, which changes a variable."""
    if not parts.around.has_lambda:
        return [f"{parts.any_target()} = {parts.value().text};"]
    given = parts.as_int()
    if parts.choices.chance(2):
        return [f"nudge({given});"]
    target = parts.target((S32,))
    return [f"nudge({given});" if target is None else f"{target.name} = nudge({given});"]


def method(parts: Parts) -> Text:
    form = parts.choices.below(7)
    name, other = parts.choices.pick(("tally", "score")), parts.choices.pick(("tally", "score"))
    if form == 0:
        return [f"{name}.add({parts.as_int()});"]
    if form == 1:
        return [f"{parts.any_target()} = {name}.get();"]
    if form == 2:
        return [f"{name} = {other} + {parts.as_int()};"]
    if form == 3:
        return [f"{name} += {parts.as_int()};"]
    if form == 4:
        return [f"{name} -= {parts.as_int()};"]
    if form == 5:
        return [f"{name}[{parts.choices.below(2)}] = {parts.as_int()};"]
    return [f"{parts.any_target()} = {name} < {other};"]
