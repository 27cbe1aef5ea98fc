"""A crash in one request: logged with what was asked, answered with an error, and over."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Final

from pygls.exceptions import JsonRpcException

from simt_lsp.server.analyses.worker import Superseded

CONTENT_MODIFIED: Final = -32801
SERVER_CANCELLED: Final = -32802
REQUEST_FAILED: Final = -32803


def report_failure(log: Callable[[str], None], what: str, error: Exception) -> JsonRpcException:
    """The error to answer with; what nobody expected is logged with its traceback."""
    if isinstance(error, JsonRpcException):
        return error
    if isinstance(error, Superseded):
        return JsonRpcException("content modified", code=CONTENT_MODIFIED)
    if isinstance(error, ValueError) and str(error).startswith("simt"):
        return JsonRpcException(str(error), code=REQUEST_FAILED)
    log(f"{what} failed\n{''.join(traceback.format_exception(error))}")
    return JsonRpcException(f"{what} failed: {error}", code=REQUEST_FAILED)
