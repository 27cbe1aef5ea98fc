"""The distance between neighbouring lanes in the words of the source, where it is no known number: `4*width` bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, final

from analysis.access.model import Access
from analysis.affine.atoms import Axis, ValueAtom
from analysis.affine.linear_form import format_polynomial
from analysis.affine.polynomial import ZERO, Polynomial
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import FrameView
from analysis.facts.model import AccessFact, FunctionFacts
from analysis.facts.roots import RootAnalysis
from analysis.ir.ids import ValueId
from analysis.ir.object_members import numbers_of_members
from analysis.ir.record import record
from analysis.rules.form_names import names_of
from analysis.rules.form_text import UNNAMED, FormWriter

MAX_STRIDE: Final = 30


@final
@record
class SymbolicStride:
    """`text`: bytes from one thread to the next along x, `4*width`; that is `factor * size`, of a sum with factor 1."""

    text: str
    factor: int
    size: str

    def unless(self, distance: int) -> str:
        """When lanes are less than so many bytes apart: ``unless `width` is below 8``."""
        least = -(-distance // abs(self.factor))
        return f"unless `{self.size}` is {'0' if least <= 1 else f'below {least}'}"


def symbolic_stride(analysis: FileAnalysis, function: FunctionFacts, access: AccessFact) -> SymbolicStride | None:
    """None where it is a number, has no name at the place of the access, or differs between calls."""
    if access.stride is not None:
        return None
    strides: set[SymbolicStride | None] = set()
    for view, found in places(analysis, function, access):
        form = view.root.affine.form_at(found.address, found.block)
        step = ZERO if form is None else form.coefficient(Axis.THREAD_X)
        strides.add(_named(step, FormWriter(view, names_of(analysis, function, view), access.span.end)))
    return strides.pop() if len(strides) == 1 else None


def launched_strides(analysis: FileAnalysis, function: FunctionFacts, access: AccessFact) -> frozenset[int | None]:
    """Bytes from one thread to the next along x, as the launches of the file have it: one number where all of them pass
    the same, and None where they do not, or are not known."""
    return frozenset(
        None if form is None else _launched(form.coefficient(Axis.THREAD_X), view)
        for view, found in places(analysis, function, access)
        for form in (view.root.affine.form_at(found.address, found.block),)
    )


def _launched(step: Polynomial, view: FrameView) -> int | None:
    parameters, total = view.root.function.parameters, 0
    passed = {parameters[at].value: number for at, number in view.root.launch.passed if at < len(parameters)}
    passed.update(view.root.remembered(_passed_in_objects))
    for monomial, factor in step.terms:
        for atom in monomial:
            number = passed.get(atom.value) if isinstance(atom, ValueAtom) else None
            if number is None:
                return None
            factor *= number
        total += factor
    return total


def _passed_in_objects(root: RootAnalysis) -> Mapping[ValueId, int]:
    return numbers_of_members(root.function, root.launch.passed_members)


def places(analysis: FileAnalysis, function: FunctionFacts, access: AccessFact) -> Iterator[tuple[FrameView, Access]]:
    """Where a fact comes from: the access in each view that has it."""
    for view in analysis.views(function):
        for found in view.root.records[view.frame].accesses:
            same = (found.span.start, found.span.end, found.kind) == (access.span.start, access.span.end, access.kind)
            if same:
                yield view, found
                break


def _named(step: Polynomial, writer: FormWriter) -> SymbolicStride | None:
    text = format_polynomial(step, writer.name)
    if step.constant is not None or UNNAMED in text or len(text) > MAX_STRIDE:
        return None
    for monomial, factor in step.terms if len(step.terms) == 1 else ():
        return SymbolicStride(text, factor, "*".join(map(writer.name, monomial)))
    return SymbolicStride(text, 1, text)
