"""`simulate`: what happens when kernels run."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Annotated, Any, Final, final

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from analysis.rules.wording import quantity
from simt_lsp.cli.exit_status import ExitStatus
from simt_lsp.cli.mcp.answer import Answer, Block, Code, Path, cut, left_out, objects
from simt_lsp.cli.mcp.command import Ran, run
from simt_lsp.cli.mcp.source import Source, opened

START_SECONDS: Final = 60.0
"""For the analysis, beside what the runs may take."""
MAX_KERNELS: Final = 10
MAX_FAULTS: Final = 8
MAX_LINES: Final = 5
MAX_PRINTED: Final = 20
MAX_ELEMENTS: Final = 64


@final
class Fault(Answer):
    kind: str
    place: str
    thread: str = Field(description="of the first time")
    count: int
    message: str
    because: list[str]
    rests_on: list[str] = Field(description="chosen inputs without which it might not happen")


@final
class Line(Answer):
    line: int
    share: float = Field(description="of all issued warp instructions, 0 to 1")
    active: float = Field(description="lanes that are active, 0 to 1")
    sectors: int
    ideal_sectors: int
    bank_conflicts: int


@final
class Simulated(Answer):
    kernel: str
    verdict: str
    launch: str
    inputs: dict[str, str] = Field(description="each argument, and why it is that")
    faults: list[Fault] = Field(description="errors of the kernel")
    notes: list[Fault] = Field(description="what happens with these chosen inputs, and may be their fault")
    left_out: str | None
    warp_instructions: int
    simd_efficiency: float
    hottest: list[Line]
    not_reached: str | None = Field(description="lines in which nothing ran")
    printed: list[str]
    arrays: dict[str, list[float | int]] = Field(description="those asked for, as far as their first elements")


@final
class SimulateAnswer(Answer):
    kernels: list[Simulated]
    problems: list[str] = Field(description="kernels that did not run, and why")


async def simulate(
    code: Code = None,
    path: Path = None,
    kernel: Annotated[str | None, Field(description="its name; without it all kernels of the file")] = None,
    grid: Annotated[str | None, Field(description="blocks as X,Y,Z")] = None,
    block: Block = None,
    arguments: Annotated[
        dict[str, str] | None,
        Field(
            description="by the name of the parameter: a number, `iota[256]`, `zeros[256]`, `random(0,1)[256]`, or"
            " `@file.npy`; what is missing is chosen"
        ),
    ] = None,
    policies: Annotated[
        str, Field(description="how warps reconverge: `ipdom`, several with commas, or `all` to compare schedules")
    ] = "ipdom",
    arrays: Annotated[list[str] | None, Field(description="arguments to return after the run")] = None,
    seed: Annotated[int, Field(description="of random inputs")] = 1,
    seconds: Annotated[float, Field(description="for each run", gt=0, le=600)] = 10.0,
) -> SimulateAnswer:
    """Run kernels on a simulated GPU: races, deadlocks, divergent barriers, accesses out of bounds, uninitialised
    reads, results, and how well warps are used.  No GPU is needed, and what is not given is chosen and listed."""
    with opened(path, code) as source, tempfile.TemporaryDirectory(prefix="simt-lsp-") as out:
        options = [
            source.target(kernel, None),
            "--json",
            "--no-study",
            f"--policy={policies}",
            f"--seed={seed}",
            f"--timeout={seconds}",
            *([] if grid is None else [f"--grid={grid}"]),
            *([] if block is None else [f"--block={block}"]),
            *(f"--arg={name}={value}" for name, value in (arguments or {}).items()),
            *([f"--out={out}"] if arrays else []),
        ]
        ran = await run("simulate", *options, seconds=START_SECONDS + MAX_KERNELS * seconds)
        return _answer(ran, source, dict.fromkeys(arrays or (), out))


def _answer(ran: Ran, source: Source, arrays: dict[str, str]) -> SimulateAnswer:
    reports = [*objects(ran.output)]
    if not reports:
        ran.checked(ExitStatus.CLEAN)
    problems = [*source.told(ran.complaint()).splitlines()]
    more = left_out(len(reports) - MAX_KERNELS, "kernels", "name one")
    kernels = [_simulated(report, source, arrays) for report in reports[:MAX_KERNELS]]
    return SimulateAnswer(kernels=kernels, problems=[*problems, *([] if more is None else [more])])


def _simulated(report: dict[str, Any], source: Source, arrays: dict[str, str]) -> Simulated:
    runs = report["policies"]
    first = next(iter(runs.values()))
    faults = [*_distinct(runs, "faults", source)]
    notes = [*_distinct(runs, "notes", source)]
    over = max(0, len(faults) - MAX_FAULTS) + max(0, len(notes) - MAX_FAULTS)
    return Simulated(
        kernel=report["kernel"],
        verdict=_verdict(report, faults, notes),
        launch=f"<<<{_extent(report['grid'])}, {_extent(report['block'])}>>>, {report['blocks_run']} blocks run",
        inputs={
            name: f"{one['value']} ({one['why']})"
            for name, one in report["inputs"].items()
            if name not in ("grid", "block")
        },
        faults=faults[:MAX_FAULTS],
        notes=notes[:MAX_FAULTS],
        left_out=left_out(over, "faults", "mend these first"),
        warp_instructions=first["warp_instructions"],
        simd_efficiency=round(first["simd_efficiency"], 4),
        hottest=_hottest(first),
        not_reached=_not_reached(first["coverage"], source),
        printed=cut(first["printed"], MAX_PRINTED),
        arrays={name: _elements(name, out, report["kernel"]) for name, out in arrays.items()},
    )


def _verdict(report: dict[str, Any], faults: list[Fault], notes: list[Fault]) -> str:
    runs = report["policies"]
    coverage = next(iter(runs.values()))["coverage"]
    reached = f"{coverage['reached']} of {coverage['lines']} lines"
    ran = f"in {quantity(len(runs), 'run')} of one launch, which reached {reached}"
    if faults:
        return f"{quantity(len(faults), 'kind')} of faults {ran}"
    if report["truncated"]:
        ends = sorted({one["truncated"]["reason"] for one in runs.values() if one["truncated"]})
        return f"no fault, but a run was cut off ({', '.join(ends)}): give a smaller launch or more seconds"
    if report["policies_agree"] is False:
        return "no fault, but the result depends on the schedule: the policies left different memory"
    return f"{'no fault but for what may be due to chosen inputs' if notes else 'no fault'} {ran}"


def _distinct(runs: dict[str, Any], kind: str, source: Source) -> Iterator[Fault]:
    """Faults of all policies, each place and kind once."""
    seen: set[tuple[object, ...]] = set()
    for run_of_policy in runs.values():
        for one in run_of_policy[kind]:
            key = one["kind"], one["path"], one["line"], one["column"]
            if key not in seen:
                seen.add(key)
                yield _fault(one, source)


def _fault(one: dict[str, Any], source: Source) -> Fault:
    return Fault(
        kind=one["kind"],
        place=f"{source.shown(one['path'] or source.path)}:{one['line']}:{one['column']}",
        thread=f"thread {_extent(one['thread'])} of block {_extent(one['block'])}",
        count=one["count"],
        message=one["message"],
        because=[f"{source.shown(near['path'])}:{near['line']}: {near['message']}" for near in one["related"]],
        rests_on=[*map(str, one["chosen"])],
    )


def _extent(numbers: list[int] | None) -> str:
    return "?" if numbers is None else "(" + ", ".join(map(str, numbers)) + ")"


def _hottest(one: dict[str, Any]) -> list[Line]:
    total = max(1, one["warp_instructions"])
    lines = sorted(one["lines"], key=lambda line: -line["warp_instructions"])[:MAX_LINES]
    return [
        Line(
            line=line["line"],
            share=round(line["warp_instructions"] / total, 4),
            active=round(line["simd_efficiency"], 4),
            sectors=line["sectors"],
            ideal_sectors=line["ideal_sectors"],
            bank_conflicts=line["bank_conflicts"],
        )
        for line in lines
        if line["warp_instructions"]
    ]


def _not_reached(coverage: dict[str, Any], source: Source) -> str | None:
    missed = [
        f"{source.shown(file['path'])}:{line['line']}"
        for file in coverage["files"]
        for line in file["lines"]
        if not line["executed"]
    ]
    return ", ".join(cut(missed, MAX_LINES)) or None


def _elements(name: str, out: str, kernel: str) -> list[float | int]:
    from sim.launch.npy_files import read_array  # needs NumPy, which the other tools do without

    if os.path.basename(name) != name:
        raise ToolError(f"`{name}` is no name of an argument")
    place = os.path.join(out, kernel, f"{name}.npy")
    if not os.path.exists(place):
        raise ToolError(f"kernel `{kernel}` has no array `{name}` after its run")
    return read_array(name, place).reshape(-1)[:MAX_ELEMENTS].tolist()
