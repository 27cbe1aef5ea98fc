"""Host functions of which nothing was said are looked at again where something they see changed, and only there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from unittest.mock import patch

from analysis.facts.analyzer import Analyzer
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.rules.check import check
from analysis.rules.diagnostic_cache import DiagnosticCache
from analysis.rules.host_subject import HostSubject
from analysis.rules.illegal_call import IllegalCall
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

TEXT = """#include "own.h"
#define SIDE
#define PASSED x
__global__ void k(float *x) { x[threadIdx.x] = 1; }
SIDE float half(float x) { return x / 2; }
void launched(float *x) { k<<<1, 32>>>(PASSED); }
float told(float x) { float k = half(x) + other(x); return note(__LINE__) + k; }
"""
HEADER = """float note(int line);
float other(float x);
"""
SEEN: Final[Mapping[str, tuple[str, str, Sequence[str]]]] = {
    "a body": ("x[threadIdx.x] = 1;", "x[threadIdx.x] = 2;", []),
    "nothing above": ("#define SIDE\n", "#define SIDE\n\n", []),
    "the side of a function": ("SIDE float half", "__device__ float half", ["CAL701"]),
    "what a macro says": ("#define SIDE\n", "#define SIDE __device__\n", ["CAL701"]),
    "what a macro stands for": ("PASSED x", "PASSED x, 1", ["CAL705"]),
    "what a kernel takes": ("k(float *x)", "k(float *x, int n)", ["CAL705"]),
    "a header": ("float other", "__device__ float other", ["CAL701"]),
    "its own text": ("{ k<<<1", "{ k(x); k<<<1", ["CAL701"]),
}


def analysed(analyzer: Analyzer, text: str, header: str) -> FileAnalysis:
    loader = DictLoader({"own.h": header.encode()})
    return analyzer.analyze("a.cu", Document.open(text.encode()), loader, AnalysisSettings())


def test_what_a_host_function_sees_is_followed() -> None:
    analyzer, cache = Analyzer(), DiagnosticCache()
    for what, (old, new, codes) in SEEN.items():
        for text, header, expected in (
            (TEXT, HEADER, []),
            (TEXT.replace(old, new), HEADER.replace(old, new), codes),
            (TEXT, HEADER, []),
        ):
            analysis = analysed(analyzer, text, header)
            found = [one for one in check(analysis, RuleSettings(), cache) if one.code.startswith("CAL")]
            assert [one.code for one in found] == expected, what
            assert found == [one for one in check(analysis, RuleSettings()) if one.code.startswith("CAL")], what


def test_host_functions_are_not_read_again_for_the_body_of_another() -> None:
    analyzer, cache, asked = Analyzer(), DiagnosticCache(), list[str]()
    find, seen = IllegalCall.find_on_host, HostSubject.seen.fget
    assert seen is not None

    def counted(subject: HostSubject) -> Iterator[IllegalCall]:
        asked.append(subject.function.name)
        return find(subject)

    def looked(subject: HostSubject) -> object:
        asked.append(f"seen by {subject.function.name}")
        return seen(subject)

    with patch.object(IllegalCall, "find_on_host", counted), patch.object(HostSubject, "seen", property(looked)):
        for number in range(3):
            text = TEXT.replace("= 1;", f"= {number};")
            check(analysed(analyzer, text, HEADER), RuleSettings(), cache)
        assert sorted(asked) == ["launched", "seen by launched", "seen by told", "told"]
        asked.clear()
        # What names its line is another text in another one.
        check(analysed(analyzer, TEXT.replace("float told", "\nfloat told"), HEADER), RuleSettings(), cache)
    assert asked == ["seen by told", "told"]
