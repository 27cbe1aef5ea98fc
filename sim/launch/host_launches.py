"""Launches of a kernel in host code: in its own file, in the file that includes its header, in others of its project.

Rules    A block that is written in terms of a host template's parameters (`kernel<W><<<grid, W>>>`) is what these are
         for the instance that runs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from analysis.ir.function import FunctionKind
from analysis.launches import Launch, Shape, launches_around
from analysis.lower.names import ConstantName, TemplateArgument
from analysis.lower.program import DeviceFunction, Program
from sim.launch.constants import integer_value
from sim.launch.instance import Instance

_WORD: Final = re.compile(r"[A-Za-z_]\w*")


def host_launches(program: Program, kernel: DeviceFunction, elsewhere: Sequence[Launch] = ()) -> Sequence[Launch]:
    """Those with as many arguments as the kernel has, or with none that are seen; the file's own first, those that are
    known of other files (`elsewhere`) last.  Those that no call comes to say nothing where others are made."""
    if kernel.kind is not FunctionKind.KERNEL:
        return ()
    parameters = len(program.lower(kernel.id).function.parameters)
    around = launches_around(program.unit).get(kernel.item.name, ())
    found = tuple(dict.fromkeys((*around, *elsewhere)))
    fitting = [launch for launch in found if len(launch.arguments) in (0, parameters)]
    made = [launch for launch in fitting if launch.is_made] or fitting
    return [as_called(launch) for launch in made]


def as_called(launch: Launch) -> Launch:
    """With what the first call in the file passes to the function around, where every call may pass something else."""
    first = launch.made[0]
    values = launch.argument_values
    if len(first.argument_values) == len(values):
        values = tuple(
            passed if value is None else value for value, passed in zip(values, first.argument_values, strict=True)
        )
    filled = replace(
        launch,
        block=launch.block or first.block,
        grid=launch.grid or first.grid,
        argument_values=values,
        members=first.members,
        constants=first.constants,
    )
    return filled if filled != launch else replace(launch, numbers_from=frozenset())


def with_blocks(program: Program, instance: Instance, launches: Sequence[Launch]) -> Sequence[Launch]:
    """The launches, with blocks that depend on template parameters around them."""
    declaration = program.declaration_of(instance.id)
    found: list[Launch] = []
    for launch in launches:
        names = _host_names(launch, [parameter.name for parameter in declaration.template_parameters], instance)
        if launch.block is None and names and set(_WORD.findall(launch.block_text)) & names.keys():
            text = _WORD.sub(lambda word, names=names: names.get(word[0], word[0]), launch.block_text)
            number = integer_value(program, declaration, {}, text)
            launch = launch if number is None or number < 1 else replace(launch, block=Shape(number))
        found.append(launch)
    return found


def _host_names(launch: Launch, parameters: Sequence[str], instance: Instance) -> Mapping[str, str]:
    """What names that the launch passes as template arguments stand for."""
    values: dict[str, str] = {}
    for text, parameter in zip(launch.template_arguments, parameters, strict=False):
        argument: TemplateArgument | None = instance.arguments.get(parameter)
        if isinstance(argument, ConstantName) and not isinstance(argument.value, float) and _WORD.fullmatch(text):
            values[text] = str(int(argument.value))
    return values
