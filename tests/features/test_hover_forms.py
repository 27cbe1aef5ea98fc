"""What hovers say about values: their linear form in the words of the source, and their range.

`//= NAME: TEXT` on a line claims what is said of the last NAME on it; where nothing is claimed of a name, a test below
asks for nothing.
"""

from __future__ import annotations

import re
from inspect import cleandoc

import pytest

from analysis.features.hover import hover_at
from analysis.features.hover_info import ValueSubject
from tests.rules.fixture import analyze

CLAIM = re.compile(r"//= ([^:]+): (.*)")


def said(text: str) -> dict[tuple[int, str], str]:
    """What is said of the last place of each claimed text, by line and text."""
    analysis = analyze(text)
    found: dict[tuple[int, str], str] = {}
    offset = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        claim = CLAIM.search(line)
        if claim is not None:
            column = [name.start() for name in re.finditer(rf"\b{claim[1]}\b", line[: claim.start()])][-1]
            info = hover_at(analysis, offset + len(line[:column].encode()))
            assert info is not None
            assert isinstance(info.subject, ValueSubject)
            found[number, claim[1]] = info.subject.form
        offset += len(line.encode())
    return found


def claimed(text: str) -> dict[tuple[int, str], str]:
    found = ((number, CLAIM.search(line)) for number, line in enumerate(text.splitlines(), 1))
    return {(number, claim[1]): "" if claim[2] == "nothing" else claim[2] for number, claim in found if claim}


KERNEL = """
    __constant__ int width;
    __global__ void k(float *x, const int *next, int n) {
      int tid = threadIdx.x;                           //= tid: = threadIdx.x
      int i = blockIdx.x * blockDim.x + tid;           //= i: = threadIdx.x + blockIdx.x*blockDim.x
      int again = i;                                   //= i: = threadIdx.x + blockIdx.x*blockDim.x
      int same = threadIdx.x + 1;                      //= threadIdx: nothing
      int known = 4 * 8;                               //= known: = 32
      int scaled = 4 * tid + n;                        //= scaled: = 4*threadIdx.x + n
      int back = n - tid;                              //= back: = -threadIdx.x + n
      int row = tid * n;                               //= row: = n*threadIdx.x
      int loaded = tid + next[n];                      //= loaded: = threadIdx.x + next[n]
      int other = next[tid];                           //= other: nothing
      float *p = x + 2 * tid;                          //= p: = x + 2*threadIdx.x
      char *bytes = (char *)x + 6 * tid;               //= bytes: = x + 6*threadIdx.x
      for (int step = 0; step < n; step++) {
        int at = step * 2 + tid;                       //= at: = threadIdx.x + 2*step
        x[at] = 0.0f;
      }
      int stride = tid;                                //= stride: nothing
      while (stride < n) {
        x[stride] = 1.0f;                              //= stride: = threadIdx.x + 64*iteration
        stride += 64;
      }
      if (tid < 16) {
        x[tid] = other + known + again + same + row + loaded + back + scaled;
        int half = tid / 2;                            //= tid: = threadIdx.x, from 0 to 15
        p[half] = bytes[half];                         //= half: from 0 to 7
      }
    }
"""


def test_forms_and_ranges_of_values() -> None:
    text = cleandoc(KERNEL) + "\n"
    assert said(text) == claimed(text)


def test_a_name_stands_for_the_value_it_has_at_the_place() -> None:
    text = cleandoc("""
        __global__ void k(int *x, const int *a) {
          int n = a[0];
          int i = threadIdx.x + n;                         //= i: = threadIdx.x + n
          x[n] = n;
          n = a[1];
          x[i] = n;                                        //= i: = threadIdx.x + a[0]
          int j = threadIdx.x + n;                         //= j: = threadIdx.x + n
          x[j] = 2;
        }
    """)
    assert said(text) == claimed(text)


def test_a_form_that_holds_only_if_no_index_wraps_says_so() -> None:
    text = cleandoc("""
        __global__ void k(int *x, int n) {
          int i = n * threadIdx.x + n;                     //= i: = n*threadIdx.x + n
          int *cell = x + i;                               //= cell: = x + n*threadIdx.x + n if no index wraps
          long long wide = i;                              //= wide: = n*threadIdx.x + n if no index wraps
          int *safe = x + threadIdx.x + 3;                 //= safe: = x + threadIdx.x + 3
          *cell = *safe = wide;
        }
    """)
    assert said(text) == claimed(text)


def test_calls_that_share_the_thread_part_keep_it() -> None:
    text = cleandoc("""
        __device__ void put(int *x, int i) {
          x[i] = 1;                                        //= i: = threadIdx.x + …
        }
        __device__ void spread(int *x, int i) {
          x[i] = 1;                                        //= i: nothing
        }
        __global__ void k(int *x, int n) {
          put(x, threadIdx.x + n);
          put(x, threadIdx.x + 3);
          spread(x, threadIdx.x);
          spread(x, threadIdx.x * 2);
        }
    """)
    assert said(text) == claimed(text)


@pytest.mark.parametrize(("shape", "range"), [("<<<1, 64>>>", ", from 1 to 64"), ("<<<1, n>>>", "")])
def test_a_range_of_a_block_that_is_not_known_is_no_news(shape: str, range: str) -> None:
    text = cleandoc(f"""
        __global__ void k(int *x) {{
          int i = threadIdx.x + 1;                         //= i: = threadIdx.x + 1{range}
          x[i] = 1;
        }}
        void host(int *x, int n) {{ k{shape}(x); }}
    """)
    assert said(text) == claimed(text)


def test_ranges_of_registers_are_those_of_the_launch_not_of_the_hardware() -> None:
    text = cleandoc("""
        __global__ void k(int *x) {
          x[threadIdx.x] = 1;                              //= threadIdx: from 0 to 63
          x[blockIdx.x] = 1;                               //= blockIdx: nothing
          x[blockDim.x] = 1;                               //= blockDim: = 64
        }
        void host(int *x) { k<<<9, 64>>>(x); }
    """)
    assert said(text) == claimed(text)
