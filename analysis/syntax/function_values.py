"""Which device functions of a unit may a pointer lead to, by its text?

Question  Which functions have their address taken anywhere, and may there be others that nobody sees here?
Rules     A function's address may be taken where its name stands without a call behind it, in any item or macro.
          Names are not told apart by scope: there may be too many, never too few.
          All are *known* where the unit is compiled as a whole program (nvcc's default: the device then calls nothing
          of another file), is no part of other files, has read all that it includes, and its text has no lambda that
          could become a pointer and no macro that may paste the name of a function together.
          A device function that is declared and nowhere defined, and is neither template nor member, shows that
          device code is linked (`-rdc=true`), whatever the build command is.
Cost      O(text of the items that name device functions), once per unit that calls through a pointer.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple, final

from analysis.ir.pace import paced, spend
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import BYTES_OF_A_ROUND, HIDDEN, IDENTIFIER
from analysis.syntax.macros import MacroDefinition, MacroTable

_LAMBDA: Final = re.compile(rb"(?<!operator)(?<!delete)\[\s*\]\s*(?:[({<]|__\w+__)")
"""A lambda that captures nothing, or what looks like one."""
_CALLED: Final = re.compile(rb"\s*(?:<[^;{}()]*>\s*)?\(")
"""Behind the name of a function that is called, its template arguments included."""
_CLASSES: Final = frozenset({b"struct", b"class"})
_DERIVED: Final = re.compile(rb"\b(?:struct|class)\s+\w+\s*(?:final\s*)?:(?!:)")
_PASTED: Final = re.compile(rb"(\w+)\s*##\s*(\w+)")


@final
class FunctionValues(NamedTuple):
    """`items` define the functions whose address may be taken; `is_known` whether there are no others."""

    items: tuple[Item, ...]
    is_known: bool


def function_values(items: Sequence[Item], macros: MacroTable, *, is_alone: bool) -> FunctionValues:
    """Of the items of a unit, headers included; `is_alone`: no text that is not here can take part."""
    functions: dict[bytes, list[Item]] = {}
    for item in paced(items):
        if item.kind is ItemKind.FUNCTION and item.is_device and item.active and not item.is_kernel:
            functions.setdefault(item.name.encode("utf-8", "surrogateescape"), []).append(item)
    definitions = [one for history in macros.names.values() for _, one in history if one is not None]
    texts = [item.text for item in paced(items) if item.active and not functions.keys().isdisjoint(item.identifiers)]
    taken: set[bytes] = set()
    for text in paced([*texts, *(definition.body for definition in definitions)]):
        taken.update(_taken(text, functions.keys()))
    found = tuple(item for name in sorted(taken) for item in functions[name] if item.is_definition)
    is_known = is_alone and not any(_LAMBDA.search(item.text) for item in paced(items) if b"[" in item.text)
    is_known = is_known and not any(_may_paste(definition, functions.keys()) for definition in definitions)
    return FunctionValues(found, is_known)


def has_derived_class(item: Item) -> bool:
    """Whether a class with bases may stand in the text of a function."""
    is_function = item.kind is ItemKind.FUNCTION and item.active and not _CLASSES.isdisjoint(item.identifiers)
    return is_function and _DERIVED.search(item.text) is not None


def _taken(text: bytes, names: Collection[bytes]) -> Iterator[bytes]:
    """The names that stand somewhere without a call behind them."""
    spend(len(text) // BYTES_OF_A_ROUND)
    plain = HIDDEN.sub(b" ", text)
    for found in IDENTIFIER.finditer(plain):
        if found[0] in names and _CALLED.match(plain, found.end()) is None:
            yield found[0]


def calls_other_files(items: Sequence[Item]) -> bool:
    """Whether a free device function is declared and nowhere defined: another file does that."""
    functions = [item for item in paced(items) if item.kind is ItemKind.FUNCTION and item.is_device and item.active]
    free = [one for one in functions if not (one.is_kernel or one.is_template or one.is_friend or one.owner)]
    defined = {one.name for one in functions if one.is_definition}
    return any(one.name not in defined for one in free)


def _may_paste(definition: MacroDefinition, names: Collection[bytes]) -> bool:
    """Whether a macro may make one of these names out of two parts."""
    parameters = definition.parameters or ()
    for left, right in _PASTED.findall(definition.body):
        begins, ends = (b"" if word in parameters else word for word in (left, right))
        if any(name.startswith(begins) and name.endswith(ends) for name in names):
            return True
    return False
