"""A raw string that does not end hides the rest of the file, as a comment does; many take no longer than one."""

from __future__ import annotations

import re

from analysis.syntax.lexing import HIDDEN, without_hidden


def test_what_stands_behind_its_beginning_is_hidden() -> None:
    assert without_hidden(b'a R"x(b)y" c\nd') == b"a R "
    assert without_hidden(b'a R"x(b)x" c\nd') == b"a R  c\nd"


def test_the_first_hides_the_others() -> None:
    text = b"".join(b'R"%d(text)" ' % number for number in range(50))
    found: list[re.Match[bytes]] = list(HIDDEN.finditer(text))
    assert [one.span() for one in found] == [(1, len(text))]
