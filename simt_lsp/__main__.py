"""Entry point: `simt-lsp`, or `python -I -m simt_lsp` from an editor's workspace.

`-I` keeps the workspace out of the import path: a user's own `analysis/` folder must never be imported as ours.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line."""
    from simt_lsp.cli.exit_status import ExitStatus
    from simt_lsp.cli.main import run

    status = run(sys.argv[1:])
    if status == ExitStatus.INTERRUPTED:
        # Everything is closed; Python would take another tenth of a second to free what a long run has built.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


if __name__ == "__main__":
    main()
