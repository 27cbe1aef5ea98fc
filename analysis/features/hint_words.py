"""What stands in an inlay hint: a few characters that say what the text does not.

Forms    How a value grows from thread to thread, `4·tid`, where neither the name's tint nor its initialiser tells:
         nothing for `int i = blockIdx.x * blockDim.x + threadIdx.x`, nor for `int j = 4 * tid`.  A form that is too
         long keeps its thread part, `4·tid + …`; where that is `tid` alone, it is no news.
         `tid` is `threadIdx.x`, unless the function has another use for that word.
Costs    `32/4 sectors`: one request of a warp moves 32 where 4 would do; `8-way conflict`.  `≤` where fewer lanes may
         take part.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from analysis.access.model import AccessKind, AccessPattern, Participation
from analysis.facts.model import AccessFact, FunctionFacts, VariableFact
from analysis.features.access_words import is_uncoalesced, rests_on_rows
from analysis.features.value_form import ValueForm
from analysis.ir.types import MemorySpace
from analysis.rules.form_text import UNNAMED

MAX_FORM: Final = 16
"""A longer one would push the code aside, and an editor cuts it."""

_TOKEN: Final = re.compile(r"[A-Za-z_]\w*|\d+")
_THREAD: Final = re.compile(r"\bthreadIdx\b(?:\.x\b)?")
_SHORT_NAME: Final = re.compile(rb"\btid\b")
_OF_THE_THREAD: Final = "threadIdx.x"
_PLAIN: Final = (_OF_THE_THREAD, "lane")
_INITIALISER: Final = re.compile(rb"\s*[=({]([^;]*)")


def access_label(access: AccessFact) -> str | None:
    """None where the cost is not known."""
    request = access.request
    if request is None or access.space in (MemorySpace.LOCAL, MemorySpace.GENERIC):
        return None
    most = "≤" if access.participation is Participation.UNKNOWN or rests_on_rows(request) else ""
    if access.pattern is AccessPattern.BROADCAST and request.lanes > 1:
        return "broadcast" if access.kind is AccessKind.LOAD else "one address"
    if access.space is MemorySpace.SHARED:
        if request.bank_ways is None:
            return None
        return "no conflict" if request.bank_ways == 1 else f"{most}{request.bank_ways}-way conflict"
    if request.far_apart is not None and is_uncoalesced(access):
        return f"{most}{request.far_apart.sectors}/{request.ideal_sectors} sectors"
    if request.sectors is None or request.ideal_sectors is None or not request.is_exact:
        return None
    if request.sectors <= request.ideal_sectors:
        return "coalesced"
    return f"{most}{request.sectors}/{request.ideal_sectors} sectors"


def form_label(form: ValueForm, text: bytes, variable: VariableFact, *, may_shorten: bool) -> str | None:
    """`4·tid`; None where that is no news beside the declaration in the function's `text`, or does not fit."""
    if form.form is None or form.thread is None or UNNAMED in form.thread:
        return None
    initialiser = _INITIALISER.match(text, variable.span.end)
    seen = _tokens("" if initialiser is None else initialiser[1].decode("utf-8", "replace"))
    seen += _tokens(variable.name.lower().replace("_", " ").removesuffix("id"))  # `laneId` says `lane`
    for candidate in (form.form, f"{form.thread} + {UNNAMED}"):
        label = (_THREAD.sub("tid", candidate) if may_shorten else candidate).replace("*", "·")
        if form.thread in _PLAIN and candidate != form.form:
            return None
        if not _tokens(candidate) - seen or not _tokens(label) - seen:
            return None
        if len(label) <= MAX_FORM:
            return label
    return None


def may_shorten(function: FunctionFacts, text: bytes, form_of_tid: str | None) -> bool:
    """Whether `tid` can only mean `threadIdx.x`; `form_of_tid` is that of the function's variable of this name."""
    declared = [variable for variable in function.variables if variable.name == "tid"]
    if not declared:
        return b"tid" not in text or _SHORT_NAME.search(text) is None
    return len(declared) == 1 and form_of_tid == _OF_THE_THREAD


def _tokens(text: str) -> Counter[str]:
    return Counter(_TOKEN.findall(text))
