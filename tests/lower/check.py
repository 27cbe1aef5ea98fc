"""`check`: CUDA text in, the promoted body as text beside it; only this file knows how lowering is called."""

from __future__ import annotations

from textwrap import dedent

from analysis.ir.ids import FunctionId
from analysis.ir.promote import promote
from analysis.ir.verifier import verify
from analysis.lower.program import Lowered, Program
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from analysis.syntax.translation_unit import TranslationUnit
from tests.ir.check import canonical


def program_of(text: str | bytes, headers: dict[str, str] | None = None) -> Program:
    data = text.encode() if isinstance(text, str) else text
    loader = DictLoader({path: content.encode() for path, content in (headers or {}).items()})
    return Program(TranslationUnit.build("main.cu", Document(data), loader))


def lower_all(text: str | bytes, headers: dict[str, str] | None = None) -> dict[FunctionId, Lowered]:
    """Every device function of the text and every instance they call, each verified."""
    program = program_of(text, headers)
    pending = [found.id for found in program.device_functions()]
    lowered: dict[FunctionId, Lowered] = {}
    while pending:
        id = pending.pop(0)
        if id not in lowered:
            lowered[id] = program.lower(id)
            assert verify(lowered[id].function) == (), id
            pending += lowered[id].callees
    return lowered


def lower_one(text: str, name: str, headers: dict[str, str] | None = None) -> Lowered:
    """The function whose id is `name` or starts with `name(`."""
    lowered = lower_all(text, headers)
    found = [value for id, value in lowered.items() if id == name or id.startswith(f"{name}(")]
    assert len(found) == 1, list(lowered)
    return found[0]


def body(lowered: Lowered) -> str:
    """The promoted blocks as text, without the header and the symbols' declarations."""
    lines = canonical(promote(lowered.function)).splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("block0"))
    return "\n".join(lines[start:-1])


def check(text: str, expected: str, name: str = "k", headers: dict[str, str] | None = None) -> Lowered:
    """Function `name` of `text` lowers to `expected`, with nothing opaque."""
    lowered = lower_one(text, name, headers)
    assert constructs(lowered) == []
    assert body(lowered) == dedent(expected).strip()
    return lowered


def clean(text: str, headers: dict[str, str] | None = None) -> dict[FunctionId, Lowered]:
    """Everything in `text` is understood."""
    lowered = lower_all(text, headers)
    assert {id: found for id, value in lowered.items() if (found := constructs(value))} == {}
    return lowered


def constructs(lowered: Lowered) -> list[str]:
    """What was not understood."""
    return [opaque.construct for opaque in lowered.opaques]


def branches(lowered: Lowered) -> list[str]:
    """The source branches, as `kind:keyword`."""
    source = lowered.item.text
    return [
        f"{branch.kind.value}:{source[branch.keyword.start : branch.keyword.end].decode()}"
        for branch in lowered.function.branches
    ]
