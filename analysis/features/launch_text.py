"""What is known of a kernel's launches, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.launch_places import LaunchPlace
from analysis.facts.model import FunctionFacts
from analysis.ir.launch_relation import RelationKind
from analysis.rules.unlaunched_text import unlaunched_text
from analysis.rules.witness_text import extent_text

MAX_PLACES: Final = 5
MAX_ORIGINS: Final = 3
AXES: Final = "xyz"


def block_text(launch: LaunchKnowledge | None) -> str | None:
    """`block of 16 x 16 threads`; None for a function that is not launched."""
    if launch is None:
        return None
    if launch.shapes:
        return f"block of {' or '.join(map(extent_text, launch.shapes))} threads"
    return "one-dimensional block of unknown size" if launch.one_dimensional else "block shape not known"


def launches_text(
    block: str | None, analysis: FileAnalysis, function: FunctionFacts, *, most: int | None = MAX_PLACES
) -> str | None:
    """`block of 256 threads; all 3 launches: main.cu:53, main.cu:60, other.cu:7`: what is assumed, and from where.

    At the most so many are listed, None: all of them.
    """
    places = analysis.launch_places(function)
    if block is not None and function.unlaunched is not None:
        return f"{block}; {unlaunched_text(function.unlaunched)}"
    if block is None or not places:
        return block
    block = ", ".join([block, *relation_texts(analysis, function)])
    launches = {1: "only launch", 2: "both launches"}.get(len(places), f"all {len(places)} launches")
    return f"{block}; {launches}: {_listed(places, len(places) if most is None else most)}"


def relation_texts(analysis: FileAnalysis, function: FunctionFacts) -> list[str]:
    """What every launch says of a parameter or of a product, whatever the numbers are: `n >= gridDim.x * blockDim.x`,
    `n` is a multiple of 256."""
    launch = analysis.launch_of(function)
    root = next((view.root for view in analysis.views(function)), None)
    if launch is None or root is None:
        return []
    parameters = root.function.parameters
    kinds: dict[tuple[str, int], set[RelationKind]] = {}
    for kind, axis, position in launch.relations:
        kinds.setdefault((parameters[position].name, axis), set()).add(kind)
    for kind, axis, left, right in launch.products:
        kinds.setdefault((f"{parameters[left].name} * {parameters[right].name}", axis), set()).add(kind)
    related = [
        f"`{text}`" for (name, axis), found in kinds.items() for text in _relation_texts(name, AXES[axis], found)
    ]
    return related + [f"`{parameters[at].name}` is a multiple of {number}" for at, number in launch.multiples]


def _relation_texts(name: str, axis: str, kinds: set[RelationKind]) -> Iterator[str]:
    """What is said of one parameter along one axis; what follows from something else is not told."""
    product = f"gridDim.{axis} * blockDim.{axis}"
    if RelationKind.IS_BLOCK in kinds:
        yield f"{name} = blockDim.{axis}"
    if RelationKind.IS_GRID in kinds:
        yield f"{name} = gridDim.{axis}"
    below = RelationKind.EXCEEDS in kinds and RelationKind.COVERS not in kinds
    least = f"(gridDim.{axis} - 1) * blockDim.{axis} < " if below else ""
    if kinds >= {RelationKind.COVERS, RelationKind.WITHIN}:
        yield f"{name} = {product}"
    elif RelationKind.COVERS in kinds:
        yield f"{name} >= {product}"
    elif RelationKind.WITHIN in kinds:
        yield f"{least}{name} <= {product}"
    elif least:
        yield f"{least}{name}"


def origin_text(analysis: FileAnalysis, function: FunctionFacts) -> str | None:
    """`launched in main.cu:53, other.cu:7`, of a kernel of which all launches are known and some stand in other files:
    what nobody sees who reads the kernel."""
    places = analysis.launch_places(function)
    if all(place.path == analysis.facts.path for place in places):
        return None
    return f"launched in {_listed(places, MAX_ORIGINS)}"


def _listed(places: Sequence[LaunchPlace], most: int) -> str:
    listed = [f"{place.path.rpartition('/')[2]}:{place.line}" for place in places]
    more = [f"{len(listed) - most} more"] if len(listed) > most else []
    return ", ".join([*listed[:most], *more])
