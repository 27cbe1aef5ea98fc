"""What a user writes about one argument, read: `n=2048`, `x=random(0,1)`, `x=iota`, `x=zeros[4096]`, `x=@x.npy`.

Forms    a number (`2048`, `0x10`, `1e-3`, `true`), several numbers (`1,2,3`: the elements of an array),
         `random` or `random(low,high)`, `iota`, `zeros`, `uninitialised`, each with a length in elements if wanted
         (`random(0,1)[4096]`), one number as often as wanted (`7[4096]`), and `@file.npy`.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias, final

from analysis.ir.record import record
from sim.refusals import LaunchError
from sim.specification import Filling

MAX_LENGTH: Final = 1 << 40


@final
@record
class GivenNumbers:
    """One number for a scalar, or the elements of an array."""

    values: tuple[int | float | bool, ...]


@final
@record
class GivenFilling:
    """How to fill an array; `length` in elements, None where it is left open; `bounds` only for RANDOM."""

    filling: Filling
    bounds: tuple[float, float] | None = None
    length: int | None = None


@final
@record
class GivenFile:
    """A `.npy` file, as the user wrote its path."""

    path: str


GivenArgument: TypeAlias = GivenNumbers | GivenFilling | GivenFile


def read_given(name: str, text: str) -> GivenArgument:
    """Raises `LaunchError`, which names the argument and the forms that exist."""
    text = text.strip()
    if text.startswith("@"):
        if not text.endswith(".npy") or len(text) == len("@.npy"):
            raise LaunchError(f"{name}={text}: expected the path of a .npy file, as {name}=@values.npy")
        return GivenFile(text[1:])
    match = _FILLING.fullmatch(text)
    if match is not None:
        return _filling(name, text, match)
    match = _REPEATED.fullmatch(text)
    repeated = None if match is None else _number(match["number"])
    if match is not None and repeated is not None:
        return GivenFilling(Filling.RANDOM, (float(repeated), float(repeated)), _length(name, text, match))
    numbers = [_number(part) for part in text.strip("{}").split(",")]
    known = tuple(number for number in numbers if number is not None)
    if len(known) != len(numbers):
        raise LaunchError(f"{name}={text}: expected {_FORMS}")
    return GivenNumbers(known)


_FORMS: Final = (
    "a number, numbers separated by commas, random(low,high), iota, zeros, uninitialised, 7[4096] or @file.npy"
)
_FILLING: Final = re.compile(
    r"(?P<word>random|iota|zeros|uninitiali[sz]ed)(?:\((?P<bounds>[^()]*)\))?(?:\[(?P<length>[^\[\]]*)\])?"
)
_REPEATED: Final = re.compile(r"(?P<number>[^\[\],]+)\[(?P<length>[^\[\]]*)\]")
_INTEGER: Final = re.compile(r"([+-]?)(0[xX][0-9a-fA-F]{1,32}|0[bB][01]{1,128}|\d{1,40})")
_REAL: Final = re.compile(r"[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,4})?|[+-]?inf|nan")
_WORDS: Final = {
    "random": Filling.RANDOM,
    "iota": Filling.INDEX,
    "zeros": Filling.ZERO,
    "uninitialised": Filling.UNINITIALISED,
    "uninitialized": Filling.UNINITIALISED,
}


def _filling(name: str, text: str, match: re.Match[str]) -> GivenFilling:
    filling = _WORDS[match["word"]]
    bounds: tuple[float, float] | None = None
    if match["bounds"] is not None:
        numbers = [_number(part) for part in match["bounds"].split(",")]
        low, high = numbers if len(numbers) == 2 else (None, None)
        if filling is not Filling.RANDOM or low is None or high is None or not low < high:
            raise LaunchError(f"{name}={text}: expected two growing bounds, as {name}=random(0,1)")
        bounds = float(low), float(high)
    return GivenFilling(filling, bounds, None if match["length"] is None else _length(name, text, match))


def _length(name: str, text: str, match: re.Match[str]) -> int:
    number = _number(match["length"])
    if not isinstance(number, int) or not 0 < number < MAX_LENGTH:
        raise LaunchError(f"{name}={text}: expected a length in elements, as {name}={match[1]}[4096]")
    return number


def _number(text: str) -> int | float | bool | None:
    text = text.strip()
    if text in ("true", "false"):
        return text == "true"
    match = _INTEGER.fullmatch(text)
    if match is not None:
        base = {"x": 16, "b": 2}.get(match[2][1:2].lower(), 10)
        number = int(match[2], base)
        return -number if match[1] == "-" else number
    real = text[:-1] if text[-1:] in ("f", "F") and not text.endswith("inf") else text
    return float(real) if _REAL.fullmatch(real) else None
