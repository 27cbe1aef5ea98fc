"""What a fixture may know about its test when it ends; no part of conftest.py, which pytest imports once more."""

from __future__ import annotations

from typing import Final

import pytest

FAILED: Final = pytest.StashKey[bool]()
