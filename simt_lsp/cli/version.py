"""The version of the installed package."""

from __future__ import annotations


def version() -> str:
    """As in pyproject.toml; "unknown" when the sources run without being installed."""
    from importlib import metadata  # slow to import, and most commands do not need it

    try:
        return metadata.version("simt-lsp")
    except metadata.PackageNotFoundError:
        return "unknown"
