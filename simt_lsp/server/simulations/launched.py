"""Is a launch that was simulated still what its file says?

Rules    In an open document it is, as long as the document has a launch that says the same, wherever that stands, and
         of a template, the same host code; of a file that is not open, as long as its text is the same.
         A kernel's document is shown again when a document from which it was launched says something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, final

from simt_lsp.server.simulations.checked_melds import text_digest
from simt_lsp.server.simulations.identity import host_digest
from simt_lsp.server.simulations.outcome import Finished

if TYPE_CHECKING:
    from analysis.launches import Launch
    from sim.report.json_report import KernelObject
    from simt_lsp.server.analyses.analysed import Analysed
    from simt_lsp.server.simulations.results import LaunchedFrom, Placement, Simulated, SimulationResults


@final
class SimulatedLaunches:
    """For the worker's thread."""

    def __init__(
        self,
        results: Callable[[], Iterable[tuple[str, object, Analysed]]],
        placement: Placement,
        read: Callable[[str], bytes | None],
    ) -> None:
        """`placement` asks `holds`; `results` are the newest of all open documents; `read` reads them and files."""
        self._results = results
        self._placement = placement
        placement.is_launched = self.holds
        self._read = read
        self._said: dict[str, frozenset[Launch]] = {}

    def holds(self, origin: LaunchedFrom) -> bool:
        for uri, _, analysed in self._results():
            if uri == origin.uri and analysed.analysis is not None:
                launches = self._placement.launches(analysed.analysis).get(origin.launch.kernel, ())
                is_same_host = origin.host is None or host_digest(analysed.analysis) == origin.host
                return is_same_host and origin.launch in launches  # equal wherever it stands
        text = self._read(origin.path)
        return text is not None and text_digest(text) == origin.text

    def report_of(self, simulations: SimulationResults, uri: str, launch: Launch) -> KernelObject | None:
        """What the last simulation of a launch in a document counted, as long as that holds."""
        for other, one in simulations.of_launches(uri):
            origin, outcome = one.run.origin, one.outcome
            if origin is not None and origin.launch == launch and isinstance(outcome, Finished):
                return outcome.report if self._stands(simulations, other, one) else None
        return None

    def _stands(self, simulations: SimulationResults, uri: str, one: Simulated) -> bool:
        """Whether a result holds: in an open document as it is shown there, else while its file says the same."""
        for known, _, analysed in self._results():
            if known == uri and analysed.analysis is not None:
                placed = self._placement.placed(analysed, analysed.analysis, simulations.of(uri))
                return any(each.simulated is one and each.line is not None for each in placed)
        text = self._read(one.run.path)
        return text is not None and text_digest(text) == one.run.text

    def says_something_else(self, uri: str, launches: Mapping[str, Sequence[Launch]]) -> bool:
        """Whether the launches of a document are others than when this was asked last."""
        now = frozenset(launch for some in launches.values() for launch in some)
        before = self._said.get(uri)
        self._said[uri] = now
        return before != now
