// Threads as fibers: one block at a time, each fiber until it waits for others.
#pragma once

#include <csetjmp>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <ucontext.h>
#include <vector>

#include "vectors.h"

inline uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace simt {

constexpr int WARP = 32;
constexpr size_t STACK = 256 << 10;

[[noreturn]] inline void fail(const char* what) {
    std::fprintf(stderr, "native: %s\n", what);
    std::fflush(stderr);
    std::_Exit(3);
}

// What some threads wait for: complete when all who are meant have arrived or ended.
struct Meeting {
    int kind = 0;
    uint32_t mask = 0;     // lanes of a warp; not used by a block's barrier
    uint32_t arrived = 0;  // lanes, or number of threads
    int readers = 0;
    bool complete = false;
    int trues = 0;
    unsigned char slots[WARP][32];
};

struct Fiber {
    jmp_buf context;
    ucontext_t entry;
    bool started = false, done = false;
    Meeting* waits = nullptr;
    uint3 index;
    unsigned rank = 0;
};

struct Warp {
    uint32_t live = 0;
    std::vector<Meeting*> meetings;
};

struct Block {
    std::vector<Fiber> fibers;
    std::vector<Warp> warps;
    Meeting* barrier = nullptr;
    unsigned live = 0;
    Fiber* self = nullptr;
    jmp_buf scheduler;
    void (*body)(void*) = nullptr;
    void* arguments = nullptr;
};

inline Block block;
inline std::vector<char*> stacks;
inline std::string printed;
inline bool backwards = false;  // the last thread first: what differs then depends on the order

inline Fiber& self() { return *block.self; }
inline unsigned lane() { return self().rank % WARP; }
inline Warp& warp() { return block.warps[self().rank / WARP]; }

// Other fibers run; this one goes on when `waits` is complete, or in its turn.
inline void yield() {
    Fiber& fiber = self();
    if (_setjmp(fiber.context) == 0) _longjmp(block.scheduler, 1);
}

inline void settle(Warp& warp) {
    for (Meeting* meeting : warp.meetings)
        if ((meeting->mask & warp.live & ~meeting->arrived) == 0) meeting->complete = true;
}

inline void settle_barrier() {
    if (block.barrier && block.barrier->arrived >= block.live) {
        block.barrier->complete = true;
        block.barrier = nullptr;
    }
}

// The meeting at which this lane is with the others of `mask`; the caller reads from it and calls `leave`.
inline Meeting* meet(int kind, uint32_t mask, const void* value, size_t size) {
    Warp& mine = warp();
    const uint32_t bit = 1u << lane();
    if (!(mask & bit)) fail("a lane calls a warp function whose mask does not name it");
    Meeting* meeting = nullptr;
    for (Meeting* other : mine.meetings)
        if (!other->complete && other->kind == kind && other->mask == mask) meeting = other;
    if (!meeting) {
        meeting = new Meeting;
        meeting->kind = kind;
        meeting->mask = mask;
        mine.meetings.push_back(meeting);
    }
    meeting->arrived |= bit;
    meeting->readers++;
    if (size) std::memcpy(meeting->slots[lane()], value, size);
    settle(mine);
    self().waits = meeting;
    if (!meeting->complete) yield();
    self().waits = nullptr;
    return meeting;
}

inline void leave(Meeting* meeting) {
    if (--meeting->readers) return;
    auto& all = warp().meetings;
    for (size_t i = 0; i < all.size(); i++)
        if (all[i] == meeting) {
            all[i] = all.back();
            all.pop_back();
            break;
        }
    delete meeting;
}

// How many threads said true.
inline int barrier(int predicate) {
    if (!block.barrier) block.barrier = new Meeting;
    Meeting* meeting = block.barrier;
    meeting->arrived++;
    meeting->readers++;
    meeting->trues += predicate != 0;
    self().waits = meeting;
    settle_barrier();
    if (!meeting->complete) yield();
    self().waits = nullptr;
    const int trues = meeting->trues;
    if (--meeting->readers == 0) delete meeting;
    return trues;
}

inline void run_fiber() {
    block.body(block.arguments);
    Fiber& fiber = self();
    fiber.done = true;
    block.live--;
    warp().live &= ~(1u << lane());
    settle(warp());
    settle_barrier();
    _longjmp(block.scheduler, 1);
}

inline void resume(Fiber& fiber, size_t number) {
    block.self = &fiber;
    threadIdx = fiber.index;
    if (_setjmp(block.scheduler) != 0) return;
    if (fiber.started) _longjmp(fiber.context, 1);
    fiber.started = true;
    getcontext(&fiber.entry);
    fiber.entry.uc_stack.ss_sp = stacks[number];
    fiber.entry.uc_stack.ss_size = STACK;
    fiber.entry.uc_link = nullptr;
    makecontext(&fiber.entry, reinterpret_cast<void (*)()>(run_fiber), 0);
    setcontext(&fiber.entry);
}

inline void run_block() {
    const size_t count = size_t(blockDim.x) * blockDim.y * blockDim.z;
    while (stacks.size() < count) {
        void* memory = mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) fail("no memory for stacks");
        stacks.push_back(static_cast<char*>(memory));
    }
    block.fibers.assign(count, Fiber());
    block.warps.assign((count + WARP - 1) / WARP, Warp());
    block.live = unsigned(count);
    for (size_t i = 0; i < count; i++) {
        block.fibers[i].rank = unsigned(i);
        block.fibers[i].index = {unsigned(i % blockDim.x), unsigned(i / blockDim.x % blockDim.y),
                                 unsigned(i / blockDim.x / blockDim.y)};
        block.warps[i / WARP].live |= 1u << i % WARP;
    }
    while (block.live) {
        bool moved = false;
        for (size_t i = 0; i < count; i++) {
            const size_t number = backwards ? count - 1 - i : i;
            Fiber& fiber = block.fibers[number];
            if (fiber.done || (fiber.waits && !fiber.waits->complete)) continue;
            moved = true;
            resume(fiber, number);
        }
        if (!moved) fail("deadlock: every thread waits");
    }
}

inline void run_grid(void (*body)(void*), void* arguments) {
    block.body = body;
    block.arguments = arguments;
    for (unsigned z = 0; z < gridDim.z; z++)
        for (unsigned y = 0; y < gridDim.y; y++)
            for (unsigned x = 0; x < gridDim.x; x++) {
                blockIdx = {x, y, z};
                run_block();
            }
}

inline int print(const char* format, ...) {
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    printed.append(line, size_t(length));
    printed.push_back('\0');
    return length;
}

}  // namespace simt

#define printf(...) ::simt::print(__VA_ARGS__)

inline void __syncthreads() { simt::barrier(0); }
inline int __syncthreads_count(int predicate) { return simt::barrier(predicate); }
inline int __syncthreads_or(int predicate) { return simt::barrier(predicate) != 0; }
inline int __syncthreads_and(int predicate) { return simt::barrier(!predicate) == 0; }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) { simt::yield(); }
inline long long clock64() { return 0; }
inline void __trap() { simt::fail("trap"); }
template <class T> T __ldg(const T* pointer) { return *pointer; }
template <class T> T __ldcg(const T* pointer) { return *pointer; }
template <class T> T __ldcs(const T* pointer) { return *pointer; }
template <class T> void __stcs(T* pointer, T value) { *pointer = value; }
