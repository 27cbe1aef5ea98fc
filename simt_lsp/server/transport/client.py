"""What the client can do, read from the raw JSON of `initialize`.

Reason   Turning a whole `ClientCapabilities` into objects costs 90 ms at start and fails as a whole on one odd value;
         a dozen flags are needed.  What is missing or odd counts as "cannot".
Rules    Diagnostics are pulled only by a client that can also be told to pull again: without that (Neovim 0.11), an
         edit of a header would leave the diagnostics of the files that include it as they were.
         Those of the workspace are offered unless the client declines: some ask again and again for what is offered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast, final

from analysis.ir.record import record


@final
@record
class ClientFeatures:
    """The optional capabilities that change what the server does."""

    encodings: tuple[str, ...] = ()
    pull_diagnostics: bool = False
    pull_workspace: bool = False
    related_information: bool = False
    diagnostic_tags: bool = False
    diagnostic_versions: bool = False
    markdown: bool = False
    symbol_tree: bool = False
    configuration: bool = False
    register_configuration: bool = False
    register_watchers: bool = False
    refresh_diagnostics: bool = False
    refresh_inlay_hints: bool = False
    refresh_code_lenses: bool = False
    refresh_semantic_tokens: bool = False
    progress: bool = False
    code_action_literals: bool = False
    resolved_edits: bool = False
    disabled_actions: bool = False
    document_changes: bool = False
    create_files: bool = False
    show_document: bool = False
    simulations: bool = False
    kernels: bool = False
    meld_preview: bool = False
    findings_in_hovers: bool = False


def read_client_features(capabilities: object) -> ClientFeatures:
    """The flags in the client's capabilities, whatever their shape."""

    def flag(*path: str) -> bool:
        return _at(capabilities, *path) is True

    refresh = flag("workspace", "diagnostics", "refreshSupport")
    pulls = isinstance(_at(capabilities, "textDocument", "diagnostic"), Mapping) and refresh
    return ClientFeatures(
        encodings=_strings(_at(capabilities, "general", "positionEncodings")),
        pull_diagnostics=pulls,
        pull_workspace=pulls and flag("experimental", "simtWorkspaceDiagnostics"),
        related_information=flag("textDocument", "publishDiagnostics", "relatedInformation"),
        diagnostic_tags=_at(capabilities, "textDocument", "publishDiagnostics", "tagSupport") not in (None, False),
        diagnostic_versions=flag("textDocument", "publishDiagnostics", "versionSupport"),
        markdown="markdown" in _strings(_at(capabilities, "textDocument", "hover", "contentFormat")),
        symbol_tree=flag("textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport"),
        configuration=flag("workspace", "configuration"),
        register_configuration=flag("workspace", "didChangeConfiguration", "dynamicRegistration"),
        register_watchers=flag("workspace", "didChangeWatchedFiles", "dynamicRegistration"),
        refresh_diagnostics=refresh,
        refresh_inlay_hints=flag("workspace", "inlayHint", "refreshSupport"),
        refresh_code_lenses=flag("workspace", "codeLens", "refreshSupport"),
        refresh_semantic_tokens=flag("workspace", "semanticTokens", "refreshSupport"),
        progress=flag("window", "workDoneProgress"),
        code_action_literals=_at(capabilities, "textDocument", "codeAction", "codeActionLiteralSupport") is not None,
        resolved_edits=flag("textDocument", "codeAction", "dataSupport")
        and "edit" in _strings(_at(capabilities, "textDocument", "codeAction", "resolveSupport", "properties")),
        disabled_actions=flag("textDocument", "codeAction", "disabledSupport"),
        document_changes=flag("workspace", "workspaceEdit", "documentChanges"),
        create_files="create" in _strings(_at(capabilities, "workspace", "workspaceEdit", "resourceOperations")),
        show_document=flag("window", "showDocument", "support"),
        simulations=flag("experimental", "simtSimulation"),
        kernels=flag("experimental", "simtKernels"),
        meld_preview=flag("experimental", "simtMeldPreview"),
        findings_in_hovers=flag("experimental", "simtFindingsInHovers"),
    )


def _at(value: object, *path: str) -> object:
    for name in path:
        if not isinstance(value, Mapping):
            return None
        value = cast("Mapping[str, object]", value).get(name)
    return value


def _strings(value: object) -> tuple[str, ...]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return tuple(item for item in items if isinstance(item, str))
