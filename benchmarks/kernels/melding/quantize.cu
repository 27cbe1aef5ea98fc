// Quantization of a plane of transformed coefficients, in place: the absolute value is rounded to a multiple of the
// quantum, and the sign is restored.  The arms do the same, one with the sign turned before and after.

// simt: grid=32 block=256 coefficients=random(-2000,2000)[8192] quanta=random(1,100)[64]
__global__ void quantize(short *coefficients, const short *quanta) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  int coefficient = coefficients[at];
  int quantum = quanta[at % 64];
  int rounded;
  if (coefficient < 0) {
    int size = -coefficient;
    size += quantum / 2;
    size /= quantum;
    rounded = -size;
  } else {
    int size = coefficient;
    size += quantum / 2;
    size /= quantum;
    rounded = size;
  }
  coefficients[at] = rounded * quantum;
}
