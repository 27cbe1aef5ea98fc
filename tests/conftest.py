"""What holds for all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Every run of the tests tries the same examples; `make fuzz` tries new ones, for a long time.
settings.register_profile("tests", derandomize=True, deadline=None)
settings.register_profile("fuzz", max_examples=20_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")
