"""Random numbers of a kernel: a state is 64 bits, a draw mixes it (SplitMix64).

Not cuRAND's sequences: the same statistics, another generator; nothing that rests on exact values can be compared.
Source    Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from sim.arrays import Values, scalar

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)


def _mixed(state: Values) -> Values:
    word = np.asarray(state).view(np.uint64)
    word = (word ^ word >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ word >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return word ^ word >> np.uint64(31)


def math_random_seed(kind: Any, seed: Values, *rest: Values) -> Values:
    """A state from (seed, sequence, offset)."""
    word = seed.astype(np.uint64)
    none = scalar(np.uint64(0))
    sequence = rest[0].astype(np.uint64) if rest else none
    offset = rest[1].astype(np.uint64) if len(rest) > 1 else none
    start = _mixed(word + _GOLDEN) ^ _mixed(sequence * np.uint64(0xD1342543DE82EF95) + np.uint64(1))
    return (start + offset * _GOLDEN).view(np.int64)


def math_random_advance(kind: Any, state: Values, *count: Values) -> Values:
    steps = count[0].astype(np.uint64) if count else scalar(np.uint64(1))
    return (state.view(np.uint64) + steps * _GOLDEN).view(np.int64)


def math_random_bits(kind: Any, state: Values) -> Values:
    word = _mixed(state)
    return (word >> np.uint64(32)).astype(kind) if np.dtype(kind).itemsize <= 4 else word.astype(kind)


def _unit(state: Values) -> Values:
    """In (0, 1], with 53 bits."""
    return ((_mixed(state) >> np.uint64(11)).astype(np.float64) + 1.0) * 2.0**-53


def math_random_uniform(kind: Any, state: Values) -> Values:
    number = _unit(state)
    if np.dtype(kind).itemsize == 4:  # 24 bits, so that rounding cannot reach 0
        number = (np.floor(number * 2.0**24 - 2.0**-29) + 1.0) * 2.0**-24
    return number.astype(kind)


def _normal(state: Values) -> Values:
    """Box and Muller's transform of two draws from one state."""
    other = _unit(state.view(np.uint64) ^ np.uint64(0xA0761D6478BD642F))
    return np.sqrt(-2.0 * np.log(_unit(state))) * np.cos(2.0 * np.pi * other)


def math_random_normal(kind: Any, state: Values) -> Values:
    return _normal(state).astype(kind)


def math_random_log_normal(kind: Any, state: Values, mean: Values, deviation: Values) -> Values:
    return np.exp(mean + deviation * _normal(state)).astype(kind)


def math_random_poisson(kind: Any, state: Values, rate: Values) -> Values:
    """By inversion; a rounded normal number for large rates."""
    number, mean = np.broadcast_arrays(_unit(state), np.asarray(rate, np.float64))
    limited = np.minimum(mean, 500.0)
    chance = np.exp(-limited)
    total, result = chance.copy(), np.zeros(number.shape)
    for count in range(1, 1000):
        above = number > total
        if not above.any():
            break
        result = np.where(above, count, result)
        chance = chance * limited / count
        total = total + chance
    large = np.rint(np.maximum(mean + np.sqrt(mean) * _normal(state), 0.0))
    return np.where(mean > 500.0, large, result).astype(kind)
