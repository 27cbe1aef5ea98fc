"""What one launch says, in words: its shape with where the numbers come from, what is passed, and what cannot work.

Rules    An argument that is called as the parameter says nothing, unless its value is known.
         What is wrong is said only where it holds in every run: a block that no device or the kernel's
         `__launch_bounds__` allows, no dynamic shared memory for a kernel that declares some.
         A comment above the kernel that says another block is named, since it decides what the analysis assumes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar, final

from analysis.divergence.launch_shape import MAX_BLOCK_THREADS
from analysis.facts.file_analysis import FileAnalysis
from analysis.features.launch_site import FunctionPlace, LaunchSite
from analysis.ir.record import record
from analysis.launches import Launch, Shape
from analysis.launches.annotation import annotation_above
from analysis.launches.model import LaunchNumbers, NumbersFrom
from analysis.lower.functions import instantiate
from analysis.lower.program import Program
from analysis.lower.seen_kernels import item_at
from analysis.rules.source_text import one_line
from analysis.syntax.items import Item
from analysis.syntax.lexing import LAUNCH, LAUNCH_END

_Known = TypeVar("_Known")


@final
@record
class LaunchDescription:
    """Sentences about a launch: `shape` of its grid, block and shared memory, `passed` one per argument, `problems`
    what is proven not to work."""

    shape: tuple[str, ...]
    passed: tuple[str, ...]
    problems: tuple[str, ...]


def describe(analysis: FileAnalysis, site: LaunchSite) -> LaunchDescription:
    """`analysis` is that of the file in which the launch stands."""
    program = analysis.program
    kernel = site.kernel
    item = None if kernel is None else item_at(program, kernel.name, kernel.path, kernel.start)
    return LaunchDescription(
        tuple(_shape(analysis, site)),
        tuple(_passed(program, site, item)),
        () if item is None else tuple(_problems(program, site, item)),
    )


def kernel_place(analysis: FileAnalysis, site: LaunchSite, kernel: FunctionPlace) -> str:
    """`k.cuh:12`, for one of the definitions of a launch in another file; `line 12` in the same."""
    if site.elsewhere is not None and site.elsewhere.place is kernel:
        line = site.elsewhere.line
    else:
        line = analysis.line_in(kernel.path, kernel.name_start)
    return f"line {line}" if kernel.path == analysis.facts.path else f"{kernel.path.rpartition('/')[2]}:{line}"


def _shape(analysis: FileAnalysis, site: LaunchSite) -> Iterator[str]:
    launch = site.launch
    written = [*_configuration(analysis, site), "", "", ""]
    grids, grid_source = _known_or([launch.grid], launch, lambda numbers: numbers.grid)
    blocks, block_source = _known_or([launch.block], launch, lambda numbers: numbers.block)
    yield _extent("grid of", grids, "blocks", written[0], grid_source)
    block = _extent("blocks of", blocks, "threads", written[1] or launch.block_text, block_source)
    one_row = launch.has_line and launch.block is None and None in blocks
    yield f"{block}, in one row" if one_row else block
    if launch.shared_bytes or written[2]:
        number = "not known" if launch.shared_bytes is None else f"{launch.shared_bytes:,} bytes"
        yield f"dynamic shared memory: {number}{_written(written[2], str(launch.shared_bytes))}"


def _known_or(
    surely: Sequence[_Known | None], launch: Launch, of: Callable[[LaunchNumbers], _Known | None]
) -> tuple[Sequence[_Known | None], str]:
    """What is the same in every launch; else what each is one of; else what is known to be made; and where it comes
    from: `, as calls in the file pass it`."""
    if None not in surely:
        return surely, ""
    every = [of(numbers) for numbers in launch.every]
    is_every = bool(launch.possible) and None not in every
    left_out = {NumbersFrom.START} if is_every else set[NumbersFrom]()
    sources = [text for source, text in _SOURCES.items() if source in launch.numbers_from - left_out]
    found = every if is_every else [of(numbers) for numbers in launch.made]
    return found, f", {' and '.join(sources)}" if sources else ""


def _extent(before: str, shapes: Sequence[Shape | None], of: str, written: str, source: str) -> str:
    known = list(dict.fromkeys(_spelled(shape) for shape in shapes if shape is not None))
    if len(known) == 0 or None in shapes:
        return f"{before} an unknown number of {of}{_written(written, '')}"
    return f"{before} {' or '.join(known)} {of}{source}{_written(written, known[0])}"


def _spelled(shape: Shape) -> str:
    extents = [shape.x, shape.y, shape.z]
    while len(extents) > 1 and extents[-1] == 1:
        extents.pop()
    return " x ".join(f"{extent:,}" for extent in extents)


def _written(text: str, value: str) -> str:
    """The source of a number, where it says more than the number."""
    return f" (`{text}`)" if text and text != value.replace(",", "") else ""


def _passed(program: Program, site: LaunchSite, item: Item | None) -> Iterator[str]:
    launch = site.launch
    names = () if item is None else _parameters(program, item)
    for position, text in enumerate(launch.arguments):
        name = names[position] if position < len(names) and names[position] else f"argument {position + 1}"
        value = launch.argument_values[position]
        values, source = _known_or([value], launch, lambda made, at=position: made.argument_values[at])
        known = list(dict.fromkeys(str(one) for one in values if one is not None))
        is_news = known != [text] and text not in ("NULL", "nullptr")
        number = f" = {' or '.join(known)}{source}" if known and None not in values and is_news else ""
        inside = [one for one in launch.members if one.argument == position][:MOST_MEMBERS] if is_news else []
        if inside:
            number = f" with {', '.join(f'`{_place(one.path)} = {one.number}`' for one in inside)}"
        written = one_line(text.encode())
        if written != name:
            yield f"`{name}` is `{written}`{number}"
        elif number:
            yield f"`{name}`{number}"


def _place(path: str) -> str:
    """`sizes[2]` of the path `sizes.2`."""
    return "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in path.split(".")).removeprefix(".")


def _parameters(program: Program, item: Item) -> tuple[str, ...]:
    declaration = program.declaration(item, None)
    if declaration is None:
        return ()
    return tuple(one.name for one in instantiate(declaration, {}, defaults=False).signature.parameters)


def _problems(program: Program, site: LaunchSite, item: Item) -> Iterator[str]:
    launch, snippet = site.launch, program.snippet(item)
    shape = launch.block
    if shape is not None:
        threads = shape.x * shape.y * shape.z
        bound = _number(snippet.launch_bounds[0]) if snippet.launch_bounds else None
        if threads > MAX_BLOCK_THREADS:
            yield f"no device runs a block of {threads:,} threads: the launch fails"
        elif bound is not None and threads > bound:
            yield f"`__launch_bounds__({bound})` of the kernel allows no block of {threads:,} threads: the launch fails"
        text = program.unit.text_of(item.path)
        above = None if text is None else annotation_above(text, item.span.start)
        if above is not None and above.block is not None and Shape(*above.block) != shape:
            yield f"the comment above the kernel says blocks of {_spelled(Shape(*above.block))} threads"
    if launch.shared_bytes == 0 and _DYNAMIC.search(snippet.text) is not None:
        yield "the kernel declares `extern __shared__` memory, and this launch gives it none"


def _number(text: bytes) -> int | None:
    stripped = text.strip().rstrip(b"uU")
    return int(stripped) if stripped.isdigit() else None


def _configuration(analysis: FileAnalysis, site: LaunchSite) -> list[str]:
    """The parts of `<<<…>>>` as they are written; nothing for other ways to launch."""
    text = analysis.document.text[site.name_end : site.head_end]
    opened = LAUNCH.search(text)
    closed = None if opened is None else LAUNCH_END.search(text, opened.end())
    if opened is None or closed is None:
        return []
    parts: list[bytes] = []
    depth, begin = 0, opened.end()
    for at in range(begin, closed.start()):
        character = text[at : at + 1]
        depth += (character in b"([{") - (character in b")]}")
        if character == b"," and not depth:
            parts.append(text[begin:at])
            begin = at + 1
    return [one_line(part.strip()) for part in (*parts, text[begin : closed.start()])]


MOST_MEMBERS: Final = 4
"""Of one object."""
_SOURCES: Final = {
    NumbersFrom.START: "where the program starts without arguments",
    NumbersFrom.CALLS: "as calls in the file pass it",
    NumbersFrom.ROUNDS: "in the rounds of the loop around it",
    NumbersFrom.VARIABLES: "as the program sets the variables of the file",
}
_DYNAMIC: Final = re.compile(rb"\bextern\b[^;{}]*\b__shared__\b|\b__shared__\s+extern\b")
