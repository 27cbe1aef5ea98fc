"""What requests and reports see of an analysed document: the analysis, with all that the session knows besides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, final

from analysis.syntax.line_index import PositionEncoding
from simt_lsp.server.analyses.analysed import Analysed, AnalysisJob, Checked
from simt_lsp.server.documents.store import DocumentStore
from simt_lsp.server.session.other_files import OtherFiles
from simt_lsp.server.simulations.checked_barriers import BarrierPlace, CheckedBarriers
from simt_lsp.server.simulations.checked_melds import CheckedMeld, CheckedMelds, MeldIdentity, text_digest
from simt_lsp.server.simulations.launched import SimulatedLaunches
from simt_lsp.server.simulations.results import Placed, Placement, Running, SimulationResults
from simt_lsp.server.simulations.run_checks import FindingIdentity, RunChecks
from simt_lsp.server.transport.client import ClientFeatures
from simt_lsp.server.views.view import Known, View

if TYPE_CHECKING:
    from analysis.facts.file_analysis import FileAnalysis
    from analysis.facts.model import BranchFact, FunctionFacts
    from analysis.launches import Launch
    from sim.report.json_report import KernelObject
    from simt_lsp.run_check import RunCheck
    from simt_lsp.server.simulations.edit_outcome import CheckedEdit


class Session(Protocol):
    """What the session knows."""

    encoding: PositionEncoding
    client_features: ClientFeatures
    documents: DocumentStore
    job: AnalysisJob
    other_files: OtherFiles
    placement: Placement
    simulations: SimulationResults
    launches: SimulatedLaunches
    melds: CheckedMelds
    barriers: CheckedBarriers
    run_checks: RunChecks


@final
class Views:
    """For the worker's thread."""

    def __init__(self, ls: Session) -> None:
        self._ls = ls

    def of(self, analysed: Analysed) -> View | None:
        """None for what has no analysis."""
        if analysed.analysis is None:
            return None
        known = KnownHere(self._ls, analysed, analysed.analysis)
        return View(analysed, analysed.analysis, self._ls.encoding, self._ls.client_features, known)


@final
class KnownHere(Known):
    """Asks the session."""

    def __init__(self, ls: Session, analysed: Analysed, analysis: FileAnalysis) -> None:
        self._ls = ls
        self._analysed = analysed
        self._analysis = analysis
        self._uri = analysed.item.uri

    def read(self, path: str) -> bytes | None:
        return self._ls.job.read(path)

    def uri_of(self, path: str) -> str:
        return self._ls.other_files.uri_of(path)

    def open_texts(self) -> Mapping[str, bytes]:
        return self._ls.documents.overlay()

    def placed(self) -> tuple[Placed, ...]:
        return self._ls.placement.placed(self._analysed, self._analysis, self._ls.simulations.of(self._uri))

    def running(self) -> tuple[Running, ...]:
        return self._ls.simulations.running(self._uri)

    def launches(self) -> Mapping[str, Sequence[Launch]]:
        return self._ls.placement.launches(self._analysis)

    def definers(self, name: str) -> tuple[str, ...]:
        return self._ls.other_files.definers(self._analysed.item.analysis_path, name)

    def simulated_launch(self, launch: Launch) -> KernelObject | None:
        return self._ls.launches.report_of(self._ls.simulations, self._uri, launch)

    def checked_meld(self, function: FunctionFacts, branch: BranchFact) -> CheckedMeld | None:
        if not self._ls.melds.knows(self._uri):
            return None
        return self._ls.melds.of(self._uri, self.meld_identity(function, branch))

    def meld_identity(self, function: FunctionFacts, branch: BranchFact) -> MeldIdentity:
        known = self._ls.placement.identity_of(self._analysed, self._analysis, function)
        return MeldIdentity(known.kernel, known.launch, branch.keyword, self._analysed.configuration.rules.meld)

    def checked_barriers(self, place: BarrierPlace) -> CheckedEdit | None:
        return self._ls.barriers.of(self._uri, place)

    def confirmed_functions(self) -> frozenset[int]:
        return self._ls.barriers.confirmed(self._uri, text_digest(self._analysed.item.document.text))

    def run_checks(self) -> Mapping[FindingIdentity, RunCheck]:
        return self._ls.run_checks.of(self._uri)

    def run_state(self, function: FunctionFacts) -> bytes:
        """Of a function that kernels call, all of the text decides."""
        if function in self._analysis.facts.kernels():
            return self._ls.placement.identity_of(self._analysed, self._analysis, function).launch
        return text_digest(self._analysed.item.document.text)

    def recheck(self, text: bytes) -> Checked:
        return self._ls.job.recheck(self._analysed, text)
