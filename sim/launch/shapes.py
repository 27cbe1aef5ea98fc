"""The grid and the block of a launch: given, launched so in the file, or chosen.

Rules    The first that speaks decides, for the grid and the block each: what is given, the comment above the kernel,
         the launches of the file (the grid as they compute it from numbers that are given), `__launch_bounds__` (the
         block only), constants that the kernel uses and that are named after a block (`BLOCK_SIZE`, `THREADS`, a
         template argument `blockSize`), and else 256 threads, 16 x 16 where the kernel reads `threadIdx.y`, 8 x 8 x 4
         where it reads `threadIdx.z`, in 8 blocks, 4 x 4 where it reads `blockIdx.y`, 2 x 2 x 2 where it reads
         `blockIdx.z`; of such a grid the extents that a launch of the file says stay, and where there is no
         launch, an axis along which no block knows its index has one block if there is another axis.
         A grid from a launch in the file is halved until at most `MAX_THREADS` threads run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final, final

from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.index3 import Index3
from analysis.ir.instructions import Binary, Convert, ReadSpecial, Unary
from analysis.ir.operators import SpecialRegister
from analysis.ir.record import record
from analysis.launches import Launch
from sim.launch.choices import source_of

MAX_BLOCK_THREADS: Final = 1024
MAX_THREADS: Final = 1 << 15
SPREAD_BLOCKS: Final = 1 << 12
MAX_SPREAD_BLOCKS: Final = 1 << 16
"""So many blocks share work that is too much for a few."""

_AXIS_NAME: Final = re.compile(r"(?:^|_|(?<=[a-z]))(?:(?P<x>X|W|WIDTH|COLS?|bx)|(?P<y>Y|H|HEIGHT|ROWS?|by))$")
_BLOCK_NAME: Final = re.compile(r"BLOCK|THREAD|TILE|CTA|^b[xy]$", re.IGNORECASE)
_NAMES_Y: Final = re.compile(rb"(?:Idx|Dim|\))\s*\.\s*y\b|hip\w+_y\b|%n?(?:c?tid|ctaid)\.y")
_NAMES_Z: Final = re.compile(rb"(?:Idx|Dim|\))\s*\.\s*z\b|hip\w+_z\b|%n?(?:c?tid|ctaid)\.z")
_COPIES: Final = re.compile(rb"(?:(?:thread|block)Idx|(?:block|grid)Dim|_(?:index|dim)\w*\s*\(\s*\))(?!\s*\.|\w)")
"""A whole coordinate is kept or passed on: its parts may be named of any variable."""
_MEMBERS_Y: Final = re.compile(rb"\.\s*y\b")
_MEMBERS_Z: Final = re.compile(rb"\.\s*z\b")
_DEFAULT_BLOCKS: Final[Mapping[int, Index3]] = {1: (256, 1, 1), 2: (16, 16, 1), 3: (8, 8, 4)}
_DEFAULT_GRIDS: Final[Mapping[int, Index3]] = {1: (8, 1, 1), 2: (4, 4, 1), 3: (2, 2, 2)}
_LARGE_GRIDS: Final[Mapping[int, Index3]] = {1: (1024, 1, 1), 2: (64, 64, 1), 3: (16, 16, 16)}
"""As programs launch them, where not all blocks are run."""
_OTHER_NAME: Final = re.compile(r"BLOCKS(?!IZE)|GRID|WARP|PER_?(?!BLOCK|CTA)[A-Z]|IDX|STEPS", re.IGNORECASE)


@final
@record
class ChosenShape:
    """`is_chosen` where nothing in the file or from the user says so: then another shape may be tried."""

    extent: Index3
    why: str
    is_chosen: bool = False
    is_cut: bool = False
    """The file says more."""

    @property
    def threads(self) -> int:
        return _threads(self.extent)


@final
@record
class ShapeEvidence:
    """What is known before; `constants` are integers by name: template arguments and macros that the kernel uses."""

    block: Index3 | None
    grid: Index3 | None
    launches: Sequence[Launch]
    bound: int | None
    constants: Mapping[str, int]
    thread_axes: int
    """Of how many axes (1, 2, 3) the kernel reads the coordinates of its threads."""
    block_axes: int
    file: str = ""
    """That of the kernel."""
    lengths: Sequence[tuple[int, int]] = ()
    """Axes (0, 1, 2) whose thread index goes into an array as it is, with the length of that array."""
    required: Mapping[int, int] = field(default_factory=dict[int, int])
    """Extents of the block by axis that the kernel asserts."""
    computed: Mapping[int, tuple[int, str]] = field(default_factory=dict[int, tuple[int, str]])
    """Extents of the grid by axis that host code computes from numbers which were given, with the names of these."""
    alike_along: frozenset[int] = frozenset()
    """Axes (0, 1, 2) along which nothing depends on the index of a block."""
    is_whole: bool = False
    """Whether a grid of host code stays as it is, however large, and a chosen one has many blocks."""


def choose_block(evidence: ShapeEvidence) -> ChosenShape:
    if evidence.block is not None:
        return ChosenShape(evidence.block, "given")
    for launch in evidence.launches:
        if launch.block is not None and _threads(launch.block) <= MAX_BLOCK_THREADS:
            return ChosenShape((launch.block.x, launch.block.y, launch.block.z), source_of(launch, evidence.file))
    partial = _partial_block(evidence)
    if partial is not None:
        return partial
    named = _named_block(evidence.thread_axes, evidence.constants)
    if named is not None and _threads(named.extent) <= (evidence.bound or MAX_BLOCK_THREADS):
        return named
    default = _DEFAULT_BLOCKS[evidence.thread_axes]
    if evidence.bound is not None:
        why = "within __launch_bounds__"
        return ChosenShape(_within(default, evidence.bound), why, is_chosen=True)
    return ChosenShape(default, "chosen", is_chosen=True)


def _partial_block(evidence: ShapeEvidence) -> ChosenShape | None:
    """The block of which some extents are known: others are as usual where they fit."""
    known, why = _known_extents(evidence)
    if not known:
        return None
    default = _DEFAULT_BLOCKS[max(evidence.thread_axes, 1 + max(axis for axis, extent in known.items() if extent > 1))]
    most = min(evidence.bound or MAX_BLOCK_THREADS, MAX_BLOCK_THREADS)
    room = max(1, most // _threads(list(known.values())))
    extents: list[int] = []
    for axis, usual in enumerate(default):
        extent = known.get(axis)
        if extent is None:
            extent = max(1, min(usual, room))
            room = max(1, room // extent)
        extents.append(extent)
    is_known = known.keys() >= set(range(evidence.thread_axes))
    return ChosenShape((extents[0], extents[1], extents[2]), why, is_chosen=not is_known)


def _known_extents(evidence: ShapeEvidence) -> tuple[Mapping[int, int], str]:
    """What the kernel asserts of its block, else what a launch says in part: by axis, if that is more than one row."""
    required = evidence.required
    if any(extent > 1 for extent in required.values()) and _threads(list(required.values())) <= MAX_BLOCK_THREADS:
        return required, "what the kernel asserts"
    for launch in evidence.launches:
        found = {axis: extent for axis, extent in enumerate(launch.block_extents) if extent is not None and extent > 0}
        if any(extent > 1 for extent in found.values()) and _threads(list(found.values())) <= MAX_BLOCK_THREADS:
            return found, f"{source_of(launch, evidence.file)}, in part"
    return {}, ""


def other_blocks(evidence: ShapeEvidence, tried: Index3) -> Iterator[Index3]:
    """Shapes to try where a chosen one does not fit the kernel's shared arrays; first those that constants suggest."""
    numbers = dict.fromkeys(number for number in evidence.constants.values() if number > 1)
    known, _ = _known_extents(evidence)
    fitting = [(*tried[:axis], length, *tried[axis + 1 :]) for axis, length in evidence.lengths if length < tried[axis]]
    match evidence.thread_axes:
        case 3:
            shapes: list[Index3] = [(4, 4, 4), (8, 8, 8), (16, 4, 4)]
        case 2:
            shapes = [(number, number, 1) for number in numbers]
            shapes += [(32, 32, 1), (32, 8, 1), (8, 8, 1), (32, 4, 1), (4, 4, 1)]
        case _:
            shapes = [(number, 1, 1) for number in numbers]
            shapes += [(128, 1, 1), (64, 1, 1), (32, 1, 1), (512, 1, 1), (1024, 1, 1), (16, 1, 1)]
    most = evidence.bound or MAX_BLOCK_THREADS
    return (
        (shape[0], shape[1], shape[2])
        for shape in dict.fromkeys((*fitting, *shapes))
        if shape != tried and _threads(shape) <= most and all(shape[axis] == extent for axis, extent in known.items())
    )


def choose_grid(evidence: ShapeEvidence, block: ChosenShape) -> ChosenShape:
    if evidence.grid is not None:
        return ChosenShape(evidence.grid, "given")
    if evidence.computed:
        return _computed_grid(evidence, block)
    for launch in evidence.launches:
        if launch.grid is not None:
            whole = launch.grid.x, launch.grid.y, launch.grid.z
            cut = whole if evidence.is_whole else _cut(whole, block.extent)
            why = source_of(launch, evidence.file)
            if cut == whole:
                return ChosenShape(whole, why)
            return ChosenShape(cut, f"{why}, cut from {spelled(whole)}", is_cut=True)
    usual = (_LARGE_GRIDS if evidence.is_whole else _DEFAULT_GRIDS)[evidence.block_axes]
    return _partial_grid(evidence, block) or ChosenShape(_along_axes_read(evidence, usual), "chosen", is_chosen=True)


def _partial_grid(evidence: ShapeEvidence, block: ChosenShape) -> ChosenShape | None:
    """The grid of which a launch says some extents along axes that the kernel knows: others are as usual."""
    usual = (_LARGE_GRIDS if evidence.is_whole else _DEFAULT_GRIDS)[evidence.block_axes]
    for launch in evidence.launches:
        known = {axis: extent for axis, extent in enumerate(launch.grid_extents) if extent is not None and extent > 0}
        if any(axis < evidence.block_axes for axis in known) and len(known) < len(usual):
            x, y, z = (known.get(axis, extent) for axis, extent in enumerate(usual))
            whole = x, y, z
            cut = whole if evidence.is_whole else _cut(whole, block.extent)
            return ChosenShape(cut, f"{source_of(launch, evidence.file)}, in part", is_chosen=True)
    return None


def _along_axes_read(evidence: ShapeEvidence, usual: Index3) -> Index3:
    """With one block along an axis that no block reads its index of, though it reads another one's; host code that
    launches it knows better."""
    if evidence.launches or evidence.alike_along >= set(range(evidence.block_axes)):
        return usual
    x, y, z = (1 if axis in evidence.alike_along else extent for axis, extent in enumerate(usual))
    return x, y, z


def _computed_grid(evidence: ShapeEvidence, block: ChosenShape) -> ChosenShape:
    """What host code makes of the numbers that were given; other extents are those of a launch, or as chosen."""
    known = next((launch.grid for launch in evidence.launches if launch.grid is not None), None)
    usual = _DEFAULT_GRIDS[evidence.block_axes] if known is None else known
    x, y, z = (evidence.computed.get(axis, (extent, ""))[0] for axis, extent in enumerate(usual))
    whole = x, y, z
    cut = whole if evidence.is_whole else _cut(whole, block.extent)
    names = " and ".join(dict.fromkeys(name for _, name in evidence.computed.values()))
    why = f"a launch in the file computes it from {names}"
    return ChosenShape(cut, why if cut == whole else f"{why}, cut from {spelled(whole)}", is_cut=cut != whole)


def spread_grid(evidence: ShapeEvidence) -> ChosenShape:
    """A grid of so many blocks that each has little of the work that all share: what host code says, or many."""
    for launch in evidence.launches:
        if launch.grid is not None and SPREAD_BLOCKS // 4 <= _threads(launch.grid) <= MAX_SPREAD_BLOCKS:
            why = f"{source_of(launch, evidence.file)}; the first block alone is run: all would take too long"
            return ChosenShape((launch.grid.x, launch.grid.y, launch.grid.z), why)
    side = 1 << SPREAD_BLOCKS.bit_length() // 2
    extent = (SPREAD_BLOCKS, 1, 1) if evidence.block_axes == 1 else (side, SPREAD_BLOCKS // side, 1)
    return ChosenShape(extent, "chosen: many blocks share the work, the first alone is run", is_chosen=True)


def axes_read(function: Function, text: bytes) -> tuple[int, int]:
    """The last axis (1, 2, 3) of which the kernel reads coordinates of threads, and of blocks or threads.

    `text` is that of the functions it consists of: the ranks of cooperative groups read every register there is, and
    say nothing about the shape that the kernel was written for.
    """
    registers = {found.register for _, found in function.instructions() if isinstance(found, ReadSpecial)}
    has_copies = _COPIES.search(text) is not None
    names_y, names_z = (
        own.search(text) or (has_copies and member.search(text))
        for own, member in ((_NAMES_Y, _MEMBERS_Y), (_NAMES_Z, _MEMBERS_Z))
    )
    named = 3 if names_z else 2 if names_y else 1
    threads = min(named, _last_axis(registers, _THREAD_AXES))
    blocks = min(named, _last_axis(registers, _BLOCK_AXES))
    is_placed = SpecialRegister.BLOCK_X in registers or blocks > 1
    return threads, blocks if is_placed else threads


def axes_alike(functions: Iterable[Function]) -> frozenset[int]:
    """Axes along which nothing in a kernel, and in what it calls, depends on the index of a block."""
    used: set[SpecialRegister] = set()
    for function in functions:
        needed = _needed(function)
        found = (one for _, one in function.instructions() if isinstance(one, ReadSpecial))
        used.update(one.register for one in found if one.result in needed)
    return frozenset(axis for axis, register in enumerate(_BLOCK_INDICES) if register not in used)


def _needed(function: Function) -> set[ValueId]:
    """The values that something depends on; `int unused = blockIdx.x;` is none."""
    made = {one.result: one for _, one in function.instructions() if isinstance(one, _CARRIED)}
    needed: set[ValueId] = set()
    for block in function.blocks:
        for one in (*block.phis, *block.instructions, block.terminator):
            pending = [] if isinstance(one, _CARRIED) else list(one.operands)
            while pending:
                value = pending.pop()
                if value not in needed:
                    needed.add(value)
                    pending += made[value].operands if value in made else ()
    return needed


def _last_axis(registers: set[SpecialRegister], axes: Sequence[frozenset[SpecialRegister]]) -> int:
    return max((axis for axis, wanted in enumerate(axes, 1) if registers & wanted), default=1)


def speaks_of_block(name: str) -> bool:
    """Whether a constant of that name may be the extent of a block."""
    return bool(_BLOCK_NAME.search(name)) and not _OTHER_NAME.search(name)


def spelled(shape: Sequence[int]) -> str:
    """`16,16`: as `--block` takes it."""
    extents = list(shape)
    while len(extents) > 1 and extents[-1] == 1:
        extents.pop()
    return ",".join(map(str, extents))


_THREAD_AXES: Final = (
    frozenset[SpecialRegister](),
    frozenset({SpecialRegister.THREAD_Y, SpecialRegister.BLOCK_DIM_Y}),
    frozenset({SpecialRegister.THREAD_Z, SpecialRegister.BLOCK_DIM_Z}),
)
_BLOCK_AXES: Final = (
    frozenset[SpecialRegister](),
    frozenset({SpecialRegister.BLOCK_Y, SpecialRegister.GRID_DIM_Y}),
    frozenset({SpecialRegister.BLOCK_Z, SpecialRegister.GRID_DIM_Z}),
)


_CARRIED: Final = (Binary, Convert, Unary)
_BLOCK_INDICES: Final = (SpecialRegister.BLOCK_X, SpecialRegister.BLOCK_Y, SpecialRegister.BLOCK_Z)


def _named_block(axes: int, constants: Mapping[str, int]) -> ChosenShape | None:
    """The block that constants name: one number per axis, or one for all."""
    found: dict[str, tuple[str, int]] = {}
    for name, number in constants.items():
        if speaks_of_block(name) and 1 <= number <= MAX_BLOCK_THREADS:
            axis = _AXIS_NAME.search(name)
            found.setdefault("x" if axis and axis["x"] else "y" if axis and axis["y"] else "", (name, number))
    name, number = found.get("x") or found.get("") or ("", 0)
    if not number:
        return None
    if axes == 1:
        return ChosenShape((number, 1, 1), f"after {name}", is_chosen=True)
    other, rows = found.get("y") or (name, number)
    if axes != 2 or number * rows > MAX_BLOCK_THREADS:
        return None
    why = f"after {name}" if other == name else f"after {name} and {other}"
    return ChosenShape((number, rows, 1), why, is_chosen=True)


def _within(block: Index3, bound: int) -> Index3:
    """The block, halved along its largest axis until it has at most `bound` threads."""
    return _halved(block, lambda shape: _threads(shape) <= max(1, bound))


def _cut(grid: Index3, block: Index3) -> Index3:
    return _halved(grid, lambda shape: _threads(shape) * _threads(block) <= MAX_THREADS)


def _halved(shape: Index3, fits: Callable[[Index3], bool]) -> Index3:
    extents = list(shape)
    while not fits((extents[0], extents[1], extents[2])) and max(extents) > 1:
        largest = extents.index(max(extents))
        extents[largest] = -(-extents[largest] // 2)
    return extents[0], extents[1], extents[2]


def _threads(shape: Sequence[int]) -> int:
    threads = 1
    for extent in shape:
        threads *= extent
    return threads
