"""What holds for all tests."""

from __future__ import annotations

import gc
import inspect
import os
import signal
import time
from typing import Final

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

FUZZ_SECONDS: Final = 10
"""How long `make fuzz` stays with one property: some 40 of them, two at a time, end within five minutes."""

os.environ["SIMT_LSP_CACHE"] = "off"  # tests leave nothing in the folders of who runs them

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Under `nohup make test &` interrupts are ignored; the programs that tests start would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Every run of the tests tries the same examples; `make fuzz` tries new ones, again and again.
settings.register_profile("tests", derandomize=True, deadline=None)
settings.register_profile("fuzz", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")


def pytest_collection_finish() -> None:
    """Thousands of tests were collected: the collector need not walk over them while they run."""
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Under the profile `fuzz`, a property is tried for a time instead of for a number of examples."""
    if pyfuncitem.config.getoption("hypothesis_profile") != "fuzz" or not is_hypothesis_test(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    end = time.monotonic() + FUZZ_SECONDS
    while time.monotonic() < end:
        pyfuncitem.obj(**arguments)
    return True
