"""What a rule is: a class of findings that knows its name, its text, and how to be found."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import ClassVar, Protocol, TypeGuard, TypeVar, final, runtime_checkable

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts, Location
from analysis.ir.record import record
from analysis.meld.settings import MeldSettings
from analysis.races.absent_model import Consequence
from analysis.rules.barrier_survey import UnsafeBarrier
from analysis.rules.diagnostic import Fix, KernelShare, Related, Severity
from analysis.rules.run_claim import RunClaim
from analysis.rules.source_text import FunctionText
from analysis.verdict.barriers import Tier


@final
@record
class Subject:
    """What a rule looks at: one active function of an analysed file, and the unsafe barriers that belong to it."""

    analysis: FileAnalysis
    function: FunctionFacts
    unsafe_barriers: tuple[UnsafeBarrier, ...]
    share_threshold: float
    meld: MeldSettings
    tiers: frozenset[Tier]
    """What is asked for: a rule need not look for findings of other tiers."""

    @property
    def text(self) -> FunctionText:
        return FunctionText(self.analysis.facts.path, self.analysis.document, self.function)


class Finding(Protocol):
    """One finding.  The class is the rule: its docstring is the rule's page and runs as a test.

    A finding holds the facts it is about; `message` is one or two sentences for a person, `related` the places that
    explain it, the nearest cause first.
    """

    code: ClassVar[str]
    slug: ClassVar[str]
    severity: ClassVar[Severity]

    @property
    def site(self) -> Location: ...

    @property
    def tier(self) -> Tier | None: ...

    def message(self) -> str: ...

    def related(self) -> tuple[Related, ...]: ...


@runtime_checkable
class OfDeviceCode(Protocol):
    """A rule that looks at functions of the device."""

    @classmethod
    def find(cls, subject: Subject) -> Iterator[Finding]: ...


class DeviceRule(Finding, OfDeviceCode, Protocol):
    """A rule that is known to do so."""


def device_findings(rule: type[Finding], subject: Subject) -> Iterator[Finding]:
    """What a rule says of a function of the device; nothing where it is about host code alone."""
    if issubclass(rule, OfDeviceCode):
        yield from rule.find(subject)


Kind = TypeVar("Kind")


def _is_of(finding: Finding, kind: type[Kind]) -> TypeGuard[Kind]:
    """What `isinstance` says of these protocols: it looks at each attribute each time, this once for a rule."""
    return _offers(type(finding), kind)


@lru_cache(maxsize=1 << 9)
def _offers(rule: type[Finding], kind: type[object]) -> bool:
    return all(hasattr(rule, name) for name in vars(kind) if not name.startswith("_"))


class Fixable(Protocol):
    """A finding that may know how to repair what it reports."""

    def fix(self) -> Fix | None: ...


def fix_of(finding: Finding) -> Fix | None:
    """How to repair it, if it knows."""
    return finding.fix() if _is_of(finding, Fixable) else None


class Consequential(Protocol):
    """A finding that says what follows: where nothing does it informs, however loud its rule is."""

    @property
    def consequence(self) -> Consequence: ...


def consequence_of(finding: Finding) -> Consequence | None:
    """What follows, if it says so."""
    return finding.consequence if _is_of(finding, Consequential) else None


class Priced(Protocol):
    """A finding that takes a share of a kernel."""

    @property
    def cost(self) -> KernelShare: ...


def cost_of(finding: Finding) -> KernelShare | None:
    """The share, if it has one."""
    return finding.cost if _is_of(finding, Priced) else None


class Guessing(Protocol):
    """A finding that may be worth nothing: then it is a hint, however loud its rule is."""

    @property
    def is_hint(self) -> bool: ...


def is_guess(finding: Finding) -> bool:
    """Whether it may be worth nothing."""
    return _is_of(finding, Guessing) and finding.is_hint


@runtime_checkable
class Testable(Protocol):
    """A finding that may know what a run shows if it is right."""

    def claim(self) -> RunClaim | None: ...
