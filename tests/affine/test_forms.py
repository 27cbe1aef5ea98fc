"""Linear forms, from textual IR to the words of the source."""

from __future__ import annotations

from analysis.affine.analysis import analyze_affine
from analysis.affine.atoms import Atom, RegisterAtom, SymbolAtom, ValueAtom
from analysis.affine.linear_form import format_form
from analysis.divergence.launch_shape import LaunchKnowledge
from tests.support.textual import HEADER, analyze


def form_of(body: str, name: str, header: str = HEADER, launch: LaunchKnowledge | None = None) -> str:
    facts = analyze(body, header, launch)
    words = {value: word for word, value in facts.named.values.items()}

    def spell(atom: Atom) -> str:
        match atom:
            case ValueAtom(value):
                return words[value]
            case RegisterAtom(register):
                return register.value
            case SymbolAtom(symbol):
                return f"${symbol}"
            case _:
                return repr(atom)

    result = analyze_affine(facts.named.function, facts.result.control, facts.result)
    form = result.form(facts.named.values[name])
    return "unknown" if form is None else format_form(form, spell)


def test_a_row_and_a_column_unify() -> None:
    text = """entry:
  %t: u32 = special thread.x
  %i: s32 = convert %t
  %b: u32 = special block.x
  %row: s32 = convert %b
  %offset: s32 = mul %row, %n
  %place: s32 = add %offset, %i
  %back: s32 = sub %place, %offset
  %x: ptr<global s32> = element %p, %place
  return"""
    assert form_of(text, "place") == "threadIdx.x + n*block.x"
    assert form_of(text, "back") == "threadIdx.x"
    assert form_of(text, "x") == "4*threadIdx.x + 4*n*block.x + p"
