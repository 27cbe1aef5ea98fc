// One level of a breadth-first search: visited by compare-and-swap, the next frontier by counters; flags by logical or.
__device__ int frontier_size;
__device__ bool changed;
__global__ void bfs_level(const int *starts, const int *edges, int *levels, const int *frontier, int size, int level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        int node = frontier[i];
        for (int edge = starts[node]; edge < starts[node + 1]; edge++) {
            int to = edges[edge];
            if (levels[to] < 0 || levels[to] == level) {
                if (atomicCAS(&levels[to], -1, level) == -1) {
                    atomicAdd(&frontier_size, 1);
                    changed = true;
                }
            }
        }
    }
}
