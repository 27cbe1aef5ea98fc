"""Levels after names, by mode and range."""

from __future__ import annotations

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
        name = text.encode()[: hint.offset].decode().replace("*", " ").split()[-1].split("(")[-1]
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


FORMS = """__device__ int me() { return threadIdx.x; }
// simt: block=64
__global__ void k(float *x, const int *next, int n, int long_name_of_a_size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int tid = threadIdx.x;
  int seen = 4 * tid + n, also_seen = 4 * threadIdx.x;
  const int own = me();                 //= own: tid
  int four = 4 * i;                     //= four: 4·tid + …
  int small = seen + 1;                 //= small: 4·tid + n + 1
  int same = i + n;
  int loaded = next[i];
  float *row = x + seen * long_name_of_a_size;
  int lane_id = tid % 32;
  int back = tid % 32;                  //= back: lane
  int other = seen, two = 2 * other;    //= other: 4·tid + n
  x[four] = own + small + same + loaded + *row + lane_id + back + also_seen + two;
}
__global__ void renamed(float *x, int n) {
  const int tid = blockIdx.x * blockDim.x + threadIdx.x;
  const int part = me();                //= part: threadIdx.x
  const int three = 3 * part;           //= three: 3·threadIdx.x
  x[tid] = three;
}
"""


def test_forms_say_what_the_declaration_does_not() -> None:
    claimed = [line.partition("//=")[2].strip() for line in FORMS.splitlines() if "//=" in line]
    assert labels(InlayHintMode.FORMS, FORMS) == claimed


def test_no_word_stands_beside_a_tinted_name() -> None:
    assert labels(InlayHintMode.FORMS) == []


def test_one_hint_in_a_line_of_which_the_dearest_access_is_first() -> None:
    text = """__device__ int me() { return threadIdx.x; }
__global__ void k(float *x, int n) {
  __shared__ float tile[32][32];
  int i = me(), j = 3 * i;
  x[8 * i] = x[32 * i] + tile[i][0];
  x[j] = n;
}
"""
    found = inlay_hints(analyze(text), InlayHintMode.FORMS, MemoryHintMode.COSTLY)
    assert [(text[: hint.offset].split()[-1], hint.label) for hint in found] == [
        ("i", "tid"),
        ("tile[i][0]", "32-way conflict"),
        ("x[j]", "12/4 sectors"),
    ]
    assert found[0].tooltip.splitlines()[-1] == "j: j is varying, = 3*threadIdx.x"
    assert found[1].tooltip.splitlines()[1:] == [
        "x[8 * i]: store to global memory, stride 32 B: 32 sectors where 4 would do (12 %)",
        "x[32 * i]: load from global memory, stride 128 B: 32 sectors where 4 would do (12 %)",
    ]
    every = inlay_hints(analyze(text), InlayHintMode.OFF, MemoryHintMode.ALL)
    assert len([hint for hint in every if text.count("\n", 0, hint.offset) == 4]) == 3


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
  x[i * 32] = 2.0f;                                    //! 32/4 sectors
  x[i + 1] = 2.0f;                                     //= 5/4 sectors
  x[n] = x[next[i]];                                   //= one address, coalesced
  x[i * n] = 2.0f;                                     //! 32/4 sectors
  tile[i][0] = x[n];                                   //! 32-way conflict
  tile[0][i] = tile[n][n];                             //= no conflict, broadcast
  if (next[i]) x[i * 32] = tile[n][i * 2];  //= coalesced, ≤32/4 sectors, ≤2-way conflict
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
                found[number] = claim.split(", ")
    return found


def test_costly_accesses_say_what_they_cost() -> None:
    assert memory_labels(MemoryHintMode.COSTLY) == memory_claims(("//!",))


def test_all_accesses_say_what_they_cost() -> None:
    shown = memory_labels(MemoryHintMode.ALL)
    assert shown[9] == ["32-way conflict", "broadcast"]
    assert shown | {9: ["32-way conflict"]} == memory_claims(("//!", "//="))


def test_a_hint_of_an_access_stands_behind_it() -> None:
    found = inlay_hints(analyze(MEMORY), InlayHintMode.OFF, MemoryHintMode.COSTLY)
    assert [MEMORY[: hint.offset].split()[-1] for hint in found] == ["32]", "n]", "tile[i][0]"]
    assert found[0].tooltip == "store to global memory, stride 128 B: 32 sectors where 4 would do (12 %)"


def test_no_memory_hints_unless_asked_for() -> None:
    assert memory_labels(MemoryHintMode.OFF) == {}
