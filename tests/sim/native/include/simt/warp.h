// Warp functions (Programming Guide, "Warp Vote", "Warp Match", "Warp Reduce", "Warp Shuffle Functions").
#pragma once

#include "threads.h"

namespace simt {

enum Kind { SYNC, SHUFFLE, VOTE, MATCH, REDUCE, GROUP };

template <class T> T slot(const Meeting* meeting, unsigned lane) {
    T value;
    std::memcpy(&value, meeting->slots[lane], sizeof value);
    return value;
}

// `source` lies anywhere; it is read if it is among those who came, else the result is undefined and the own value here.
template <class T> T shuffle(uint32_t mask, T value, int source) {
    static_assert(sizeof(T) <= 32);
    Meeting* meeting = meet(SHUFFLE, mask, &value, sizeof value);
    T result = value;
    if (source >= 0 && source < WARP && (meeting->arrived >> source & 1)) result = slot<T>(meeting, unsigned(source));
    leave(meeting);
    return result;
}

template <class Each> void each_lane(uint32_t mask, Each each) {
    for (unsigned i = 0; i < unsigned(WARP); i++)
        if (mask >> i & 1) each(i);
}

// Who came, and who of them is meant.
struct Found {
    uint32_t came, lanes;
};

inline Found vote(uint32_t mask, int predicate) {
    Meeting* meeting = meet(VOTE, mask, &predicate, sizeof predicate);
    Found found{meeting->arrived, 0};
    each_lane(found.came, [&](unsigned i) { found.lanes |= uint32_t(slot<int>(meeting, i) != 0) << i; });
    leave(meeting);
    return found;
}
inline uint32_t ballot(uint32_t mask, int predicate) { return vote(mask, predicate).lanes; }

template <class T> Found match(uint32_t mask, T value) {
    Meeting* meeting = meet(MATCH, mask, &value, sizeof value);
    Found found{meeting->arrived, 0};
    each_lane(found.came, [&](unsigned i) {
        found.lanes |= uint32_t(std::memcmp(meeting->slots[i], &value, sizeof value) == 0) << i;
    });
    leave(meeting);
    return found;
}

template <class T, class Operator> T reduce(uint32_t mask, T value, Operator join) {
    Meeting* meeting = meet(REDUCE, mask, &value, sizeof value);
    T result{};
    bool first = true;
    each_lane(meeting->arrived, [&](unsigned i) {
        result = first ? slot<T>(meeting, i) : join(result, slot<T>(meeting, i));
        first = false;
    });
    leave(meeting);
    return result;
}

}  // namespace simt

inline void __syncwarp(unsigned mask = 0xffffffffu) { simt::leave(simt::meet(simt::SYNC, mask, nullptr, 0)); }

// The segment of `width` lanes in which a lane reads; PTX `shfl.sync`: a source outside of it leaves the own value.
template <class T> T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
    const int lane = int(simt::lane());
    return simt::shuffle(mask, value, (lane & ~(width - 1)) | (source & (width - 1)));
}
template <class T> T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    const int lane = int(simt::lane()), source = lane - int(delta);
    return simt::shuffle(mask, value, source >= (lane & ~(width - 1)) ? source : lane);
}
template <class T> T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    const int lane = int(simt::lane()), source = lane + int(delta);
    return simt::shuffle(mask, value, source <= (lane | (width - 1)) ? source : lane);
}
template <class T> T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
    const int lane = int(simt::lane()), source = lane ^ bits;
    return simt::shuffle(mask, value, source <= (lane | (width - 1)) ? source : lane);
}

inline unsigned __ballot_sync(unsigned mask, int predicate) { return simt::ballot(mask, predicate); }
inline int __any_sync(unsigned mask, int predicate) { return simt::ballot(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return simt::ballot(mask, !predicate) == 0; }
inline int __uni_sync(unsigned mask, int predicate) {
    const simt::Found found = simt::vote(mask, predicate);
    return found.lanes == 0 || found.lanes == found.came;
}
// No lane may count on another one being active: the own lane alone is an answer that is always right.
inline unsigned __activemask() { return 1u << simt::lane(); }

template <class T> unsigned __match_any_sync(unsigned mask, T value) { return simt::match(mask, value).lanes; }
template <class T> unsigned __match_all_sync(unsigned mask, T value, int* agree) {
    const simt::Found found = simt::match(mask, value);
    *agree = found.lanes == found.came;
    return *agree ? found.lanes : 0;
}

template <class T> T __reduce_add_sync(unsigned mask, T value) {
    return simt::reduce(mask, value, [](T a, T b) { return T(unsigned(a) + unsigned(b)); });
}
template <class T> T __reduce_min_sync(unsigned mask, T value) {
    return simt::reduce(mask, value, [](T a, T b) { return b < a ? b : a; });
}
template <class T> T __reduce_max_sync(unsigned mask, T value) {
    return simt::reduce(mask, value, [](T a, T b) { return a < b ? b : a; });
}
template <class T> T __reduce_and_sync(unsigned mask, T value) {
    return simt::reduce(mask, value, [](T a, T b) { return T(a & b); });
}
template <class T> T __reduce_or_sync(unsigned mask, T value) {
    return simt::reduce(mask, value, [](T a, T b) { return T(a | b); });
}
template <class T> T __reduce_xor_sync(unsigned mask, T value) {
    return simt::reduce(mask, value, [](T a, T b) { return T(a ^ b); });
}
