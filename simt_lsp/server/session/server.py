"""The server: what happens when a message arrives or an analysis ends.

Threads  Everything here runs on the event loop, except what `_analysed`, `_crashed` and `_walked` say: those are called
         by the worker and the walker, and hand over with `call_soon_threadsafe`.
"""

from __future__ import annotations

import asyncio
import os
import traceback
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from threading import Event
from typing import Any, Final, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from analysis.syntax.document import Edit, WholeText
from analysis.syntax.line_index import PositionEncoding
from simt_lsp.run_check import RunCheck
from simt_lsp.server.analyses.analysed import Analysed, AnalysisJob
from simt_lsp.server.analyses.collector import Collector
from simt_lsp.server.analyses.project_files import ProjectFiles
from simt_lsp.server.analyses.worker import Superseded, Worker
from simt_lsp.server.analyses.workspace_reports import WorkspaceReports
from simt_lsp.server.documents.roots import Roots, WorkspaceFolder
from simt_lsp.server.documents.store import SEEN, DocumentStore, OpenDocument, weight_of
from simt_lsp.server.session.client_settings import SECTION, ClientSettings
from simt_lsp.server.session.errors import CONTENT_MODIFIED, report_failure
from simt_lsp.server.session.other_files import OtherFiles
from simt_lsp.server.session.publishing import Publisher
from simt_lsp.server.session.refreshing import Refreshing
from simt_lsp.server.session.sent_tokens import SentTokens
from simt_lsp.server.session.setting_diagnostics import SettingDiagnostics
from simt_lsp.server.session.views import Views
from simt_lsp.server.simulations.checked_barriers import CheckedBarriers
from simt_lsp.server.simulations.checked_melds import CheckedMelds
from simt_lsp.server.simulations.launched import SimulatedLaunches
from simt_lsp.server.simulations.results import Placement, Running, Simulated, SimulationResults
from simt_lsp.server.simulations.run_checks import FindingIdentity, RunChecks
from simt_lsp.server.simulations.simulator import Simulator
from simt_lsp.server.transport.client import ClientFeatures
from simt_lsp.server.transport.pipes import serve_pipes
from simt_lsp.server.transport.protocol import SimtProtocol
from simt_lsp.server.transport.written import Written
from simt_lsp.server.views.kernel_list import KERNELS_METHOD, kernel_list
from simt_lsp.server.views.report import Report, report_of
from simt_lsp.server.views.run_decorations import decorations
from simt_lsp.server.views.view import View
from simt_lsp.workspace.disk_loader import path_key
from simt_lsp.workspace.settings.values import Source

SETTINGS_PATIENCE: Final = 0.4
"""Seconds that the first analysis waits for the client's settings."""
WALK_PATIENCE: Final = 0.5
"""Seconds that the first diagnostics of a document wait for the files around it."""
OPENING_PATIENCE: Final = 0.5
"""Seconds that a request about a document that is not open waits for it."""
SIMULATION_METHOD: Final = "simt/simulation"

Answer = TypeVar("Answer")


class SimtServer(LanguageServer):
    """State of one session."""

    protocol: SimtProtocol  # pyright: ignore[reportIncompatibleVariableOverride]  # what `__init__` asks for

    def __init__(self, version: str) -> None:
        self.documents = DocumentStore()
        self.client_features = ClientFeatures()
        self.client_settings = ClientSettings()
        self.initialized = False
        self.exit_code: int | None = None
        self.encoding = PositionEncoding.UTF16
        self.roots = Roots(self._walked, self._crashed)
        self.collector = Collector()
        self.job = AnalysisJob(self.documents, self.roots, self.sources_for, self._crashed)
        self.worker: Worker[OpenDocument, Analysed] = Worker(
            self.job, self._analysed, self._crashed, self._rest, weigh=weight_of
        )
        self.job.free_later = self.worker.free_later
        self.workspace_reports = WorkspaceReports()
        self.project_files = ProjectFiles(
            self.documents, self.roots, self.job, self.worker, self.hand_over, self.refresh_soon, self.workspace_reports
        )
        self.publisher = Publisher(self._publish)
        self.setting_diagnostics = SettingDiagnostics(self, Publisher(self._publish))
        self.sent_tokens = SentTokens()
        self.simulator = Simulator()
        self.simulations = SimulationResults()
        self.placement = Placement()
        self.launches = SimulatedLaunches(self.worker.results, self.placement, self.job.read)
        self.melds = CheckedMelds()
        self.barriers = CheckedBarriers()
        self.run_checks = RunChecks()
        self.other_files = OtherFiles(self)
        self.views = Views(self)
        self.commands: dict[str, Callable[[SimtServer, types.ExecuteCommandParams], Awaitable[Any]]] = {}
        self.progress_cancellers: dict[str | int, Callable[[], None]] = {}
        self._tasks: set[asyncio.Future[Any]] = set()
        self._refreshing = Refreshing(self)
        self._walk_ended = asyncio.Event()
        self._document_opened = asyncio.Event()
        self._settled: set[str] = set()
        """Documents whose first diagnostics were waited for."""
        self._loop: asyncio.AbstractEventLoop | None = None
        super().__init__(  # pyright: ignore[reportUnknownMemberType]  # pygls leaves its `*args` untyped
            "simt-lsp", version, protocol_cls=SimtProtocol, max_workers=2
        )

    # Life

    def start_working(self, root_uris: Iterable[str], options: object) -> None:
        """`initialize` arrived."""
        self._loop = asyncio.get_running_loop()
        self.initialized = True
        self.client_settings.initialize(options)
        self.roots.add(root_uris)
        if self.client_features.configuration:
            self.worker.hold(SETTINGS_PATIENCE)
        self.worker.start()

    def serve_pipes(self) -> None:
        """Serve the client at standard input and output until it says `exit` or is gone."""
        self._stop_event = Event()
        serve_pipes(self.protocol, self._stop_event, self.report_server_error)
        self.shutdown()

    def stop_working(self) -> None:
        """`shutdown` or `exit` arrived, or the client is gone."""
        self.worker.stop()
        self.simulator.stop()
        self.roots.stop()

    def stop_reading(self) -> None:
        """The message in hand was the last one."""
        if self._stop_event is not None:
            self._stop_event.set()

    # Documents

    def did_open(self, uri: str, version: int, language: str, text: str) -> None:
        if self.client_features.pull_diagnostics:
            self.publisher.clear(uri)  # what a check of the workspace pushed
        item = self.documents.open(uri, version, language, text)
        self.roots.adopt(item.path)
        self._document_changed(item)
        self._document_opened.set()
        self._document_opened = asyncio.Event()

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        edits = [self._edit(change) for change in params.content_changes]
        known = self.documents.current.get(params.text_document.uri)
        version = params.text_document.version
        if known is not None and version and version <= known.version:
            self.log_error(f"{known.uri} went from version {known.version} to {version}: an edit may be missing")
        item = self.documents.change(params.text_document.uri, version, edits)
        if item is None:
            self.log_error(f"change of a document that is not open: {params.text_document.uri}")
        else:
            self._document_changed(item)

    def did_close(self, uri: str) -> None:
        item = self.documents.close(uri)
        if item is None:
            return
        self.worker.forget(uri)
        self.worker.run_in_background(lambda cancelled: self.job.release(item.analysis_path))
        self._settled.discard(uri)
        self.simulations.forget(uri)
        self.melds.forget(uri)
        self.barriers.forget(uri)
        self.run_checks.forget(uri)
        self.sent_tokens.forget(uri)
        self.publisher.clear(uri)
        self.project_files.closed(item)
        if self.analyse_again(touching={item.key}):
            self.refresh_soon()

    def _edit(self, change: types.TextDocumentContentChangeEvent) -> Edit | WholeText:
        match change:
            case types.TextDocumentContentChangePartial(range=range, text=text):
                start, end = range.start, range.end
                return Edit(start.line, start.character, end.line, end.character, self.encoding, text)
            case _:
                return WholeText(change.text)

    def _document_changed(self, item: OpenDocument) -> None:
        root = self.roots.of(item.path)
        if root is not None and root.graph is not None and item.path is not None:
            root.graph.scan(item.path, item.document.text)
        self.worker.submit(item.uri, item, edited=True)
        self.project_files.changed(item)
        if self.analyse_again(touching={item.key}, without=item.uri):
            self.refresh_soon()

    # Analyses

    def sources_for(self, path: str | None) -> Sequence[Source]:
        """The client's settings for a file; also called by the worker."""
        root = self.roots.of(path)
        return self.client_settings.sources(None if root is None else root.uri)

    async def ask(self, uri: str, answer: Callable[[View], Answer]) -> Answer | None:
        """`answer(view)` for the document as the client saw it when it asked; None for what is not CUDA.

        Raises `ContentModified` (as LSP names it) when the document changed before it was analysed.
        """
        item = SEEN.get().get(uri) or await self._opened(uri)
        if item is None or not item.analysed:
            return None

        def on_worker(analysed: Analysed) -> Answer | None:
            view = self.views.of(analysed)
            return None if view is None else answer(view)

        try:
            return await asyncio.wrap_future(self.worker.ask(uri, item, on_worker))
        except Superseded as error:
            raise JsonRpcException("content modified", code=CONTENT_MODIFIED) from error

    async def ask_written(self, uri: str, answer: Callable[[View], Any]) -> Written | None:
        """The same for an answer that may be long: it is written where it was made."""
        return await self.ask(uri, lambda view: self.protocol.written(answer(view)))

    async def _opened(self, uri: str) -> OpenDocument | None:
        """A document that was not open yet when its request arrived: some clients ask a moment too early, and once."""
        with suppress(TimeoutError):
            async with asyncio.timeout(OPENING_PATIENCE):
                while uri not in self.documents.current:
                    await self._document_opened.wait()
        return self.documents.current.get(uri)

    def analyse_again(self, *, touching: set[str] | None = None, without: str | None = None) -> bool:
        """Have open documents analysed again: all, or those whose analysis looked at one of the paths.

        Says whether there were any.
        """
        self.workspace_reports.texts_changed(touching)
        found = False
        for uri, _, analysed in self.worker.results():
            item = self.documents.current.get(uri)
            if item is None or uri == without:
                continue
            if touching is None or not touching.isdisjoint(analysed.touched):
                self.worker.submit(uri, item, edited=False)
                found = True
        return found

    # Simulations

    def prepare_simulations(self, uri: str) -> None:
        """There is something to simulate: have a process ready, if the settings want one."""
        item = self.documents.current.get(uri)
        for known, _, analysed in self.worker.results():
            if known == uri and item is not None and analysed.configuration.simulation.keep_ready:
                self.simulator.prepare()

    def simulation_began(self, uri: str, running: Running) -> None:
        self.simulations.begin(uri, running)
        if self.client_features.kernels:
            self._show_again(uri)

    def simulation_goes_on(self, uri: str, result: Simulated) -> None:
        """`result` is what it has counted so far."""
        if self._is_kept(uri, result.run) and result.run in self.simulations.running(uri):
            self.simulations.put(uri, result)
            self._show_again(uri)

    def simulation_ended(self, uri: str, running: Running, result: Simulated | None) -> None:
        """`result` is None for one that was stopped: what it had counted stays."""
        self.simulations.end(uri, running)
        if self._is_kept(uri, running) and result is not None:
            self.simulations.put(uri, result)
        self._show_again(uri)
        self.refresh_soon()  # a lens over a launch elsewhere tells the result, too

    def _is_kept(self, uri: str, running: Running) -> bool:
        """Nobody asks for results of a document that was closed, but for those of a launch in another one."""
        return uri in self.documents.current or running.origin is not None

    def run_checked(self, uri: str, finding: FindingIdentity, check: RunCheck) -> None:
        """Runs said something about a finding."""
        if uri in self.documents.current:
            self.run_checks.put(uri, finding, check)
            self._show_again(uri)

    def _show_again(self, uri: str) -> None:
        """Something else is known about an open document than its text says: publish, and have the client ask."""
        item = self.documents.current.get(uri)
        if item is not None:
            self.worker.submit(uri, item, edited=True)  # somebody waits for it as for an edit
            self.refresh_soon()

    def _analysed(self, uri: str, item: OpenDocument, analysed: Analysed) -> None:
        """On the worker's thread: an analysis ended."""
        view = self.views.of(analysed)
        report = Report(item.version, [], "") if view is None else self._report(view)
        self.hand_over(lambda: self._show(uri, item, analysed, report))
        if view is not None:
            self._notify(view)
            launched = self.simulations.launched_from(uri)
            if launched and self.launches.says_something_else(uri, view.known.launches()):
                for other in launched:
                    self.hand_over(lambda other=other: self._show_again(other))

    def _report(self, view: View) -> Report:
        report = report_of(view)
        is_pushed = not self.client_features.pull_diagnostics
        return replace(report, text=self.protocol.written(report.diagnostics)) if is_pushed else report

    def _rest(self) -> None:
        """On the worker's thread: nobody has asked for anything for a while."""
        self.collector.rest(all_closed=not self.documents.current)
        waiting = self.job.elsewhere.take_waiting()
        if waiting:
            self.hand_over(lambda: self._look_elsewhere(waiting))

    def _look_elsewhere(self, items: Sequence[OpenDocument]) -> None:
        """Documents that are still as they were are analysed for other architectures, too."""
        open_ones = [item for item in items if self.documents.current.get(item.uri) is item]
        for item in open_ones:
            self.worker.submit(item.uri, item, edited=False)
        if open_ones:
            self.refresh_soon()

    def _notify(self, view: View) -> None:
        """On the worker's thread: what clients that want to know are told after each analysis."""
        if self.client_features.simulations and self.simulations.of(view.analysed.item.uri):
            shown = self.protocol.written(decorations(view))
            self.hand_over(lambda: self.protocol.notify(SIMULATION_METHOD, shown))
        if self.client_features.kernels:
            listed = self.protocol.written(kernel_list(view))
            self.hand_over(lambda: self.protocol.notify(KERNELS_METHOD, listed))

    def _show(self, uri: str, item: OpenDocument, analysed: Analysed, report: Report) -> None:
        self.setting_diagnostics.show(analysed.problems, analysed.setting_files)
        if self.documents.current.get(uri) is not item:
            return
        root = self.roots.of(item.path)
        if analysed.missed and root is not None and root.files is not None:
            self.worker.submit(uri, item, edited=False)  # the walk ended while this was analysed
        if not item.analysed:  # not ours: say nothing, and take back what was said when it was
            self.publisher.clear(uri)
        elif not self.client_features.pull_diagnostics:
            self._publish_settled(item, analysed, report)

    def _publish_settled(self, item: OpenDocument, analysed: Analysed, report: Report) -> None:
        """The first diagnostics of a document wait a little for files that are still looked for: what is missing only
        until then would appear and disappear."""
        versioned = self.client_features.diagnostic_versions
        if self._loop is None or not self._is_settling(analysed) or self.publisher.knows(item.uri):
            self.publisher.publish(item.uri, report, versioned=versioned)
            return

        def late() -> None:
            if self.documents.current.get(item.uri) is item and not self.publisher.knows(item.uri):
                self.publisher.publish(item.uri, report, versioned=versioned)

        self._loop.call_later(WALK_PATIENCE, late)

    def _is_settling(self, analysed: Analysed) -> bool:
        """Whether files below the document's root may soon change the answer."""
        return analysed.missed and self.roots.of(analysed.item.path) is not None

    async def settled(self, uri: str) -> None:
        """Returns when the files around an open document are known, or after `WALK_PATIENCE`: before the first answer
        about its diagnostics."""
        if uri in self._settled or not await self.ask(uri, lambda view: self._is_settling(view.analysed)):
            return
        self._settled.add(uri)
        item = self.documents.current.get(uri)
        root = None if item is None else self.roots.of(item.path)
        if root is not None and root.files is None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._walk_ended.wait(), WALK_PATIENCE)

    def _walked(self, root: WorkspaceFolder) -> None:
        """On the walking thread: the files below a root are known now."""
        self.hand_over(lambda: self._analyse_below(root))

    def _analyse_below(self, root: WorkspaceFolder) -> None:
        self.project_files.ended(root)
        self._walk_ended.set()
        self._walk_ended = asyncio.Event()
        for uri, item, analysed in self.worker.results():
            if analysed.missed and self.roots.of(item.path) is root and self.documents.current.get(uri) is item:
                self.worker.submit(uri, item, edited=False)
        self.refresh_soon()

    def settings_changed(self) -> None:
        """Every answer may be different now."""
        self.worker.release()
        self.analyse_again()
        self.refresh_soon()

    async def pull_settings(self) -> None:
        """Ask the client for the section, once without a folder and once per folder."""
        folders: list[str | None] = [None, *(root.uri for root in self.roots.all)]
        items = [types.ConfigurationItem(scope_uri=folder, section=SECTION) for folder in folders]
        try:
            answers = await self.workspace_configuration_async(types.ConfigurationParams(items=items))
        except JsonRpcException as error:
            self.log_error(f"the client did not answer workspace/configuration: {error}")
            answers = None
        self.client_settings.pulled(folders, answers)
        self.settings_changed()

    def did_change_folders(self, added: Iterable[str], removed: Iterable[str]) -> None:
        self.roots.remove(removed)
        self.roots.add(added)
        if self.client_features.configuration:  # the new folders have settings of their own
            self.hold_task(asyncio.ensure_future(self.pull_settings()), "workspace/configuration")
        else:
            self.settings_changed()

    def files_changed(self, changed: set[str], listed: set[str]) -> None:
        """Files on disk have new texts, or were created or deleted."""
        self.roots.files_changed(changed, listed, self.job.cache)
        self.project_files.changed_on_disk(changed | listed)
        self.analyse_again(touching={path_key(path) for path in changed | listed})
        for uri in self.simulations.reading({os.path.realpath(path) for path in changed | listed}):
            self._show_again(uri)
        self.refresh_soon()

    # Words to the client

    def _publish(self, params: types.PublishDiagnosticsParams | Written) -> None:
        self.protocol.notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)

    def refresh_soon(self) -> None:
        """Ask the client to ask again for what it shows, a little later and once for many reasons."""
        if self._loop is not None:
            self._refreshing.soon(self._loop)

    def show_message(self, text: str, kind: types.MessageType) -> None:
        self.window_show_message(types.ShowMessageParams(type=kind, message=text))

    def log_error(self, text: str) -> None:
        self.window_log_message(types.LogMessageParams(type=types.MessageType.Error, message=f"simt-lsp: {text}"))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """What pygls could not deliver; handlers report their own failures."""
        if self.initialized and not isinstance(error, JsonRpcException):
            self.log_error(f"{type(error).__name__}: {error}")

    def _crashed(self, what: str, error: BaseException) -> None:
        """On any thread: something failed that no request waits for."""
        text = "".join(traceback.format_exception(error))
        self.hand_over(lambda: self.log_error(f"{what} failed\n{text}"))

    def hand_over(self, action: Callable[[], None]) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop was closed: nobody is left to be told
                self._loop.call_soon_threadsafe(action)

    # Commands and tasks

    async def execute_command(self, params: types.ExecuteCommandParams) -> Any:
        command = self.commands.get(params.command)
        if command is None:
            raise JsonRpcException(f"no command {params.command!r}", code=types.ErrorCodes.InvalidParams.value)
        try:
            return await command(self, params)
        except Exception as error:
            raise report_failure(self.log_error, f"command {params.command}", error) from error

    def cancel_progress(self, token: str | int) -> None:
        cancel = self.progress_cancellers.get(token)
        if cancel is not None:
            cancel()

    def hold_task(self, task: asyncio.Future[Any], name: str) -> None:
        """Keep a background task, and log how it failed."""
        self._tasks.add(task)

        def ended(done: asyncio.Future[Any]) -> None:
            self._tasks.discard(done)
            if not done.cancelled() and (error := done.exception()) is not None:
                self._crashed(name, error)

        task.add_done_callback(ended)
