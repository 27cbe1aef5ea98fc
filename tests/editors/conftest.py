"""Tests in real editors: `make test-editors`.  `make test` leaves them out, they download the editors first."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

_HERE: Final = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(_HERE):
            item.add_marker(pytest.mark.editors)
