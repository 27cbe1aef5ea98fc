"""Does a function call another one only in code that constants of the program leave out?

Rules    `#if SAMPLED` around a call, with `#define SAMPLED 0` in a file of the unit, is a decision of the program: the
         call is not compiled, whoever builds it.  A name that nothing defines may be defined by another build, so what
         it leaves out counts as a call.
"""

from __future__ import annotations

import re
from typing import Final

from analysis.syntax.items import Item
from analysis.syntax.lexing import HIDDEN, IDENTIFIER, without_hidden
from analysis.syntax.translation_unit import TranslationUnit

_STEP: Final = re.compile(
    rb"^[ \t]*#[ \t]*(?P<directive>if|ifdef|ifndef|elif|else|endif)\b(?P<condition>[^\n]*)|[A-Za-z_$][\w$]*",
    re.MULTILINE,
)
_OPENING: Final = frozenset({b"if", b"ifdef", b"ifndef"})


def leaves_out(unit: TranslationUnit, caller: Item, name: bytes) -> bool:
    """Whether the text of `caller` names a function, and nothing of it does that is compiled."""
    if name in IDENTIFIER.findall(without_hidden(unit.plain_snippet(caller).text)):
        return False
    defined = {word for word, history in unit.macros.names.items() if history and history[-1][1] is not None}
    around: list[set[bytes]] = []
    found = False
    for step in _STEP.finditer(HIDDEN.sub(_blank, caller.text)):
        directive = step["directive"]
        if directive is None:
            if step[0] == name:
                found = True
                if not around or not defined.issuperset(set[bytes]().union(*around)):
                    return False
        elif directive in _OPENING:
            around.append(_words(step["condition"]))
        elif directive == b"endif":
            del around[-1:]
        elif around:
            around[-1] |= _words(step["condition"])
    return found


def _words(condition: bytes) -> set[bytes]:
    return set(IDENTIFIER.findall(condition)) - {b"defined"}


def _blank(hidden: re.Match[bytes]) -> bytes:
    return b" "
