"""What an arm of a random branch consists of, before it has names: statements that hold numbers instead of text.

Each expression is a row of numbers, its *genes*.  The writer takes them as choices among what may stand at the place:
the same genes make the same text at two places where the same names are visible.  So a copy of an arm with some genes
changed is an arm that is alike, and every row of numbers is a valid one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias, final

Genes: TypeAlias = tuple[int, ...]


class Kind(Enum):
    """Statements without statements inside."""

    ASSIGN = auto()
    ADD = auto()
    COUNT = auto()
    DECLARE = auto()
    STORE = auto()
    CELL = auto()
    SWAP = auto()
    ELEMENT = auto()
    NUMBER = auto()
    NUMBER_STORE = auto()
    CALL = auto()
    CALL_BY_POINTER = auto()
    MEMBER = auto()
    TILE = auto()
    GUARDED = auto()
    MACRO = auto()
    COMMA = auto()
    CHOSEN = auto()
    TOTAL = auto()
    OWN_ATOMIC = auto()
    VOLATILE = auto()
    EXCHANGE = auto()
    LEAVE = auto()
    RETURN = auto()
    EMPTY = auto()


class Feature(Enum):
    """Statements that use the language more widely; a kernel draws a few of them (`language.py`)."""

    TEMPLATE_CALL = auto()
    OVERLOAD = auto()
    REFERENCE_CALL = auto()
    LAMBDA_IN_ARM = auto()
    LAMBDA_CALL = auto()
    METHOD = auto()
    REFERENCE = auto()
    POINTER = auto()
    LOCAL_ARRAY = auto()
    SHADOW = auto()
    DEDUCED = auto()
    CONSTANT = auto()
    ENUMERATION = auto()
    ALIAS = auto()
    ATTRIBUTE = auto()
    LOCAL_VOLATILE = auto()
    MACRO_BLOCK = auto()
    MACRO_DECLARATION = auto()
    MACRO_PAIR = auto()
    MACRO_LOOP = auto()
    DIRECTIVES = auto()
    CONSTANT_IF = auto()
    INITIALISED_IF = auto()
    GOTO = auto()
    UNROLLED = auto()
    NESTED_LOOPS = auto()
    LONE_BLOCK = auto()
    WARP_SYNC = auto()
    BOOLEAN = auto()
    NARROW = auto()
    SIGNED_UPDATE = auto()
    DIVISION = auto()
    ALIASED = auto()


@final
@dataclass(frozen=True, slots=True)
class Simple:
    """`name` numbers the variable that a declaration makes; `comment` is what stands beside it, 0 for none."""

    kind: Kind | Feature
    genes: Genes
    name: int = 0
    comment: int = 0


@final
@dataclass(frozen=True, slots=True)
class Chain:
    """if, else if, else: as many bodies as conditions, or one more; a comment for each body, 0 for none."""

    conditions: tuple[Genes, ...]
    bodies: tuple[Body, ...]
    comments: tuple[int, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Cases:
    """A switch; a body falls through to the next one where its gene says so."""

    genes: Genes
    bodies: tuple[Body, ...]


@final
@dataclass(frozen=True, slots=True)
class Repeat:
    """for, while or do, as the first gene says."""

    genes: Genes
    name: int
    body: Body


Statement: TypeAlias = Simple | Chain | Cases | Repeat
Body: TypeAlias = tuple[Statement, ...]
