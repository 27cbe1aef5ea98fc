// Cooperative groups (Programming Guide, "Cooperative Groups"): the block, tiles of a warp, and ranks in the grid.
#pragma once

#include "warp.h"

namespace cooperative_groups {

struct thread_block {
    static void sync() { __syncthreads(); }
    static unsigned thread_rank() { return simt::self().rank; }
    static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
    static unsigned num_threads() { return size(); }
    static uint3 thread_index() { return threadIdx; }
    static uint3 group_index() { return blockIdx; }
    static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
};

struct grid_group {
    static unsigned long long thread_rank() {
        const unsigned long long before = (blockIdx.z * 1ull * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        return before * thread_block::size() + thread_block::thread_rank();
    }
    static unsigned long long size() { return 1ull * gridDim.x * gridDim.y * gridDim.z * thread_block::size(); }
};

// Some lanes of one warp.
struct Lanes {
    uint32_t mask;
    unsigned first() const { return unsigned(__builtin_ctz(mask)); }
    unsigned rank_of(unsigned lane) const { return unsigned(__builtin_popcount(mask & ((1ull << lane) - 1))); }
    unsigned lane_of(unsigned rank) const {
        uint32_t rest = mask;
        while (rank--) rest &= rest - 1;
        return unsigned(__builtin_ctz(rest));
    }
    uint32_t packed(uint32_t lanes) const {
        uint32_t result = 0;
        simt::each_lane(mask, [&](unsigned i) { result |= (lanes >> i & 1) << rank_of(i); });
        return result;
    }
    void sync() const { __syncwarp(mask); }
    unsigned thread_rank() const { return rank_of(simt::lane()); }
    unsigned size() const { return unsigned(__builtin_popcount(mask)); }
    unsigned num_threads() const { return size(); }
    int any(int predicate) const { return __any_sync(mask, predicate); }
    int all(int predicate) const { return __all_sync(mask, predicate); }
    unsigned ballot(int predicate) const { return packed(simt::ballot(mask, predicate)); }
    template <class T> unsigned match_any(T value) const { return packed(simt::match(mask, value).lanes); }
    template <class T> T shfl(T value, int rank) const {
        return simt::shuffle(mask, value, int(lane_of(unsigned(rank) % size())));
    }
    template <class T> T shfl_up(T value, unsigned delta) const {
        const unsigned rank = thread_rank();
        return simt::shuffle(mask, value, int(lane_of(rank >= delta ? rank - delta : rank)));
    }
    template <class T> T shfl_down(T value, unsigned delta) const {
        const unsigned rank = thread_rank();
        return simt::shuffle(mask, value, int(lane_of(rank + delta < size() ? rank + delta : rank)));
    }
};

template <unsigned SIZE> struct thread_block_tile : Lanes {
    template <class T> T shfl_xor(T value, unsigned bits) const {
        const unsigned rank = thread_rank();
        return simt::shuffle(mask, value, int(lane_of((rank ^ bits) < SIZE ? rank ^ bits : rank)));
    }
    static unsigned meta_group_rank() { return simt::self().rank / SIZE; }
    static unsigned meta_group_size() { return (thread_block::size() + SIZE - 1) / SIZE; }
};
struct coalesced_group : Lanes {};

inline thread_block this_thread_block() { return {}; }
inline grid_group this_grid() { return {}; }
template <unsigned SIZE, class Parent> thread_block_tile<SIZE> tiled_partition(const Parent&) {
    const uint32_t all = SIZE == 32 ? 0xffffffffu : (1u << SIZE % 32) - 1;
    return {{all << simt::lane() / SIZE * SIZE}};
}
// Nobody may count on company: see `__activemask`.
inline coalesced_group coalesced_threads() { return {{1u << simt::lane()}}; }
template <class Group> void sync(const Group& group) { group.sync(); }
template <class Group> void synchronize(const Group& group) { group.sync(); }

template <class T> struct plus { T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };

template <class Group, class T, class Operator> T reduce(const Group& group, T value, Operator join) {
    return simt::reduce(group.mask, value, join);
}
template <class Group, class T, class Operator> T inclusive_scan(const Group& group, T value, Operator join) {
    for (unsigned delta = 1; delta < group.size(); delta *= 2) {
        const T other = group.shfl_up(value, delta);
        if (group.thread_rank() >= delta) value = join(other, value);
    }
    return value;
}
template <class Group, class T> T inclusive_scan(const Group& group, T value) {
    return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T> T exclusive_scan(const Group& group, T value) {
    const T sum = group.shfl_up(inclusive_scan(group, value, plus<T>()), 1);
    return group.thread_rank() ? sum : T(0);
}
template <class Group, class T> T exclusive_scan(const Group& group, T value, plus<T>) {
    return exclusive_scan(group, value);
}

}  // namespace cooperative_groups
