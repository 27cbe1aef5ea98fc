"""What was asked for: settings of a launch from one source, and which source wins.

Rules    The command line (or the caller) comes first, then the comment above the kernel, then the project's settings:
         those of the kernel, then those of all kernels.
         Each source speaks about single settings; what none speaks about is inferred.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from typing import final

from analysis.divergence.launch_shape import BlockShape
from analysis.ir.index3 import Index3
from analysis.ir.record import record
from analysis.launches import Launch, LaunchAnnotation
from sim.refusals import LaunchError


@final
@record
class Request:
    """One source.  `arguments` are texts by name, as `given.read_given` takes them, and of template parameters.

    `folder` is set for a source that comes with the code: its files must lie below that folder.
    A source that `is_general` speaks about all kernels: names that this one does not have are no mistake.
    """

    why: str = "given"
    grid: Index3 | None = None
    block: Index3 | None = None
    shared_bytes: int | None = None
    seed: int | None = None
    arguments: Mapping[str, str] = field(default_factory=dict[str, str])
    folder: str | None = None
    is_general: bool = False


def request_of(annotation: LaunchAnnotation, folder: str) -> Request:
    """What the comment above a kernel asks for; raises `LaunchError` for a comment that cannot be read."""
    for problem in annotation.problems:
        raise LaunchError(f"// simt: {problem.word}: {problem.kind.value}")
    return Request(
        "the comment above the kernel",
        annotation.grid,
        annotation.block,
        annotation.shared_bytes,
        annotation.seed,
        annotation.parameters,
        folder,
    )


def requests_in_order(
    given: Request,
    annotation: LaunchAnnotation | None,
    folder: str,
    settings: Sequence[Request],
    block: BlockShape | None,
) -> Sequence[Request]:
    """What the user gave, the comment above the kernel in `folder`, the settings of simulations, the block of the
    analysis: the first that speaks wins.  Raises `LaunchError` for a comment that cannot be read."""
    requests = [given]
    if annotation is not None:
        requests.append(request_of(annotation, folder))
    requests += settings
    if block is not None:
        requests.append(Request("the settings", block=(block.x, block.y, block.z)))
    return requests


def under_launch(
    requests: Sequence[Request], launch: Launch, parameters: Sequence[str], template_parameters: Sequence[str]
) -> Sequence[Request]:
    """What was given (the first request), and of the others what the launch that is simulated leaves open."""
    passed = zip(parameters, launch.argument_values, strict=False)
    said = {name for name, value in passed if value is not None}
    said |= set(template_parameters[: len(launch.template_arguments)])
    return [
        *requests[:1],
        *(
            replace(
                request,
                grid=request.grid if launch.grid is None else None,
                block=request.block if launch.block is None else None,
                shared_bytes=request.shared_bytes if launch.shared_bytes is None else None,
                arguments={name: text for name, text in request.arguments.items() if name not in said},
            )
            for request in requests[1:]
        ),
    ]


@final
@record
class Requests:
    """All sources, the most important first."""

    sources: Sequence[Request]

    @property
    def grid(self) -> Index3 | None:
        return next((source.grid for source in self.sources if source.grid is not None), None)

    @property
    def block(self) -> Index3 | None:
        return next((source.block for source in self.sources if source.block is not None), None)

    @property
    def shared_bytes(self) -> int | None:
        return next((source.shared_bytes for source in self.sources if source.shared_bytes is not None), None)

    @property
    def seed(self) -> int | None:
        return next((source.seed for source in self.sources if source.seed is not None), None)

    def argument(self, name: str) -> tuple[str, Request] | None:
        """The text for an argument, and who gave it."""
        return next(((source.arguments[name], source) for source in self.sources if name in source.arguments), None)

    def with_full_names(self, known: Collection[str]) -> Requests:
        """Names without their namespace or class mean the one of the `known` names that ends so."""

        def full(name: str) -> str:
            found = [one for one in known if one.endswith(f"::{name}")]
            return name if name in known or len(found) != 1 else found[0]

        def spelled(source: Request) -> Request:
            return replace(source, arguments={full(name): text for name, text in source.arguments.items()})

        return Requests([spelled(source) for source in self.sources])

    @property
    def specific(self) -> Mapping[str, str]:
        """The winning texts of the sources that speak about this kernel."""
        return Requests([source for source in self.sources if not source.is_general]).arguments

    @property
    def arguments(self) -> Mapping[str, str]:
        """The winning text for every name."""
        return {name: text for source in reversed(self.sources) for name, text in source.arguments.items()}
