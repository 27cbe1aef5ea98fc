"""What all random kernels with divergent regions declare: parameters, macros, device functions and their arguments."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.divergence.levels import Level
from sim.specification import Argument, Array, Scalar
from tests.sim.random.scope import S16, S32, S64, U8, Expression, Memory

NAME: Final = "k"
OUTPUTS: Final = 4
"""How many elements of each output a thread owns."""
CELLS: Final = 8
"""How many elements of the array that is changed in place a thread owns."""

HEADER: Final = """#include <cuda_fp16.h>
#define SCALE 3
#define LIMIT 6
#define TWICE(value) ((value) + (value))
#define AT(array, index) array[(index) & 31]
#define PUT(place, value) place = (value)
#define RAISE(place, value) do { place += (value); } while (0)
#define TRADE(a, b) do { const int kept_ = a; a = b; b = kept_; } while (0)
#define LET(type, name, value) type name = value
#define BOTH(first, second) first; second
#define EACH(name, bound) for (int name = 0; name < (bound); name++)
enum Level { LOW = 1, HIGH = 900 };
enum Count { FEW = 2, MANY = 700 };
enum class Shade : unsigned char { DARK = 3, LIGHT = 200 };
enum class Tint : unsigned char { PALE = 9 };
struct Tally {
  int total; unsigned steps;
  __device__ void add(int by) { total = (int)((unsigned)total + (unsigned)by); steps++; }
  __device__ int get() const { return total; }
  __device__ Tally operator+(int by) const { Tally sum = *this; sum.add(by); return sum; }
  __device__ Tally &operator+=(int by) { add(by); return *this; }
  __device__ Tally &operator-=(int by) { total ^= by; return *this; }
  __device__ int &operator[](int index) { return total; }
  __device__ bool operator<(const Tally &other) const { return total < other.total; }
};
template <typename T> __device__ T halved(T value) { return value / (T)2; }
template <typename T> __device__ int type_of(T value) { return (int)sizeof(T) * 2 + (int)((T)-1 < (T)0); }
template <int STEP> __device__ int stepped(int value) { return (int)((unsigned)value * 3u + STEP); }
template <typename T> __device__ void keep_in(T *place, T value) { if (*place < value) *place = value; }
template <typename T> __device__ void trade_any(T &a, T &b) { T kept = a; a = b; b = kept; }
__device__ int described(int value) { return value & 15; }
__device__ int described(unsigned value) { return (int)(value / 2u); }
__device__ int described(long long value) { return (int)(value & 7) + 100; }
__device__ int described(unsigned long long value) { return (int)(value & 3) + 200; }
__device__ int described(float value) { return value > 1.0f ? 300 : 301; }
__device__ int described(double value) { return value > 1.0 ? 400 : 401; }
__device__ void raise_by(int &place, int by) { place = (int)((unsigned)place + (unsigned)by); }
__device__ void trade(int &a, int &b) { int kept = a; a = b; b = kept; }
__device__ int take(int &place) { int old = place; place = old ^ 5; return old; }
__device__ int smaller(const int &a, const int &b) { return a < b ? a : b; }
struct Pair { int a; unsigned char b; long long c; };
__constant__ int table[8] = {3, -1, 4, 1, -5, 9, 2, 6};
__device__ int mixed(int a, int b) { return (int)((unsigned)a * 5u ^ (unsigned)b); }
__device__ int picked(int a, int b) {
  if (a < b) return (int)((unsigned)b - (unsigned)a);
  return a & 255;
}
__device__ void moved(int *place, int value) { *place = (int)((unsigned)*place + (unsigned)value); }
__device__ void kept(int *place, int value) { if (*place < value) *place = value; }
"""
FUNCTIONS: Final = ("mixed", "picked")
POINTER_FUNCTIONS: Final = ("moved", "kept")

PARAMETERS: Final = (
    "int n",
    "unsigned m",
    "const int *x",
    "const int *x2",
    "const unsigned char *y",
    "const long long *z",
    "const short *h",
    "const float *fx",
    "const float *fx2",
    "const double *dx",
    "const __half *hx",
    "int *cells",
    "int *out",
    "unsigned long long *wide",
    "unsigned char *bytes",
    "float *fout",
    "double *dout",
    "unsigned *sums",
    "int *peaks",
    "volatile int *watched",
)
INPUTS: Final = (
    Memory("x", S32, (64,)),
    Memory("x2", S32, (64,)),
    Memory("x", S32, (64,)),
    Memory("y", U8, (100,)),
    Memory("z", S64, (32,)),
    Memory("h", S16, (48,)),
    Memory("table", S32, (8,)),
)
MACRO_VALUES: Final = (
    Expression("SCALE", S32, 3, 3, Level.GRID),
    Expression("LIMIT", S32, 6, 6, Level.GRID),
    Expression("AT(x, t)", S32, S32.low, S32.high, Level.VARYING),
    Expression("AT(x2, i)", S32, S32.low, S32.high, Level.VARYING),
    Expression("TWICE(t)", S32, 0, 1 << 20, Level.VARYING),
)


def arguments(seed: int, threads: int) -> dict[str, Argument]:
    """For a launch of so many threads."""
    random = np.random.default_rng(seed)

    def whole(kind: type[np.integer[Any]], length: int) -> Array:
        information = np.iinfo(kind)
        wide = random.integers(information.min, information.max, length, kind, endpoint=True)
        small = random.integers(0, 9, length).astype(kind)
        return Array(np.where(random.random(length) < 0.4, wide, small))

    def numbers(kind: type[np.floating[Any]], length: int) -> Array:
        wide = random.normal(size=length) * 2.0 ** random.integers(-12, 12, length)
        return Array(np.where(random.random(length) < 0.5, wide, random.integers(-9, 9, length)).astype(kind))

    return {
        "n": Scalar(int(random.integers(0, 41))),
        "m": Scalar(int(random.integers(0, 1 << 32))),
        "x": whole(np.int32, 64),
        "x2": whole(np.int32, 64),
        "y": whole(np.uint8, 100),
        "z": whole(np.int64, 32),
        "h": whole(np.int16, 48),
        "fx": numbers(np.float32, 64),
        "fx2": numbers(np.float32, 64),
        "dx": numbers(np.float64, 32),
        "hx": numbers(np.float16, 48),
        "cells": whole(np.int32, threads * CELLS),
        "out": Array(np.zeros(threads * OUTPUTS, np.int32)),
        "wide": Array(np.zeros(threads * OUTPUTS, np.uint64)),
        "bytes": Array(np.zeros(threads * OUTPUTS, np.uint8)),
        "fout": Array(np.zeros(threads * OUTPUTS, np.float32)),
        "dout": Array(np.zeros(threads * OUTPUTS, np.float64)),
        "sums": Array(np.zeros(8, np.uint32)),
        "peaks": Array(np.zeros(8, np.int32)),
        "watched": Array(np.zeros(threads, np.int32)),
    }
