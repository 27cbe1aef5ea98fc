"""Every scalar operator over all pairs of arithmetic types, on edge values and random ones: kernels made from lists.

One kernel for each type on the left: `whole[slot * n + row] = a + b;` with `b` of every other type, where integers are
kept as `long long` and numbers as `double`, so that a wrong type shows as well as a wrong value.  Half and bfloat16
meet only their own kind and casts: with anything else CUDA's headers leave the operator ambiguous.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from tests.sim.native.comparison import Case
from tests.sim.native.compiler import Unit

ROWS: Final = 320
_WIDTH: Final = 64


@final
@dataclass(frozen=True, slots=True)
class Scalar:
    """`stored` is the NumPy type of an array of them; bfloat16 lies in 16 bits."""

    name: str
    stored: str

    @property
    def is_small(self) -> bool:
        return self.name in ("__half", "__nv_bfloat16")

    @property
    def is_number(self) -> bool:
        return self.is_small or self.name in ("float", "double")


TYPES: Final = tuple(
    Scalar(name, stored)
    for name, stored in (
        ("bool", "bool"),
        ("char", "int8"),
        ("signed char", "int8"),
        ("unsigned char", "uint8"),
        ("short", "int16"),
        ("unsigned short", "uint16"),
        ("int", "int32"),
        ("unsigned", "uint32"),
        ("long", "int64"),
        ("unsigned long", "uint64"),
        ("long long", "int64"),
        ("unsigned long long", "uint64"),
        ("__half", "float16"),
        ("__nv_bfloat16", "uint16"),
        ("float", "float32"),
        ("double", "float64"),
    )
)
# What C++ leaves undefined is written with the names of `simt/undefined.h`, which here are the plain operators.
_HEADER: Final = """#include <cuda_fp16.h>
#include <cuda_bf16.h>
#ifndef SIMT_NATIVE
#define SIMT_DIV(left, right) ((left) / (right))
#define SIMT_REM(left, right) ((left) % (right))
#define SIMT_SHL(value, count) ((value) << (count))
#define SIMT_SHR(value, count) ((value) >> (count))
#define SIMT_TO(type, value) ((type)(value))
#define SIMT_SET(variable, operator, right, value) variable operator right
#endif
"""
_ARITHMETIC: Final = {"+": "{a} + {b}", "-": "{a} - {b}", "*": "{a} * {b}", "/": "SIMT_DIV({a}, {b})"}
_WHOLE: Final = {"%": "SIMT_REM({a}, {b})", "&": "{a} & {b}", "|": "{a} | {b}", "^": "{a} ^ {b}"}
_SHIFTS: Final = {"<<": "SIMT_SHL({a}, {b})", ">>": "SIMT_SHR({a}, {b})"}
_RELATIONS: Final = ("==", "!=", "<", "<=", ">", ">=", "&&", "||")


@final
@dataclass(frozen=True, slots=True)
class Question:
    """Statements that leave a result in `r`, after which it is kept; `is_number`: as double, not as long long."""

    title: str
    statements: str
    right: Scalar | None
    is_number: bool


@final
@dataclass(frozen=True, slots=True)
class Sheet:
    """All questions about one type on the left; `slots` gives each its array and place.

    `columns` are the inputs: `a`, and those on the right by the name of their type.
    """

    case: Case
    questions: Sequence[Question]
    slots: Sequence[tuple[str, int]]
    columns: Mapping[str, NDArray[Any]]


def sheet(left: Scalar, random: np.random.Generator) -> Sheet:
    """The kernel for one type on the left, with its inputs."""
    rights = [type for type in TYPES if type.is_small is left.is_small and (not left.is_small or type == left)]
    questions = [*_of_one(left), *(question for right in rights for question in _of_two(left, right))]
    letters = {right: f"b{number}" for number, right in enumerate(rights)}
    columns = {"a": _column(left, random, in_order=True)}
    columns |= {letter: _column(right, random, in_order=False) for right, letter in letters.items()}
    counts = {"whole": 0, "real": 0}
    slots: list[tuple[str, int]] = []
    lines: list[str] = []
    for question in questions:
        array = "real" if question.is_number else "whole"
        slots.append((array, counts[array]))
        kind = "double" if question.is_number else "long long"
        letter = letters[question.right] if question.right is not None else ""
        statements = question.statements.replace("{b}", letter)
        lines.append(f"{{ {statements} {array}[{counts[array]} * n + i] = ({kind})r; }}")
        counts[array] += 1
    types = {"a": left, **{letter: right for right, letter in letters.items()}}
    declared = [f"const {type.name} *in_{letter}" for letter, type in types.items()]
    declared += ["long long *whole", "double *real"]
    loads = [f"{type.name} {letter} = in_{letter}[i];" for letter, type in types.items()]
    body = "\n  ".join(["int i = blockIdx.x * blockDim.x + threadIdx.x;", *loads, *lines])
    text = f"{_HEADER}__global__ void k({', '.join(declared)}, int n) {{\n  {body}\n}}\n"
    arguments: dict[str, Any] = {f"in_{letter}": column for letter, column in columns.items()}
    arguments |= {"whole": np.zeros(max(1, counts["whole"]) * ROWS, np.int64)}
    arguments |= {"real": np.zeros(max(1, counts["real"]) * ROWS), "n": ROWS}
    case = Case(Unit(left.name, text), arguments, (ROWS // _WIDTH, 1, 1), (_WIDTH, 1, 1))
    given = {"a": columns["a"], **{right.name: columns[letter] for right, letter in letters.items()}}
    return Sheet(case, questions, slots, given)


# -- questions --------------------------------------------------------------------------------------------------------


def _of_one(left: Scalar) -> Iterator[Question]:
    for operator in ("+", "-") if left.is_number else ("+", "-", "~"):
        yield Question(operator, f"auto r = {operator}a;", None, left.is_number)
    yield Question("!", "bool r = !a;", None, is_number=False)
    yield Question("condition", "int r = 3; if (a) r = 4;", None, is_number=False)
    for operator in ("++", "--") if left.name != "bool" else ():
        yield Question(f"{operator}a", f"{left.name} r = a; {operator}r;", None, left.is_number)
        yield Question(f"value of {operator}a", f"{left.name} c = a; auto r = {operator}c;", None, left.is_number)
        yield Question(f"value of a{operator}", f"{left.name} c = a; auto r = c{operator};", None, left.is_number)
    for target in TYPES:
        yield Question(f"({target.name})", f"{target.name} r = SIMT_TO({target.name}, a);", None, target.is_number)


def _of_two(left: Scalar, right: Scalar) -> Iterator[Question]:
    is_number = left.is_number or right.is_number
    values = {**_ARITHMETIC, **({} if is_number else {**_WHOLE, **_SHIFTS})}
    for operator, template in values.items():
        value = template.format(a="a", b="{b}")
        yield Question(operator, f"auto r = {value};", right, is_number)
        after = template.format(a="r", b="{b}")
        setting = f"{left.name} r = a; SIMT_SET(r, {operator}=, {{b}}, {after});"
        yield Question(f"{operator}=", setting, right, left.is_number)
    for operator in _RELATIONS:
        yield Question(operator, f"bool r = a {operator} {{b}};", right, is_number=False)
    yield Question("?:", "auto r = i & 1 ? a : {b};", right, is_number)
    if not is_number:
        yield Question("size of +", "int r = sizeof(a + {b});", right, is_number=False)
        yield Question("sign of +", "bool r = (a + {b}) * 0 - 1 < 0;", right, is_number=False)
        yield Question("sign of <<", "bool r = SIMT_SHL(a, {b}) * 0 - 1 < 0;", right, is_number=False)


# -- inputs -----------------------------------------------------------------------------------------------------------


def _column(type: Scalar, random: np.random.Generator, *, in_order: bool) -> NDArray[Any]:
    """Edge values, each at least once, and a quarter of random ones; shuffled unless `in_order`."""
    special = _edges(type)
    some = special[random.integers(0, len(special), ROWS)]
    column = np.where(random.random(ROWS) < 0.25, _any(type, random), some)
    column[: len(special)] = special
    return column if in_order else random.permutation(column)


def _edges(type: Scalar) -> NDArray[Any]:
    if type.stored == "bool":
        return np.array([False, True])
    if type.is_number:
        return _stored(type, np.array(_numbers()))
    bounds = np.iinfo(type.stored)
    wanted = {0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, bounds.min, bounds.min + 1, bounds.max, bounds.max - 1}
    for power in (7, 8, 11, 15, 16, 24, 31, 32, 53, 62, 63):
        wanted |= {sign * ((1 << power) + off) for sign in (1, -1) for off in (-1, 0, 1)}
        # Halfway between two numbers of a shorter format, and a little more: rounding twice goes wrong.
        wanted |= {(1 << power) + (1 << power >> kept) + 1 for kept in (8, 24)}
    fitting = sorted(number for number in wanted if bounds.min <= number <= bounds.max)
    return np.array(fitting, type.stored)


def _numbers() -> list[float]:
    positive = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 100.5, 127.5, 128.0, 255.5, 256.0, np.inf]
    positive += [1 + 2.0**-8, 1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-24]
    positive += [1 + 2.0**-24 + 2.0**-50, 1 + 2.0**-52, 1 - 2.0**-53]
    positive += [32767.5, 32768.0, 65504.0, 65519.9, 65520.0, 65536.0, 2.0**-14, 2.0**-24]
    positive += [2.0**-25, 2.0**-25 + 2.0**-60, 2.0**-1074]
    positive += [2.0**24 + 1, 2.0**31 - 1, 2.0**31, 2.0**31 - 128, 2.0**32, 2.0**32 - 1, 2.0**53, 2.0**53 - 1]
    positive += [
        2.0**63,
        2.0**63 - 1024,
        2.0**64,
        2.0**64 - 2048,
        2.0**-126,
        2.0**-149,
        2.0**-150,
        2.0**-1022,
        2.0**-1074,
    ]
    positive += [3.4028234663852886e38, 3.4028235677973366e38, 3.3895313892515355e38, 1.7976931348623157e308]
    return [*positive, *(-number for number in positive), float("nan")]


def _any(type: Scalar, random: np.random.Generator) -> NDArray[Any]:
    if type.stored == "bool":
        return random.integers(0, 2, ROWS).astype(bool)
    if type.is_number:
        return _stored(type, random.normal(size=ROWS) * 2.0 ** random.uniform(-14, 34, ROWS))
    bounds = np.iinfo(type.stored)
    return random.integers(bounds.min, bounds.max, ROWS, type.stored, endpoint=True)


def _stored(type: Scalar, numbers: NDArray[Any]) -> NDArray[Any]:
    with np.errstate(over="ignore"):
        if type.name == "__nv_bfloat16":
            return (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        return numbers.astype(type.stored)
