// Recursion: each thread sorts a few numbers of its own, in global memory, by quick sort and insertion below four.
__device__ void insertion(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i;
        for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
        a[j] = x;
    }
}
__device__ int sort(int *a, int n, int depth) {
    if (n < 4) { insertion(a, n); return depth; }
    int pivot = a[n / 2], i = 0, j = n - 1;
    while (i <= j) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i <= j) { int kept = a[i]; a[i++] = a[j]; a[j--] = kept; }
    }
    int left = sort(a, j + 1, depth + 1), right = sort(a + i, n - i, depth + 1);
    return left > right ? left : right;
}
__device__ unsigned ackermann(unsigned m, unsigned n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__global__ void quick_sort(int *numbers, int *depths, int each) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    depths[2 * i] = sort(numbers + i * each, each - i % 3, 0);
    depths[2 * i + 1] = ackermann(i % 3, i % 4);
}
