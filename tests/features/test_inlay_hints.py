"""Levels after names, by mode and range."""

from __future__ import annotations

import re

from analysis.divergence.levels import Level
from analysis.features.inlay_hints import InlayHintKind, InlayHintMode, MemoryHintMode, inlay_hints
from analysis.features.semantic_tokens import Variance, semantic_tokens
from tests.rules.fixture import analyze

TEXT = """__global__ void k(float *x, int n) {
  int tid = threadIdx.x;
  int twice = tid * 2;
  int base = blockIdx.x * 4;
  int vote = __any_sync(0xffffffff, tid > 3);
  x[twice + base + vote] = n;
}
__device__ int helper(int a) {
  int b = a + 1;
  return b;
}
"""


def labels(mode: InlayHintMode, text: str = TEXT, start: int = 0, end: int | None = None) -> list[str]:
    """`name: label` of each hint, read from the text before its offset."""
    analysis = analyze(text)
    found: list[str] = []
    for hint in inlay_hints(analysis, mode, MemoryHintMode.OFF, start, end):
        name = text[: hint.offset].replace("*", " ").split()[-1].split("(")[-1]
        found.append(f"{name}: {hint.label}")
    return found


def test_off_shows_nothing() -> None:
    assert labels(InlayHintMode.OFF) == []


def test_varying_leaves_out_what_is_uniform_and_what_is_only_assumed() -> None:
    assert labels(InlayHintMode.VARYING) == ["tid: varying", "twice: varying", "b: varying"]


def test_all_shows_every_declared_name() -> None:
    assert labels(InlayHintMode.ALL) == [
        "x: uniform",
        "n: uniform",
        "tid: varying",
        "twice: varying",
        "base: block",
        "vote: warp",
        "a: varying",
        "b: varying",
    ]


def test_only_the_asked_range() -> None:
    line = TEXT.index("  int twice")
    assert labels(InlayHintMode.ALL, start=line, end=TEXT.index("\n", line)) == ["twice: varying"]


def test_the_tooltip_gives_the_reason() -> None:
    hints = inlay_hints(analyze(TEXT), InlayHintMode.ALL)
    assert {hint.tooltip for hint in hints if hint.label == "block"} == {
        "base is uniform in the block, = 4*blockIdx.x\n"
        "line 4: int base = blockIdx.x * 4;  (the block index is one per block)"
    }
    assert "a is varying: no caller is known, so nothing is assumed about this parameter" in {
        hint.tooltip for hint in hints
    }


def test_code_that_is_not_compiled_has_no_hints() -> None:
    assert labels(InlayHintMode.ALL, "#if 0\n__global__ void k(int n) { int m = n; }\n#endif\n") == []


def test_forms_stand_for_the_word_where_they_are_known() -> None:
    assert labels(InlayHintMode.FORMS) == ["tid: threadIdx.x", "twice: 2*threadIdx.x", "b: varying"]


LATER = """__device__ int moved(int *x, int n) {
  x[0] = n;
  n += threadIdx.x;
  int rest = n;
  return rest;
}
__global__ void k(int *x, int n) {
  int sum = n, late;
  x[sum] = moved(x, n);
  n += threadIdx.x;
  sum += n;
  late = sum;
  x[late] = n;
}
"""


def test_a_declaration_says_what_is_given_there_and_not_what_is_assigned_later() -> None:
    assert labels(InlayHintMode.ALL, LATER) == [
        "x: uniform",
        "n: uniform",
        "rest: varying",
        "x: uniform",
        "n: uniform",
        "sum: uniform",
        "late: varying",
    ]


def test_the_declarations_hint_its_hover_and_its_tint_agree() -> None:
    analysis = analyze(LATER)
    tints = {token.end: token.variance for token in semantic_tokens(analysis)}
    hints = inlay_hints(analysis, InlayHintMode.ALL)
    for hint in hints:
        expression = analysis.expression_at(hint.offset - 1)
        if expression is not None:  # nothing is known at a declaration without a value
            assert (hint.label == "varying") is (expression.level is Level.VARYING), hint
            assert (hint.label == "varying") is (tints[hint.offset] is not Variance.UNIFORM), hint


MEMORY = """__global__ void k(float *x, const int *next, int n) {
  __shared__ float tile[32][32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = 1.0f;                                         //= coalesced
  x[i * 32] = 2.0f;                                    //! 32 sectors, 4 needed
  x[i + 1] = 2.0f;                                     //= 5 sectors, 4 needed
  x[n] = x[next[i]];                                   //= one address, coalesced
  x[i * n] = 2.0f;                                     //! stride 4*n B: 32 sectors, 4 needed
  tile[i][0] = x[n];                                   //! 32-way bank conflict
  tile[0][i] = tile[n][n];                             //= no conflict, broadcast
  if (next[i]) x[i * 32] = tile[n][i * 2];  //= coalesced, up to 32 sectors, 4 needed, up to 2-way bank conflict
}
"""


def memory_labels(mode: MemoryHintMode) -> dict[int, list[str]]:
    """The labels by line."""
    analysis = analyze(MEMORY)
    found: dict[int, list[str]] = {}
    for hint in inlay_hints(analysis, InlayHintMode.OFF, mode):
        assert hint.kind is InlayHintKind.MEMORY
        found.setdefault(analysis.document.lines.line_of(hint.offset) + 1, []).append(hint.label)
    return found


def memory_claims(marks: tuple[str, ...]) -> dict[int, list[str]]:
    """What the comments claim: `//!` of accesses that are costly, `//=` of others."""
    found: dict[int, list[str]] = {}
    for number, line in enumerate(MEMORY.splitlines(), 1):
        for mark in marks:
            claim = line.partition(mark)[2].strip()
            if claim:
                found[number] = re.split(r"(?<!sectors), ", claim)
    return found


def test_costly_accesses_say_what_they_cost() -> None:
    assert memory_labels(MemoryHintMode.COSTLY) == memory_claims(("//!",))


def test_all_accesses_say_what_they_cost() -> None:
    shown = memory_labels(MemoryHintMode.ALL)
    assert shown[9] == ["32-way bank conflict", "broadcast"]
    assert shown | {9: ["32-way bank conflict"]} == memory_claims(("//!", "//="))


def test_a_hint_of_an_access_stands_behind_it() -> None:
    found = inlay_hints(analyze(MEMORY), InlayHintMode.OFF, MemoryHintMode.COSTLY)
    assert [MEMORY[: hint.offset].split()[-1] for hint in found] == ["32]", "n]", "tile[i][0]"]
    assert found[0].tooltip == "store to global memory, stride 128 B: 32 sectors where 4 would do (12 %)"


def test_no_memory_hints_unless_asked_for() -> None:
    assert memory_labels(MemoryHintMode.OFF) == {}
