__global__ void bitonic(unsigned *values) {
  __shared__ unsigned s[256];
  unsigned t = threadIdx.x;
  s[t] = values[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned k = 2; k <= blockDim.x; k *= 2) {
    for (unsigned j = k / 2; j > 0; j /= 2) {
      unsigned other = t ^ j;
      if (other > t) {
        bool up = (t & k) == 0;
        if ((s[t] > s[other]) == up) {
          unsigned held = s[t];
          s[t] = s[other];
          s[other] = held;
        }
      }
      __syncthreads();
    }
  }
  values[blockIdx.x * blockDim.x + t] = s[t];
}
