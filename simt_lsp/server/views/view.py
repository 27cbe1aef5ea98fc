"""One analysed document as one client sees it: offsets become positions in the negotiated encoding."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, final

from lsprotocol import types

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.syntax.line_index import LineIndex, PositionEncoding
from simt_lsp.run_check import RunCheck
from simt_lsp.server.analyses.analysed import Analysed, Checked
from simt_lsp.server.simulations.checked_barriers import BarrierPlace
from simt_lsp.server.simulations.checked_melds import CheckedMeld, MeldIdentity
from simt_lsp.server.simulations.edit_outcome import CheckedEdit
from simt_lsp.server.simulations.results import Placed, Running
from simt_lsp.server.simulations.run_checks import FindingIdentity
from simt_lsp.server.transport.client import ClientFeatures

if TYPE_CHECKING:
    from analysis.facts.analyzer import FileAnalysis
    from analysis.facts.model import BranchFact, FunctionFacts
    from analysis.launches import Launch
    from sim.report.json_report import KernelObject


class Known(ABC):
    """What the session knows of one document besides its analysis; belongs to the worker's thread."""

    @abstractmethod
    def read(self, path: str) -> bytes | None:
        """The text at `path` now: the open document, or else the file."""

    @abstractmethod
    def uri_of(self, path: str) -> str:
        """As the client spells it."""

    @abstractmethod
    def open_texts(self) -> Mapping[str, bytes]:
        """By path."""

    @abstractmethod
    def placed(self) -> tuple[Placed, ...]:
        """Results of simulations that hold for this version."""

    @abstractmethod
    def running(self) -> tuple[Running, ...]: ...

    @abstractmethod
    def launches(self) -> Mapping[str, Sequence[Launch]]:
        """Those of the document, and those in the file around a header, by the names of kernels."""

    @abstractmethod
    def definers(self, name: str) -> tuple[str, ...]:
        """The files of the project that may define a function which the document only declares."""

    @abstractmethod
    def simulated_launch(self, launch: Launch) -> KernelObject | None:
        """What the simulation of a launch here counted, if that holds; its kernel may stand in another file."""

    @abstractmethod
    def meld_identity(self, function: FunctionFacts, branch: BranchFact) -> MeldIdentity:
        """What a check of melding the arms of a branch holds for."""

    @abstractmethod
    def checked_meld(self, function: FunctionFacts, branch: BranchFact) -> CheckedMeld | None: ...

    @abstractmethod
    def checked_barriers(self, place: BarrierPlace) -> CheckedEdit | None: ...

    @abstractmethod
    def confirmed_functions(self) -> frozenset[int]:
        """Where functions begin of which a repair of barriers was checked, in this very text, and confirmed."""

    @abstractmethod
    def run_checks(self) -> Mapping[FindingIdentity, RunCheck]: ...

    @abstractmethod
    def run_state(self, function: FunctionFacts) -> bytes:
        """A digest of what decides runs of a function besides its own text, and that of what it uses."""

    @abstractmethod
    def recheck(self, text: bytes) -> Checked:
        """What the analysis and the rules say of another text of the document."""


@final
@record
class View:
    """One analysed document as one client counts positions; belongs to the worker's thread."""

    analysed: Analysed
    analysis: FileAnalysis
    encoding: PositionEncoding
    features: ClientFeatures
    known: Known
    _other_lines: dict[str, LineIndex | None] = field(default_factory=dict[str, "LineIndex | None"])

    @property
    def checked(self) -> Checked:
        return Checked(self.analysis, self.analysed.diagnostics)

    def offset(self, position: types.Position) -> int:
        """The byte offset of a client's position."""
        lines = self.analysed.item.document.lines
        return lines.offset(position.line, position.character, self.encoding)

    def position(self, offset: int) -> types.Position:
        return client_position(self.analysed.item.document.lines, offset, self.encoding)

    def range(self, start: int, end: int) -> types.Range:
        return types.Range(self.position(start), self.position(max(start, end)))

    def location(self, location: Location) -> types.Location | None:
        """A place in this or another file; None when that file cannot be read any more."""
        item = self.analysed.item
        if location.path == item.analysis_path:
            return types.Location(item.uri, self.range(location.start, location.end))
        lines = self._lines_of(location.path)
        if lines is None:
            return None
        start = client_position(lines, location.start, self.encoding)
        end = client_position(lines, max(location.start, location.end), self.encoding)
        return types.Location(self.known.uri_of(location.path), types.Range(start, end))

    def _lines_of(self, path: str) -> LineIndex | None:
        if path not in self._other_lines:
            text = self.known.read(path)
            self._other_lines[path] = None if text is None else LineIndex(text)
        return self._other_lines[path]


def printable(text: str) -> str:
    """`text` without lone surrogates, which stand for bytes that are not UTF-8 and which many clients refuse."""
    return text.encode("utf-8", "replace").decode("utf-8")


def client_position(lines: LineIndex, offset: int, encoding: PositionEncoding) -> types.Position:
    line, character = lines.position(offset, encoding)
    return types.Position(line, character)
