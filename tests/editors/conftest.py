"""Tests in real editors: `make test-editors`.  `make test` leaves them out, they download the editors first."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

from tests.editors.downloads import CannotInstall
from tests.editors.outcome import FAILED

_HERE: Final = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(_HERE):
            item.add_marker(pytest.mark.editors)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fixtures cannot see that their test failed; those that show a screen keep a picture of it then.

    What is missing on this machine is one line, not the way to it.
    """
    report = yield
    if call.excinfo is not None and isinstance(call.excinfo.value, CannotInstall):
        report.longrepr = str(call.excinfo.value)
    item.stash[FAILED] = report.failed or item.stash.get(FAILED, False)
    return report
