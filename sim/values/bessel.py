"""Bessel functions of integer order.

J and I   the trapezoidal rule on Bessel's integral, which converges faster than any power for a periodic integrand;
          the power series of I for small arguments.
Y         Neumann's series over J (orders 0 and 1), then the recurrence upwards, which is stable for Y.
Source    Abramowitz and Stegun, Handbook of Mathematical Functions, 9.1.21, 9.6.10, 9.6.19, 9.1.88, 9.1.89, 9.1.27.
Limits    absolute accuracy 1e-13 for arguments up to 200; beyond, the asymptotic forms (9.2.5, 9.2.6).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from sim.arrays import Values

_FAR: Final = 200.0
_SERIES: Final = 20.0
"""Up to here the power series of I is summed."""
_EULER: Final = 0.57721566490153286061


def bessel_j(order: int, value: Values) -> Values:
    """J_order of real arguments, in the type of `value`."""
    x = np.asarray(value, np.float64)
    return _both(order, x, _near_j, 0).astype(value.dtype)


def bessel_y(order: int, value: Values) -> Values:
    """Y_order; NaN for negative arguments, -inf at 0."""
    x = np.asarray(value, np.float64)
    if order < 0:
        return ((-1.0) ** order * bessel_y(-order, x)).astype(value.dtype)
    safe = np.where(x > 0, x, 1.0)
    below, result = _both(0, safe, _near_y, 1), _both(1, safe, _near_y, 1)
    if order == 0:
        result = below
    for step in range(1, order):
        below, result = result, 2.0 * step / safe * result - below
    result = np.where(x > 0, result, np.where(x == 0, -np.inf, np.nan))
    return result.astype(value.dtype)


def bessel_i(order: int, value: Values) -> Values:
    """The modified function I_order."""
    x = np.asarray(value, np.float64)
    size = np.abs(x)
    near = _power_series_i(order, np.where(size > _SERIES, 1.0, x))
    if (size <= _SERIES).all():
        return near.astype(value.dtype)
    angles = np.pi * (np.arange(600) + 0.5) / 600
    peak = np.minimum(size, 720.0)
    drop = -2.0 * np.square(np.sin(angles / 2.0))  # cos(angle) - 1, without cancellation
    mean = (np.exp(peak[..., None] * drop) * np.cos(order * angles)).mean(axis=-1)
    far = np.where(size > 720.0, np.inf, mean * np.exp(peak))
    far = np.copysign(far, x) if order % 2 else far
    return np.where(np.isnan(x), np.nan, np.where(size > _SERIES, far, near)).astype(value.dtype)


def _power_series_i(order: int, x: Values) -> Values:
    """9.6.10: all terms have one sign."""
    term = (x / 2.0) ** order / math.factorial(order)
    total = term
    for k in range(1, 60):
        term = term * (x / 2.0) / k * ((x / 2.0) / (k + order))
        total = total + term
    return total


def _both(order: int, x: Values, near: Callable[[int, Values], Values], phase: int) -> Values:
    far = np.abs(x) > _FAR
    result = near(order, np.where(far, 1.0, x))
    return np.where(far, _asymptotic(order, x, phase), result) if far.any() else result


def _near_j(order: int, x: Values) -> Values:
    points = 600 + abs(order)
    angles = np.pi * (np.arange(points) + 0.5) / points
    return np.cos(order * angles - x[..., None] * np.sin(angles)).mean(axis=-1)


def _near_y(order: int, x: Values) -> Values:
    terms = int(np.max(np.abs(x), initial=1.0)) // 2 + 40
    logarithm = np.log(x / 2.0) + _EULER
    if order == 0:
        series = sum((-1.0) ** k / k * _near_j(2 * k, x) for k in range(1, terms))
        return 2.0 / np.pi * (logarithm * _near_j(0, x) - 2.0 * series)
    series = sum((-1.0) ** k * (2 * k + 1) / (k * (k + 1)) * _near_j(2 * k + 1, x) for k in range(1, terms))
    pole = -2.0 / (np.pi * x) * _near_j(0, x)
    return pole + 2.0 / np.pi * ((logarithm - 1.0) * _near_j(1, x) - series)


def _asymptotic(order: int, x: Values, phase: int) -> Values:
    """Hankel's expansion to six terms."""
    size = np.abs(x)
    mu = 4.0 * order * order
    p, q, term = np.ones_like(size), np.zeros_like(size), np.ones_like(size)
    for k in range(1, 7):
        term = term * (mu - (2 * k - 1) ** 2) / (k * 8.0 * size)
        sign = -1.0 if k % 4 in (2, 3) else 1.0
        if k % 2:
            q = q + sign * term
        else:
            p = p + sign * term
    angle = size - order * np.pi / 2 - np.pi / 4
    scale = np.sqrt(2.0 / (np.pi * size))
    wave = p * np.sin(angle) + q * np.cos(angle) if phase else p * np.cos(angle) - q * np.sin(angle)
    wave = np.where(np.isinf(x), 0.0, wave)
    return np.where((x < 0) & (order % 2 == 1), -1.0, 1.0) * scale * wave
