"""What files pass to the functions of those that they include, kept with all that it rests on.

Rules    One entry per file, in memory and in the user's cache folder: what it passes, with the questions that were
         asked for it and hashes of their answers (`surroundings.py`).  It holds while the answers are these, whatever
         else changes; nothing is ever assumed of a file for which it does not hold.
         On disk it is kept as `kept_on_disk.py` says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from analysis.ir.record import record
from simt_lsp.workspace.disk_loader import Question, path_key
from simt_lsp.workspace.kept_on_disk import Classes, KeptOnDisk
from simt_lsp.workspace.surroundings import Surroundings, Trace, names_in

if TYPE_CHECKING:
    from analysis.facts.calls import CallsOfFile

MAX_FILES: Final = 4_000
MAX_SHARED: Final = 300_000
_CLASSES: Final[Classes] = frozenset(
    {
        ("analysis.facts.calls", "CallsOfFile"),
        ("analysis.facts.calls", "FunctionKey"),
        ("analysis.facts.calls", "Calls"),
        ("analysis.facts.calls", "CallSite"),
        ("analysis.facts.model", "Taken"),
        ("analysis.facts.model", "PartOf"),
        ("analysis.verdict.shares", "Share"),
        ("analysis.divergence.call_context", "CallContext"),
        ("analysis.divergence.call_context", "Argument"),
        ("analysis.divergence.launch_shape", "BlockShape"),
        ("analysis.divergence.levels", "Level"),
        ("analysis.ir.launch_relation", "ArgumentRelation"),
        ("analysis.ir.launch_relation", "RelationKind"),
        ("analysis.ir.operators", "SpecialRegister"),
        ("analysis.ir.types", "MemorySpace"),
    }
)


@final
@record
class Passed:
    """What a file passes to the functions of those that it includes.

    `touched` are the paths that its analysis looked at, `asked` the names that it asked other files for.
    """

    calls: CallsOfFile
    touched: frozenset[str]
    asked: frozenset[str]


@final
class KeptCalls:
    """See the top of the file; belongs to one thread."""

    def __init__(self, folder: Path | None, roots: Callable[[], Sequence[str]]) -> None:
        """`folder`: the user's cache folder; nothing is written below one of `roots`."""
        self._disk = KeptOnDisk(None if folder is None else folder / "callers", roots, _CLASSES, MAX_FILES)
        self._kept: dict[str, tuple[Trace, Passed]] = {}
        self._same: dict[Any, Any] = {}
        """Questions and hashes that many traces share."""

    def get(self, path: str, around: Surroundings) -> Passed | None:
        """What `path` passes, if it was found with what is around it now."""
        known = self._kept.get(path)
        if known is not None and around.tell(known[0]):
            return known[1]
        written = self._disk.read(path)
        if written is None or not around.tell(written[0]):
            return None
        return self._keep(path, *written)

    def put(self, path: str, trace: Trace, calls: CallsOfFile) -> Passed:
        """It was worked out now."""
        self._disk.write(path, (dict(trace), calls))
        return self._keep(path, trace, calls)

    def _keep(self, path: str, trace: Trace, calls: CallsOfFile) -> Passed:
        shared = {self._one(question): self._one(answer) for question, answer in trace.items()}
        passed = passed_with(shared, calls)
        self._kept[path] = shared, passed
        return passed

    def _one(self, value: Any) -> Any:
        if len(self._same) >= MAX_SHARED:
            self._same.clear()
        return self._same.setdefault(value, value)


def passed_with(trace: Mapping[Question, bytes], calls: CallsOfFile) -> Passed:
    """What a file passes, with the paths and names that this rests on."""
    paths = (question[1] for question in trace if question[0] in ("text", "exists"))
    return Passed(calls, frozenset(map(path_key, paths)), names_in(trace))
