"""May a call in host code write to a variable that it is given by name?

Rules    A function that the file or its headers show tells by its parameters: a reference to what is not constant may
         be written through, at any of its overloads; qualification, templates and owners are not told apart.
         Of functions that are not shown, those of the C library, of CUDA's libraries and of the standard library are
         known by their names.  Every other function may write to whatever it is given.
Cost     Each name is looked up once per file.
Limits   A function that keeps a reference, to write through it after it has returned, writes when it is called.
"""

from __future__ import annotations

import re
from typing import Final, final

from analysis.launches.host_records import HostRecords
from analysis.lower.builtins import builtin_type
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import without_hidden
from analysis.syntax.translation_unit import TranslationUnit

METHOD: Final = "."
"""In front of the name of a method that is called on an object."""


@final
class WrittenArguments:
    """Answers for the functions that one file calls."""

    def __init__(self, unit: TranslationUnit) -> None:
        self._unit = unit
        self._records = HostRecords(unit)
        self._made: dict[str, bool] = {}
        self._references: dict[str, tuple[frozenset[int], int | None] | None] = {}

    def may_write(self, callee: str, position: int) -> bool:
        """Whether the argument at `position` may be written; `callee` is the name as spelled, `.name` of a method."""
        path, _, name = callee.removeprefix(METHOD).rpartition("::")
        if name not in self._made and not callee.startswith(METHOD):
            is_class = any(item.kind in (ItemKind.RECORD, ItemKind.ALIAS) for item in self._unit.lookup(name))
            record = self._records.get(name) if is_class else None
            self._made[name] = record is not None and record.is_plain
        if self._made.get(name):
            return False  # the members of such an object are copies of what it is made of
        if name not in self._references:
            self._references[name] = self._shown(name)
        shown = self._references[name]
        if shown is not None:
            positions, all_from = shown
            return position in positions or (all_from is not None and position >= all_from)
        if path.split("::")[0] in _LIBRARY_NAMESPACES:
            return name in _TAKE_REFERENCES
        by_value = _METHODS_BY_VALUE if callee.startswith(METHOD) else _BY_VALUE
        is_known = by_value.fullmatch(name) or _LIBRARY.match(name) or name.endswith("_cast")
        return not is_known and builtin_type(name, ()) is None

    def _shown(self, name: str) -> tuple[frozenset[int], int | None] | None:
        """The positions that some function of that name may write to, and from which on all; None if none is shown."""
        items = [item for item in self._unit.lookup(name) if item.kind is ItemKind.FUNCTION]
        if not items:
            return None
        positions: set[int] = set()
        packs: list[int] = []
        for item in items:
            for position, parameter in enumerate(_parameters(item)):
                if b"&" not in parameter or (b"&&" not in parameter and _CONSTANT.search(parameter)):
                    continue
                positions.add(position)
                if b"..." in parameter:
                    packs.append(position)
        return frozenset(positions), min(packs, default=None)


def _parameters(item: Item) -> list[bytes]:
    """The texts of a function's parameters; of one that a macro declares, one parameter which may be anything."""
    text = without_hidden(item.text)
    named = re.search(rb"\b%s\s*\(" % re.escape(item.name.encode("utf-8", "replace")), text)
    if named is None:
        return [b"&..."]
    parts = [b""]
    depth = 0
    for token in _TOKEN.findall(text, named.end()):
        depth += (token in _OPENING) - (token in _CLOSING)
        if depth < 0:
            break
        if token == b"," and depth == 0:
            parts.append(b"")
        else:
            parts[-1] += token
    return parts


_TOKEN: Final = re.compile(rb"[(){}\[\]<>,]|[^(){}\[\]<>,]+")
_OPENING: Final = frozenset({b"(", b"[", b"{", b"<"})
_CLOSING: Final = frozenset({b")", b"]", b"}", b">"})
_CONSTANT: Final = re.compile(rb"\bconst\b")
_LIBRARY_NAMESPACES: Final = frozenset({"std", "thrust", "cub", "cuda"})
_TAKE_REFERENCES: Final = frozenset(
    {
        "swap",
        "exchange",
        "tie",
        "ref",
        "forward_as_tuple",
        "getline",
        "from_chars",
        "iter_swap",
        "get",
        "invoke",
        "apply",
    }
)
_LIBRARY: Final = re.compile(r"(?:cuda|hip|cu|hiprtc|nvrtc|cublas|cufft|curand|cusparse|cusolver|cudnn|nccl|nvtx)[A-Z]")
_BY_VALUE: Final = re.compile(
    r"v?[fs]?n?printf|f?put[sc]|puts|putchar|[mc]alloc|realloc|free|mem(?:set|cpy|move|cmp)|exit|abort|assert|ato[ifl]l?"
    r"|strto[ldu]+|str(?:len|n?cmp|n?cpy)|s?rand(?:om)?|[ds]rand48|f?abs|(?:fabs|ceil|floor|round|sqrt|pow|exp|log|log2)f?"
    r"|f?min|f?max|f(?:open|close|read|write|seek|flush)|time|clock|u?sleep"
    r"|checkCmdLineFlag|getCmdLineArgument(?:Int|Float|String)"
    r"|setw|setprecision|to_string"
)
"""Functions that take numbers by value, whoever declares them."""
_METHODS_BY_VALUE: Final = re.compile(
    r"push_back|emplace_back|resize|reserve|insert|fill|at|width|precision|f?write|seek|close|flush"
)
"""The same of methods; a free function of such a name may be anybody's."""
