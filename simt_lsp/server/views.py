"""What requests and reports see of an analysed document: the analysis, with all that the session knows besides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, final

from analysis.syntax.line_index import PositionEncoding
from simt_lsp.server.analysed import Analysed, AnalysisJob
from simt_lsp.server.client import ClientFeatures
from simt_lsp.server.convert import View
from simt_lsp.server.documents import DocumentStore
from simt_lsp.server.other_files import OtherFiles
from simt_lsp.server.simulation.checked_barriers import CheckedBarriers
from simt_lsp.server.simulation.checked_melds import CheckedMeld, CheckedMelds, MeldIdentity, text_digest
from simt_lsp.server.simulation.launched import SimulatedLaunches
from simt_lsp.server.simulation.results import Placement, SimulationResults
from simt_lsp.server.simulation.run_checks import RunChecks

if TYPE_CHECKING:
    from analysis.facts.file_analysis import FileAnalysis
    from analysis.facts.model import BranchFact, FunctionFacts


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
        return None if analysed.analysis is None else self._view(analysed, analysed.analysis)

    def meld_identity(self, view: View, function: FunctionFacts, branch: BranchFact) -> MeldIdentity:
        """What a check of melding the arms of a branch holds for."""
        return self._meld_identity(view.analysed, view.analysis, function, branch)

    def _view(self, analysed: Analysed, analysis: FileAnalysis) -> View:
        ls = self._ls
        uri = analysed.item.uri
        return View(
            analysed,
            analysis,
            ls.encoding,
            ls.client_features,
            ls.job.read,
            ls.other_files.uri_of,
            ls.documents.overlay,
            lambda: ls.placement.placed(analysed, analysis, ls.simulations.of(uri)),
            lambda: ls.simulations.running(uri),
            lambda: ls.placement.launches(analysis),
            lambda name: ls.other_files.definers(analysed.item.analysis_path, name),
            lambda launch: ls.launches.report_of(ls.simulations, uri, launch),
            lambda function, branch: self._checked_meld(analysed, analysis, function, branch),
            lambda place: ls.barriers.of(uri, place),
            lambda: ls.barriers.confirmed(uri, text_digest(analysed.item.document.text)),
            lambda: ls.run_checks.of(uri),
            lambda function: self._run_state(analysed, analysis, function),
            lambda text: ls.job.recheck(analysed, text),
        )

    def _run_state(self, analysed: Analysed, analysis: FileAnalysis, function: FunctionFacts) -> bytes:
        """Of a function that kernels call, all of the text decides."""
        if function in analysis.facts.kernels():
            return self._ls.placement.identity_of(analysed, analysis, function).launch
        return text_digest(analysed.item.document.text)

    def _meld_identity(
        self, analysed: Analysed, analysis: FileAnalysis, function: FunctionFacts, branch: BranchFact
    ) -> MeldIdentity:
        known = self._ls.placement.identity_of(analysed, analysis, function)
        return MeldIdentity(known.kernel, known.launch, branch.keyword, analysed.configuration.rules.meld)

    def _checked_meld(
        self, analysed: Analysed, analysis: FileAnalysis, function: FunctionFacts, branch: BranchFact
    ) -> CheckedMeld | None:
        uri = analysed.item.uri
        if not self._ls.melds.knows(uri):
            return None
        return self._ls.melds.of(uri, self._meld_identity(analysed, analysis, function, branch))
