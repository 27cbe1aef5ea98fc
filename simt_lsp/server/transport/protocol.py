"""pygls' protocol, with what a server that must stay up needs changed.

Changed  `initialize` is read from raw JSON (see `client`).  Positions are clamped before they are checked, so an edit
         at line -1 is an edit and not a lost message.  A message that cannot be read is answered if it was a request,
         and logged.  Requests before `initialize` and after `shutdown` get the errors the specification names.
         Documents are ours: pygls' own copies are never made.  `exit` leaves the exit status with the server.
         The documents a handler sees are those of the moment its message arrived.
         Long answers come as text (see `written`), and go out as they are.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol, cast, final

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, lsp_method

from analysis.ir.record import record
from simt_lsp.server.documents.store import SEEN, DocumentStore
from simt_lsp.server.documents.uris import uri_of
from simt_lsp.server.transport.client import ClientFeatures, read_client_features
from simt_lsp.server.transport.parent import watch_parent
from simt_lsp.server.transport.written import Written, written

MAX_UNSIGNED: Final = 2**31 - 1
MAX_SIGNED: Final = 2**31 - 1
SERVER_NOT_INITIALIZED: Final = -32002
INVALID_REQUEST: Final = -32600


@final
@record
class UnreadableMessage:
    """A message whose parameters make no sense."""

    id: str | int | None
    method: str | None
    error: JsonRpcException


class Session(Protocol):
    """What the protocol tells its server, and the little it asks."""

    initialized: bool
    client_features: ClientFeatures
    documents: DocumentStore
    exit_code: int | None

    def did_open(self, uri: str, version: int, language: str, text: str) -> None: ...

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None: ...

    def did_close(self, uri: str) -> None: ...

    def did_change_folders(self, added: Iterable[str], removed: Iterable[str]) -> None: ...

    async def execute_command(self, params: types.ExecuteCommandParams) -> Any: ...

    def cancel_progress(self, token: str | int) -> None: ...

    def stop_working(self) -> None: ...

    def stop_reading(self) -> None: ...

    def log_error(self, text: str) -> None: ...


class SimtProtocol(LanguageServerProtocol):
    """See the top of the file; its server is a `Session`."""

    @property
    def session(self) -> Session:
        return cast("Session", self._server)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Called for every JSON object of a message, innermost first."""
        if "line" in data and "character" in data:
            return {**data, "line": _clamped(data["line"]), "character": _clamped(data["character"])}
        if "uri" in data and "version" in data:
            return {**data, "version": _version(data["version"])}
        if "jsonrpc" not in data:
            return data
        method = data.get("method")
        if method == types.INITIALIZE and "id" in data:
            return self._read_initialize(data)
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            number = data.get("id")
            known = number if isinstance(number, (str, int)) else None
            return UnreadableMessage(known, method if isinstance(method, str) else None, error)

    def handle_message(self, message: Any) -> None:
        """Guard the life cycle, then let pygls dispatch."""
        method: str | None = getattr(message, "method", None)
        number: str | int | None = getattr(message, "id", None)
        if method is not None and (refusal := self._refusal(method)) is not None:
            if number is not None:
                self._send_response(number, error=refusal)
            return
        if isinstance(message, UnreadableMessage):
            self.session.log_error(f"cannot read the message {method or 'without a method'}")
            if number is not None and method is not None:
                self._send_response(number, error=message.error.to_response_error())
            return
        token = SEEN.set(self.session.documents.current)
        try:
            super().handle_message(message)
        finally:
            SEEN.reset(token)

    def written(self, value: Any) -> Written:
        """What an answer is in JSON; on any thread."""
        return written(value, self._converter.unstructure)

    def notify(self, method: str, params: Any = None) -> None:
        if isinstance(params, Written):
            self._send_text(f'{{"jsonrpc":"2.0","method":{json.dumps(method)},"params":{params.text}}}')
        else:
            super().notify(method, params)

    def _send_response(self, msg_id: str | int, result: Any = None, error: types.ResponseError | None = None) -> None:
        if isinstance(result, Written) and error is None:
            self._result_types.pop(msg_id, None)
            self._send_text(f'{{"id":{json.dumps(msg_id)},"jsonrpc":"2.0","result":{result.text}}}')
        else:
            super()._send_response(msg_id, result, error)

    def _send_text(self, text: str) -> None:
        """A message in JSON, which is ASCII; as `_send_data` of pygls sends one."""
        if self.writer is None:
            return
        header = f"Content-Length: {len(text)}\r\n\r\n" if self._include_headers else ""
        sent = self.writer.write((header + text).encode())
        if inspect.isawaitable(sent):
            asyncio.ensure_future(sent)  # noqa: RUF006 (the loop holds what it waits for; pygls does the same)

    def _refusal(self, method: str) -> types.ResponseError | None:
        if method == types.EXIT:
            return None
        if self._shutdown:
            return types.ResponseError(code=INVALID_REQUEST, message="the server is shutting down")
        if not self.session.initialized and method != types.INITIALIZE:
            return types.ResponseError(code=SERVER_NOT_INITIALIZED, message="not initialized")
        if self.session.initialized and method == types.INITIALIZE:
            return types.ResponseError(code=INVALID_REQUEST, message="already initialized")
        return None

    def _read_initialize(self, data: dict[str, Any]) -> types.InitializeRequest:
        raw = data.get("params")
        params = cast("Mapping[str, Any]", raw if isinstance(raw, Mapping) else {})
        features = read_client_features(params.get("capabilities"))
        self.session.client_features = features
        watch_parent(params.get("processId"))
        encodings = [_encoding(name) for name in features.encodings]
        general = types.GeneralClientCapabilities(position_encodings=encodings) if encodings else None
        return types.InitializeRequest(
            id=data["id"],
            params=types.InitializeParams(
                capabilities=types.ClientCapabilities(general=general),
                process_id=None,
                root_uri=_root(params),
                workspace_folders=_folders(params.get("workspaceFolders")),
                initialization_options=params.get("initializationOptions"),
            ),
        )

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]  # a generator in pygls, for user handlers
        """Stop working; pygls' version fails on requests that end while it goes through them."""
        current = self.msg_id
        for msg_id, future in list(self._request_futures.items()):
            if msg_id != current and not future.done():
                future.cancel()
        self._shutdown = True
        self.session.stop_working()

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]  # a generator in pygls, for user handlers
        """Read no more; pygls' version raises `SystemExit`, which loses the status and is printed on sockets."""
        self.session.exit_code = 0 if self._shutdown else 1
        self.session.stop_working()
        self.session.stop_reading()

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        item = params.text_document
        self.session.did_open(item.uri, item.version, str(item.language_id), item.text)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, params: types.DidChangeTextDocumentParams
    ) -> None:
        self.session.did_change(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        self.session.did_close(params.text_document.uri)

    @lsp_method(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def lsp_workspace__did_change_workspace_folders(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, params: types.DidChangeWorkspaceFoldersParams
    ) -> None:
        self.session.did_change_folders(
            [folder.uri for folder in params.event.added], [folder.uri for folder in params.event.removed]
        )

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, params: types.ExecuteCommandParams
    ) -> Any:
        """A coroutine, so that `$/cancelRequest` reaches the command itself."""
        return await self.session.execute_command(params)

    @lsp_method(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def lsp_work_done_progress_cancel(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, params: types.WorkDoneProgressCancelParams
    ) -> None:
        self.session.cancel_progress(params.token)


def _clamped(value: object) -> object:
    if isinstance(value, float) and value == value:  # some clients count in doubles; NaN stays for the checker
        value = int(min(max(value, 0), MAX_UNSIGNED))
    return min(max(value, 0), MAX_UNSIGNED) if isinstance(value, int) else value


def _version(value: object) -> object:
    if value is None:  # allowed before 3.17, and still sent
        return 0
    return min(max(value, -MAX_SIGNED), MAX_SIGNED) if isinstance(value, int) else value


def _encoding(name: str) -> types.PositionEncodingKind | str:
    try:
        return types.PositionEncodingKind(name)
    except ValueError:
        return name


def _root(params: Mapping[str, Any]) -> str | None:
    uri, path = params.get("rootUri"), params.get("rootPath")
    if isinstance(uri, str):
        return uri
    return uri_of(path) if isinstance(path, str) else None


def _folders(value: object) -> list[types.WorkspaceFolder]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    folders = [cast("Mapping[str, object]", item) for item in items if isinstance(item, Mapping)]
    uris = [folder.get("uri") for folder in folders]
    return [types.WorkspaceFolder(uri=uri, name=uri) for uri in uris if isinstance(uri, str)]
