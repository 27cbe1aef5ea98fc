"""What the body of a function declares is found stretch by stretch."""

from random import Random

import pytest

from analysis.syntax import lexing
from analysis.syntax.hidden_bodies import DECLARED, declared_names

PIECES = ("int", "x", "long_name", " ", "\n", "  \n ", "*", "&", ">", ",", "=", ";", "(", ")", "{", "[", ":", "3", "\t")


@pytest.mark.parametrize("stretch", [1, 3, 8])
def test_stretches_find_what_the_whole_text_has(stretch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexing, "STRETCH", stretch)
    random = Random(stretch)
    for _ in range(500):
        text = "".join(random.choices(PIECES, k=random.randint(0, 40))).encode()
        assert declared_names(text) == frozenset(DECLARED.findall(text)), text
