"""Entry point: `simt-lsp`, or `python -I -m simt_lsp` from an editor's workspace.

`-I` keeps the workspace out of the import path: a user's own `analysis/` folder must never be imported as ours.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    from simt_lsp.cli.main import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
