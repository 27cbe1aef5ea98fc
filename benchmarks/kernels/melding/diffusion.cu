// Speckle reducing anisotropic diffusion of an image, by square blocks: the first kernel computes the differences to
// the four neighbours and from them the coefficient of diffusion, the second one moves the image by them.
// A pixel on the edge of its tile finds some of its neighbours in other arrays than the pixels inside do.

#define SIDE 32

// simt: grid=3,3 block=16,16 size=96 deviation=0.5 image=random(0.1,1)[9216] north=zeros[9216] south=zeros[9216] west=zeros[9216] east=zeros[9216] coefficient=zeros[9216]
__global__ void diffusion_coefficient(const float *image, float *coefficient, float *north, float *south, float *west,
                                      float *east, int size, float deviation) {
  __shared__ float tile[SIDE][SIDE];
  __shared__ float above[SIDE];
  __shared__ float below[SIDE];
  __shared__ float before[SIDE];
  __shared__ float behind[SIDE];
  int side = blockDim.x;
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int column = blockIdx.x * side + tx;
  int row = blockIdx.y * side + ty;
  int pixel = row * size + column;

  // The rows and columns around the tile; on the border of the image a pixel is its own neighbour.
  if (ty == 0) {
    int left = blockIdx.x * side;
    int line = (row + tx) * size;
    if (blockIdx.y == 0) {
      above[tx] = image[column];
      below[tx] = image[(row + side) * size + column];
    } else if (blockIdx.y == gridDim.y - 1) {
      above[tx] = image[(row - 1) * size + column];
      below[tx] = image[(row + side - 1) * size + column];
    } else {
      above[tx] = image[(row - 1) * size + column];
      below[tx] = image[(row + side) * size + column];
    }
    if (blockIdx.x == 0) {
      before[tx] = image[line];
      behind[tx] = image[line + side];
    } else if (blockIdx.x == gridDim.x - 1) {
      before[tx] = image[line + left - 1];
      behind[tx] = image[line + left + side - 1];
    } else {
      before[tx] = image[line + left - 1];
      behind[tx] = image[line + left + side];
    }
  }
  tile[ty][tx] = image[pixel];
  __syncthreads();

  float value = tile[ty][tx];
  float n, s, w, e;
  if (ty == 0 && tx == 0) {
    n = above[tx] - value;
    s = tile[ty + 1][tx] - value;
    w = before[ty] - value;
    e = tile[ty][tx + 1] - value;
  } else if (ty == 0 && tx == side - 1) {
    n = above[tx] - value;
    s = tile[ty + 1][tx] - value;
    w = tile[ty][tx - 1] - value;
    e = behind[ty] - value;
  } else if (ty == side - 1 && tx == side - 1) {
    n = tile[ty - 1][tx] - value;
    s = below[tx] - value;
    w = tile[ty][tx - 1] - value;
    e = behind[ty] - value;
  } else if (ty == side - 1 && tx == 0) {
    n = tile[ty - 1][tx] - value;
    s = below[tx] - value;
    w = before[ty] - value;
    e = tile[ty][tx + 1] - value;
  } else if (ty == 0) {
    n = above[tx] - value;
    s = tile[ty + 1][tx] - value;
    w = tile[ty][tx - 1] - value;
    e = tile[ty][tx + 1] - value;
  } else if (tx == side - 1) {
    n = tile[ty - 1][tx] - value;
    s = tile[ty + 1][tx] - value;
    w = tile[ty][tx - 1] - value;
    e = behind[ty] - value;
  } else if (ty == side - 1) {
    n = tile[ty - 1][tx] - value;
    s = below[tx] - value;
    w = tile[ty][tx - 1] - value;
    e = tile[ty][tx + 1] - value;
  } else if (tx == 0) {
    n = tile[ty - 1][tx] - value;
    s = tile[ty + 1][tx] - value;
    w = before[ty] - value;
    e = tile[ty][tx + 1] - value;
  } else {
    n = tile[ty - 1][tx] - value;
    s = tile[ty + 1][tx] - value;
    w = tile[ty][tx - 1] - value;
    e = tile[ty][tx + 1] - value;
  }

  float gradient = (n * n + s * s + w * w + e * e) / (value * value);
  float laplacian = (n + s + w + e) / value;
  float scale = 1.0f + 0.25f * laplacian;
  float variation = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (scale * scale);
  float result = 1.0f / (1.0f + (variation - deviation) / (deviation * (1.0f + deviation)));
  if (result < 0.0f) {
    result = 0.0f;
  } else if (result > 1.0f) {
    result = 1.0f;
  }
  coefficient[pixel] = result;
  north[pixel] = n;
  south[pixel] = s;
  west[pixel] = w;
  east[pixel] = e;
}

// simt: grid=3,3 block=16,16 size=96 step=0.5 image=random(0.1,1)[9216] north=random(-1,1)[9216] south=random(-1,1)[9216] west=random(-1,1)[9216] east=random(-1,1)[9216] coefficient=random(0,1)[9216]
__global__ void diffusion_update(float *image, const float *coefficient, const float *north, const float *south,
                                 const float *west, const float *east, int size, float step) {
  __shared__ float tile[SIDE][SIDE];
  __shared__ float below[SIDE];
  __shared__ float behind[SIDE];
  int side = blockDim.x;
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int column = blockIdx.x * side + tx;
  int row = blockIdx.y * side + ty;
  int pixel = row * size + column;

  if (ty == 0) {
    int left = blockIdx.x * side;
    int line = (row + tx) * size;
    if (blockIdx.y == gridDim.y - 1) {
      below[tx] = coefficient[(row + side - 1) * size + column];
    } else {
      below[tx] = coefficient[(row + side) * size + column];
    }
    if (blockIdx.x == gridDim.x - 1) {
      behind[tx] = coefficient[line + left + side - 1];
    } else {
      behind[tx] = coefficient[line + left + side];
    }
  }
  tile[ty][tx] = coefficient[pixel];
  __syncthreads();

  float here = tile[ty][tx];
  float cn, cs, cw, ce;
  if (ty == side - 1 && tx == side - 1) {
    cn = here;
    cs = below[tx];
    cw = here;
    ce = behind[ty];
  } else if (tx == side - 1) {
    cn = here;
    cs = tile[ty + 1][tx];
    cw = here;
    ce = behind[ty];
  } else if (ty == side - 1) {
    cn = here;
    cs = below[tx];
    cw = here;
    ce = tile[ty][tx + 1];
  } else {
    cn = here;
    cs = tile[ty + 1][tx];
    cw = here;
    ce = tile[ty][tx + 1];
  }
  float divergence = cn * north[pixel] + cs * south[pixel] + cw * west[pixel] + ce * east[pixel];
  image[pixel] += 0.25f * step * divergence;
}
