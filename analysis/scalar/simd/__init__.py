"""The other end of SPMD to SIMD: a kernel as vector operations under masks that the program keeps itself."""
