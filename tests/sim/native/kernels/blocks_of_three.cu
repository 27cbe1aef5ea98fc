// Three dimensions of threads and blocks, partial warps, all ways to number them; threads that leave before a barrier.
__global__ void blocks_of_three(int *order, int *warps, int *sums, int3 limit) {
    __shared__ int total;
    int rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int threads = blockDim.x * blockDim.y * blockDim.z;
    if (rank == 0) total = 0;
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    warps[block * threads + rank] = rank / warpSize * 100 + rank % warpSize;
    if (x >= limit.x || y >= limit.y || z >= limit.z) return;
    order[(z * limit.y + y) * limit.x + x] = block * threads + rank;
    atomicAdd(&total, x + 10 * y + 100 * z);
    __syncthreads();
    atomicMax(&sums[block], total);
}
