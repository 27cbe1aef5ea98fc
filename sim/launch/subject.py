"""A kernel whose launch is planned, and all that is known of it before anything is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from numpy.typing import NDArray

from analysis.graph.control_flow import ControlFlow
from analysis.inputs.array_uses import ArrayUse, array_uses
from analysis.inputs.flow import Flow, NamedObject
from analysis.inputs.requirements import Requirement, requirements
from analysis.ir.function import SymbolKind
from analysis.ir.record import record
from analysis.launches import Launch
from analysis.lower.program import DeviceFunction, Program
from sim.kernel import Kernel, load_kernel
from sim.launch.constants import integer_value
from sim.launch.host_launches import host_launches, with_blocks
from sim.launch.initial_values import initial_values
from sim.launch.instance import Instance, choose_instance
from sim.launch.request import Requests

VARIABLES: Final = (SymbolKind.CONSTANT, SymbolKind.GLOBAL, SymbolKind.TEXTURE)


@final
@record
class Subject:
    """`launches` are those of host code with as many arguments; `bound` is that of `__launch_bounds__`, in threads."""

    program: Program
    requests: Requests
    launches: Sequence[Launch]
    instance: Instance
    kernel: Kernel
    flow: Flow
    uses: Mapping[NamedObject, ArrayUse]
    bound: int | None
    variables: frozenset[str]
    """Names of those outside functions that the kernel uses."""
    initial: Mapping[str, NDArray[Any]]
    """What the file says that variables hold."""
    requirements: Sequence[Requirement]


def read_subject(
    program: Program,
    kernel: DeviceFunction,
    requests: Requests,
    launch: Launch | None = None,
    elsewhere: Sequence[Launch] = (),
) -> Subject:
    """`launch` is the only one that counts, where there is one, `elsewhere` are those that are known of other files;
    raises `LaunchError` for template arguments that were given and do not fit."""
    launches = host_launches(program, kernel, elsewhere) if launch is None else (launch,)
    instance = choose_instance(program, kernel, launches, requests.arguments)
    launches = with_blocks(program, instance, launches)
    loaded = load_kernel(program, instance.id)
    initial = initial_values(loaded)
    flow = Flow(loaded.function, ControlFlow.of(loaded.function))
    variables = frozenset(symbol.name for symbol in loaded.function.symbols if symbol.kind in VARIABLES)
    requests = requests.with_full_names({*instance.arguments, *flow.leaves, *variables})
    return Subject(
        program,
        requests,
        launches,
        instance,
        loaded,
        flow,
        array_uses(flow),
        _bound(program, instance),
        variables,
        initial,
        requirements(flow),
    )


def _bound(program: Program, instance: Instance) -> int | None:
    """The first number of `__launch_bounds__`."""
    bounds = program.lower(instance.id).launch_bounds
    if not bounds:
        return None
    text = bounds[0].decode("utf-8", "replace")
    number = integer_value(program, program.declaration_of(instance.id), instance.arguments, text)
    return number if number is not None and number > 0 else None
