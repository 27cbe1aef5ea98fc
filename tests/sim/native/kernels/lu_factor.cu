// Factorisation of a small matrix by one block: barriers in loops, divisions, rows exchanged by a shared decision.
__global__ void lu_factor(double *matrices, int *pivots, int n) {
    extern __shared__ double a[];
    __shared__ int chosen;
    double *from = matrices + blockIdx.x * n * n;
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) a[i] = from[i];
    for (int k = 0; k < n; k++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            int best = k;
            for (int r = k + 1; r < n; r++)
                if (fabs(a[r * n + k]) > fabs(a[best * n + k])) best = r;
            pivots[blockIdx.x * n + k] = chosen = best;
        }
        __syncthreads();
        if (chosen != k)
            for (int c = threadIdx.x; c < n; c += blockDim.x) {
                double kept = a[k * n + c];
                a[k * n + c] = a[chosen * n + c];
                a[chosen * n + c] = kept;
            }
        __syncthreads();
        for (int r = k + 1 + threadIdx.x; r < n; r += blockDim.x) a[r * n + k] /= a[k * n + k];
        __syncthreads();
        for (int at = threadIdx.x; at < (n - k - 1) * (n - k - 1); at += blockDim.x) {
            int r = k + 1 + at / (n - k - 1), c = k + 1 + at % (n - k - 1);
            a[r * n + c] -= a[r * n + k] * a[k * n + c];
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) from[i] = a[i];
}
