"""Programs of C++ with a few words taken out or put in, as they are while somebody types: nothing may fail on them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Final

from analysis.rules.check import check
from analysis.rules.settings import RuleSettings
from tests.cpp.referee import random_program
from tests.rules.fixture import analyze

_WORD: Final = re.compile(r"\w+|\s+|::|->\*?|\.\*|.", re.DOTALL)
_PUT_IN: Final = (
    *("", "", ";", "(", ")", "*", ".", "&", "1", "x ", "{", "}", "<", ">", ",", "[", "]", "::", "int ", "return "),
    *('"', "=", ".*", "->*", "~", "?", ":"),
)
"""Before a word that stays; the empty one takes the word out."""
_TEXTS: Final = 4
"""Of one program."""


def damaged(seed: int) -> Iterator[str]:
    """Texts that are almost one program."""
    _, program = random_program(seed)
    words = _WORD.findall(program.text)
    random = Random(seed)
    for _ in range(_TEXTS):
        text = list(words)
        for _ in range(random.choice((1, 1, 2, 4))):
            at, put_in = random.randrange(len(text)), random.choice(_PUT_IN)
            text[at] = put_in + text[at] if put_in else ""
        yield "".join(text)


def failure(text: str) -> str | None:
    """What the analysis of a text, or a rule, raised."""
    try:
        check(analyze(text), RuleSettings())
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None
