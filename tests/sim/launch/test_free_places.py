"""Tables that threads claim places in begin free, and have room for all."""

from __future__ import annotations

import numpy as np
import pytest

from sim.launch.contents import ArrayChoice, argument_of
from sim.specification import Array
from tests.sim.launch.support import given, plan
from tests.sim.launch.test_pointees import ran

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
_EMPTY = "0xffffffffu"


def inserting(bound: str, empty: str = _EMPTY) -> str:
    return (
        f"__global__ void k(unsigned *keys, unsigned *values, unsigned size, const unsigned *key) {{ {_I}"
        f"unsigned slot = (key[i] * 2654435761u) {bound};"
        f"while (true) {{ unsigned old = atomicCAS(&keys[slot], {empty}, key[i]);"
        f"if (old == {empty} || old == key[i]) {{ values[slot] = 1; return; }}"
        f"slot = (slot + 1) {bound}; }} }}"
    )


@pytest.mark.parametrize(("bound", "size"), [("& (size - 1)", 4096), ("% size", 4096), ("& size", 4095)])
def test_a_table_has_room_for_every_thread(bound: str, size: int) -> None:
    text = inserting(bound)
    assert {choice.name: choice.value for choice in plan(text).choices}["size"] == str(size)
    result = ran(text)
    assert (result.faults, result.truncated) == ((), None)
    key = plan(text).specification.arguments["key"]
    assert np.count_nonzero(result.arrays["keys"] != 0xFFFFFFFF) == 100, key


@pytest.mark.parametrize(
    ("type", "empty", "value"),
    [
        ("unsigned", "0xffffffffu", 0xFFFFFFFF),
        ("int", "-1", -1),
        ("unsigned long long", "~0ull", 0xFFFFFFFFFFFFFFFF),
        ("int", "7", 7),
    ],
)
def test_places_begin_free(type: str, empty: str, value: int) -> None:
    text = f"__global__ void k({type} *slots) {{ {_I} atomicCAS(&slots[i], ({type}){empty}, ({type})i); }}"
    found = plan(text).arrays["slots"]
    slots = argument_of(found, {})
    assert isinstance(slots, Array)
    assert set(slots.data.tolist()) == {value}
    assert _why(text, "slots") == "one element per thread; what compare-and-swap expects to find"


@pytest.mark.parametrize(
    ("type", "mark"), [("unsigned", str(0xFFFFFFFF)), ("int", "-1"), ("unsigned long long", str(0xFFFFFFFFFFFFFFFF))]
)
def test_a_mark_that_is_passed_is_no_key(type: str, mark: str) -> None:
    table = f"struct Table {{ {type} *keys; unsigned *values; unsigned size; {type} empty; }};"
    text = table + (
        inserting("% t.size", "t.empty")
        .replace("unsigned *keys, unsigned *values, unsigned size, const unsigned", f"Table t, const {type}")
        .replace("&keys", "&t.keys")
        .replace("values[", "t.values[")
        .replace("unsigned old", f"{type} old")
    )
    found = {choice.name: choice.value for choice in plan(text).choices}
    assert found["t.empty"] == mark
    assert found["t.keys"] == (f"{int(mark):#x}[4096]" if int(mark) > 0 else "-1[4096]")
    result = ran(text)
    assert (result.faults, result.truncated) == ((), None)
    assert np.count_nonzero(result.arrays["t.keys"] != int(mark)) == 100


def test_a_number_that_only_some_loads_are_compared_with_is_no_mark() -> None:
    claims = f"{_I} atomicCAS(&slots[i], mark, i); x[i] = slots[i] + 1;"
    text = f"__global__ void k(int *slots, int mark, int *x) {{ {claims} }}"
    assert {choice.name: choice.value for choice in plan(text).choices}["mark"] != "-1"


def test_locks_begin_open() -> None:
    text = (
        f"__global__ void k(int *lock, int *x) {{ {_I} while (atomicCAS(lock, 0, 1)) ; x[0]++; atomicExch(lock, 0); }}"
    )
    assert plan(text).arrays["lock"].text() == "zeros[2048]"


def test_members_begin_free() -> None:
    text = (
        "struct Bucket { int lock; int key; };"
        f"__global__ void k(Bucket *b, int *x) {{ {_I} if (atomicCAS(&b[i].lock, -1, i) == -1) x[i] = b[i].key; }}"
    )
    choice = plan(text).arrays["b"]
    buckets = argument_of(choice, plan(text).kernel.function.structs)
    assert isinstance(buckets, Array)
    pairs = buckets.data.view(np.int32).reshape(-1, 2)
    assert set(pairs[:, 0].tolist()) == {-1}
    assert len(set(pairs[:, 1].tolist())) > 50


@pytest.mark.parametrize(
    "body",
    [
        "int old = slots[i]; while (atomicCAS(&slots[i], old, old + 1) != old) old = slots[i];",
        "atomicCAS(&slots[i], -1, i); atomicCAS(&slots[i], -2, i);",
        "atomicCAS(&slots[i], -1, i); x[i] = slots[i];",
    ],
)
def test_no_one_constant_says_what_free_is(body: str) -> None:
    choice: ArrayChoice = plan(f"__global__ void k(int *slots, int *x) {{ {_I} {body} }}").arrays["slots"]
    assert choice.start_of(()) is None


def test_what_is_compared_with_the_same_constant_begins_free() -> None:
    text = f"__global__ void k(int *level, int now) {{ {_I} if (level[i] == -1) atomicCAS(&level[i], -1, now); }}"
    assert plan(text).arrays["level"].text() == "-1[2048]"


def test_what_is_given_stays() -> None:
    text = f"__global__ void k(int *slots) {{ {_I} atomicCAS(&slots[i], -1, i); }}"
    assert plan(text, given(slots="zeros")).arrays["slots"].text() == "zeros[2048]"
    assert plan(text, given(slots="random(0,5)")).arrays["slots"].text() == "random(0,5)[2048]"


def _why(text: str, name: str) -> str:
    return next(choice.why for choice in plan(text).choices if choice.name == name)
