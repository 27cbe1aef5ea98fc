"""Reads the text of an `asm` template: PTX instructions over registers and `%0`-style placeholders.

Notation  `@p op.mod.type d, a, [b+4], {c, d}, 0f3F800000;` with `%%reg` for a register, `%0` and `%[name]` for operands
          of the statement.  Scopes `{ … }` and `.reg` declarations may surround instructions.
Waiting   A loop that asks `mbarrier.try_wait` or `test_wait` until it is true is one instruction, `mbarrier.wait`.
Limits    None for other text with labels, branches or directives other than `.reg`: it cannot be read line by line.
"""

from __future__ import annotations

import re
import struct
from typing import Final, TypeAlias, final

from analysis.ir.record import record


@final
@record
class Placeholder:
    """`%0` or `%[name]`: an operand of the statement."""

    key: int | str


@final
@record
class Register:
    """A register that the text declares; predicates may be negated where they are read."""

    name: str
    is_negated: bool = False


@final
@record
class Special:
    """`%laneid`, `%tid.x`."""

    name: str


@final
@record
class Immediate:
    value: int | float


@final
@record
class Address:
    """`[base+offset]`; `extra` are the further members of a tensor or cluster address."""

    base: Operand
    offset: int


@final
@record
class Vector:
    """`{a, b}`."""

    members: tuple[Operand, ...]


@final
@record
class Pair:
    """`d|p`: a result and a predicate."""

    first: Operand
    second: Operand


Operand: TypeAlias = Placeholder | Register | Special | Immediate | Address | Vector | Pair


@final
@record
class PtxInstruction:
    """`guard` is the predicate register of `@p`, which may be negated."""

    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: Operand | None

    @property
    def spelled(self) -> str:
        return ".".join((self.opcode, *self.modifiers))


@final
@record
class PtxText:
    """The instructions in order, and the declared registers with their types (`u32`, `pred`)."""

    instructions: tuple[PtxInstruction, ...]
    registers: dict[str, str]


def read_ptx(template: str) -> PtxText | None:
    """The instructions of a template; None where it is not a straight line that can be read."""
    text = _COMMENT.sub(" ", template).replace("%%", "%").replace("%=", "")
    text = _WAITING_LOOP.sub(r"mbarrier.wait\g<words> \g<flag>,\g<operands>;", text)
    instructions: list[PtxInstruction] = []
    registers: dict[str, str] = {}
    for statement in _statements(text):
        declared = _DECLARATION.match(statement)
        if declared is not None:
            registers.update(_declared(declared[1], declared[2]))
            continue
        instruction = _instruction(statement)
        if instruction is None:
            return None
        instructions.append(instruction)
    return PtxText(tuple(instructions), registers)


_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_WAITING_LOOP: Final = re.compile(
    r"""(?P<label>[\w$]+)\s*:\s*
    mbarrier\.(?:try_wait|test_wait)(?P<words>[\w.:]*)\s+(?P<flag>%?\w+)\s*,(?P<operands>[^;]*);\s*
    (?: @!\s*(?P=flag)\s+bra(?:\.uni)?\s+(?P=label)\s*;
      | @\s*(?P=flag)\s+bra(?:\.uni)?\s+(?P<done>[\w$]+)\s*;\s*
        bra(?:\.uni)?\s+(?P=label)\s*;\s*(?P=done)\s*: )""",
    re.VERBOSE,
)
_DECLARATION: Final = re.compile(r"\.reg\s+(?:\.v[248]\s+)?\.(\w+)\s+(.+)$", re.DOTALL)
_INSTRUCTION: Final = re.compile(
    r"(?:@(!?)\s*(%?\w+|%\[\w+\])\s+)?([a-z]\w*)((?:(?:\.|::)\w+)*)(?:\s+|$)(.*)$", re.DOTALL
)


def _statements(text: str) -> list[str]:
    """Split at `;`; scope braces, which stand where a statement could begin, are dropped."""
    statements: list[str] = []
    for part in text.split(";"):
        stripped = part.strip()
        while stripped[:1] in ("{", "}"):
            stripped = stripped[1:].strip()
        if stripped:
            statements.append(stripped)
    return statements


def _declared(type: str, names: str) -> dict[str, str]:
    declared: dict[str, str] = {}
    for name in names.split(","):
        name = name.strip()
        stem, bracket, count = name.partition("<")
        if bracket and count.rstrip("> ").isdigit():
            declared.update({f"{stem}{index}": type for index in range(min(int(count.rstrip("> ")), 256))})
        else:
            declared[name] = type
    return declared


def _instruction(statement: str) -> PtxInstruction | None:
    match = _INSTRUCTION.match(statement)
    if match is None or match[3] == "bra":
        return None
    operands = tuple(_operand(word) for word in _split(match[5]))
    guard = None
    if match[2]:
        guard = _operand(("!" if match[1] else "") + match[2])
        if guard is None:
            return None
    known = tuple(operand for operand in operands if operand is not None)
    if len(known) != len(operands):
        return None
    modifiers = tuple(word for word in re.split(r"\.|::", match[4]) if word)
    return PtxInstruction(match[3], modifiers, known, guard)


def _split(text: str) -> list[str]:
    """Operands, split at the commas outside brackets."""
    words: list[str] = []
    depth = start = 0
    for index, character in enumerate(text):
        depth += (character in "{[(") - (character in "}])")
        if character == "," and depth == 0:
            words.append(text[start:index].strip())
            start = index + 1
    last = text[start:].strip()
    return [*words, last] if last or words else []


_PLACEHOLDER: Final = re.compile(r"%(?:(\d+)|\[(\w+)\])$")
_ADDRESS: Final = re.compile(r"\[\s*([^+\],]+?)\s*(?:\+\s*(-?\w+)\s*)?\]$", re.DOTALL)
_SPECIAL: Final = re.compile(
    r"%((?:cluster_)?(?:n?tid|n?ctaid|nctarank|ctarank)(?:\.[xyz])?|n?clusterid(?:\.[xyz])?|laneid|n?warpid|n?smid|gridid"
    r"|lanemask_(?:eq|le|lt|ge|gt)|clock(?:_hi|64)?|globaltimer(?:_lo|_hi)?|(?:dynamic|total|aggr)_smem_size"
    r"|is_explicit_cluster|pm\d|envreg\d+)$"
)
_NAME: Final = re.compile(r"(!?)\s*(%?[A-Za-z_$]\w*)$")


def _operand(word: str) -> Operand | None:
    if word.startswith("!") and _PLACEHOLDER.match(word[1:].strip()):
        return None  # a negated operand of the statement: rare, and it has no predicate type
    match = _PLACEHOLDER.match(word)
    if match is not None:
        return Placeholder(int(match[1]) if match[1] else match[2])
    if word.startswith("{") and word.endswith("}"):
        return _members(word[1:-1])
    if word.startswith("["):
        return _address(word)
    if "|" in word:
        first, second = (_operand(part.strip()) for part in word.split("|", 1))
        return None if first is None or second is None else Pair(first, second)
    special = _SPECIAL.match(word)
    if special is not None:
        return Special(special[1])
    if word == "WARP_SZ":
        return Special(word)
    number = _number(word)
    if number is not None:
        return Immediate(number)
    name = _NAME.match(word)
    return None if name is None else Register(name[2], bool(name[1]))


def _members(text: str) -> Vector | None:
    members = [_operand(word) for word in _split(text)]
    known = tuple(member for member in members if member is not None)
    return Vector(known) if len(known) == len(members) else None


def _address(word: str) -> Address | None:
    match = _ADDRESS.match(word)
    base = _operand(match[1]) if match is not None else None
    if match is None or base is None:
        return None
    if not match[2]:
        return Address(base, 0)
    offset = _number(match[2])
    return Address(base, offset) if isinstance(offset, int) else None


def _number(word: str) -> int | float | None:
    if re.fullmatch(r"0[fF][0-9A-Fa-f]{8}", word):
        return float(struct.unpack("<f", int(word[2:], 16).to_bytes(4, "little"))[0])
    if re.fullmatch(r"0[dD][0-9A-Fa-f]{16}", word):
        return float(struct.unpack("<d", int(word[2:], 16).to_bytes(8, "little"))[0])
    if re.fullmatch(r"-?(?:0[xX][0-9A-Fa-f]+|\d+)[uU]?", word):
        digits = word.rstrip("uU")
        is_octal = re.fullmatch(r"-?0[0-7]+", digits) is not None
        return int(digits, 8 if is_octal else 0)
    if re.fullmatch(r"-?\d+\.\d*(?:[eE][+-]?\d+)?", word):
        return float(word)
    return None
