__global__ void fir(const float *x, const float *h, float *y, int taps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < taps; j++) sum += h[j] * x[i + taps - 1 - j];
  y[i] = sum;
}
