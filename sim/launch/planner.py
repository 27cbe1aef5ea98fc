"""From a kernel to a launch with nothing left open: what is given is taken, what the file says is used, and the rest
is chosen so that the kernel has something to do.

Everything that was not given is among the plan's `choices`, in the order of the report: template arguments, shape,
arguments, variables.  After a run, `adapt.py` may ask for another attempt: longer arrays, another block.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import FunctionKind, Symbol, SymbolKind
from analysis.ir.types import (
    ArrayType,
    BooleanType,
    FloatType,
    HandleType,
    IntegerType,
    PointerType,
    StructType,
    Type,
    VectorType,
)
from analysis.lower.launches import Launch, launch_shapes
from analysis.lower.layouts import size_of
from analysis.lower.names import ConstantName
from analysis.lower.program import DeviceFunction, Program
from analysis.syntax.items import ItemKind
from sim.faults import Index3
from sim.kernel import Kernel, load_kernel
from sim.launch.array_uses import ArrayUse, array_uses, image_uses
from sim.launch.choices import Choice
from sim.launch.constants import integer_constants, integer_value
from sim.launch.contents import ArrayChoice, Limits, argument_of, element_of, filling_of, fit, number_format
from sim.launch.flow import Flow, Root, RootKind
from sim.launch.given import GivenFile, GivenFilling, GivenNumbers, read_given
from sim.launch.images import IMAGES, choose_image, described
from sim.launch.instance import Instance, choose_instance
from sim.launch.npy_files import path_below, read_array
from sim.launch.request import Request, Requests
from sim.launch.scalars import TRIPS, ChosenNumber, choose_numbers
from sim.launch.shapes import (
    MAX_BLOCK_THREADS,
    ChosenShape,
    ShapeEvidence,
    choose_block,
    choose_grid,
    speaks_of_block,
    spelled,
)
from sim.launch.specification import (
    Argument,
    Array,
    Budget,
    Filling,
    LaunchSpecification,
    Scalar,
    Struct,
    TextureImage,
)
from sim.refusals import LaunchError

DEFAULT_SEED: Final = 1
SMALL_TRIPS: Final = 2
LARGEST_LAUNCH_NUMBER: Final = 1 << 16
"""Numbers that host code passes are taken up to here: a simulation has fewer threads than a device."""
SMALL_LAUNCH_NUMBER: Final = 64
"""The same for a grid that was cut: sizes belong to the whole grid, but small numbers are no sizes."""


@final
@dataclass(frozen=True, slots=True)
class Attempt:
    """What earlier runs taught: another block, lengths of arrays in elements, bytes of dynamic shared memory."""

    block: Index3 | None = None
    lengths: Mapping[str, int] = field(default_factory=dict[str, int])
    shared_bytes: int = 0
    is_small: bool = False
    """One block and short loops, after a run that did not end."""
    number: int = 0


@final
@dataclass(frozen=True, slots=True)
class Plan:
    """A launch and why it is what it is.  `arrays` are those whose length was chosen: they may grow."""

    kernel: Kernel
    specification: LaunchSpecification
    choices: tuple[Choice, ...]
    arrays: Mapping[str, ArrayChoice]
    block: ChosenShape
    attempt: Attempt


@final
class Planner:
    """Plans launches of one kernel; raises `LaunchError` for what was given and does not fit."""

    def __init__(
        self,
        program: Program,
        kernel: DeviceFunction,
        requests: Sequence[Request] = (),
        *,
        budget: Budget | None = None,
        havoc: bool = False,
    ) -> None:
        self._program = program
        self._requests = Requests(requests)
        self._budget = budget or Budget()
        self._havoc = havoc
        parameters = len(program.lower(kernel.id).function.parameters)
        found = launch_shapes(program.unit).get(kernel.item.name, ()) if kernel.kind is FunctionKind.KERNEL else ()
        self._launches = [launch for launch in found if len(launch.arguments) in (0, parameters)]
        self._instance = choose_instance(program, kernel, self._launches, self._requests.arguments)
        self.kernel = load_kernel(program, self._instance.id)
        self._flow = Flow(self.kernel.function, ControlFlow.of(self.kernel.function))
        self._uses = array_uses(self._flow)
        self._bound = _bound(program, self._instance)
        self._check_names()

    def plan(self, attempt: Attempt | None = None) -> Plan:
        """A complete launch; `attempt` carries what earlier ones taught."""
        return _Planning(
            self._program,
            self._requests,
            self._launches,
            self._instance,
            self.kernel,
            self._flow,
            self._uses,
            self._bound,
            attempt or Attempt(),
            self._budget,
            self._havoc,
        ).run()

    def _check_names(self) -> None:
        known = {*self._instance.arguments, *self._flow.leaves, *(symbol.name for symbol in self._variables())}
        aggregates = {parameter.name for parameter in self.kernel.function.parameters} - known
        for name in self._requests.arguments:
            if name in aggregates:
                members = ", ".join(f"{leaf}=…" for leaf in self._flow.leaves if leaf.startswith(f"{name}."))
                raise LaunchError(f"{name} is passed by value: give its members, as {members or f'{name}.x=…'}")
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                listed = ", ".join(sorted(known)) or "none"
                raise LaunchError(f"{name}: {self.kernel.function.name} has no such argument{hint} It has: {listed}")

    def _variables(self) -> list[Symbol]:
        return [symbol for symbol in self.kernel.function.symbols if symbol.kind in _VARIABLES]


_VARIABLES: Final = (SymbolKind.CONSTANT, SymbolKind.GLOBAL, SymbolKind.TEXTURE)


def _bound(program: Program, instance: Instance) -> int | None:
    """The first number of `__launch_bounds__`."""
    bounds = program.lower(instance.id).launch_bounds
    if not bounds:
        return None
    text = bounds[0].decode("utf-8", "replace")
    number = integer_value(program, program.declaration_of(instance.id), instance.arguments, text)
    return number if number is not None and number > 0 else None


@final
class _Planning:
    """One plan in the making."""

    def __init__(
        self,
        program: Program,
        requests: Requests,
        launches: Sequence[Launch],
        instance: Instance,
        kernel: Kernel,
        flow: Flow,
        uses: Mapping[Root, ArrayUse],
        bound: int | None,
        attempt: Attempt,
        budget: Budget,
        havoc: bool,
    ) -> None:
        self._program = program
        self._requests = requests
        self._launches = launches
        self._instance = instance
        self._kernel = kernel
        self._function = kernel.function
        self._flow = flow
        self._uses = uses
        self._attempt = attempt
        self._budget = budget
        self._havoc = havoc
        self._seed = DEFAULT_SEED if requests.seed is None else requests.seed
        self._choices: list[Choice] = [*instance.choices]
        self._arrays: dict[str, ArrayChoice] = {}
        self._evidence = self._shape_evidence(bound)

    def run(self) -> Plan:
        block, grid = self._shapes()
        self._block, self._grid = block.extent, grid.extent
        self._threads = _product(self._block) * _product(self._grid)
        shared = self._shared_bytes()
        self._numbers = self._chosen_numbers(cut="cut" in grid.why)
        arguments = {
            parameter.name: argument
            for parameter in self._function.parameters
            if (argument := self._argument(parameter.name, self._function.type_of(parameter.value))) is not None
        }
        variables = self._variables(frozenset(arguments))
        specification = LaunchSpecification(
            self._grid,
            self._block,
            arguments,
            variables,
            shared,
            self._seed,
            self._program.settings.warp_size,
            self._havoc,
            self._budget,
        )
        return Plan(self._kernel, specification, tuple(self._choices), self._arrays, block, self._attempt)

    # -- shape --------------------------------------------------------------------------------------------------------

    def _shape_evidence(self, bound: int | None) -> ShapeEvidence:
        constants = {
            name: int(argument.value)
            for name, argument in self._instance.arguments.items()
            if isinstance(argument, ConstantName) and not isinstance(argument.value, float)
        }
        constants |= integer_constants(self._program, self._instance, speaks_of_block)
        return ShapeEvidence(self._requests.block, self._requests.grid, self._launches, bound, constants)

    def _shapes(self) -> tuple[ChosenShape, ChosenShape]:
        block = choose_block(self._function, self._evidence)
        if self._attempt.block is not None:
            block = ChosenShape(self._attempt.block, "chosen: others do not fit", is_chosen=True)
        if _product(block.extent) > MAX_BLOCK_THREADS:
            raise LaunchError(f"block={spelled(block.extent)}: a block has at most {MAX_BLOCK_THREADS} threads")
        grid = choose_grid(self._function, self._evidence, block)
        if self._attempt.is_small and grid.why != "given":
            grid = ChosenShape((1, 1, 1), "one block: more did not end in time", is_chosen=True)
        self._choices.append(Choice("grid", spelled(grid.extent), grid.why))
        self._choices.append(Choice("block", spelled(block.extent), block.why))
        return block, grid

    def _shared_bytes(self) -> int:
        """Of `extern __shared__` arrays."""
        symbols = [symbol for symbol in self._function.symbols if symbol.kind is SymbolKind.DYNAMIC_SHARED]
        given = self._requests.shared_bytes
        if given is not None:
            self._choices.append(Choice("shared", str(given), "given"))
            return given
        if not symbols:
            return 0
        launched = next((launch.shared_bytes for launch in self._launches if launch.shared_bytes), None)
        if launched is not None and not self._attempt.shared_bytes:
            self._choices.append(Choice("shared", str(launched), "a launch in the file"))
            return launched
        sizes = [self._element_size(symbol.type) for symbol in symbols]
        chosen = max(self._attempt.shared_bytes, max(sizes, default=4) * _product(self._block))
        why = "what accesses reach" if self._attempt.shared_bytes else "one element per thread"
        self._choices.append(Choice("shared", str(chosen), why))
        return chosen

    def _element_size(self, type: Type) -> int:
        element = type.element if isinstance(type, ArrayType) else type
        return size_of(element, self._function.structs) or 4

    # -- numbers ------------------------------------------------------------------------------------------------------

    def _chosen_numbers(self, *, cut: bool) -> Mapping[str, ChosenNumber]:
        """Every scalar leaf: given, passed by host code, or chosen."""
        found: dict[str, ChosenNumber] = {}
        for name, type in self._flow.leaves.items():
            if isinstance(type, IntegerType | FloatType | BooleanType):
                number = self._given_number(name, type)
                if number is not None:
                    found[name] = number
        for name, number in self._launched_numbers(cut).items():
            found.setdefault(name, number)
        known: dict[str, int | float] = {name: number.value for name, number in found.items()}
        warp_size = self._program.settings.warp_size
        trips = SMALL_TRIPS if self._attempt.is_small else TRIPS
        chosen = choose_numbers(self._flow, self._grid, self._block, warp_size, known, trips)
        return {**chosen, **found}

    def _given_number(self, name: str, type: Type) -> ChosenNumber | None:
        given = self._requests.argument(name)
        if given is None:
            return None
        text, source = given
        read = read_given(name, text)
        if not isinstance(read, GivenNumbers) or len(read.values) != 1:
            raise LaunchError(f"{name}={text}: '{name}' is one number")
        value = read.values[0]
        if isinstance(type, IntegerType):
            if value != value or abs(value) == float("inf") or int(value) != value:
                raise LaunchError(f"{name}={text}: '{name}' is an integer")
            value = int(value)
            low, high = (-(1 << type.bits - 1), 1 << type.bits - 1) if type.signed else (0, 1 << type.bits)
            if not low <= value < high:
                raise LaunchError(f"{name}={text}: '{name}' holds {low} to {high - 1}")
        return ChosenNumber(value, source.why)

    def _launched_numbers(self, cut: bool) -> Mapping[str, ChosenNumber]:
        found: dict[str, ChosenNumber] = {}
        most = SMALL_LAUNCH_NUMBER if cut or self._attempt.is_small else LARGEST_LAUNCH_NUMBER
        for launch in self._launches:
            for parameter, value in zip(self._function.parameters, launch.argument_values, strict=False):
                type = self._flow.leaves.get(parameter.name)
                if value is None or parameter.name in found or not isinstance(type, IntegerType | FloatType):
                    continue
                if isinstance(type, FloatType) or (float(value).is_integer() and abs(value) <= most):
                    number = value if isinstance(type, FloatType) else int(value)
                    found[parameter.name] = ChosenNumber(number, "a launch in the file")
        return found

    # -- arguments ----------------------------------------------------------------------------------------------------

    def _argument(self, name: str, type: Type) -> Argument | None:
        """The argument for a parameter, variable or member; None for what the engine has to refuse itself."""
        match type:
            case IntegerType() | FloatType() | BooleanType():
                number = self._numbers.get(name)
                if number is None:
                    return None
                self._choices.append(Choice(name, _spelled_number(number.value), number.why))
                return Scalar(number.value)
            case PointerType(element=element):
                return self._array(name, element)
            case HandleType(name=handle) if handle.startswith(IMAGES):
                return self._image(name)
            case StructType() | VectorType():
                return self._members(name, type)
            case _:
                return None

    def _members(self, name: str, type: StructType | VectorType) -> Struct:
        """Members that the kernel reads, by name; the others stay zero."""
        if isinstance(type, VectorType):
            types: Mapping[str, Type] = dict.fromkeys("xyzw"[: type.length], type.element)
        else:
            layout = self._function.structs.get(type.name)
            types = {} if layout is None else {field.name: field.type for field in layout.fields}
        members: dict[str, Argument] = {}
        for member, inner in types.items():
            path = f"{name}.{member}"
            if any(leaf == path or leaf.startswith(f"{path}.") for leaf in self._flow.leaves):
                argument = self._argument(path, inner)
                if argument is not None:
                    members[member] = argument
        return Struct(members)

    def _image(self, name: str) -> TextureImage:
        uses = image_uses(self._flow).get(name, [])
        extents = (
            self._grid[0] * self._block[0],
            self._grid[1] * self._block[1],
            self._grid[2] * self._block[2],
        )
        image = choose_image(name, uses, extents, self._seed)
        given = self._requests.argument(name)
        why = "as large as the grid"
        if given is not None:
            text, source = given
            read = read_given(name, text)
            if not isinstance(read, GivenFile):
                raise LaunchError(f"{name}={text}: '{name}' is an image: give it as {name}=@image.npy")
            texels = self._file(name, read, source)
            has_channels = image.channels > 1 and texels.ndim == image.texels.ndim
            image = replace(image, texels=texels, channels=texels.shape[-1] if has_channels else 1)
            why = source.why
        self._choices.append(Choice(name, described(image), why))
        return image

    # -- arrays -------------------------------------------------------------------------------------------------------

    def _array(self, name: str, declared: Type) -> Argument:
        given = self._requests.argument(name)
        root = Root(RootKind.ARGUMENT, name)
        choice = self._array_choice(name, root, declared)
        if given is not None:
            text, source = given
            read = read_given(name, text)
            match read:
                case GivenFile():
                    data = self._file(name, read, source)
                    self._choices.append(Choice(name, f"{text} {data.dtype.name}{list(data.shape)}", source.why))
                    return Array(_typed(name, text, data, declared))
                case GivenNumbers(values=values):
                    self._choices.append(Choice(name, text, source.why))
                    return Array(_typed(name, text, np.array(values), declared))
                case GivenFilling(filling=filling, bounds=bounds, length=length):
                    choice = replace(choice, filling=filling, bounds=bounds or choice.bounds)
                    if length is not None:
                        choice = replace(choice, length=length, is_fixed=True)
                    why = source.why
        else:
            why = self._why(name, choice)
        self._choices.append(Choice(name, choice.text(), why))
        if not choice.is_fixed:
            self._arrays[name] = choice
        return argument_of(choice, self._function.structs)

    def _array_choice(self, name: str, root: Root, declared: Type) -> ArrayChoice:
        use = self._uses.get(root)
        limits = Limits() if use is None else Limits(dict(use.roles), dict(use.limits))
        element = element_of(declared, use)
        length = self._attempt.lengths.get(name, self._threads)
        filling = filling_of(use, declared)
        return ArrayChoice(name, element, declared, length, filling, limits, self._threads, self._seed)

    def _why(self, name: str, choice: ArrayChoice) -> str:
        grown = "as far as accesses reach" if name in self._attempt.lengths else "one element per thread"
        match choice.filling:
            case Filling.UNINITIALISED:
                return f"{grown}; only written"
            case Filling.ZERO:
                return f"{grown}; only updated atomically" if self._is_atomic(name) else grown
            case _:
                return grown

    def _is_atomic(self, name: str) -> bool:
        use = self._uses.get(Root(RootKind.ARGUMENT, name))
        return use is not None and use.is_atomic

    def _file(self, name: str, file: GivenFile, source: Request) -> NDArray[Any]:
        path = file.path if source.folder is None else path_below(source.folder, name, file.path)
        return read_array(name, path)

    # -- variables ----------------------------------------------------------------------------------------------------

    def _variables(self, arguments: frozenset[str]) -> Mapping[str, Argument]:
        """What the host copies to `__constant__` and `__device__` variables that the file does not initialise."""
        found: dict[str, Argument] = {}
        for symbol in self._function.symbols:
            if symbol.kind not in _VARIABLES or symbol.name in arguments or symbol.name in found:
                continue
            given = self._requests.argument(symbol.name)
            if given is None and self._is_initialised(symbol):
                continue
            argument = self._variable(symbol)
            if argument is not None:
                found[symbol.name] = argument
        return found

    def _variable(self, symbol: Symbol) -> Argument | None:
        is_leaf = any(leaf == symbol.name or leaf.startswith(f"{symbol.name}.") for leaf in self._flow.leaves)
        if is_leaf and (symbol.kind is not SymbolKind.GLOBAL or isinstance(symbol.type, PointerType)):
            return self._argument(symbol.name, symbol.type)
        use = self._uses.get(Root(RootKind.VARIABLE, symbol.name))
        length, element = _flattened(symbol.type)
        is_input = use is not None and use.is_loaded and not (use.is_stored or use.is_atomic)
        if use is None or not is_input or not length:
            return None
        given = self._requests.argument(symbol.name)
        if given is not None:
            return self._array(symbol.name, element)
        below = {path[_depth(symbol.type) :]: limit for path, limit in use.limits.items()}
        roles = {path[_depth(symbol.type) :]: role for path, role in use.roles.items()}
        limits = Limits(roles, below)
        choice = ArrayChoice(
            symbol.name, element, element, length, Filling.RANDOM, limits, self._threads, self._seed, is_fixed=True
        )
        self._choices.append(Choice(symbol.name, choice.text(), "not initialised in the file"))
        return argument_of(choice, self._function.structs)

    def _is_initialised(self, symbol: Symbol) -> bool:
        items = self._program.unit.lookup(symbol.name.rpartition("::")[2])
        return any(item.kind is ItemKind.VARIABLE and item.active and b"=" in item.text for item in items)


def _typed(name: str, text: str, data: NDArray[Any], declared: Type) -> NDArray[Any]:
    """Given numbers in the memory format of the parameter."""
    scalar = declared.element if isinstance(declared, VectorType) else declared
    format = number_format(scalar)
    if format is None:
        return np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    if not np.can_cast(data.dtype, format, "same_kind") and not _keeps_values(data, format):
        raise LaunchError(
            f"{name}={text}: holds {data.dtype.name}, which does not fit {format.name}; convert it first, "
            f"as numpy.save(path, values.astype('{format.name}'))"
        )
    octets = np.ascontiguousarray(data.astype(format)).reshape(-1).view(np.uint8)
    return fit(octets, declared)


def _keeps_values(data: NDArray[Any], format: np.dtype[Any]) -> bool:
    if data.dtype.kind not in "biuf" or (format.kind in "iu" and data.dtype.kind == "f"):
        return False
    return bool((data.astype(format) == data).all())


def _flattened(type: Type) -> tuple[int, Type]:
    """How many elements an array of arrays has, and of what type."""
    length = 1
    while isinstance(type, ArrayType):
        length *= type.length or 0
        type = type.element
    return length, type


def _depth(type: Type) -> int:
    """How many `ELEMENT` steps lead into the array."""
    depth = 0
    while isinstance(type, ArrayType):
        depth += 1
        type = type.element
    return depth


def _spelled_number(value: int | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def _product(shape: Index3) -> int:
    return shape[0] * shape[1] * shape[2]
