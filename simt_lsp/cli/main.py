"""From the arguments to an exit status; every error leaves as one line that says what to do."""

from __future__ import annotations

import argparse
import errno
import gc
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from simt_lsp.cli.arguments import parse
from simt_lsp.cli.exit_status import ExitStatus, UsageError
from simt_lsp.cli.terminal import prepare_streams

_UNWRITABLE: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})
"""What the system says where nothing more can be written; an error that names a file is not about a stream."""


def run(arguments: Sequence[str]) -> int:
    """Carry out one command line."""
    prepare_streams()
    try:
        try:
            options = parse(arguments)
            status = _carry_out(_command(options.command), options)
        finally:  # also of a page of help, which ends the process
            sys.stdout.flush()
    except UsageError as error:
        _say(f"error: {error}")
        return ExitStatus.USAGE
    except KeyboardInterrupt:
        _say("interrupted")
        return ExitStatus.INTERRUPTED
    except BrokenPipeError:
        _forget_output()  # the reader has seen enough
        return ExitStatus.BROKEN_PIPE
    except OSError as error:
        if error.errno not in _UNWRITABLE or error.filename is not None:
            raise
        from simt_lsp.cli.paths import reason_of

        _forget_output()
        _say(f"error: the output cannot be written: {reason_of(error)}")
        return ExitStatus.USAGE
    return status


def _say(line: str) -> None:
    with suppress(OSError):  # standard error may lie on the same full disk
        print(f"simt-lsp: {line}", file=sys.stderr)


def _forget_output() -> None:
    """Python flushes standard output once more at exit, and would complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _carry_out(command: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    # Modules live until the end, so the entry point lets the collector sleep while they are imported.
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
    return command(options)


def _command(name: str | None) -> Callable[[argparse.Namespace], int]:
    # Each command imports what it needs, so that `--version` and `--help` do not wait for the analysis.
    match name:
        case "check":
            from simt_lsp.cli.check_command import check

            return check
        case "explain":
            from simt_lsp.cli.explain_command import explain

            return explain
        case "facts":
            from simt_lsp.cli.facts_command import facts

            return facts
        case "cfg":
            from simt_lsp.cli.cfg_command import cfg

            return cfg
        case "ir":
            from simt_lsp.cli.ir_command import ir

            return ir
        case "mcp":
            from simt_lsp.cli.mcp_command import mcp

            return mcp
        case "meld":
            from simt_lsp.cli.meld_command import meld

            return meld
        case "scalarize":
            from simt_lsp.cli.scalarize_command import scalarize

            return scalarize
        case "straightline":
            from simt_lsp.cli.straightline_command import straightline

            return straightline
        case "simulate":
            from simt_lsp.cli.simulate_command import simulate

            return simulate
        case "sanitize":
            from simt_lsp.cli.sanitize_command import sanitize

            return sanitize
        case "sweep":
            from simt_lsp.cli.sweep_command import sweep

            return sweep
        case _:
            return _server


def _server(options: argparse.Namespace) -> int:
    if options.version:
        from simt_lsp.cli.version import version

        print(f"simt-lsp {version()}")
        return ExitStatus.CLEAN
    from simt_lsp.cli.serve_command import serve

    return serve(options)
