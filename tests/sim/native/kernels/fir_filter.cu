// A filter with its taps in constant memory and its window in dynamic shared memory, fixed point with saturation.
#define TAPS 17
__constant__ short taps[TAPS] = {-12, 30, 7, -91, 160, 33, -420, 900, 32767, 900, -420, 33, 160, -91, 7, 30, -32768};
__global__ void fir_filter(const short *signal, short *filtered, int n) {
    extern __shared__ short window[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = threadIdx.x; j < blockDim.x + TAPS - 1; j += blockDim.x) {
        int from = (int)(blockIdx.x * blockDim.x) + j - TAPS / 2;
        window[j] = from >= 0 && from < n ? signal[from] : (short)0;
    }
    __syncthreads();
    if (i < n) {
        int sum = 1 << 14;
        for (int tap = 0; tap < TAPS; tap++) sum += (taps[tap] * window[threadIdx.x + tap]) >> 2;
        sum >>= 13;
        filtered[i] = (short)(sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum);
    }
}
