"""All repairs of some kind in one text, applied one after the other until no more is offered.

Rules     Where two overlap, the first is applied, and the other is looked for again in the text that this leaves.
          A text with more syntax errors than before is thrown away.
Limits    Repairs that only a run can check are none of these (`barrier_repairs.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Generic, Protocol, TypeVar, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.ir.record import record
from analysis.refactor.edit import Replacement, apply_replacements, composed
from analysis.rules.diagnostic import Applicability, Diagnostic

MAX_ROUNDS: Final = 8


class Checked(Protocol):
    """A text with its facts and what the rules say about it."""

    @property
    def analysis(self) -> FileAnalysis: ...

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]: ...


Text = TypeVar("Text", bound=Checked)


@final
@record
class Selection:
    """Which repairs are meant: those of the rule `code` (None: of any); `unsafe` includes those that are not safe."""

    code: str | None
    unsafe: bool

    def of(self, diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
        """Those that can be repaired together, in one step."""
        return _apart([one for one in diagnostics if self._takes(one)])

    def _takes(self, diagnostic: Diagnostic) -> bool:
        if diagnostic.fix is None or self.code not in (None, diagnostic.code):
            return False
        return self.unsafe or diagnostic.fix.applicability is Applicability.SAFE


@final
@record
class FixedAll(Generic[Text]):
    """`edit` turns the first text into the one of `after`; `applied` are the findings, each as it was when repaired."""

    after: Text
    edit: tuple[Replacement, ...]
    applied: tuple[Diagnostic, ...]


def fix_all(before: Text, selection: Selection, recheck: Callable[[bytes], Text]) -> FixedAll[Text]:
    """`recheck` says of another text of the same file what `before` is of the first one."""
    after = before
    edit: tuple[Replacement, ...] = ()
    applied: list[Diagnostic] = []
    for _ in range(MAX_ROUNDS):
        chosen = selection.of(after.diagnostics)
        step = sorted((one for found in chosen for one in _edits(found)), key=lambda one: one.start)
        changed = changed_text(after, step, recheck)
        if not chosen or changed is None:
            break
        applied += chosen
        edit = composed(edit, step)
        after = changed
    return FixedAll(after, edit, tuple(applied))


def changed_text(before: Text, edit: Sequence[Replacement], recheck: Callable[[bytes], Text]) -> Text | None:
    """The text after the edit; None where it cannot be read as well as before."""
    after = recheck(apply_replacements(before.analysis.document.text, edit))
    return None if after.analysis.facts.parse_errors > before.analysis.facts.parse_errors else after


def _apart(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Without those that touch what an earlier one changes."""
    chosen: list[Diagnostic] = []
    taken: list[Replacement] = []
    for one in diagnostics:
        edits = _edits(one)
        if all(edit.end < other.start or other.end < edit.start for edit in edits for other in taken):
            chosen.append(one)
            taken += edits
    return chosen


def _edits(diagnostic: Diagnostic) -> tuple[Replacement, ...]:
    return () if diagnostic.fix is None else diagnostic.fix.replacements
