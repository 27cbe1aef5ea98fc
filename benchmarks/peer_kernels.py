"""The kernels of `benchmarks/kernels` written for Numba, line by line; imported only where Numba simulates.

Numbers are kept in the types of the CUDA text, so that both give the same bits.
"""

# pyright: basic
# Numba's decorated functions have no types.

from __future__ import annotations

import numpy as np
from numba import cuda, float32, uint32  # pyright: ignore[reportMissingImports]

ZERO, TWO, THREE, FOUR = (np.float32(number) for number in (0.0, 2.0, 3.0, 4.0))


@cuda.jit
def fir(x, h, y, taps):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    total = ZERO
    for j in range(taps):
        total += h[j] * x[i + taps - 1 - j]
    y[i] = total


@cuda.jit
def bitonic(values):
    s = cuda.shared.array(256, uint32)
    t = cuda.threadIdx.x
    s[t] = values[cuda.blockIdx.x * cuda.blockDim.x + t]
    cuda.syncthreads()
    k = 2
    while k <= cuda.blockDim.x:
        j = k // 2
        while j > 0:
            other = t ^ j
            if other > t:
                up = (t & k) == 0
                if (s[t] > s[other]) == up:
                    held = s[t]
                    s[t] = s[other]
                    s[other] = held
            cuda.syncthreads()
            j //= 2
        k *= 2
    values[cuda.blockIdx.x * cuda.blockDim.x + t] = s[t]


@cuda.jit
def mandelbrot(iterations, width, height, limit):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    a = -TWO + THREE * (i % width) / width
    b = np.float32(-1.5) + THREE * (i // width) / height
    x = ZERO
    y = ZERO
    n = 0
    while n < limit and x * x + y * y < FOUR:
        following = x * x - y * y + a
        y = TWO * x * y + b
        x = following
        n += 1
    iterations[i] = n


@cuda.jit
def reduction(x, sums):
    s = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.blockIdx.x * cuda.blockDim.x + t]
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = s[0]


@cuda.jit
def matmul(a, b, c, n):
    left = cuda.shared.array((16, 16), float32)
    right = cuda.shared.array((16, 16), float32)
    column = cuda.blockIdx.x * 16 + cuda.threadIdx.x
    row = cuda.blockIdx.y * 16 + cuda.threadIdx.y
    total = ZERO
    for tile in range(0, n, 16):
        left[cuda.threadIdx.y, cuda.threadIdx.x] = a[row * n + tile + cuda.threadIdx.x]
        right[cuda.threadIdx.y, cuda.threadIdx.x] = b[(tile + cuda.threadIdx.y) * n + column]
        cuda.syncthreads()
        for k in range(16):
            total += left[cuda.threadIdx.y, k] * right[k, cuda.threadIdx.x]
        cuda.syncthreads()
    c[row * n + column] = total


@cuda.jit
def histogram(octets, counts, per_thread):
    s = cuda.shared.array(256, uint32)
    t = cuda.threadIdx.x
    s[t] = 0
    cuda.syncthreads()
    for j in range(per_thread):
        i = (j * cuda.gridDim.x + cuda.blockIdx.x) * cuda.blockDim.x + t
        cuda.atomic.add(s, octets[i], 1)
    cuda.syncthreads()
    cuda.atomic.add(counts, t, s[t])
