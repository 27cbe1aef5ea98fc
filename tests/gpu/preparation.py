"""Subjects become files of machine code and launches; what nvcc does not know is left out and named."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, final

from tests.gpu import batch
from tests.gpu.launch import GpuLaunch
from tests.gpu.source import launch_of, source_of
from tests.gpu.subjects import Subject
from tests.gpu.toolkit import CompileError, compile_machine_code
from tests.sim.running import kernel_of

_UNKNOWN: Final = re.compile(r'identifier "(\w+)" is undefined|calling a __host__ function\("(\w+)"\)')
_MOST_TRIES: Final = 8


@final
@dataclass(slots=True)
class Prepared:
    """`order` says for each launch whose case of which number it is."""

    launches: list[GpuLaunch] = field(default_factory=list[GpuLaunch])
    order: list[tuple[Subject, int]] = field(default_factory=list[tuple[Subject, int]])
    unknown: list[str] = field(default_factory=list[str])


def prepared(subjects: Iterable[Subject], folder: Path) -> Prepared:
    """Compiles everything into `folder` and writes the launches there."""
    folder.mkdir(parents=True, exist_ok=True)
    found = Prepared()
    for subject in subjects:
        compiled = _compiled(subject, folder, found.unknown)
        for number, case in enumerate(compiled.cases):
            kernel = kernel_of(case.unit.text, case.unit.kernel)
            found.launches.append(launch_of(case, kernel, f"{subject.name}.cubin", number))
            found.order.append((compiled, number))
    batch.write(folder, found.launches)
    return found


def _compiled(subject: Subject, folder: Path, unknown: list[str]) -> Subject:
    """Raises CompileError where more is wrong than names that nvcc does not have."""
    source, target = folder / f"{subject.name}.cu", folder / f"{subject.name}.cubin"
    for _ in range(_MOST_TRIES):
        if not subject.cases:
            return subject
        source.write_text(source_of(subject.cases))
        try:
            compile_machine_code(source, target)
        except CompileError as error:
            names = unknown_names(str(error))
            if not names or subject.without is None:
                raise
            unknown += sorted(names)
            subject = subject.without(names)
        else:
            source.unlink()
            return subject
    raise CompileError(f"{subject.name}: nvcc still does not know some names")


def unknown_names(messages: str) -> set[str]:
    """The functions that a compiler's messages say are not declared, or not for the device."""
    return {one or other for one, other in _UNKNOWN.findall(messages)}
