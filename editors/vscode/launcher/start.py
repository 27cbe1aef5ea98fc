"""Runs the server that the extension brings along: `python -I start.py [arguments of simt-lsp]`.

Path     `server` is the server's own code.  `libs` holds the libraries it needs, with the compiled ones for some
         versions of Python; on any other version they are left to the interpreter's own packages.
"""

import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARIES = HERE / "libs"


def main() -> None:
    """Put the path together, then hand over."""
    own = [str(HERE / "server")]
    if any((LIBRARIES / "tree_sitter" / f"_binding{suffix}").exists() for suffix in EXTENSION_SUFFIXES):
        own.append(str(LIBRARIES))
    sys.path[:0] = own
    sys.argv[0] = "simt-lsp"
    from simt_lsp.__main__ import main as simt_lsp

    simt_lsp()


if __name__ == "__main__":
    main()
