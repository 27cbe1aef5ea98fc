"""Runs the server that the extension brings along: `python -I start.py [arguments of simt-lsp]`.

Path     `server` is the server's own code.  `libs` holds the libraries it needs, with the compiled ones for some
         versions of Python; on any other version they are left to the interpreter's own packages.
"""

import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARIES = HERE / "libs"

REQUIRED = ("attrs", "cattrs", "lsprotocol", "pygls", "rich", "tree_sitter", "tree_sitter_cuda")
"""Asked for here, because parts of the server start without some of them."""


def main() -> None:
    """Put the path together, then hand over."""
    own = [str(HERE / "server")]
    if any((LIBRARIES / "tree_sitter" / f"_binding{suffix}").exists() for suffix in EXTENSION_SUFFIXES):
        own.append(str(LIBRARIES))
    sys.path[:0] = own
    missing = [name for name in REQUIRED if find_spec(name) is None]
    if missing:
        sys.exit(f"missing libraries: {', '.join(missing)}")
    sys.argv[0] = "simt-lsp"
    from simt_lsp.__main__ import main as simt_lsp

    simt_lsp()


if __name__ == "__main__":
    main()
