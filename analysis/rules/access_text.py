"""What an access looks like in the source: `a[i].x` of `a[i].x = b[j] + 1`, and the name it starts with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, final

from analysis.facts.model import AccessFact, Location
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.rules.diagnostic import Related
from analysis.rules.source_text import FunctionText, one_line
from analysis.syntax.lexing import HIDDEN, without_hidden


@final
@record
class Site:
    """Accesses of one array that a rule reports together, at the first of them."""

    first: AccessFact
    others: tuple[AccessFact, ...]


def address_span(text: FunctionText, access: AccessFact) -> Span:
    """The text of the address inside that of the access; all of it where no subscript stands at its beginning."""
    return address_span_in(text, access.span)


def address_span_in(text: FunctionText, span: Span) -> Span:
    part = address_part(text.bytes(span))
    return span if part is None else Span(span.start + part.start, span.start + part.stop)


def address_part(text: bytes) -> slice | None:
    """Where in the text of an access its address stands; None where no subscript stands at its beginning."""
    found = HIDDEN.sub(_blanks, text)
    start = len(found) - len(found.lstrip(b" \t\r\n&+-"))
    end = _end_of_address(found, start)
    return None if end is None else slice(start, end)


def _end_of_address(text: bytes, start: int) -> int | None:
    """Behind `*(p + i)`, `*p`, `a[i].x`; None for calls and whatever else stands there."""
    pointer = _STARS.match(text, start)
    if pointer is not None and text[pointer.end() : pointer.end() + 1] == b"(":
        return closing(text, pointer.end())
    name = _NAME.match(text, start if pointer is None else pointer.end())
    if name is None:
        return None
    end = name.end()
    while (part := _MEMBER.match(text, end)) is not None or text[end : end + 1] == b"[":
        behind = part.end() if part is not None else closing(text, end)
        if behind is None:
            return None
        end = behind
    return None if _IS_CALL.match(text, end) else end


def address_text(text: FunctionText, access: AccessFact) -> str:
    return one_line(text.bytes(address_span(text, access)))


def array_name(text: FunctionText, access: AccessFact) -> str:
    """The word that the address starts with."""
    return re.split(r"[\[.(\-+ ]", address_text(text, access).lstrip("*( "), maxsplit=1)[0]


def sites_by_array(text: FunctionText, accesses: Sequence[AccessFact]) -> list[Site]:
    """The accesses in source order, those of one array at one stride together.

    Arrays that are reached at the same index are one site: it is the index that a person would change.
    """
    groups: dict[tuple[str, int | None], list[AccessFact]] = {}
    indices: dict[tuple[str, int | None], tuple[str, int | None]] = {}
    for access in accesses:
        name, index = array_name(text, access), index_text(text, access)
        group = name, access.stride
        if index is not None:
            group = indices.setdefault((index, access.stride), group)
        groups.setdefault(group, []).append(access)
    return [Site(group[0], tuple(_elsewhere(text, group))) for group in groups.values()]


def index_text(text: FunctionText, access: AccessFact) -> str | None:
    """What stands in the brackets of `a[i * n]`, if that is all; not a mere name, which two arrays share by chance."""
    written = without_hidden(text.bytes(address_span(text, access))).decode("utf-8", "replace")
    found = _INDEXED.fullmatch(written.strip())
    return None if found is None or _NAME.fullmatch(found[1].strip().encode()) else "".join(found[1].split())


def other_places(text: FunctionText, site: Site) -> tuple[Related, ...]:
    name = array_name(text, site.first)
    return tuple(
        Related(
            location_of(text, access),
            "the same array at the same stride" if array_name(text, access) == name else "another array there",
        )
        for access in site.others
    )


def location_of(text: FunctionText, access: AccessFact) -> Location:
    return text.location(address_span(text, access))


def _elsewhere(text: FunctionText, group: Sequence[AccessFact]) -> list[AccessFact]:
    """Each place once: `a[i] += 1` reads and writes there."""
    places: Mapping[Span, AccessFact] = {address_span(text, access): access for access in reversed(group)}
    here = address_span(text, group[0])
    return [access for span, access in reversed(places.items()) if span != here]


def closing(text: bytes, opening: int) -> int | None:
    """Behind the bracket that closes the first one from `opening` on; None without one."""
    depth = 0
    for bracket in _BRACKET.finditer(text, opening):
        depth += 1 if bracket[0] in b"([{" else -1
        if not depth:
            return bracket.end()
    return None


def _blanks(match: re.Match[bytes]) -> bytes:
    return b" " * len(match[0])


_BRACKET: Final = re.compile(rb"[()\[\]{}]")
_INDEXED: Final = re.compile(r"[A-Za-z_]\w*\s*\[([^\[\]]+)\]")
_STARS: Final = re.compile(rb"(?:\*\s*)+")
_NAME: Final = re.compile(rb"[A-Za-z_]\w*")
_IS_CALL: Final = re.compile(rb"\s*(?:\(|::|<)")
_MEMBER: Final = re.compile(rb"\s*(?:\.|->)\s*[A-Za-z_]\w*(?!\s*\()")
