// Occurrences of a pattern without regard to case: early exits, pointers to const char, `do` and `continue`.
__device__ char lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }
__device__ bool matches(const char *text, const char *pattern) {
    do {
        if (lower(*text++) != lower(*pattern)) return false;
    } while (*++pattern);
    return true;
}
__global__ void string_search(const char *text, int length, const char *pattern, int size, int *found, int *count, int *first) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i + size <= length; i += gridDim.x * blockDim.x) {
        if (text[i] == ' ') continue;
        if (!matches(text + i, pattern)) continue;
        atomicMin(first, i);
        found[i] = atomicAdd(count, 1) >= 0 ? 1 : 2;
    }
}
