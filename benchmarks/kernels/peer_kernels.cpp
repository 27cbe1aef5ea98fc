// The kernels of `benchmarks/peer_kernels.py` as a programmer would write them for one core: a loop over blocks, and
// between two barriers a loop over the threads of a block.  What a thread keeps across a barrier is an array.
// Each takes the blocks along x and y, the threads of a block along x and y, and the kernel's arguments.

#include <cstdint>

extern "C" {

void fir(int blocks, int, int threads, int, const float *x, const float *h, float *y, int taps) {
  for (int block = 0; block < blocks; block++) {
    for (int t = 0; t < threads; t++) {
      int i = block * threads + t;
      float sum = 0.0f;
      for (int j = 0; j < taps; j++) sum += h[j] * x[i + taps - 1 - j];
      y[i] = sum;
    }
  }
}

void bitonic(int blocks, int, int threads, int, unsigned *values) {
  for (int block = 0; block < blocks; block++) {
    unsigned s[256];
    unsigned count = threads;
    for (unsigned t = 0; t < count; t++) s[t] = values[block * count + t];
    for (unsigned k = 2; k <= count; k *= 2) {
      for (unsigned j = k / 2; j > 0; j /= 2) {
        for (unsigned t = 0; t < count; t++) {
          unsigned other = t ^ j;
          if (other > t) {
            bool up = (t & k) == 0;
            if ((s[t] > s[other]) == up) {
              unsigned held = s[t];
              s[t] = s[other];
              s[other] = held;
            }
          }
        }
      }
    }
    for (unsigned t = 0; t < count; t++) values[block * count + t] = s[t];
  }
}

void mandelbrot(int blocks, int, int threads, int, int *iterations, int width, int height, int limit) {
  for (int block = 0; block < blocks; block++) {
    for (int t = 0; t < threads; t++) {
      int i = block * threads + t;
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
  }
}

void reduction(int blocks, int, int threads, int, const float *x, float *sums) {
  for (int block = 0; block < blocks; block++) {
    float s[256];
    for (int t = 0; t < threads; t++) s[t] = x[block * threads + t];
    for (int half = threads / 2; half > 0; half /= 2) {
      for (int t = 0; t < threads; t++) {
        if (t < half) s[t] += s[t + half];
      }
    }
    sums[block] = s[0];
  }
}

void matmul(int across, int down, int, int, const float *a, const float *b, float *c, int n) {
  for (int block = 0; block < across * down; block++) {
    float left[16][16], right[16][16], sum[16][16] = {};
    int column = block % across * 16, row = block / across * 16;
    for (int tile = 0; tile < n; tile += 16) {
      for (int ty = 0; ty < 16; ty++) {
        for (int tx = 0; tx < 16; tx++) {
          left[ty][tx] = a[(row + ty) * n + tile + tx];
          right[ty][tx] = b[(tile + ty) * n + column + tx];
        }
      }
      for (int ty = 0; ty < 16; ty++) {
        for (int tx = 0; tx < 16; tx++) {
          for (int k = 0; k < 16; k++) sum[ty][tx] += left[ty][k] * right[k][tx];
        }
      }
    }
    for (int ty = 0; ty < 16; ty++) {
      for (int tx = 0; tx < 16; tx++) c[(row + ty) * n + column + tx] = sum[ty][tx];
    }
  }
}

void histogram(int blocks, int, int threads, int, const unsigned char *bytes, unsigned *counts, int per_thread) {
  for (int block = 0; block < blocks; block++) {
    unsigned s[256];
    for (int t = 0; t < threads; t++) s[t] = 0;
    for (int t = 0; t < threads; t++) {
      for (int j = 0; j < per_thread; j++) s[bytes[(j * blocks + block) * threads + t]] += 1u;
    }
    for (int t = 0; t < threads; t++) counts[t] += s[t];
  }
}

}
