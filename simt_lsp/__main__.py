"""Entry point: `simt-lsp`, or `python -I -m simt_lsp` from an editor's workspace.

`-I` keeps the workspace out of the import path: a user's own `analysis/` folder must never be imported as ours.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line, and end at once.

    Everything is written and closed then.  Python would free what a run has built, one object after the other: a
    twelfth of the processor time of a check of many files.
    """
    gc.disable()  # nothing that an import makes is garbage
    from simt_lsp.cli.main import run

    status = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # who reads it may be gone
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
