"""Settings and files that change while the server runs.

Rules    A client that can be asked is asked, at start and after each `workspace/didChangeConfiguration`; others push.
         What the client can watch is registered after `initialized`; without that, `.simt.toml`, build commands and
         headers are still looked at whenever a document is analysed.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from simt_lsp.server.documents.uris import path_of
from simt_lsp.server.session.client_settings import SECTION

if TYPE_CHECKING:
    from simt_lsp.server.session.server import SimtServer

WATCHED: Final = (
    "**/.simt.toml",
    "**/compile_commands.json",
    "**/*.{cu,cuh,hip,h,hpp,hh,hxx,inl,inc,cpp,cc,cxx}",
    "**/*.npy",
)
SETTINGS_FILES: Final = (".simt.toml", "compile_commands.json")


async def on_initialized(ls: SimtServer, params: types.InitializedParams) -> None:
    if ls.client_features.configuration:
        await ls.pull_settings()
    await _register(ls)


async def on_did_change_configuration(ls: SimtServer, params: types.DidChangeConfigurationParams) -> None:
    if ls.client_features.configuration:
        await ls.pull_settings()
        return
    ls.client_settings.pushed(params.settings)
    ls.settings_changed()


async def on_did_change_watched_files(ls: SimtServer, params: types.DidChangeWatchedFilesParams) -> None:
    changed: set[str] = set()
    listed: set[str] = set()
    settings: set[str] = set()
    for event in params.changes:
        path = path_of(event.uri)
        if path is None:
            continue
        if os.path.basename(path) in SETTINGS_FILES:
            settings.add(path)
        (changed if event.type == types.FileChangeType.Changed else listed).add(path)
    if settings:
        ls.settings_changed()
        ls.setting_diagnostics.look_again(settings)
    ls.files_changed(changed, listed)


async def _register(ls: SimtServer) -> None:
    features = ls.client_features
    wanted: list[types.Registration] = []
    if features.register_configuration:
        wanted.append(
            types.Registration(
                id="simt-configuration",
                method=types.WORKSPACE_DID_CHANGE_CONFIGURATION,
                register_options=types.DidChangeConfigurationRegistrationOptions(section=SECTION),
            )
        )
    if features.register_watchers:
        watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in WATCHED]
        wanted.append(
            types.Registration(
                id="simt-files",
                method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                register_options=types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers),
            )
        )
    if not wanted:
        return
    try:
        await ls.client_register_capability_async(types.RegistrationParams(registrations=wanted))
    except JsonRpcException as error:
        ls.log_error(f"the client refused to register {', '.join(item.method for item in wanted)}: {error}")
