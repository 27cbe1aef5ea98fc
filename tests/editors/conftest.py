"""Tests in real editors: `make test-editors`.  `make test` leaves them out, they download the editors first."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

FAILED: Final = pytest.StashKey[bool]()
_HERE: Final = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(_HERE):
            item.add_marker(pytest.mark.editors)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fixtures cannot see that their test failed; those that show a screen keep a picture of it then."""
    report = yield
    item.stash[FAILED] = report.failed or item.stash.get(FAILED, False)
    return report
