// Atomic functions (Programming Guide, "Atomic Functions").  One fiber runs at a time, so each is a plain sequence.
#pragma once

#include <type_traits>

#include "threads.h"

namespace simt {
template <class T> struct Same { using type = T; };
template <class T, class Change> T exchange_at(T* address, Change change) {
    const T old = *const_cast<volatile T*>(address);
    *address = change(old);
    return old;
}
}  // namespace simt

// The second operand converts to the type of the first, as in calls of CUDA's overloads.
#define SIMT_ATOMIC(name, expression)                                                                          \
    template <class T> T name(T* address, typename simt::Same<T>::type value) {                                \
        return simt::exchange_at(address, [&](T old) -> T { return expression; });                             \
    }                                                                                                          \
    template <class T> T name##_block(T* address, typename simt::Same<T>::type value) { return name(address, value); } \
    template <class T> T name##_system(T* address, typename simt::Same<T>::type value) { return name(address, value); }

// Sums of integers wrap on the device; between signed numbers that would be undefined here.
namespace simt {
template <class T, bool IsSigned = std::is_integral<T>::value && std::is_signed<T>::value> struct Wrapping {
    static T sum(T left, T right) { return left + right; }
    static T difference(T left, T right) { return left - right; }
};
template <class T> struct Wrapping<T, true> {
    using Unsigned = typename std::make_unsigned<T>::type;
    static T sum(T left, T right) { return T(Unsigned(left) + Unsigned(right)); }
    static T difference(T left, T right) { return T(Unsigned(left) - Unsigned(right)); }
};
}  // namespace simt

SIMT_ATOMIC(atomicAdd, simt::Wrapping<T>::sum(old, value))
SIMT_ATOMIC(atomicSub, simt::Wrapping<T>::difference(old, value))
SIMT_ATOMIC(atomicExch, ((void)old, value))
SIMT_ATOMIC(atomicMin, value < old ? value : old)
SIMT_ATOMIC(atomicMax, old < value ? value : old)
SIMT_ATOMIC(atomicInc, old >= value ? T(0) : T(old + 1))
SIMT_ATOMIC(atomicDec, old == 0 || old > value ? value : T(old - 1))
SIMT_ATOMIC(atomicAnd, old & value)
SIMT_ATOMIC(atomicOr, old | value)
SIMT_ATOMIC(atomicXor, old ^ value)

// Who does not succeed lets the others go on, or a lock would never be released.
template <class T>
T atomicCAS(T* address, typename simt::Same<T>::type compare, typename simt::Same<T>::type value) {
    const T old = *const_cast<volatile T*>(address);
    if (old == compare) *address = value;
    else simt::yield();
    return old;
}
