"""What a simulation process is told: a text with its headers, and what to do with it; all of it picklable data.

Four jobs: to simulate a kernel, to check that melding the arms of a branch changes nothing and saves something, to
check a repair of barriers, and to hold a finding against runs.

The text is the editor's, saved or not.  Headers come from the open documents and from disk, found as the analysis of
the editor found them: `files` has the paths that it looked at and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Final, TypeAlias, final

from analysis.facts.settings import AnalysisSettings
from analysis.ir.record import record
from analysis.launches import Launch
from analysis.meld.settings import MeldSettings
from analysis.refactor.barrier_goal import BarrierGoal
from analysis.rules.settings import RuleSettings
from simt_lsp.workspace.file_index import FileIndex
from simt_lsp.workspace.settings.simulation import LaunchSettings, SimulationOptions

DEFAULT_SECONDS: Final = 10.0
DEFAULT_POLICIES: Final = ("ipdom",)

Extent = tuple[int, int, int]


@final
@record
class LaunchOverrides:
    """What the client asked for; None and empty: settings, text or chance decide.

    `seconds` bounds all runs of the simulation together.
    """

    grid: Extent | None = None
    block: Extent | None = None
    shared_bytes: int | None = None
    seed: int | None = None
    arguments: Mapping[str, str] = field(default_factory=dict[str, str])
    policies: tuple[str, ...] | None = None
    warp_size: int | None = None
    seconds: float | None = None
    max_steps: int | None = None
    havoc: bool = False

    def over(self, others: LaunchOverrides) -> LaunchOverrides:
        """`others` where these are silent."""
        return LaunchOverrides(
            self.grid or others.grid,
            self.block or others.block,
            others.shared_bytes if self.shared_bytes is None else self.shared_bytes,
            others.seed if self.seed is None else self.seed,
            {**others.arguments, **self.arguments},
            self.policies or others.policies,
            self.warp_size or others.warp_size,
            self.seconds or others.seconds,
            self.max_steps or others.max_steps,
            self.havoc or others.havoc,
        )


@final
@record
class SourceText:
    """A document with everything that its analysis looked at; `on_disk` is False for a text without a place there."""

    path: str
    text: bytes
    on_disk: bool
    open_texts: Mapping[str, bytes]
    files: FileIndex
    settings: AnalysisSettings
    context: str | None
    includers: tuple[str, ...] = ()


@final
@record
class SimulationJob:
    """`start` is the byte offset of the kernel's definition in the file `path`: that of the source, or one that it
    includes.

    `launches` are the settings for this kernel, the most important first; `launch` is the one in host code that is
    simulated, where one was asked for.
    """

    source: SourceText
    path: str
    start: int
    kernel: str
    overrides: LaunchOverrides
    launches: tuple[LaunchSettings, ...]
    launch: Launch | None = None

    @property
    def task(self) -> str:
        """For sentences that say what failed."""
        return f"simulating {self.kernel}"

    @property
    def seconds(self) -> float:
        """For everything."""
        said = (self.overrides.seconds, *(one.seconds for one in self.launches))
        return next((seconds for seconds in said if seconds is not None), DEFAULT_SECONDS)

    @property
    def policies(self) -> tuple[str, ...]:
        said = (self.overrides.policies, *(one.policies for one in self.launches))
        return next((names for names in said if names is not None), DEFAULT_POLICIES)

    @property
    def max_steps(self) -> int | None:
        """None: as many as the simulator wants to make."""
        said = (self.overrides.max_steps, *(one.max_steps for one in self.launches))
        return next((steps for steps in said if steps is not None), None)

    @property
    def analysis_settings(self) -> AnalysisSettings:
        """Those of the editor, with the lanes of a warp that were asked for."""
        said = (self.overrides.warp_size, *(one.warp_size for one in self.launches))
        size = next((size for size in said if size is not None), self.source.settings.warp_size)
        return replace(self.source.settings, warp_size=size)


@final
@record
class MeldJob:
    """`start` is the byte offset of the function's definition, `keyword` that of the branch whose arms are melded.

    The kernel that runs the branch is found in the process; `simulation` has the settings for all of them.
    """

    source: SourceText
    function: str
    start: int
    keyword: int
    settings: MeldSettings
    simulation: SimulationOptions

    @property
    def task(self) -> str:
        return f"checking the melded {self.function}"

    @property
    def seconds(self) -> float:
        """For everything."""
        said = (one.seconds for one in self.simulation.of(self.function))
        return next((seconds for seconds in said if seconds is not None), DEFAULT_SECONDS)


@final
@record
class BarrierJob:
    """`start` is the byte offset of the function's definition, `place` that of what the goal is about.

    The kernels that run the function are found in the process; `simulation` has the settings for all of them.
    """

    source: SourceText
    goal: BarrierGoal
    function: str
    start: int
    place: int
    simulation: SimulationOptions

    @property
    def task(self) -> str:
        return f"checking {self.function} with barriers"

    @property
    def seconds(self) -> float:
        """For everything."""
        said = (one.seconds for one in self.simulation.of(self.function))
        return next((seconds for seconds in said if seconds is not None), DEFAULT_SECONDS)


@final
@record
class ConfirmJob:
    """The finding of the rule `code` at these byte offsets; `function` is the one that it belongs to.

    The kernels that run the function are found in the process; `simulation` has the settings for all of them.
    """

    source: SourceText
    function: str
    code: str
    start: int
    end: int
    rules: RuleSettings
    simulation: SimulationOptions

    @property
    def task(self) -> str:
        return f"confirming {self.code} in {self.function}"

    @property
    def seconds(self) -> float:
        """For everything."""
        said = (one.seconds for one in self.simulation.of(self.function))
        return next((seconds for seconds in said if seconds is not None), DEFAULT_SECONDS)


EditJob: TypeAlias = MeldJob | BarrierJob
Job: TypeAlias = SimulationJob | EditJob | ConfirmJob
