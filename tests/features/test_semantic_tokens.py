"""Tokens beside CUDA text.

`//: a.uniform b.affine! if.varying` names every token of the line in order; `!` stands in a divergent block, `!!` in
one that more than bounds checks split.  Kinds are checked by what the word is: keywords and operators by spelling,
parameters in capitals.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.facts.analyzer import Analyzer, FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.features.semantic_tokens import SemanticToken, TokenCache, TokenKind, semantic_tokens
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from tests.rules.fixture import analyze

VALUES = """__global__ void k(float *OUT, const float *IN, int N) { //: OUT.uniform IN.uniform N.uniform
  int tid = threadIdx.x + blockIdx.x * blockDim.x;     //: tid.affine
  int twice = 2 * tid;                                 //: twice.affine tid.affine
  int row = blockIdx.x;                                //: row.uniform
  float v = IN[tid];                                   //: v.varying IN.uniform tid.affine
  if (tid < N) {                                       //: if.affine tid.affine N.uniform
    OUT[twice] = v;                                    //: OUT.uniform! twice.affine! v.varying!
    row += N;                                          //: row.uniform! N.uniform!
  }
  OUT[tid] = row;                                      //: OUT.uniform tid.affine row.varying
}
"""

LOOPS = """__global__ void k(int *X, int N) {             //: X.uniform N.uniform
  int count = 0;                                       //: count.uniform
  while (X[count] < threadIdx.x) {                     //: while.varying!! X.uniform!! count.uniform!!
    ++count;                                           //: count.uniform!!
  }
  X[0] = count;                                        //: X.uniform count.varying
  do { N--; } while (N > 0);                           //: do.uniform N.uniform N.uniform
}
"""

CALLERS = """__device__ int f(int A, int B) {               //: A.affine! B.uniform!
  return A > 2 && B > 3 ? B : 1;                       //: A.affine! B.uniform! ?.affine! B.uniform!
}
__global__ void k(int *X, int N) {                     //: X.uniform N.uniform
  X[0] = f(N, N);                                      //: X.uniform N.uniform N.uniform
  if (threadIdx.x < 9) X[1] = f(threadIdx.x, N);       //: if.affine X.uniform! N.uniform!
}
"""

SCOPES = """__global__ void k(int *P, int n) {             //: P.uniform n.uniform
  { int P = n; P += 1; }                               //: P.uniform n.uniform P.uniform
  /* P n */ char *s = "n";                             //: s.uniform
#if 0
  n = 1;
#endif
  other(n);                                            //: n.uniform
}
void host(int n) { n = 1; }
"""


def spelled(analysis: FileAnalysis, token: SemanticToken) -> str:
    word = analysis.document.text[token.start : token.end].decode()
    return f"{word}.{token.variance.value}{'!' * (token.in_divergent_block + token.in_split_block)}"


def lines_of(analysis: FileAnalysis) -> list[str]:
    lines = [""] * analysis.document.lines.line_count
    for token in semantic_tokens(analysis):
        line = analysis.document.lines.line_of(token.start)
        lines[line] = f"{lines[line]} {spelled(analysis, token)}".strip()
    return lines


@pytest.mark.parametrize("text", [VALUES, LOOPS, CALLERS, SCOPES])
def test_the_tokens_are_those_beside_the_text(text: str) -> None:
    claimed = [line.partition("//:")[2].strip() for line in text.split("\n")]
    assert lines_of(analyze(text)) == claimed


@pytest.mark.parametrize("text", [VALUES, LOOPS, CALLERS])
def test_kinds(text: str) -> None:
    analysis = analyze(text)
    for token in semantic_tokens(analysis):
        word = analysis.document.text[token.start : token.end].decode()
        if word in ("if", "for", "while", "do"):
            assert token.kind is TokenKind.KEYWORD
        elif not word.isalpha():
            assert token.kind is TokenKind.OPERATOR
        else:
            assert token.kind is (TokenKind.PARAMETER if word.isupper() else TokenKind.VARIABLE), word


def test_a_range_has_what_touches_it() -> None:
    analysis = analyze(VALUES)
    everything = semantic_tokens(analysis)
    start = VALUES.index("int twice")
    assert [spelled(analysis, token) for token in semantic_tokens(analysis, start, VALUES.index("\n", start))] == [
        "twice.affine",
        "tid.affine",
    ]
    inside = everything[3].start + 1
    assert semantic_tokens(analysis, inside, inside + 1) == [everything[3]]


def test_tokens_do_not_overlap_and_are_names_or_branches() -> None:
    text = VALUES + LOOPS.replace("k(", "l(") + CALLERS.replace("k(", "m(")
    analysis = analyze(text)
    tokens = semantic_tokens(analysis)
    assert all(one.end <= other.start for one, other in pairwise(tokens))


@given(st.lists(st.sampled_from(["\n", "// ü\n", "int x;\n"]), max_size=3), st.integers(0, 2))
def test_tokens_from_the_cache_are_those_found_anew(before: list[str], edited: int) -> None:
    """Functions move and change; what is kept must not show."""
    analyzer, cache = Analyzer(), TokenCache()
    texts = [VALUES + LOOPS.replace("k(", "l(")]
    texts.append("".join(before) + texts[0].replace("2 * tid", ["2 * tid", "v", "IN[tid]"][edited]))
    for text in texts:
        analysis = analyzer.analyze("k.cu", Document.open(text.encode()), DictLoader(), AnalysisSettings())
        assert semantic_tokens(analysis, cache=cache) == semantic_tokens(analyze(text))
