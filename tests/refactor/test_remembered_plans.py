"""What planning found for a branch holds in later versions of its function, as long as all that it reads is equal.

Each case is a text with a hole and the versions of what stands there, far from the branch.  The branch's own text is
the same in all of them, but what it means is not.
"""

from __future__ import annotations

from random import Random

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.refactor.meld import outcomes as asking
from analysis.refactor.meld.model import Outcome
from analysis.refactor.meld.outcomes import meld_outcomes
from analysis.refactor.meld.passage import Passage
from analysis.refactor.meld.plans import plans_of
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from tests.meld.random.kernels import random_kernel
from tests.sim.random.choices import Seeded

BRANCH = """
  if (i % 2 == 0) {
    a[i] = x[i] * s + f(x[i]);
  } else {
    b[i] = y[i] * t + f(y[i]);
  }
"""
CASES = {
    "the type of a variable": (
        "__device__ float f(float v) { return v * v; }\n"
        "__global__ void k(float *a, float *b, const float *x, const float *y, int i) {\n"
        "  i = threadIdx.x; HOLE\n" + BRANCH + "}\n",
        "float s = x[0], t = y[0];",
        "float s = x[0]; double t = y[0];",
        "double s = x[0], t = y[0];",
    ),
    "what the elements of an array are": (
        "__device__ float f(float v) { return v * v; }\n"
        "__global__ void k(float *a, HOLE *b, const float *x, const float *y, float s, float t) {\n"
        "  int i = threadIdx.x;\n" + BRANCH + "}\n",
        "float",
        "double",
        "int",
    ),
    "an array in registers": (
        "__device__ float f(float v) { return v * v; }\n"
        "__global__ void k(float *p, float *q, const float *x, const float *y, float s, float t) {\n"
        "  int i = threadIdx.x; HOLE\n" + BRANCH + "  p[i] = a[0]; q[i] = b[0];\n}\n",
        "float *a = p, *b = q;",
        "float a[256], b[256];",
    ),
    "another name for a variable": (
        "__device__ float f(float v) { return v * v; }\n"
        "__global__ void k(float *a, float *b, const float *x, const float *y, float s, float t) {\n"
        "  int i = threadIdx.x; HOLE\n"
        "  if (i % 2 == 0) { float v = t * 3.0f; a[i] = x[i] * v / 3.0f; } else { b[i] = y[i] * s / 3.0f; }\n}\n",
        "",
        "float &u = t;",
        "float *u = &t; u[0] = 1.0f;",
    ),
    "the price of a function": (
        "__device__ float f(float v) { return HOLE; }\n"
        "__global__ void k(float *a, float *b, const float *x, const float *y, float s, float t) {\n"
        "  int i = threadIdx.x;\n" + BRANCH + "}\n",
        "v * v",
        "sinf(v) / v",
        "__shfl_sync(~0u, v, 0)",
        "1.0f",
    ),
    "the rounds of the loop around": (
        "__device__ float f(float v) { return v * v; }\n"
        "__global__ void k(float *a, float *b, const float *x, const float *y, float s, float t) {\n"
        "  int i = threadIdx.x; s = 0; for (int j = 0; j < HOLE; j++) {\n" + BRANCH + "}\n s += a[i] + b[i]; }\n",
        "2",
        "200",
    ),
    "a macro": (
        "#define f(v) HOLE\n"
        "__global__ void k(float *a, float *b, const float *x, const float *y, float s, float t) {\n"
        "  int i = threadIdx.x;\n" + BRANCH + "}\n",
        "(v)",
        "((v) * (v) / 3.0f)",
        "s++",
    ),
    "whether a branch inside parts": (
        "__global__ void k(float *a, float *b, const float *x, const float *y, int n) {\n"
        "  int i = threadIdx.x, j = HOLE;\n"
        "  if (i % 2 == 0) { if (j) { a[i] = x[i] * 3.0f / x[0]; } else { b[i] = y[i] * 3.0f / y[0]; } }\n"
        "  else { a[i] = x[i + 1]; }\n}\n",
        "n",
        "x[i]",
    ),
    "whether a call changes what it is given": (
        "__device__ float g(float HOLE v, float w) { return v * w; }\n"
        "__global__ void k(float *a, float *b, const float *x, const float *y, float s, float t) {\n"
        "  int i = threadIdx.x;\n"
        "  if (i % 2 == 0) { a[i] = g(s, x[i]) * x[i + 1]; } else { b[i] = g(t, y[i]) * y[i + 1]; }\n"
        "  a[i] += s + t;\n}\n",
        "",
        "&",
    ),
    "types of one width that C++ keeps apart": (
        "__global__ void k(long *a, HOLE *b, const float *x, const float *y) {\n"
        "  int i = threadIdx.x;\n"
        "  if (i % 2 == 0) { a[i] = x[i] * x[i + 1]; } else { b[i] = y[i] * y[i + 1]; }\n}\n",
        "long",
        "long long",
    ),
    "whether an enumeration has a scope": (
        "enum HOLE E : int { one, two };\n"
        "__global__ void k(E *a, int *b, const E *x, const int *y) {\n"
        "  int i = threadIdx.x;\n"
        "  if (i % 2 == 0) { a[i] = x[i]; a[i + 64] = x[i + 1]; } else { b[i] = y[i]; b[i + 64] = y[i + 1]; }\n}\n",
        "",
        "class",
    ),
    "what is defined after the branch": (
        "__device__ float f(float v) { return v * v; }\n"
        "__global__ void k(float *a, float *b, const float *x, const float *y, float s, float t) {\n"
        "  int i = threadIdx.x;\n" + BRANCH + "  HOLE\n}\n",
        "",
        "for (int j = 0; j < 100; j++) a[j] /= b[j];",
        "float *r = &s; r[0] = 1.0f;",
    ),
}
KERNEL = """__global__ void k(float *a, float *b, const float *x, const float *y, int n) {
  int i = threadIdx.x;
  int j = 1;
  if (i % 2 == 0) {
    a[i] = x[i] * x[i] / 3.0f;
  } else {
    b[i] = y[i] * y[i] / 3.0f;
  }
  if (i % 3 == 0) {
    a[i] = x[i + 1] * x[i] / 5.0f;
  } else {
    b[i] = y[i + 1] * y[i] / 5.0f;
  }
  a[j] = 1.0f;
}
"""
PIECES = (";", " ", "\n", "0", "7", "x", "i", "+ 1", "{", "}", "// note\n", "int z = 3;", "float ", "&", "if (n) ")


@pytest.mark.parametrize("name", CASES)
def test_what_a_branch_means_counts(name: str) -> None:
    text, *versions = CASES[name]
    one_after_the_other = Analyzer()
    answers: set[str] = set()
    for version in (*versions, *reversed(versions)):
        whole = text.replace("HOLE", version)
        alone = outcomes(Analyzer(), whole)
        assert outcomes(one_after_the_other, whole) == alone, version
        answers.add(repr([getattr(one, "predicted_saving", one) for one in alone]))
    assert len(answers) > 1, "the versions do not differ in anything"


@pytest.mark.parametrize("seed", range(6))
def test_after_any_edits_outcomes_are_those_of_a_fresh_analysis(seed: int) -> None:
    random, analyzer = Random(seed), Analyzer()
    text = KERNEL if seed % 3 == 0 else random_kernel(Seeded(seed)).text
    for _ in range(12):
        before = text
        text = edited(random, text) if random.random() < 0.5 else swapped(random, text)
        assert outcomes(analyzer, text) == outcomes(Analyzer(), text), text
        if random.random() < 0.5:
            text = before


def edited(random: Random, text: str) -> str:
    """Anything is typed anywhere in the kernel."""
    at = random.randrange(text.index("__global__"), len(text))
    return text[:at] + random.choice(PIECES) + text[at + random.choice([0, 0, 1, 3]) :]


def swapped(random: Random, text: str) -> str:
    """Two lines of the kernel change places, or one is there twice: most branches stay as they are."""
    head, kernel = text[: text.index("__global__")], text[text.index("__global__") :]
    lines = kernel.splitlines(keepends=True)
    one, other = random.randrange(1, len(lines)), random.randrange(1, len(lines))
    if random.random() < 0.5:
        lines[one], lines[other] = lines[other], lines[one]
    else:
        lines.insert(one, lines[other])
    return head + "".join(lines)


def test_only_the_branch_that_was_edited_is_planned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    planned: list[str] = []

    def counted(passage: Passage, settings: object) -> object:
        planned.append(passage.text.decode())
        return plans_of(passage, settings)  # pyright: ignore[reportArgumentType]  # as the caller gave it

    monkeypatch.setattr(asking, "plans_of", counted)
    analyzer = Analyzer()
    outcomes(analyzer, KERNEL)
    assert len(planned) == 2
    for elsewhere in ("int j = 12345;", "int j = 1;\n\n  // a line\n  int other = 3;", "int j = x[i];"):
        outcomes(analyzer, KERNEL.replace("int j = 1;", elsewhere))
    assert len(planned) == 2
    outcomes(analyzer, KERNEL.replace("/ 5.0f", "/ 6.0f", 1))
    assert len(planned) == 3
    assert "/ 6.0f" in planned[-1]
    assert "i % 3" in planned[-1]


def outcomes(analyzer: Analyzer, text: str) -> list[Outcome]:
    """Of all functions, in the order of the text."""
    analysis = analyzer.analyze("a.cu", Document.open(text.encode()), DictLoader({}), AnalysisSettings())
    return [one for function in analysis.facts.functions for one in meld_outcomes(analysis, function)]
