"""Textual IR in, affine facts by name out."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.affine.analysis import analyze_affine
from analysis.affine.atoms import Atom, IterationAtom, RegisterAtom, ResidualAtom, SymbolAtom, ValueAtom
from analysis.affine.interval import Interval
from analysis.affine.linear_form import LinearForm, format_form
from analysis.affine.result import AffineResult
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.ir.ids import ValueId
from tests.support.textual import HEADER, Facts, analyze

ROW = LaunchKnowledge((BlockShape(256),))
SQUARE = LaunchKnowledge((BlockShape(16, 16),))


@dataclass(frozen=True)
class AffineFacts:
    """`form` writes atoms as the names of the text, `iter` for an iteration, `rest(x)` for a residual."""

    facts: Facts
    result: AffineResult

    def value(self, name: str) -> ValueId:
        return self.facts.named.values[name]

    def form(self, name: str, at: str | None = None) -> str:
        value = self.value(name)
        form = self.result.form(value) if at is None else self.result.form_at(value, self.facts.named.labels[at])
        return self._text(form)

    def _text(self, form: LinearForm | None) -> str:
        if form is None:
            return "unknown"
        return format_form(form, self._spell) + ("" if form.exact else " if nothing wraps")

    def range(self, name: str, at: str | None = None) -> tuple[int, int]:
        value = self.value(name)
        found: Interval = (
            self.result.range(value) if at is None else self.result.range_at(value, self.facts.named.labels[at])
        )
        return found.low, found.high

    def _spell(self, atom: Atom) -> str:
        words = {value: word for word, value in self.facts.named.values.items()}
        match atom:
            case ValueAtom(value):
                return words[value]
            case ResidualAtom(value):
                return f"rest({words[value]})"
            case RegisterAtom(register):
                return register.value
            case SymbolAtom(symbol):
                return f"${symbol}"
            case IterationAtom():
                return "iter"


def affine(body: str, launch: LaunchKnowledge | None = None, header: str = HEADER) -> AffineFacts:
    facts = analyze(body, header, launch)
    return AffineFacts(facts, analyze_affine(facts.named.function, facts.result.control, facts.result))


PRELUDE = """entry:
  %tx: u32 = special thread.x
  %ty: u32 = special thread.y
  %bx: u32 = special block.x
  %dx: u32 = special block_dim.x
  %gx: u32 = special grid_dim.x
  %t: s32 = convert %tx
  %c0: s32 = const 0
  %c1: s32 = const 1
  %c5: u32 = const 5
  %c31: u32 = const 31
  %c32: u32 = const 32
  %start: u32 = mul %bx, %dx
  %unsigned: u32 = add %start, %tx
  %i: s32 = convert %unsigned
"""
