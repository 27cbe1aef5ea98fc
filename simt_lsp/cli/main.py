"""From the arguments to an exit status; every error leaves as one line that says what to do."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable, Sequence

from simt_lsp.cli.arguments import parse
from simt_lsp.cli.exit_status import ExitStatus, UsageError
from simt_lsp.cli.terminal import prepare_streams


def run(arguments: Sequence[str]) -> int:
    """Carry out one command line."""
    prepare_streams()
    try:
        options = parse(arguments)
        status = _carry_out(_command(options.command), options)
        sys.stdout.flush()
    except UsageError as error:
        print(f"simt-lsp: error: {error}", file=sys.stderr)
        return ExitStatus.USAGE
    except KeyboardInterrupt:
        print("simt-lsp: interrupted", file=sys.stderr)
        return ExitStatus.INTERRUPTED
    except BrokenPipeError:
        # The reader has seen enough.  Python would flush standard output once more at exit and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitStatus.BROKEN_PIPE
    return status


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
        case "meld":
            from simt_lsp.cli.meld_command import meld

            return meld
        case "scalarize":
            from simt_lsp.cli.scalarize_command import scalarize

            return scalarize
        case "simulate":
            from simt_lsp.cli.simulate_command import simulate

            return simulate
        case _:
            return _server


def _server(options: argparse.Namespace) -> int:
    if options.version:
        from simt_lsp.cli.version import version

        print(f"simt-lsp {version()}")
        return ExitStatus.CLEAN
    from simt_lsp.cli.serve_command import serve

    return serve(options)
