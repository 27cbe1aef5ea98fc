// Arrays of each thread with indices known only at run time: a heap, a permutation, a small matrix, pointers into them.
__device__ void sift(int *heap, int n, int at) {
    for (;;) {
        int child = 2 * at + 1;
        if (child >= n) break;
        if (child + 1 < n && heap[child + 1] > heap[child]) child++;
        if (heap[at] >= heap[child]) break;
        int kept = heap[at]; heap[at] = heap[child]; heap[child] = kept;
        at = child;
    }
}
__global__ void local_arrays(const int *input, int *sorted, int *inverse, float *determinant, int each) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, heap[12], order[12];
    for (int j = 0; j < each; j++) heap[j] = input[i * each + j];
    for (int j = each / 2 - 1; j >= 0; j--) sift(heap, each, j);
    for (int last = each - 1; last > 0; last--) {
        int kept = heap[0]; heap[0] = heap[last]; heap[last] = kept;
        sift(heap, last, 0);
    }
    for (int j = 0; j < each; j++) sorted[i * each + j] = heap[j];
    for (int j = 0; j < each; j++) order[j] = (j * 5 + i) % each;
    for (int j = 0; j < each; j++) inverse[i * each + order[j]] = j;
    float m[3][3] = {{1.0f, 2.0f}, {}, {0.5f, 0.25f, 4.0f}}, *row = m[1];
    for (int j = 0; j < 9; j++) (&m[0][0])[j] += (float)(input[i * each + j % each] % 7);
    row[i % 3] *= 2.0f;
    float d = 0.0f;
    for (int j = 0; j < 3; j++)
        d += m[0][j] * (m[1][(j + 1) % 3] * m[2][(j + 2) % 3] - m[1][(j + 2) % 3] * m[2][(j + 1) % 3]);
    determinant[i] = d;
}
