"""Arguments and variables of a launch: given, or chosen by what the kernel does with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.inputs.array_uses import Role, image_uses
from analysis.inputs.element_bounds import MAX_DATA, Bounds, Path
from analysis.inputs.flow import NamedObject, RootKind
from analysis.inputs.free_places import Mark
from analysis.inputs.leaf_names import is_within, joined, parts
from analysis.inputs.straddling import Straddling
from analysis.ir.function import Symbol, SymbolKind
from analysis.ir.index3 import Index3
from analysis.ir.types import (
    FUNCTION_POINTERS,
    ArrayType,
    BooleanType,
    FloatType,
    HandleType,
    IntegerType,
    PointerType,
    StructType,
    Type,
    VectorType,
    VoidType,
)
from analysis.lower.layouts import size_of
from sim.launch.attempt import Attempt
from sim.launch.choices import Choice
from sim.launch.contents import (
    ArrayChoice,
    Limits,
    argument_of,
    element_of,
    filling_of,
    fit,
    number_format,
)
from sim.launch.given import GivenFile, GivenFilling, GivenNumbers, read_given
from sim.launch.images import IMAGES, choose_image, described
from sim.launch.npy_files import FileStamp, path_below, read_array, stamp_of
from sim.launch.pointees import Memory, PointedTo, pointers_at
from sim.launch.request import Request
from sim.launch.scalars import ChosenNumber
from sim.launch.subject import VARIABLES, Subject
from sim.launch.whole_objects import of_classes, whole_object
from sim.refusals import LaunchError
from sim.specification import Argument, Array, Filling, Objects, Pointers, Scalar, Struct, TextureImage

MAX_GIVEN_BYTES: Final = 256 << 20


@final
class ArgumentChooser:
    """Chooses for one attempt; `choices` and `arrays` (those that may grow) fill while it does."""

    def __init__(
        self,
        subject: Subject,
        attempt: Attempt,
        grid: Index3,
        block: Index3,
        seed: int,
        numbers: Mapping[str, ChosenNumber],
        ranges: Mapping[NamedObject, Straddling],
    ) -> None:
        self.choices: list[Choice] = []
        self.arrays: dict[str, ArrayChoice] = {}
        self._memories: dict[NamedObject, Memory] = {}
        """Chosen arrays, which may hold pointers."""
        self._requests = subject.requests
        self.files: list[FileStamp] = []
        self._function = subject.kernel.function
        self._pointed = subject.instance.pointed
        self._flow = subject.flow
        self._uses = subject.uses
        self._initial = subject.initial
        self._contents = subject.kernel.contents
        self._attempt = attempt
        self._seed = seed
        self._numbers = numbers
        self._ranges = ranges
        self._blocks = grid[0] * grid[1] * grid[2]
        self._extents = grid[0] * block[0], grid[1] * block[1], grid[2] * block[2]
        self._threads = self._extents[0] * self._extents[1] * self._extents[2]
        self._elements = max([self._threads, *(number.strided for number in numbers.values())])
        self._table = max([self._threads, *(number.table for number in numbers.values())])

    def arguments(self) -> Mapping[str, Argument]:
        """One per parameter, except for types that the engine has to refuse itself."""
        return {
            parameter.name: argument
            for parameter in self._function.parameters
            if (argument := self._argument(parameter.name, self._function.type_of(parameter.value))) is not None
        }

    def variables(self) -> Mapping[str, Argument]:
        """What `__constant__` and `__device__` variables start with: what the file says, or what a host would copy."""
        parameters = {parameter.name for parameter in self._function.parameters}
        found: dict[str, Argument] = {}
        for symbol in self._function.symbols:
            if symbol.kind not in VARIABLES or symbol.name in parameters or symbol.name in found:
                continue
            initial = self._initial.get(symbol.name)
            is_given = self._requests.argument(symbol.name) is not None
            argument = self._variable(symbol) if initial is None or is_given else Array(initial)
            if argument is not None:
                found[symbol.name] = argument
        return found

    def regions(self) -> Mapping[str, Objects]:
        """What pointers in memory lead to; after arguments and variables."""
        if not self._flow.regions:
            return {}
        pointed, structs = PointedTo(self._flow), self._function.structs
        found: dict[str, Objects] = {}
        for place, root in self._flow.regions.items():
            element, holder = self._flow.pointees.get(root), self._memories.get(place.root)
            if root in self._memories or root not in self._uses or element is None or holder is None:
                continue
            use = self._uses[root]
            element = whole_object(element_of(element, use), use, structs)
            if not holder.at(place.path, structs) or not size_of(element, structs):
                continue
            grown = self._attempt.lengths.get(root.name)
            count, length = pointed.size(place, element, holder, self._blocks, self._threads, grown, structs)
            choice = self._array_choice(root.name, root, element)
            choice = replace(choice, length=length, limits=of_classes(choice.limits, element, use, structs))
            self._memories[root] = Memory(choice, count)
            self.arrays[root.name] = choice
            many = f"{count} arrays" if count > 1 else "one element per pointer"
            self.choices.append(Choice(root.name, choice.text(), f"what pointers in {place.root.name} lead to: {many}"))
            found[root.name] = Objects(element, argument_of(replace(choice, length=count * length), structs), count)
        return found

    def pointers(self) -> Sequence[Pointers]:
        """Those that lie in memory which was chosen; after all of that."""
        if not self._flow.regions:
            return ()
        found: list[Pointers] = []
        pointed, structs = PointedTo(self._flow), self._function.structs
        for place, root in self._flow.regions.items():
            holder, target = self._memories.get(place.root), self._memories.get(root)
            if holder is not None and target is not None and holder.choice.filling is Filling.RANDOM:
                is_end = pointed.may_be_null(place)
                pointers = pointers_at(place, holder, root.name, target, may_be_null=is_end, structs=structs)
                if pointers is not None:
                    found.append(pointers)
        return found

    def _argument(self, name: str, type: Type) -> Argument | None:
        """The argument for a parameter, variable or member; None for what the engine has to refuse itself."""
        self._check_layout(name, type.element if isinstance(type, PointerType) else type)
        match type:
            case IntegerType() | FloatType() | BooleanType():
                number = self._numbers.get(name)
                if number is None:
                    return None
                self.choices.append(Choice(name, _spelled_number(number.value), number.why, number.is_chosen))
                return Scalar(number.value)
            case PointerType(element=element):
                return self._array(name, element)
            case HandleType(name=handle) if handle.startswith(IMAGES):
                return self._image(name)
            case HandleType() if name in self._pointed:
                return Scalar(0)  # the function is known by name
            case HandleType() if type not in FUNCTION_POINTERS:
                self.choices.append(Choice(name, "0", "nothing shows what this object holds", is_chosen=True))
                return Scalar(0)
            case StructType() | VectorType() | ArrayType():
                return self._members(name, type)
            case _:
                return None

    def _members(self, name: str, type: StructType | VectorType | ArrayType) -> Struct:
        """Members that the kernel reads, by name; the others stay zero."""
        members: dict[str, Argument] = {}
        for member, inner in parts(type, self._function.structs):
            path = joined(name, member)
            if any(is_within(leaf, path) for leaf in self._flow.leaves):
                argument = self._argument(path, inner)
                if argument is not None:
                    members[member] = argument
        return Struct(members)

    def _image(self, name: str) -> TextureImage:
        uses = image_uses(self._flow).get(name, [])
        root = NamedObject(RootKind.ARGUMENT, name)
        texel = next((use.texel for use in uses if use.texel is not None), VoidType())
        image = choose_image(name, uses, self._extents, self._seed, self._limits(root, texel, 0))
        given = self._requests.argument(name)
        compared = f"; {self._ranges[root].why}" if root in self._ranges else ""
        why = f"as large as the grid{compared}"
        if given is not None:
            text, source = given
            read = read_given(name, text)
            if not isinstance(read, GivenFile):
                raise LaunchError(f"{name}={text}: '{name}' is an image: give it as {name}=@image.npy")
            texels = self._file(name, read, source)
            has_channels = image.channels > 1 and texels.ndim == image.texels.ndim
            image = replace(image, texels=texels, channels=texels.shape[-1] if has_channels else 1)
            why = source.why
        self.choices.append(Choice(name, described(image), why, is_chosen=given is None))
        return image

    # -- arrays -------------------------------------------------------------------------------------------------------

    def _array(self, name: str, declared: Type) -> Argument:
        given = self._requests.argument(name)
        root = NamedObject(RootKind.ARGUMENT, name)
        choice = self._array_choice(name, root, declared)
        if given is not None:
            text, source = given
            read = read_given(name, text)
            match read:
                case GivenFile():
                    data = self._file(name, read, source)
                    self.choices.append(
                        Choice(name, f"{text} {data.dtype.name}{list(data.shape)}", source.why, is_chosen=False)
                    )
                    return Array(_typed(name, text, data, declared))
                case GivenNumbers(values=values):
                    self.choices.append(Choice(name, text, source.why, is_chosen=False))
                    return Array(_typed(name, text, np.array(values), declared))
                case GivenFilling(filling=filling, bounds=bounds, length=length):
                    limits = choice.limits if bounds is None else Limits()
                    choice = replace(choice, filling=filling, bounds=bounds or choice.bounds, limits=limits)
                    if length is not None:
                        choice = replace(choice, length=length, is_fixed=True)
                        self._check_size(text, choice)
                    why = source.why
        else:
            why = self._why(name, choice)
        self.choices.append(Choice(name, choice.text(), why, is_chosen=given is None))
        if not choice.is_fixed:
            self.arrays[name] = choice
        self._memories[root] = Memory(choice)
        return argument_of(choice, self._function.structs)

    def _check_layout(self, name: str, type: Type) -> None:
        """LaunchError where the members of a class are known and their places are not."""
        while isinstance(type, ArrayType):
            type = type.element
        layout = self._function.structs.get(type.name) if isinstance(type, StructType) else None
        if layout is not None and layout.fields and not layout.size:
            raise LaunchError(f"no memory for {name}: the type of a member of {layout.name} is not visible")

    def _check_size(self, text: str, choice: ArrayChoice) -> None:
        size = choice.length * (size_of(choice.element, self._function.structs) or 1)
        if size > MAX_GIVEN_BYTES:
            raise LaunchError(f"{choice.name}={text}: {size:,} bytes; at most {MAX_GIVEN_BYTES:,} are simulated")

    def _array_choice(self, name: str, root: NamedObject, declared: Type) -> ArrayChoice:
        use = self._uses.get(root)
        element = element_of(declared, use)
        limits = self._limits(root, element, 0)
        if name in self._attempt.ascending:
            limits = replace(limits, roles={**limits.roles, (): Role.OFFSETS})
        length = self._attempt.lengths.get(name, self._table if use is not None and use.starts else self._elements)
        filling = filling_of(use, declared)
        return ArrayChoice(name, element, declared, length, filling, limits, self._threads, self._seed)

    def _why(self, name: str, choice: ArrayChoice) -> str:
        grown = "one element per thread" if self._elements == self._threads else "as many as threads stride over"
        if name in self._attempt.lengths:
            grown = "as far as accesses reach"
        if name in self._attempt.ascending:
            return f"{grown}; numbers in no order do not fit"
        match choice.filling:
            case Filling.UNINITIALISED:
                return f"{grown}; only written"
            case Filling.ZERO:
                return f"{grown}; only updated atomically" if self._is_atomic(name) else grown
            case _ if choice.start_of(()) is not None:
                is_table = choice.length > self._threads and name not in self._attempt.lengths
                grown = "a table with room for every thread" if is_table else grown
                return f"{grown}; what compare-and-swap expects to find"
            case _:
                straddling = self._ranges.get(NamedObject(RootKind.ARGUMENT, name))
                return grown if straddling is None else f"{grown}; {straddling.why}"

    def _limits(self, root: NamedObject, element: Type, depth: int) -> Limits:
        """Paths without their first `depth` steps, which lead into an array."""
        use, straddling = self._uses.get(root), self._ranges.get(root)
        if use is None:
            return Limits()
        found: dict[Path, Bounds] = {} if straddling is None else dict(straddling.ranges)
        for path in sorted(use.ends):
            if use.role(path) is Role.LINK:
                found[path] = -1, use.limits.get(path, self._threads)
        for path in sorted(use.divisors - found.keys()):
            role = use.role(path)
            if role in (Role.DATA, Role.INDEX):
                found[path] = 1, max(2, use.limits.get(path, MAX_DATA if role is Role.DATA else self._threads))
        ranges = {path[depth:]: bounds for path, bounds in found.items()}
        if isinstance(element, VectorType) and ranges:  # one range for all members
            ranges = {(): (min(low for low, _ in ranges.values()), max(high for _, high in ranges.values()))}
        return Limits(
            {path[depth:]: role for path, role in use.roles.items()},
            {path[depth:]: limit for path, limit in use.limits.items()},
            ranges,
            {path[depth:]: number for path, start in use.starts.items() if (number := self._number(start)) is not None},
            {path[depth:]: numbers for path, numbers in use.callees.items()},
        )

    def _number(self, mark: Mark) -> int | None:
        """What free places hold."""
        if isinstance(mark, int):
            return mark
        known = self._numbers.get(mark.name)
        return None if known is None else int(known.value)

    def _is_atomic(self, name: str) -> bool:
        use = self._uses.get(NamedObject(RootKind.ARGUMENT, name))
        return use is not None and use.is_atomic

    def _file(self, name: str, file: GivenFile, source: Request) -> NDArray[Any]:
        path = file.path if source.folder is None else path_below(source.folder, name, file.path)
        self.files.append(stamp_of(path))
        return read_array(name, path)

    # -- variables -------------------------------------------------------------------------------------------------

    def _variable(self, symbol: Symbol) -> Argument | None:
        is_leaf = any(is_within(leaf, symbol.name) for leaf in self._flow.leaves)
        if (
            is_leaf
            and not isinstance(symbol.type, ArrayType)
            and (symbol.kind is not SymbolKind.GLOBAL or isinstance(symbol.type, PointerType))
        ):
            return self._argument(symbol.name, symbol.type)
        use = self._uses.get(NamedObject(RootKind.VARIABLE, symbol.name))
        length, element = _flattened(symbol.type)
        is_input = use is not None and use.is_loaded and not (use.is_stored or use.is_atomic)
        if use is None or not is_input or not length:
            return None
        given = self._requests.argument(symbol.name)
        if given is not None:
            return self._array(symbol.name, element)
        root = NamedObject(RootKind.VARIABLE, symbol.name)
        limits = self._limits(root, element, _depth(symbol.type))
        choice = ArrayChoice(
            symbol.name, element, element, length, Filling.RANDOM, limits, self._threads, self._seed, is_fixed=True
        )
        compared = f"; {self._ranges[root].why}" if root in self._ranges else ""
        self._memories[root] = Memory(choice, depth=_depth(symbol.type))
        why = "its initialiser is not understood" if symbol.name in self._contents else "not initialised in the file"
        self.choices.append(Choice(symbol.name, choice.text(), f"{why}{compared}"))
        return argument_of(choice, self._function.structs)


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
