"""What a random kernel may name at a place: types with ranges, expressions, variables, memory, and who is there.

Every expression knows which integers it may be, so that signed arithmetic is written as programmers write it where it
cannot overflow, and through unsigned where it could; and within which group of threads it agrees.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final, final

from analysis.divergence.levels import Level


@final
@dataclass(frozen=True, slots=True)
class IntegerKind:
    name: str
    bits: int
    signed: bool

    @property
    def low(self) -> int:
        return -(1 << self.bits - 1) if self.signed else 0

    @property
    def high(self) -> int:
        return (1 << self.bits - self.signed) - 1

    def holds(self, low: int, high: int) -> bool:
        return self.low <= low and high <= self.high


S8: Final = IntegerKind("signed char", 8, True)
U8: Final = IntegerKind("unsigned char", 8, False)
S16: Final = IntegerKind("short", 16, True)
U16: Final = IntegerKind("unsigned short", 16, False)
S32: Final = IntegerKind("int", 32, True)
U32: Final = IntegerKind("unsigned", 32, False)
S64: Final = IntegerKind("long long", 64, True)
U64: Final = IntegerKind("unsigned long long", 64, False)

COMPUTED: Final = (S32, U32, S64, U64)
"""The types that arithmetic has after promotion."""
STORED: Final = (S32, U32, U8, S16, S64, U64, S8, U16)
UNSIGNED_OF: Final = {S32: U32, U32: U32, S64: U64, U64: U64}


PAIR: Final = (("a", S32), ("b", U8), ("c", S64))
"""The members of the struct `Pair`."""


class FloatKind(Enum):
    FLOAT = "float"
    DOUBLE = "double"
    HALF = "__half"


@final
@dataclass(frozen=True, slots=True)
class Expression:
    """`kind` is one of `COMPUTED`; `text` binds as tightly as a name."""

    text: str
    kind: IntegerKind
    low: int
    high: int
    level: Level

    @classmethod
    def read(cls, text: str, kind: IntegerKind, level: Level) -> Expression:
        """Of a place of any stored type, promoted."""
        return cls(text, kind if kind in COMPUTED else S32, kind.low, kind.high, level)

    def at(self, level: Level) -> Expression:
        return replace(self, level=level)


@final
@dataclass(frozen=True, slots=True)
class Number:
    """A floating-point expression; `text` binds as tightly as a name.  Variables are such expressions, too."""

    text: str
    kind: FloatKind
    level: Level


@final
@dataclass(frozen=True, slots=True)
class Variable:
    """`level`: within which group all threads agree on it, always."""

    name: str
    kind: IntegerKind
    level: Level


@final
@dataclass(frozen=True, slots=True)
class Memory:
    """An array with as many indices as `extents`; `own` is the element that belongs to the thread, of shared ones."""

    name: str
    kind: IntegerKind
    extents: tuple[int, ...]
    member: str = ""
    """What follows the brackets: `.x` for an array of vectors."""
    own: str = ""
    level: Level = Level.GRID
    """Within which group all threads see the same elements."""


@final
@dataclass(frozen=True, slots=True)
class Added:
    """A shared array to which everybody adds by one atomic operation."""

    memory: Memory
    function: str


@final
@dataclass(frozen=True, slots=True)
class Loop:
    """`level`: which threads run the same rounds; `can_break`: a `break` here is not a switch's."""

    level: Level
    can_break: bool = True


@final
@dataclass(frozen=True, slots=True)
class Context:
    """Where a statement stands.

    `level`: the widest group of which all threads are here, or none is.  `rounds`: about how often it runs.  `loops`:
    those it stands in, as far as it may leave them, innermost last.  `returns`: whether anybody may return here.
    `own_shared`: shared arrays in which each thread may use its own element now; `readable`: those that everybody only
    reads; `added`: those to which everybody only adds.  `labels`: where a `goto` may go, forward.
    """

    level: Level
    depth: int = 0
    rounds: int = 1
    loops: tuple[Loop, ...] = ()
    returns: bool = True
    own_shared: tuple[Memory, ...] = ()
    readable: tuple[Memory, ...] = ()
    added: tuple[Added, ...] = ()
    labels: tuple[str, ...] = ()
    in_function: bool = False
    """Not the kernel's own body."""

    def within(self, level: Level) -> Context:
        """Inside something that only threads of a group decide together about."""
        return replace(self, level=max(self.level, level), depth=self.depth + 1)

    def closed(self) -> Context:
        """Nobody leaves from inside."""
        return replace(self, loops=(), returns=False, labels=())


@final
@dataclass(slots=True)
class Scope:
    """What the whole kernel declares; filled while it is written."""

    warp_size: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    variables: list[Variable] = field(default_factory=list[Variable])
    constants: list[Expression] = field(default_factory=list[Expression])
    """Names that never change: parameters, indices, loop counters in scope."""
    inputs: list[Memory] = field(default_factory=list[Memory])
    locals: list[Memory] = field(default_factory=list[Memory])
    functions: list[str] = field(default_factory=list[str])
    """Names of functions from two `int` to `int`."""
    warp_functions: list[str] = field(default_factory=list[str])
    """The same, which whole warps call together."""
    struct_functions: list[str] = field(default_factory=list[str])
    """From a `Pair` and an `int` to a `Pair`."""
    numbers: list[Number] = field(default_factory=list[Number])
    """Variables that hold floating-point numbers; none where a kernel has none."""
    features: set[str] = field(default_factory=set[str])
    level: Level = Level.GRID
    """Which group is still whole: threads of a narrower one may have returned."""

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def blocks(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def has_whole_warps(self) -> bool:
        return self.threads % self.warp_size == 0
