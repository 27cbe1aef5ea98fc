"""Which functions have a body that nobody else looks at while his own text is read?

Question  May the text between the braces of this function change without changing what lowering its callers gives?
Rules     The body is hidden where a call needs the head alone: of a function that only the device runs, whose return
          type is spelled, that is no constant expression, and no constructor, destructor or assignment, which decide
          what copies and ends of objects do.
          Of overloads of one class the bodies are compared: they are not hidden.
          The text must be read without any error, or the body decides how the head is read.
          What a body declares hides what the same names mean in the head (`hides`), so that belongs to the head.
Limits    Who calls with a lambda, or takes any thread group, looks into all bodies (`may_look_into_others`).
"""

import re
from collections.abc import Container
from functools import lru_cache
from typing import Final, NamedTuple, final

from analysis.ir.pace import paced
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import identifiers, stretches, without_comments
from analysis.syntax.snippet import Snippet

_LOOKED_INTO: Final = frozenset(
    {b"auto", b"decltype", b"constexpr", b"consteval", b"requires", b"concept", b"thread_group", b"__host__", b"try"}
)
"""Words of a head: the body of such a function counts for others."""
_RESERVED: Final = frozenset(
    b"void bool char short int long float double signed unsigned const volatile static inline extern template typename "
    b"__device__ __global__ __forceinline__ __noinline__ __inline__ __launch_bounds__ __restrict__ __restrict".split()
)
"""Words of a head that no body declares."""
_TYPES: Final = re.compile(rb"\b(?:typedef|using|struct|class|union|enum)\b")
DECLARED: Final = re.compile(rb"(?<=[\w>*&,])\s*\b([A-Za-z_$][\w$]*)(?=\s*[=;,)\[({:])")
_GAP: Final = re.compile(rb"\s*\S?")
_DIRECTIVE: Final = re.compile(rb"^[ \t]*#", re.MULTILINE)
_BRACKET: Final = re.compile(rb"\[")
_DOUBLED: Final = re.compile(rb"\[\s*+\[")
_GROUP: Final = re.compile(rb"\bthread_group\b")
_BLANKS: Final = frozenset(b" \t\r\n\f\v")
_WORD_BYTES: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$")
_BEFORE_SUBSCRIPT: Final = frozenset({b")", b"]", b"["})
_DIGITS: Final = b"0123456789"
_BEFORE_LAMBDA: Final = frozenset(b"return else do case throw and or not xor co_return co_yield co_await".split())
_PARAMETERS: Final = frozenset({"parameter_declaration", "optional_parameter_declaration"})
_RECORDS: Final = frozenset({"struct_specifier", "class_specifier", "union_specifier"})


@final
class HiddenBody(NamedTuple):
    """Where the body starts in the text of the item, and which names of the head it may declare itself."""

    start: int
    hides: frozenset[bytes]


def may_be_hidden(item: Item) -> bool:
    """Whether it is worth a look at the tree."""
    if item.kind is not ItemKind.FUNCTION or not (item.is_definition and item.is_device and item.active):
        return False
    if item.is_constexpr or item.is_friend or item.from_macro:
        return False
    if b"#" in item.text and _DIRECTIVE.search(item.text) is not None:
        return False
    return item.name != item.owner and not item.name.startswith("~") and item.name != "operator="


def hidden_body(item: Item, snippet: Snippet) -> HiddenBody | None:
    """The body of a function for which `may_be_hidden` holds; None where others look into it."""
    body = snippet.root.field("body")
    if snippet.is_mended or snippet.problems or snippet.root.kind != "function_definition":
        return None
    if body is None or body.kind != "compound_statement":
        return None
    place = snippet.span(body.start, body.end)
    if item.text[place.start : place.start + 1] != b"{" or item.text[place.end - 1 : place.end] != b"}":
        return None
    if item.text[place.end :].strip(b"; \t\r\n"):
        return None
    named = identifiers(snippet.text[: body.start])
    if not named.isdisjoint(_LOOKED_INTO):
        return None
    inside = snippet.text[body.start : body.end]
    if any(_TYPES.search(inside, start, end) for start, end in stretches(inside)):
        return HiddenBody(place.start, named & identifiers(inside))
    others = named - _RESERVED - _parameters(snippet, body.start)
    if not any(name in inside for name in others):  # mostly
        return HiddenBody(place.start, frozenset())
    return HiddenBody(place.start, others & declared_names(inside))


def declared_names(text: bytes) -> frozenset[bytes]:
    """The names that stand where a declaration may; a stretch is looked at with the white space around it."""
    found: set[bytes] = set()
    for start, end in stretches(text):
        while text[start - 1 : start].isspace():
            start -= 1
        gap = _GAP.match(text, end)
        found.update(DECLARED.findall(text, start, end if gap is None else gap.end()))
    return frozenset(found)


def _parameters(snippet: Snippet, end: int) -> frozenset[bytes]:
    """The names that the head declares already, whatever the body does."""
    declarator = snippet.root.field("declarator")
    found: set[bytes] = set()
    for node in () if declarator is None else declarator.walk():
        if node.kind in _PARAMETERS:
            name = node.field("declarator")
            while name is not None and name.kind != "identifier":
                name = name.field("declarator")
            if name is not None:
                found.add(name.text)
    return frozenset(found.intersection(DECLARED.findall(snippet.text[:end])))


def is_plain_record(snippet: Snippet) -> bool:
    """Whether a class is read without any error."""
    return not (snippet.is_mended or snippet.problems) and snippet.root.kind in _RECORDS


def may_look_into_others(text: bytes, macros: Container[bytes]) -> bool:
    """Whether a lambda may stand in `text`, or a thread group of any kind: calls are then lowered with the body."""
    if b"[" not in text and b"<:" not in text and b"thread_group" not in text:
        return False
    # A comment before a bracket looks like the start of a lambda, so what has none with comments has none without.
    return _has_lambda(text, macros) and (b"/" not in text or _has_lambda(without_comments(text), macros))


def _has_lambda(text: bytes, macros: Container[bytes]) -> bool:
    names = _before_brackets(text)
    return names is None or any(name in macros for name in names)  # who knows what a macro ends with


@lru_cache(maxsize=1 << 10)
def _before_brackets(text: bytes) -> frozenset[bytes] | None:
    """The names that stand before brackets; None where a lambda stands in the text."""
    if b"<:" in text or (b"thread_group" in text and _GROUP.search(text) is not None):
        return None
    found: set[bytes] = set()
    for bracket in paced(_BRACKET.finditer(text), 2):
        start = end = bracket.start()
        while end > 0 and text[end - 1] in _BLANKS:
            end -= 1
        begin = end
        while begin > 0 and text[begin - 1] in _WORD_BYTES:
            begin -= 1
        word = text[begin:end]
        is_subscript = word not in _BEFORE_LAMBDA if word else text[end - 1 : end] in _BEFORE_SUBSCRIPT
        if (not is_subscript or b"\n" in text[end:start]) and _DOUBLED.match(text, start) is None:
            return None
        if word:
            found.add(word.lstrip(_DIGITS))
    return frozenset(found)
