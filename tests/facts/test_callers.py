"""What callers in other files pass to the functions of a header, and what must not be believed of it."""

from __future__ import annotations

import pickle

import pytest

from analysis.access.model import AccessPattern
from analysis.divergence.launch_shape import BlockShape
from analysis.divergence.levels import Level
from analysis.facts.analyzer import Analyzer
from analysis.facts.calls import Calls, CallsOfFile, KnownCallers, known_callers
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.facts.settings import AnalysisSettings
from analysis.ir.types import MemorySpace
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from analysis.verdict.barriers import BarrierVerdict

STEP = "__device__ void step(float *p, int i, int n) {\n  if (i < n) p[i] += 1;\n}\n"


def _analyze(path: str, files: dict[str, str], callers: KnownCallers | None = None) -> FileAnalysis:
    loader = DictLoader({name: text.encode() for name, text in files.items()})
    includer = next((name for name, text in files.items() if f'"{path}"' in text), None)
    document = Document.open(files[path].encode())
    return Analyzer().analyze(path, document, loader, AnalysisSettings(), context=includer, callers=callers)


def _calls(files: dict[str, str]) -> list[CallsOfFile]:
    """Of all files; headers begin at their kernels."""
    return [_analyze(path, files).calls(is_included=path.endswith(".cuh")) for path in files]


def _header(files: dict[str, str]) -> FileAnalysis:
    """`h.cuh` as all files call it."""
    others = [calls for calls in _calls(files) if calls.path != "h.cuh"]
    return _analyze("h.cuh", files, known_callers("h.cuh", others))


def _function(analysis: FileAnalysis, name: str) -> FunctionFacts:
    return next(function for function in analysis.facts.functions if function.name == name)


def _main(body: str, parameters: str = "float *p, int n", launch: str = "") -> str:
    host = f"int main() {{ {launch} }}\n" if launch else ""
    return f'#include "h.cuh"\n__global__ void k({parameters}) {{ {body} }}\n{host}'


def _level(analysis: FileAnalysis, function: str, variable: str) -> Level:
    found = _function(analysis, function).variables
    return next(one.declared_level for one in found if one.name == variable)


def test_a_function_is_judged_by_what_kernels_in_other_files_pass() -> None:
    header = _header({"h.cuh": STEP, "main.cu": _main("step(p, blockIdx.x, n);", launch="k<<<4, 128>>>(0, 9);")})
    step = _function(header, "step")
    assert step.callers_known
    assert [branch.level for branch in step.branches] == [Level.BLOCK]
    assert {access.space for access in step.accesses} == {MemorySpace.GLOBAL}
    calls = header.callers_of(step)
    assert calls is not None
    assert [(site.path, site.line) for site in calls.sites] == [("main.cu", 2)]


def test_without_callers_nothing_is_believed() -> None:
    header = _analyze("h.cuh", {"h.cuh": STEP})
    step = _function(header, "step")
    assert not step.callers_known
    assert [branch.level for branch in step.branches] == [Level.VARYING]
    assert header.callers_of(step) is None


def test_the_worst_of_all_files_counts() -> None:
    files = {
        "h.cuh": STEP,
        "one.cu": _main("step(p, blockIdx.x, n);"),
        "two.cu": _main("step(p, threadIdx.x, n);"),
    }
    header = _header(files)
    assert [branch.level for branch in _function(header, "step").branches] == [Level.VARYING]
    calls = header.callers_of(_function(header, "step"))
    assert calls is not None
    assert len(calls.sites) == 2


def test_a_step_along_the_block_that_all_pass_is_known() -> None:
    body = "step(p, blockIdx.x * blockDim.x + threadIdx.x, n); step(p, threadIdx.x, n);"
    header = _header({"h.cuh": STEP, "main.cu": _main(body, launch="k<<<4, 128>>>(0, 9);")})
    assert {access.pattern for access in _function(header, "step").accesses} == {AccessPattern.WARP_SEQUENTIAL}
    assert {access.stride for access in _function(header, "step").accesses} == {4}


def test_different_steps_are_none() -> None:
    header = _header({"h.cuh": STEP, "main.cu": _main("step(p, 2 * threadIdx.x, n); step(p, threadIdx.x, n);")})
    assert {access.stride for access in _function(header, "step").accesses} == {None}


def test_numbers_and_shapes_come_from_all_launches() -> None:
    header = "__device__ void f(int n) {\n  if (threadIdx.x < n) __syncthreads();\n}\n"
    files = {
        "h.cuh": header,
        "one.cu": _main("f(64);", launch="k<<<1, 64>>>(0, 1);"),
        "two.cu": _main("f(64);", launch="k<<<1, dim3(8, 8)>>>(0, 1);"),
    }
    analysis = _header(files)
    view = analysis.views(_function(analysis, "f"))[0]
    assert set(view.root.launch.shapes) == {BlockShape(64), BlockShape(8, 8)}
    assert view.root.launch.passed == ((0, 64),)


def test_one_unknown_launch_hides_the_shapes() -> None:
    files = {
        "h.cuh": STEP,
        "one.cu": _main("step(p, n, n);", launch="k<<<1, 64>>>(0, 1);"),
        "two.cu": _main("step(p, n, n);"),
    }
    header = _header(files)
    assert header.views(_function(header, "step"))[0].root.launch.shapes == ()


def test_ranges_hold_for_all_calls() -> None:
    header = "__device__ int f(int i) { int j = i + 1; return j; }\n"
    analysis = _header({"h.cuh": header, "main.cu": _main("p[0] = f(threadIdx.x & 7) + f(20 + (threadIdx.x & 3));")})
    view = analysis.views(_function(analysis, "f"))[0]
    found = view.root.affine.range(view.root.function.parameters[0].value)
    assert (found.low, found.high) == (0, 23)


@pytest.mark.parametrize(
    "body",
    [
        "float (*f)(float) = id; p[0] = f(p[1]) + id(1);",
        "p[0] = id(1); unknown(id);",
        "p[0] = id(1); mystery(p, [](float x) { return id(x); });",
        "p[0] = id(1) + ID(p[threadIdx.x]);",
    ],
    ids=["address", "argument", "lambda", "macro"],
)
def test_a_function_that_may_be_called_otherwise_is_not_known(body: str) -> None:
    header = "#define ID(x) id(x)\n__device__ float id(float x) { if (x > 0) return x; return 0; }\n"
    analysis = _header({"h.cuh": header, "main.cu": _main(body)})
    assert not _function(analysis, "id").callers_known


def test_the_macro_alone_does_no_harm() -> None:
    header = "#define ID(x) (x)\n__device__ float id(float x) { if (x > 0) return x; return 0; }\n"
    analysis = _header({"h.cuh": header, "main.cu": _main("p[0] = id(1) + ID(p[threadIdx.x]);")})
    assert _function(analysis, "id").callers_known


def test_recursion_hides_what_is_passed_on() -> None:
    header = "__device__ int down(int n) { if (n > 0) return down(n - threadIdx.x); return n; }\n"
    analysis = _header({"h.cuh": header, "main.cu": _main("p[0] = down(n);")})
    assert not _function(analysis, "down").callers_known


def test_what_an_open_function_calls_is_open_too() -> None:
    header = (
        "__device__ int inner(int n) { if (n > 0) return 1; return n; }\n"
        "__device__ int outer(int n) { return inner(n); }\n"
    )
    body = "int (*f)(int) = outer; p[0] = f(threadIdx.x) + inner(1);"
    assert not _function(_header({"h.cuh": header, "main.cu": _main(body)}), "inner").callers_known


def test_a_function_that_nobody_calls_stays_unknown() -> None:
    header = STEP + "__device__ void idle(int n) { if (n) step(0, n, n); }\n"
    analysis = _header({"h.cuh": header, "main.cu": _main("step(p, 1, n);")})
    assert not _function(analysis, "idle").callers_known
    assert _function(analysis, "step").callers_known
    assert [branch.level for branch in _function(analysis, "step").branches] == [Level.GRID]


def test_a_device_function_of_a_source_may_be_called_by_anybody() -> None:
    main = '#include "h.cuh"\n__device__ void lost(float *p, int i) { step(p, i, 4); }\n'
    header = _header({"h.cuh": STEP, "main.cu": main})
    assert [branch.level for branch in _function(header, "step").branches] == [Level.VARYING]
    assert _level(header, "step", "n") is Level.GRID


def test_kernels_of_the_header_count() -> None:
    header = STEP + "__global__ void own(float *p, int n) { step(p, threadIdx.x, n); }\n"
    analysis = _header({"h.cuh": header, "main.cu": _main("step(p, 1, n);")})
    assert [branch.level for branch in _function(analysis, "step").branches] == [Level.VARYING]
    alone = _header({"h.cuh": header, "main.cu": '#include "h.cuh"\n'})
    assert _function(alone, "step").callers_known


def test_kernels_of_another_header_count() -> None:
    files = {
        "h.cuh": STEP,
        "k.cuh": '#include "h.cuh"\n__global__ void own(float *p, int n) { step(p, threadIdx.x, n); }\n',
        "main.cu": '#include "k.cuh"\n__global__ void k(float *p, int n) { step(p, 1, n); }\n',
    }
    assert [branch.level for branch in _function(_header(files), "step").branches] == [Level.VARYING]


def test_instances_count_for_their_template() -> None:
    header = "template <typename T> __device__ void set(T *p, int i, T x) { if (i > 4) p[i] = x; }\n"
    body = "set<float>(p, n, 1.0f); set((int *)p, threadIdx.x, 2);"
    analysis = _header({"h.cuh": header, "main.cu": _main(body)})
    assert _function(analysis, "set").callers_known
    assert [branch.level for branch in _function(analysis, "set").branches] == [Level.VARYING]


def test_a_call_in_divergent_code_is_no_place_where_threads_are_together() -> None:
    header = "__device__ int vote(int n) { int any = __any_sync(~0u, n > 3); if (any) return 1; return 0; }\n"
    together = _header({"h.cuh": header, "main.cu": _main("p[0] = vote(threadIdx.x);")})
    assert [branch.level for branch in _function(together, "vote").branches] == [Level.WARP]
    loop = "for (int i = 0; i < threadIdx.x; ++i) p[i] = vote(i + threadIdx.x);"
    apart = _header({"h.cuh": header, "main.cu": _main(loop)})
    assert [branch.level for branch in _function(apart, "vote").branches] == [Level.VARYING]


def test_a_barrier_that_is_called_in_divergent_code_is_not_called_safe() -> None:
    header = "__device__ void meet() { __syncthreads(); }\n"
    apart = _header({"h.cuh": header, "main.cu": _main("if (threadIdx.x < 7) meet();")})
    assert _function(apart, "meet").barriers[0].verdict is BarrierVerdict.UNKNOWN
    together = _header({"h.cuh": header, "main.cu": _main("if (n > 7) meet();")})
    assert _function(together, "meet").barriers[0].verdict is BarrierVerdict.CONVERGENT


def test_memory_read_after_waiting_differs() -> None:
    header = "__device__ void look(volatile int *flag, int *p) { int x = *p; if (x) p[1] = 1; }\n"
    waiting = "while (atomicAdd((int *)p, 0) == 0) {} look((int *)p, (int *)p + 1);"
    analysis = _header({"h.cuh": header, "main.cu": _main(waiting)})
    assert [branch.level for branch in _function(analysis, "look").branches] == [Level.VARYING]
    plain = _header({"h.cuh": header, "main.cu": _main("look((int *)p, (int *)p + 1);")})
    assert [branch.level for branch in _function(plain, "look").branches] == [Level.GRID]


def test_a_missing_header_may_hide_anything() -> None:
    calls = _calls({"h.cuh": STEP, "one.cu": _main("step(p, 1, n);"), "two.cu": '#include "gone.cuh"\n'})[1:]
    assert known_callers("h.cuh", calls, ["gone.cuh"]) is None
    assert known_callers("h.cuh", calls, ["other.cuh"]) is not None


def test_two_definitions_with_one_declaration_are_not_told_apart() -> None:
    one, other = (f"__device__ int f(int n) {{ return n + {number}; }}\n" for number in (1, 2))
    twice = f"#ifdef FAST\n{one}#else\n{other}#endif\n"
    analysis = _header({"h.cuh": twice, "main.cu": _main("p[0] = f(1);")})
    assert not any(function.callers_known for function in analysis.facts.functions)


def test_an_edit_of_a_body_keeps_what_is_known() -> None:
    files = {"h.cuh": STEP, "main.cu": _main("step(p, 1, n);")}
    callers = known_callers("h.cuh", [_analyze("main.cu", files).calls()])
    edited = {**files, "h.cuh": "// one more line\n" + STEP.replace("+= 1", "+= 2")}
    analysis = _analyze("h.cuh", edited, callers)
    assert _function(analysis, "step").callers_known
    other = {**files, "h.cuh": STEP.replace("int i", "long i")}
    assert not _function(_analyze("h.cuh", other, callers), "step").callers_known


def test_contexts_are_plain_data() -> None:
    (calls,) = _calls({"main.cu": _main("step(p, threadIdx.x, n);"), "h.cuh": STEP})[:1]
    assert pickle.loads(pickle.dumps(calls)) == calls


def test_a_join_is_the_worst_of_both_in_any_order() -> None:
    files = {
        "h.cuh": STEP,
        "one.cu": _main("step(p, 1, n);"),
        "two.cu": _main("step(p, threadIdx.x, n);"),
        "three.cu": _main("step(p, blockIdx.x, 7);"),
    }
    found = [calls for calls in _calls(files) if calls.path != "h.cuh"]
    assert known_callers("h.cuh", found) == known_callers("h.cuh", found[::-1])
    one = next(iter(found[0].calls.values()))
    assert one.join(one) == one
    assert one.join(Calls(None)).context is None


@pytest.mark.parametrize(
    "pointer",
    ["mine", "&mine[n]", "n > 9 ? mine : p", "(float *)(char *)mine"],
    ids=["itself", "an element", "one of two", "cast"],
)
def test_memory_of_the_thread_says_nothing_by_its_address(pointer: str) -> None:
    """All threads pass the same local variable, and each has its own."""
    header = "__device__ void f(float *q, int n) {\n  if (q[n] > 0) q[0] = 1;\n}\n"
    body = f"float mine[8]; mine[n] = threadIdx.x; f({pointer}, n); p[n] = mine[1];"
    analysis = _header({"h.cuh": header, "main.cu": _main(body, launch="k<<<4, 128>>>(0, 9);")})
    function = _function(analysis, "f")
    assert function.callers_known
    assert [branch.level for branch in function.branches] == [Level.VARYING]


def test_other_memory_is_uniform_by_its_address() -> None:
    header = "__device__ void f(float *q, int n) {\n  if (q[n] > 0) q[1] = 1;\n}\n"
    body = "__shared__ float ours[8]; ours[n] = n; __syncthreads(); f(ours, n);"
    analysis = _header({"h.cuh": header, "main.cu": _main(body, launch="k<<<4, 128>>>(0, 9);")})
    assert [branch.level for branch in _function(analysis, "f").branches] == [Level.BLOCK]
