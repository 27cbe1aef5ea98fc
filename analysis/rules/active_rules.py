"""The rules that are not off, with how loud they are, by what they look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, final

from analysis.ir.record import record
from analysis.rules.diagnostic import Severity
from analysis.rules.host_subject import OfHostCode, OfLaunches
from analysis.rules.registry import NAMES, OF_ONE_FUNCTION, RULES
from analysis.rules.rule import DeviceRule, Finding, OfDeviceCode
from analysis.rules.settings import Off, RuleSettings

Rules: TypeAlias = Sequence[tuple[type[Finding], Severity]]
DeviceRules: TypeAlias = Sequence[tuple[type[DeviceRule], Severity]]


def active_rules(settings: RuleSettings) -> Rules:
    """All of them."""
    active: list[tuple[type[Finding], Severity]] = []
    for rule, names in zip(RULES, NAMES, strict=True):
        severity = settings.severity_of(names, rule.severity)
        if not isinstance(severity, Off):
            active.append((rule, severity))
    return active


@final
@record
class ActiveRules:
    """Those about functions of the device are in one of the first two groups; a rule may be about host code as well."""

    of_one_function: DeviceRules
    """See `OF_ONE_FUNCTION`."""
    of_device_code: DeviceRules
    of_host_code: Rules
    of_launches: Rules


def grouped(active: Rules) -> ActiveRules:
    """The rules by what they look at: made once for the settings, since each group is asked for with each function."""
    of_device = [(rule, severity) for rule, severity in active if issubclass(rule, OfDeviceCode)]
    return ActiveRules(
        [one for one in of_device if one[0].code in OF_ONE_FUNCTION],
        [one for one in of_device if one[0].code not in OF_ONE_FUNCTION],
        [one for one in active if issubclass(one[0], OfHostCode)],
        [one for one in active if issubclass(one[0], OfLaunches)],
    )
