// CUDA kernel text as C++17 for one processor: what a kernel may name, with the meaning that NVIDIA documents.
//
// Threads    fibers; a warp's functions and barriers are meetings at which fibers wait (simt/threads.h, simt/warp.h).
//            Blocks run one after another.  A fiber runs until it waits, so the order of threads differs as far as can
//            be from a warp in lockstep: only programs that do not depend on the order give the same results.
// Numbers    IEEE 754, never contracted (compile with -ffp-contract=off -fwrapv); half and bfloat16 in software.
//            Where C++ leaves an operation undefined and PTX does not, kernels say SIMT_SHL and the like (simt/undefined.h).
// Sources    CUDA C++ Programming Guide; CUDA Math API; PTX ISA 8.x.  Nothing here is shared with the simulator.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#define SIMT_NATIVE 1

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__ thread_local  // static storage, and `extern` may stand before it
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__
#define warpSize 32

#include <algorithm>
#include <array>
#include <optional>

#include "simt/vectors.h"
#include "simt/threads.h"
#include "simt/warp.h"
#include "simt/atomics.h"
#include "simt/undefined.h"
#include "simt/integers.h"
#include "simt/words.h"
#include "simt/small_floats.h"
#include "simt/conversions.h"
#include "simt/mathematics.h"
#include "simt/halves.h"
#include "simt/groups.h"
