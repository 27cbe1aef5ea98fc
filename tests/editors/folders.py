"""Where downloads are kept between runs, and where a run leaves its screenshots."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

REPOSITORY: Final = Path(__file__).parents[2]


def cache_folder() -> Path:
    """`SIMT_LSP_EDITOR_CACHE`, or a folder in the checkout that git ignores."""
    return Path(os.environ.get("SIMT_LSP_EDITOR_CACHE", REPOSITORY / ".cache" / "editors")).absolute()


def results_folder() -> Path:
    """`SIMT_LSP_EDITOR_RESULTS`, or a folder in the checkout that git ignores."""
    return Path(os.environ.get("SIMT_LSP_EDITOR_RESULTS", REPOSITORY / "build" / "editors")).absolute()


def current_test() -> str:
    """The name of the test that is running and its parameters, for the names of files: `test_hover_says_why-0.12`."""
    name = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition("::")[2]
    name = re.sub(r" \(\w+\)$", "", name)  # the phase
    return re.sub(r"[^\w.]+", "-", name).strip("-")
