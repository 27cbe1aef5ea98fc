// Prefix sums, votes and shuffles in tiles of 8 and 16 lanes, and ranks of the block, by cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void group_prefix(const int *values, int *prefix, int *sums, unsigned *votes, int *turned, int n) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> eight = cg::tiled_partition<8>(block);
    auto sixteen = cg::tiled_partition<16>(block);
    unsigned i = blockIdx.x * block.size() + block.thread_rank();
    int value = i < n ? values[i] : 0, sum = value;
    for (int step = 1; step < eight.size(); step *= 2) {
        int other = eight.shfl_up(sum, step);
        if (eight.thread_rank() >= step) sum += other;
    }
    prefix[3 * i] = sum;
    prefix[3 * i + 1] = cg::inclusive_scan(sixteen, value, cg::plus<int>());
    prefix[3 * i + 2] = cg::exclusive_scan(sixteen, value, cg::plus<int>());
    sums[2 * i] = cg::reduce(eight, value, cg::plus<int>());
    sums[2 * i + 1] = cg::reduce(sixteen, value, cg::greater<int>());
    votes[2 * i] = eight.ballot(value & 1) | sixteen.any(value > 90) << 8 | sixteen.all(value > 5) << 9;
    votes[2 * i + 1] = sixteen.match_any(value % 3) | sixteen.meta_group_rank() << 16 | sixteen.meta_group_size() << 24;
    block.sync();
    turned[i] = eight.shfl(value, 7 - eight.thread_rank()) + 1000 * eight.shfl_xor(value, 3) + sixteen.shfl_down(value, 5);
}
