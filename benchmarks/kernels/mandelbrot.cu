__global__ void mandelbrot(int *iterations, int width, int height, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = -2.0f + 3.0f * (i % width) / width;
  float b = -1.5f + 3.0f * (i / width) / height;
  float x = 0.0f, y = 0.0f;
  int n = 0;
  while (n < limit && x * x + y * y < 4.0f) {
    float next = x * x - y * y + a;
    y = 2.0f * x * y + b;
    x = next;
    n++;
  }
  iterations[i] = n;
}
