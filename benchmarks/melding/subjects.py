"""The kernels that are melded: own text, with the shapes that the paper describes.

Each file says what its kernels do; a `// simt:` comment above each gives a launch, so that every one of them also runs
by `simt-lsp simulate FILE` with no option.  Here only the block differs: the sizes are the paper's.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, final

from analysis.ir.index3 import Index3
from analysis.ir.record import record
from analysis.lower.program import DeviceFunction, LowerSettings, Program
from analysis.syntax.document import Document
from analysis.syntax.environment import Environment
from analysis.syntax.includes import DictLoader
from analysis.syntax.translation_unit import TranslationUnit

FOLDER: Final = Path(__file__).parent.parent / "kernels" / "melding"


@final
@record
class Subject:
    """A kernel by the name that the paper gives to its shape; `blocks` are the shapes that it is measured with."""

    name: str
    file: str
    function: str
    blocks: tuple[Index3, ...]

    @property
    def text(self) -> bytes:
        return (FOLDER / self.file).read_bytes()


def _rows(*sizes: int) -> tuple[Index3, ...]:
    return tuple((size, 1, 1) for size in sizes)


_USUAL: Final = _rows(32, 64, 128, 256)
_SQUARES: Final[tuple[Index3, ...]] = ((16, 16, 1), (32, 32, 1))

SUBJECTS: Final = (
    Subject("BIT", "bitonic_sort.cu", "bitonic_sort", _USUAL),
    Subject("PCM", "partition_merge.cu", "partition_merge", _USUAL),
    Subject("MS", "merge_sort.cu", "merge_sort", _USUAL),
    Subject("LUD", "lu_perimeter.cu", "lu_perimeter", _rows(16, 32, 64, 128)),
    Subject("NQU", "queens.cu", "queens", _USUAL),
    Subject("SRAD-1", "diffusion.cu", "diffusion_coefficient", _SQUARES),
    Subject("SRAD-2", "diffusion.cu", "diffusion_update", _SQUARES),
    Subject("DCT", "quantize.cu", "quantize", _USUAL),
    Subject("SB1", "synthetic.cu", "sb1", _USUAL),
    Subject("SB1-R", "synthetic_random.cu", "sb1_r", _USUAL),
    Subject("SB2", "synthetic.cu", "sb2", _USUAL),
    Subject("SB2-R", "synthetic_random.cu", "sb2_r", _USUAL),
    Subject("SB3", "synthetic.cu", "sb3", _USUAL),
    Subject("SB3-R", "synthetic_random.cu", "sb3_r", _USUAL),
    Subject("SB4", "synthetic.cu", "sb4", _USUAL),
    Subject("SB4-R", "synthetic_random.cu", "sb4_r", _USUAL),
)


def subject_named(name: str) -> Subject:
    return next(subject for subject in SUBJECTS if subject.name == name)


def program_of(text: bytes, file: str, warp_size: int) -> Program:
    unit = TranslationUnit.build(file, Document.open(text), DictLoader(), Environment())
    return Program(unit, LowerSettings(warp_size=warp_size))


def kernel_of(program: Program, name: str) -> DeviceFunction:
    return next(function for function in program.device_functions() if function.item.name == name)


def subjects_named(names: Sequence[str]) -> tuple[Subject, ...]:
    """Those of these names, in the order of the table; all of them where there are no names."""
    wanted = set(names)
    unknown = wanted - {subject.name for subject in SUBJECTS}
    if unknown:
        raise KeyError(", ".join(sorted(unknown)))
    return tuple(subject for subject in SUBJECTS if not wanted or subject.name in wanted)
