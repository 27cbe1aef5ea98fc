"""What hovers say about accesses to memory and the price of branches.

`//@ WORD: LINE | LINE` claims what is said at the first WORD of the line above it; `nothing` that nothing is.
"""

from __future__ import annotations

import re
from inspect import cleandoc

from analysis.features.hover import hover_at
from analysis.features.hover_info import BranchSubject, ValueSubject
from tests.rules.fixture import analyze

CLAIM = re.compile(r"//@ ([^:]+): (.*)")


def said_and_claimed(text: str) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    """Both by line."""
    analysis = analyze(text)
    said: dict[int, list[str]] = {}
    claimed: dict[int, list[str]] = {}
    above = offset = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        claim = CLAIM.search(line)
        if claim is not None:
            info = hover_at(analysis, text.encode().index(claim[1].encode(), above))
            assert info is not None, line
            match info.subject:
                case ValueSubject(accesses=accesses):
                    said[number] = list(accesses)
                case BranchSubject(price=price):
                    said[number] = [re.sub(r"about \d+ %", "about SOME %", words) for words in price]
                case other:
                    raise AssertionError(other)
            claimed[number] = [] if claim[2] == "nothing" else claim[2].split(" | ")
        above, offset = offset, offset + len(line.encode())
    return said, claimed


def holds(text: str) -> None:
    said, claimed = said_and_claimed(cleandoc(text) + "\n")
    assert claimed
    assert said == claimed


def test_global_memory() -> None:
    holds("""
        struct Point { float x, y, z, w; };
        __global__ void k(float *x, const int *next, const Point *points, int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          float a = x[i];
          //@ x[: load from global memory · stride 4 B, coalesced: 4 sectors (100 %)
          float b = x[i + 1];
          //@ x[: load from global memory · stride 4 B: 5 sectors where 4 would do (80 %)
          float c = x[i * 32];
          //@ x[: load from global memory · stride 128 B: 32 sectors where 4 would do (12 %)
          float d = x[i * n];
          //@ x[: load from global memory · stride 4*n B: 32 sectors where 4 would do (12 %), unless `n` is below 8
          float e = x[n];
          //@ x[: load from global memory · every lane reads one address: broadcast
          float f = x[next[i]];
          //@ x[: load from global memory · scattered: the index comes from memory, `next[i]`
          float g = points[i].y;
          //@ points: load from global memory · stride 16 B: 16 sectors where 4 would do (25 %)
          float h = *(x + 2 * i);
          //@ *(x: load from global memory · stride 8 B: 8 sectors where 4 would do (50 %)
          float j = x[i * 32];
          //@ i *: nothing
          atomicAdd(x, a);
          //@ atomicAdd: atomic on global memory · every lane updates one address, one after the other
          x[n] = b + c + d + e + f;
          //@ x[: store to global memory · every lane writes one address
          x[i] += g + h + j;
          //@ x[: load from and store to global memory · stride 4 B, coalesced: 4 sectors (100 %)
          if (threadIdx.x == 0) {
            x[1] = a;
            //@ x[: store to global memory · one lane alone
          }
          if (next[i] > 3) {
            x[i] = a;
            //@ x[: store to global memory · stride 4 B, coalesced: 4 sectors (100 %), if all lanes take part
          }
        }
    """)


def test_other_spaces() -> None:
    holds("""
        __constant__ float weights[64];
        __device__ float get(const float *p) {
          return p[threadIdx.x];
          //@ p[: load from memory of unknown space · stride 4 B: 4 to 5 sectors, if it is global memory
        }
        __global__ void k(float *x, int n) {
          __shared__ float tile[32][32];
          __shared__ float line[64];
          float own[8];
          int i = threadIdx.x;
          tile[i][0] = x[0];
          //@ tile: store to shared memory · 32-way bank conflict (stride 32 words)
          tile[0][i] = x[1];
          //@ tile: store to shared memory · stride 4 B, no bank conflict
          line[2 * i] = x[2];
          //@ line: store to shared memory · 2-way bank conflict (stride 2 words)
          x[i] = tile[n][n];
          //@ tile: load from shared memory · every lane reads one address: broadcast
          x[i] = weights[n];
          //@ weights: load from constant memory · every lane reads one address: broadcast
          for (int j = 0; j < 8; j++) own[j] = x[j];
          x[i] = own[n & 7];
          //@ own: load from local memory · each lane's own copy, at one place: a register, or coalesced
          atomicAdd(&line[0], x[i]);
          //@ atomicAdd: atomic on shared memory · 32-way bank conflict
          if (n) x[i] = get(n > 1 ? x : line);
        }
    """)


def test_what_rests_on_the_block_shape_says_so() -> None:
    kernel = """
        __global__ void k(float *x, int n) {
          __shared__ float tile[32][32];
          tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * n + threadIdx.x];
          __syncthreads();
          x[n] = tile[threadIdx.x][threadIdx.y];
          //@ tile: load from shared memory · 32-way bank conflict (stride 32 words)CONDITION
        }
    """
    holds(kernel.replace("CONDITION", ", if blockDim.x % warpSize == 0"))
    launched = cleandoc(kernel.replace("CONDITION", ""))
    holds(launched + "\nvoid host(float *x, int n) { k<<<1, dim3(32, 32)>>>(x, n); }")


def test_branches() -> None:
    holds(
        """
        __global__ void k(float *x, int n) {
          int i = threadIdx.x;
          if (i % 2) x[i] = x[i + 1] * 2; else x[i] = x[i + 2] * 3;
          //@ if: 2 of 2 warps split (blocks of 64 threads) | a split takes about SOME % PART, one side after the other
          if (i % 2) x[i] = 1; else x[i] = 2;
          //@ if: 2 of 2 warps split (blocks of 64 threads) | a split takes nothing more: SHORT
          if (i < 7) x[i] = 1.0f;
          //@ if: 1 of 2 warps splits (blocks of 64 threads)
          if (i < 32) x[i] = 1.0f;
          //@ if: nothing
          if (n > 3) x[i] = 1.0f;
          //@ if: nothing
        }
        void host(float *x, int n) { k<<<1, 64>>>(x, n); }
    """.replace("PART", "of this kernel's issue slots").replace("SHORT", "sides this short are predicated")
    )
