"""Which headers belong to the compiler, the C and C++ libraries, the system, or the CUDA and HIP toolkits?

Rules    What these headers declare for device code is in `analysis/lower/builtins`, so they are never read, wherever a
         copy lies: a copy's macros and intrinsics would hide what is known of the names.
         The names are those that the toolkits install.  A name without a suffix (`<vector>`, `<cuda/atomic>`) belongs
         to C++.
Limits   Other libraries (boost, Eigen, CUTLASS) are headers like those of the project.
"""

from __future__ import annotations

import re
from typing import Final


def is_system_header(name: str, *, quoted: bool = False) -> bool:
    """`name` as it stands between `<` and `>`, or between quotes, where one without a suffix may be anything."""
    is_of_cpp = "." not in name.rpartition("/")[2] and (not quoted or name.startswith("cuda/"))
    return is_of_cpp or _SYSTEM.fullmatch(name) is not None


_C_LIBRARY: Final = (
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic "
    "stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype"
)
_SYSTEM_LIBRARY: Final = (
    "dirent dlfcn fcntl getopt io libgen malloc memory new omp poll pthread sched semaphore strings unistd varargs "
    "intrin process tchar windows Windows"
)
_TOOLKIT: Final = (
    "builtin_types channel_descriptor common_functions cooperative_groups cuComplex cuda cudaEGL cudaGL cudaProfiler "
    "cudaTypedefs cuda_awbarrier cuda_awbarrier_helpers cuda_awbarrier_primitives cuda_bf16 cuda_device_runtime_api "
    "cuda_egl_interop cuda_fp16 cuda_fp4 cuda_fp6 cuda_fp8 cuda_gl_interop cuda_occupancy cuda_pipeline "
    "cuda_pipeline_helpers cuda_pipeline_primitives cuda_profiler_api cuda_runtime cuda_runtime_api "
    "cuda_stdint cuda_surface_types cuda_texture_types cuda_vdpau_interop cudalibxt device_atomic_functions "
    "device_double_functions device_functions device_launch_parameters device_types driver_functions driver_types "
    "fatbinary_section host_config host_defines library_types math_constants math_functions mma surface_functions "
    "surface_indirect_functions surface_types texture_fetch_functions texture_indirect_functions texture_types "
    "vector_functions vector_types"
)
_NAMES: Final = "|".join((*_C_LIBRARY.split(), *_SYSTEM_LIBRARY.split(), *_TOOLKIT.split()))
_SYSTEM: Final = re.compile(
    r"(?:sys|bits|linux|asm|arpa|netinet|cooperative_groups|crt|cub|cuda/std|cuda/__\w+|hip|hipcub|hiprand|nvtx3"
    r"|rocprim|rocrand|thrust)/.+"
    rf"|(?:{_NAMES})\.h"
    r"|cuda_(?:bf16|fp16|fp4|fp6|fp8)\.hpp"
    r"|(?:device|device_atomic|device_double|math|surface|texture_fetch|vector)_functions\.hpp"
    r"|sm_\d\d_(?:atomic_functions|intrinsics)\.hp?p?"
    r"|\w{1,3}mmintrin\.h|immintrin\.h|x86intrin\.h"
    r"|cuda_d3d\d+_interop\.h"
    r"|curand_(?:discrete2?|globals|kernel|lognormal|mrg32k3a|mtgp32\w*|normal|normal_static|philox4x32_x|poisson|precalc"
    r"|uniform)\.h"
    r"|(?:cublas|cublasLt|cublasXt|cublas_v2|cudnn|cufft|cufftXt|cufftw|cufile|curand|cusolverDn|cusolverSp|cusparse"
    r"|nccl|npp|nppc|nppdefs|nppi|npps|nvJitLink|nvPTXCompiler|nvToolsExt|nvjpeg|nvml|nvrtc|nvvm)\.h"
)
