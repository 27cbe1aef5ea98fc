"""The table of what the server answers; a handler that fails costs its own answer only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final

from lsprotocol import types

from analysis.syntax.line_index import PositionEncoding
from simt_lsp.server.requests.barriers import BARRIER_COMMAND, barrier_command
from simt_lsp.server.requests.call_hierarchy import on_incoming_calls, on_outgoing_calls, on_prepare_call_hierarchy
from simt_lsp.server.requests.check_workspace import CHECK_COMMAND, check_workspace_command
from simt_lsp.server.requests.code_action import OPTIONS as CODE_ACTIONS
from simt_lsp.server.requests.code_action import on_code_action, on_code_action_resolve
from simt_lsp.server.requests.code_lens import EXPLAIN_COMMAND, SIMULATE_COMMAND, on_code_lens
from simt_lsp.server.requests.confirm import CONFIRM_COMMAND, confirm_command
from simt_lsp.server.requests.control_flow_graph import GRAPH_METHOD, on_control_flow_graph
from simt_lsp.server.requests.diagnostic import on_diagnostic
from simt_lsp.server.requests.document_symbol import on_document_symbol
from simt_lsp.server.requests.document_text import TEXT_METHOD, on_document_text
from simt_lsp.server.requests.explain import METHOD, explain_command, on_explain
from simt_lsp.server.requests.finding_actions import PAGE_COMMAND, open_rule_page
from simt_lsp.server.requests.hover import on_hover
from simt_lsp.server.requests.inlay_hint import on_inlay_hint
from simt_lsp.server.requests.kernels import on_kernels
from simt_lsp.server.requests.meld import MELD_COMMAND, MELD_METHOD, meld_command, on_meld
from simt_lsp.server.requests.navigation import on_declaration, on_definition, on_references
from simt_lsp.server.requests.semantic_tokens import (
    on_semantic_tokens,
    on_semantic_tokens_delta,
    on_semantic_tokens_range,
)
from simt_lsp.server.requests.simd_view import SIMD_METHOD, on_simd_view
from simt_lsp.server.requests.simulate import (
    REPORT_METHOD,
    on_simulation,
    on_simulation_report,
    simulate_command,
)
from simt_lsp.server.requests.status import STATUS_METHOD, on_status
from simt_lsp.server.requests.workspace_diagnostic import on_workspace_diagnostic
from simt_lsp.server.requests.workspace_symbol import on_workspace_symbol
from simt_lsp.server.session.errors import report_failure
from simt_lsp.server.session.indexing_progress import show_indexing
from simt_lsp.server.session.server import SIMULATION_METHOD, SimtServer
from simt_lsp.server.session.settings_requests import (
    on_did_change_configuration,
    on_did_change_watched_files,
    on_initialized,
)
from simt_lsp.server.transport.token_stream import LEGEND
from simt_lsp.server.views.kernel_list import KERNELS_METHOD

Handler = Callable[[SimtServer, Any], Awaitable[Any]]

HANDLERS: Final[dict[str, tuple[Handler, Any]]] = {
    types.INITIALIZED: (on_initialized, None),
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: (on_did_change_configuration, None),
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: (on_did_change_watched_files, None),
    types.TEXT_DOCUMENT_HOVER: (on_hover, None),
    types.TEXT_DOCUMENT_DEFINITION: (on_definition, None),
    types.TEXT_DOCUMENT_DECLARATION: (on_declaration, None),
    types.TEXT_DOCUMENT_REFERENCES: (on_references, None),
    types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: (on_prepare_call_hierarchy, None),
    types.CALL_HIERARCHY_INCOMING_CALLS: (on_incoming_calls, None),
    types.CALL_HIERARCHY_OUTGOING_CALLS: (on_outgoing_calls, None),
    types.WORKSPACE_SYMBOL: (on_workspace_symbol, None),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (on_document_symbol, None),
    types.TEXT_DOCUMENT_INLAY_HINT: (on_inlay_hint, None),
    types.TEXT_DOCUMENT_CODE_ACTION: (on_code_action, CODE_ACTIONS),
    types.CODE_ACTION_RESOLVE: (on_code_action_resolve, None),
    types.TEXT_DOCUMENT_CODE_LENS: (on_code_lens, None),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (on_semantic_tokens, LEGEND),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA: (on_semantic_tokens_delta, None),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: (on_semantic_tokens_range, None),
    METHOD: (on_explain, None),
    GRAPH_METHOD: (on_control_flow_graph, None),
    SIMD_METHOD: (on_simd_view, None),
    TEXT_METHOD: (on_document_text, None),
    SIMULATION_METHOD: (on_simulation, None),
    REPORT_METHOD: (on_simulation_report, None),
    KERNELS_METHOD: (on_kernels, None),
    STATUS_METHOD: (on_status, None),
    MELD_METHOD: (on_meld, None),
}


def make_server(version: str) -> SimtServer:
    """A server with everything registered, ready for a transport."""
    server = SimtServer(version)
    for method, (handler, options) in HANDLERS.items():
        _register(server, method, handler, options)

    @server.feature(types.INITIALIZE)
    def on_initialize(ls: SimtServer, params: types.InitializeParams) -> None:  # pyright: ignore[reportUnusedFunction]
        """Before pygls answers: the client's encoding and folders are known now."""
        ls.encoding = chosen_encoding(ls.client_features.encodings)
        if ls.client_features.pull_diagnostics:
            of_workspace = ls.client_features.pull_workspace
            options = types.DiagnosticOptions(
                inter_file_dependencies=True, workspace_diagnostics=of_workspace, identifier="simt-lsp"
            )
            _register(ls, types.TEXT_DOCUMENT_DIAGNOSTIC, on_diagnostic, options)
            if of_workspace:
                _register(ls, types.WORKSPACE_DIAGNOSTIC, on_workspace_diagnostic, None)
        folders = [folder.uri for folder in params.workspace_folders or ()]
        ls.start_working(folders or ([params.root_uri] if params.root_uri else []), params.initialization_options)

    server.roots.indexing = lambda root, state: server.hand_over(lambda: show_indexing(server, root, state))
    server.commands[CHECK_COMMAND] = check_workspace_command
    server.commands[EXPLAIN_COMMAND] = lambda ls, params: explain_command(ls, list(params.arguments or ()))
    server.commands[SIMULATE_COMMAND] = simulate_command
    server.commands[MELD_COMMAND] = meld_command
    server.commands[BARRIER_COMMAND] = barrier_command
    server.commands[CONFIRM_COMMAND] = confirm_command
    server.commands[PAGE_COMMAND] = open_rule_page
    for name in server.commands:
        server.command(name)(_never_called)
    return server


def chosen_encoding(names: Iterable[str]) -> PositionEncoding:
    """The client's first that we know, as pygls announces it; UTF-16 if it names none."""
    known = {encoding.value: encoding for encoding in PositionEncoding}
    return next((known[name] for name in names if name in known), PositionEncoding.UTF16)


def _register(server: SimtServer, method: str, handler: Handler, options: Any) -> None:
    async def guarded(ls: SimtServer, params: Any) -> Any:
        try:
            return await handler(ls, params)
        except Exception as error:
            raise report_failure(ls.log_error, f"{method} {_about(params)}", error) from error

    server.feature(method, options)(guarded)


def _never_called() -> None:
    """pygls lists the commands it knows; `SimtServer.execute_command` runs ours."""


def _about(params: Any) -> str:
    """The document and place a request is about, for the log."""
    uri = getattr(getattr(params, "text_document", None), "uri", "")
    position = getattr(params, "position", None)
    return f"{uri}:{position.line}:{position.character}" if isinstance(position, types.Position) else uri
