"""Which instance of a template runs: CUDA text in, template arguments and their reason out."""

from __future__ import annotations

import numpy as np
import pytest

from sim.launch.request import Request
from sim.refusals import LaunchError
from tests.sim.launch.support import given, plan
from tests.sim.launch.test_adapt import adapted

_BODY = "__global__ void k(T *x) { x[threadIdx.x + N] = T(1); }"
_FUNCTIONS = """__device__ float both(float a, float b) { return a + b; } __device__ float once(float a) { return a; }
    __device__ float twice(float a) { return 2 * a; }
    namespace deep { __device__ float half(float a) { return a / 2; } }
    typedef float (*fun)(float);"""
_DRAWING = """struct Coarse { int state; }; struct Fine { double state; };
    __device__ void draw(float &x, Coarse &s) { x = s.state++; }
    __device__ void draw(double &x, Fine &s) { x = s.state++; }
    template <class T> __device__ void any(T t) {} __device__ void count(int n) {}"""
_MAIN = "void host(float *p) { %s }"


@pytest.mark.parametrize(
    ("text", "arguments", "reason"),
    [
        (f"template <class T, int N> {_BODY}", {"T": "float", "N": "4"}, "chosen"),
        (f"template <class T = double, int N = 2 * 3> {_BODY}", {"T": "double", "N": "6"}, "default"),
        (
            f"template <class T, int N> {_BODY}\n" + _MAIN % "k<int, 8><<<1, 32>>>(p);",
            {"T": "int", "N": "8"},
            "a launch",
        ),
        (
            f"#define SIZE 16\ntemplate <class T, int N> {_BODY}\n" + _MAIN % "k<char, SIZE + 1><<<1, 32>>>(p);",
            {"T": "char", "N": "17"},
            "a launch",
        ),
        (
            f"template <class T, int N> {_BODY}\ntemplate __global__ void k<short, 3>(short *);",
            {"T": "short", "N": "3"},
            "an explicit instantiation",
        ),
        (
            "template <int threadsPerBlock> __global__ void k(float *x) { x[threadsPerBlock] = 1; }",
            {"threadsPerBlock": "256"},
            "chosen",
        ),
        (
            "template <int BLOCK> __global__ void k(float *x) { x[threadIdx.y * BLOCK] = 1; }",
            {"BLOCK": "16"},
            "chosen",
        ),
        (
            "template <int ITEMS_PER_THREAD> __global__ void k(int *x) { x[ITEMS_PER_THREAD] = 1; }",
            {"ITEMS_PER_THREAD": "4"},
            "chosen",
        ),
        (
            "template <int THREADS_PER_ROW> __global__ void k(int *x) { x[THREADS_PER_ROW] = 1; }",
            {"THREADS_PER_ROW": "4"},
            "chosen",
        ),
        (
            "template <int THREADS_PER_BLOCK> __global__ void k(int *x) { x[THREADS_PER_BLOCK] = 1; }",
            {"THREADS_PER_BLOCK": "256"},
            "chosen",
        ),
        ("template <class T> __global__ void k(T *x, T y) { x[0] = y % 3; }", {"T": "int"}, "chosen"),
        *(
            (
                f"{_FUNCTIONS} template <{parameter}> __global__ void k(float *x) {{ x[0] = F(x[1]); }}\n"
                + _MAIN % main,
                {"F": name},
                reason,
            )
            for parameter, main, name, reason in (
                ("fun F", "k<twice><<<1, 32>>>(p);", "twice", "a launch"),
                ("fun F", "k<&twice><<<1, 32>>>(p);", "twice", "a launch"),
                ("float (*F)(float)", "k<deep::half><<<1, 32>>>(p);", "half", "a launch"),
                ("fun F", "", "once", "chosen"),
            )
        ),
        ("template <bool B> __global__ void k(int *x) { if (B) x[0] = 1; }", {"B": "true"}, "chosen"),
        (
            f"{_DRAWING} template <class R, class S> __global__ void k(R *x, S *s) {{ S t = s[0]; R r; draw(r, t); }}",
            {"R": "float", "S": "Coarse"},
            "chosen",
        ),
        (
            f"{_DRAWING} template <class R, class S> __global__ void k(R *x, S *s) {{ S t = s[0]; R r; draw(r, t); }}\n"
            + _MAIN % "double *d; k<double><<<1, 32>>>(d, 0);",
            {"R": "double", "S": "Fine"},
            "",
        ),
        (
            f"{_DRAWING} template <class S> __global__ void k(S *s) {{ S t = s[0]; int r; draw(r, t); any(t); }}",
            {"S": "Coarse"},
            "chosen",
        ),
        (
            f"{_DRAWING} template <class S> __global__ void k(S *s) {{ S t = s[0]; any(t); count(t); }}",
            {"S": "float"},
            "chosen",
        ),
    ],
)
def test_template_arguments(text: str, arguments: dict[str, str], reason: str) -> None:
    found = [choice for choice in plan(text).choices if choice.name in arguments]
    assert {choice.name: choice.value for choice in found} == arguments
    assert all(choice.why.startswith(reason) for choice in found)


def test_the_launch_with_the_most_known_arguments_counts() -> None:
    text = (
        f"template <class T, int N> {_BODY}\n"
        "template <class T> void host(T *p, int n) { k<T, 7><<<1, 32>>>(p); k<int, 9><<<1, 32>>>(p); }"
    )
    found = {choice.name: choice.value for choice in plan(text).choices}
    assert (found["T"], found["N"]) == ("int", "9")


def test_what_no_launch_knows_is_chosen_and_the_rest_is_taken() -> None:
    text = f"template <class T, int N> {_BODY}\ntemplate <class T> void host(T *p) {{ k<T, 7><<<1, 32>>>(p); }}"
    found = {choice.name: choice.value for choice in plan(text).choices}
    assert (found["T"], found["N"]) == ("float", "7")


def test_a_host_template_has_the_arguments_of_its_call() -> None:
    text = (
        f"template <class T, int N> {_BODY}\n"
        "template <typename Number, int SIZE> void host(Number *p) { k<Number, SIZE * 2><<<1, 32>>>(p); }\n"
        "void outer(double *p) { host<double, 21>(p); host<int, 1>(0); }"
    )
    found = {choice.name: choice.value for choice in plan(text).choices}
    assert (found["T"], found["N"]) == ("double", "42")


def test_given_template_arguments_win() -> None:
    text = f"template <class T, int N> {_BODY}\n" + _MAIN % "k<int, 8><<<1, 32>>>(p);"
    function = plan(text, given(T="unsigned char", N="2 * 5")).kernel.function
    assert str(function.id).startswith("k<unsigned char, 10>")


@pytest.mark.parametrize(("name", "text"), [("T", "5"), ("T", "nonsense"), ("N", "float"), ("N", "1, 2")])
def test_given_template_arguments_must_fit(name: str, text: str) -> None:
    with pytest.raises(LaunchError, match=f"^{name}={text}: the template parameter"):
        plan(f"template <class T, int N> {_BODY}", given(**{name: text}))


def test_a_kernel_in_a_namespace_finds_the_constants_there() -> None:
    text = (
        f"namespace inner {{ const int WIDE = 12; template <class T, int N> {_BODY}\n"
        "void host(float *p) { k<float, WIDE><<<1, 32>>>(p); } }"
    )
    assert {choice.name: choice.value for choice in plan(text).choices}["N"] == "12"


_APPLY = "template <class F> __global__ void k(float *x, F f) { x[threadIdx.x] = f(x[threadIdx.x]); }"
_CLASSES = """struct Sum { __device__ float operator()(float a, float b) const { return a + b; } };
    struct Twice { __device__ float operator()(float a) const { return 2 * a; } };
    template <class T> struct Scale { T by; __device__ T operator()(T a) const { return by * a; } };"""


@pytest.mark.parametrize(
    ("host", "type", "reason"),
    [
        ("", "Twice", "chosen: a class"),
        (_MAIN % "k<<<1, 32>>>(p, Scale<float>{3});", "Scale<float>", "a launch"),
        (_MAIN % "k<<<1, 32>>>(p, Twice());", "Twice", "a launch"),
    ],
)
def test_a_type_whose_objects_are_called_is_a_class_of_the_file(host: str, type: str, reason: str) -> None:
    found = plan(f"{_CLASSES}\n{_APPLY}\n{host}")
    (choice,) = [choice for choice in found.choices if choice.name == "F"]
    assert choice.value == type
    assert reason in choice.why


@pytest.mark.parametrize(("request_", "factor"), [((), 2), ((given(F="once"),), 1)])
def test_the_function_that_a_template_is_given_is_called(request_: tuple[Request, ...], factor: int) -> None:
    text = (
        f"{_FUNCTIONS} template <fun F, class T> __device__ T through(T a) {{ return F(a); }}"
        " template <fun F> __global__ void k(float *x, float *y) { int i = threadIdx.x; x[i] = through<F>(y[i]); }"
        + _MAIN
        % "k<twice><<<1, 32>>>(p, p);"
    )
    _, result = adapted(text, *request_)
    assert result.faults == ()
    assert np.array_equal(result.arrays["x"][:256], factor * result.arrays["y"][:256])


@pytest.mark.parametrize(
    ("call", "request_", "function", "factor"),
    [
        ("f(y[i])", (), "twice", 2),
        ("(*f)(y[i])", (), "twice", 2),
        ("f != NULL ? f(y[i]) : 0", (), "twice", 2),
        ("f(y[i])", (given(f="once"),), "once", 1),
        ("f(y[i], y[i])", (), "both", 2),
    ],
)
def test_a_pointer_to_a_function_points_to_one_of_the_file(
    call: str, request_: tuple[Request, ...], function: str, factor: int
) -> None:
    """First to one that the file names without calling it, as for `cudaMemcpyFromSymbol`."""
    parameter = "float (*f)(float, float)" if function == "both" else "fun f"
    text = (
        f"{_FUNCTIONS} __device__ fun pointer = twice;"
        f" __global__ void k({parameter}, float *x, float *y) {{ int i = threadIdx.x; x[i] = {call}; }}"
    )
    plan_, result = adapted(text, *request_)
    assert next(choice.value for choice in plan_.choices if choice.name == "f") == function
    assert result.faults == ()
    assert np.array_equal(result.arrays["x"][:256], factor * result.arrays["y"][:256])


def test_a_pointer_to_a_function_that_fits_nothing_is_asked_for() -> None:
    text = f"{_FUNCTIONS} __global__ void k(void (*f)(int, int, int), float *x) {{ f(1, 2, 3); }}"
    with pytest.raises(LaunchError, match="no argument for the parameter f"):
        adapted(text)
    with pytest.raises(LaunchError, match="f=7: 'f' needs the name of a device function"):
        plan(text, given(f="7"))


def test_memory_with_a_pitch_is_an_argument() -> None:
    text = (
        "__global__ void k(cudaPitchedPtr p, cudaExtent e) { int x = threadIdx.x, y = blockIdx.x;"
        " if (x >= e.width || y >= e.height) return;"
        " for (size_t z = 0; z < e.depth; ++z) {"
        " char *slice = (char *)p.ptr + z * p.pitch * e.height; float *row = (float *)(slice + y * p.pitch);"
        " row[x] = x + y + z; } }"
    )
    plan_, result = adapted(text, given(**{"p.pitch": "1024"}))
    assert (result.faults, result.truncated) == ((), None)
    numbers = {choice.name: choice.value for choice in plan_.choices}
    assert (numbers["e.width"], numbers["e.height"], numbers["e.depth"]) == ("256", "8", "16")
    octets = np.ascontiguousarray(result.arrays["p.ptr"]).reshape(-1)
    volume = octets[: 16 * 8 * 1024 // octets.itemsize].view(np.float32).reshape(16, 8, 256)
    assert np.array_equal(volume, np.add.outer(np.add.outer(np.arange(16), np.arange(8)), np.arange(256)))
