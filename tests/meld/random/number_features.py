"""Arithmetic in which types matter: booleans, promotion, signs, guarded divisions; and memory under two names."""

from __future__ import annotations

from tests.meld.random.parts import Parts, Text
from tests.sim.random.scope import S8, S16, U8, U16, U32, U64


def boolean(parts: Parts) -> Text:
    form = parts.choices.below(5)
    condition = parts.condition()
    if form == 0:
        return [f"flag = {condition};"]
    if form == 1:
        return ["flag = !flag;"]
    if form == 2:
        return [f"flag |= {condition};"]
    if form == 3:
        return [f"{parts.any_target()} = flag && {condition};"]
    return [f"{parts.any_target()} = flag + {parts.small()};"]


def narrow(parts: Parts) -> Text:
    """`unsigned char` and `short`, which become `int` before anything is done with them."""
    form = parts.choices.below(6)
    target = parts.target((U8, S8, S16, U16))
    place = parts.around.output("bytes", parts.choices.below(4)) if target is None else target.name
    if form == 0:
        return [f"{place} += {parts.small()};"]
    if form == 1:
        return [f"{place} = ~{place};"]
    if form == 2:
        return [f"{place} = {place} * 3 >> 2;"]
    if form == 3:
        return [f"{place} -= {parts.small()};"]
    if form == 4:
        return [f"{parts.any_target()} = {place} - 200;"]
    return [f"{parts.any_target()} = -{place};"]


def signed_update(parts: Parts) -> Text:
    """`+=` or `-=`, with an operand whose negative may not fit."""
    sign = parts.choices.pick(("+=", "-="))
    form = parts.choices.below(3)
    if form == 0:
        number = parts.choices.pick(parts.around.numbers)
        return [f"{number.text} {sign} {parts.value().text};"]
    target = parts.target((U32, U64, U8))
    place = parts.around.output("wide", parts.choices.below(4)) if target is None or form == 1 else target.name
    return [f"{place} {sign} {parts.value().text};"]


def division(parts: Parts) -> Text:
    """Safe because of the condition alone."""
    divisor, operator = parts.small(), parts.choices.pick(("/", "%"))
    return [f"{parts.any_target()} = {divisor} != 0 ? n {operator} {divisor} : {parts.value().text};"]


def aliased(parts: Parts) -> Text:
    """The same element as `p[k + 2]` and `q[k]`."""
    index = parts.choices.below(5)
    first, second = (f"p[{index + 2}]", f"q[{index}]")
    if parts.choices.chance(2):
        first, second = second, first
    return [f"{first} = {parts.as_int()};", f"{parts.any_target()} = {second};", f"{second} ^= {parts.as_int()};"]
