"""Planted defects, each with a clean twin beside it: the one is found where it stands, of the other nothing is said."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from analysis.ir.pace import Cancelled, paced
from sim.launch.planner import Plan, Planner
from sim.result import Result
from sim.sanitize import trials
from sim.sanitize.api import Sanitized, sanitize
from sim.sanitize.model import KernelFindings, Severity
from sim.sanitize.trials import OUT_OF_TIME
from sim.specification import WarpOrder

DEFECTS = """
__global__ void shared_race(const float *in, float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x + blockIdx.x * 128] = s[127 - threadIdx.x];  //! data-race
}
__global__ void shared_race_twin(const float *in, float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x + blockIdx.x * 128] = s[127 - threadIdx.x];
}
__global__ void block_race(int *out) {
  out[threadIdx.x] = blockIdx.x;  //! data-race
}
__global__ void block_race_twin(int *out) {
  out[blockIdx.x * 128 + threadIdx.x] = blockIdx.x;
}
__global__ void missed(float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = 1;
  if (threadIdx.x < 16) __syncthreads();  //! barrier-divergence
  __syncthreads();
  out[threadIdx.x + blockIdx.x * 128] = s[127 - threadIdx.x];
}
__global__ void missed_twin(float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = 1;
  if (blockIdx.x < 16) __syncthreads();
  __syncthreads();
  out[threadIdx.x + blockIdx.x * 128] = s[127 - threadIdx.x];
}
__global__ void mask(int *out) {
  int value = threadIdx.x;
  if (threadIdx.x % 32 < 16) value = __shfl_xor_sync(0xffffffff, value, 1);  //! illegal-warp-mask
  out[threadIdx.x + blockIdx.x * 128] = value;
}
__global__ void mask_twin(int *out) {
  int value = threadIdx.x;
  if (threadIdx.x % 32 < 16) value = __shfl_xor_sync(0x0000ffff, value, 1);
  out[threadIdx.x + blockIdx.x * 128] = value;
}
__global__ void outside(float *out) {
  __shared__ float s[128];
  s[threadIdx.x + 1] = threadIdx.x;  //! out-of-bounds
  if (threadIdx.x == 0) s[0] = 0;
  __syncthreads();
  out[threadIdx.x + blockIdx.x * 128] = s[threadIdx.x];
}
__global__ void outside_twin(float *out) {
  __shared__ float s[129];
  s[threadIdx.x + 1] = threadIdx.x;
  if (threadIdx.x == 0) s[0] = 0;
  __syncthreads();
  out[threadIdx.x + blockIdx.x * 128] = s[threadIdx.x];
}
__global__ void crooked(float *out) {
  __shared__ char bytes[1024];
  *(int *)(bytes + 4 * threadIdx.x + 1) = threadIdx.x;  //! misaligned
  out[threadIdx.x + blockIdx.x * 128] = 1;
}
__global__ void crooked_twin(float *out) {
  __shared__ __align__(4) char bytes[1024];
  *(int *)(bytes + 4 * threadIdx.x) = threadIdx.x;
  out[threadIdx.x + blockIdx.x * 128] = 1;
}
__global__ void unwritten_shared(float *out) {
  __shared__ float s[128];
  if (threadIdx.x < 127) s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x + blockIdx.x * 128] = s[threadIdx.x];  //! uninitialised-read
}
__global__ void unwritten_shared_twin(float *out) {
  __shared__ float s[128];
  if (threadIdx.x < 128) s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x + blockIdx.x * 128] = s[threadIdx.x];
}
__global__ void unwritten_local(float *out) {
  float a[4];
  for (int i = 1; i < 4; i++) a[i] = i;
  out[threadIdx.x + blockIdx.x * 128] = a[threadIdx.x & 3];  //! uninitialised-read
}
__global__ void unwritten_local_twin(float *out) {
  float a[4];
  for (int i = 0; i < 4; i++) a[i] = i;
  out[threadIdx.x + blockIdx.x * 128] = a[threadIdx.x & 3];
}
__global__ void endless(int *out) {
  int i = threadIdx.x;
  while (i != 1000) i ^= 1;  //! livelock
  out[threadIdx.x + blockIdx.x * 128] = i;
}
__global__ void endless_twin(int *out) {
  int i = threadIdx.x;
  while (i != 1000) i++;
  out[threadIdx.x + blockIdx.x * 128] = i;
}
void host(float *a, float *b, int *c) {
  shared_race<<<2, 128>>>(a, b);
  shared_race_twin<<<2, 128>>>(a, b);
  block_race<<<2, 128>>>(c);
  block_race_twin<<<2, 128>>>(c);
  missed<<<2, 128>>>(a);
  missed_twin<<<2, 128>>>(a);
  mask<<<2, 128>>>(c);
  mask_twin<<<2, 128>>>(c);
  outside<<<2, 128>>>(a);
  outside_twin<<<2, 128>>>(a);
  crooked<<<2, 128>>>(a);
  crooked_twin<<<2, 128>>>(a);
  unwritten_shared<<<2, 128>>>(a);
  unwritten_shared_twin<<<2, 128>>>(a);
  unwritten_local<<<2, 128>>>(a);
  unwritten_local_twin<<<2, 128>>>(a);
  endless<<<2, 128>>>(c);
  endless_twin<<<2, 128>>>(c);
}
"""


@pytest.fixture(scope="module")
def defects() -> Sanitized:
    return sanitize(DEFECTS)


def test_each_defect_is_found_where_it_stands_and_nothing_else(defects: Sanitized) -> None:
    wanted = {
        (number, line.partition("//! ")[2])
        for number, line in enumerate(DEFECTS.splitlines(), start=1)
        if "//! " in line
    }
    found = {
        (site.place.line, site.kind)
        for kernel in defects.kernels
        for site in kernel.sites
        if site.place is not None and site.severity is not Severity.NOTE
    }
    assert wanted <= found
    # What follows from a defect in its own kernel may be told as well; of a twin nothing is.
    twins = [kernel for kernel in defects.kernels if kernel.kernel.endswith("_twin")]
    assert [(kernel.kernel, site) for kernel in twins for site in kernel.sites] == []
    assert len(twins) == len(defects.kernels) // 2


def test_every_kernel_ran_and_says_how_much_of_it(defects: Sanitized) -> None:
    for kernel in defects.kernels:
        assert kernel.not_run is None
        assert kernel.lines > 0
        if kernel.kernel.endswith("_twin"):
            assert (kernel.reached, kernel.ended) == (kernel.lines, len(kernel.runs))


def test_the_smallest_launch_and_the_plainest_schedule_are_the_evidence(defects: Sanitized) -> None:
    race = kernel_of(defects, "shared_race")
    (site,) = [one for one in race.sites if one.kind == "data-race"]
    assert race.launches[site.launch].grid == (1, 1, 1)
    assert site.schedule.words == "ipdom"
    assert site.seen == len(race.runs)
    between = kernel_of(defects, "block_race")
    (site,) = [one for one in between.sites if one.kind == "data-race"]
    assert between.launches[site.launch].grid == (2, 1, 1)
    assert "the order of threads shows: out[0] is 1 under ipdom and 0 under ipdom, last-warp-first" in site.message


def test_more_was_tried_where_threads_talk(defects: Sanitized) -> None:
    assert {run.schedule.order for run in kernel_of(defects, "shared_race").runs} == set(WarpOrder)
    twin = kernel_of(defects, "shared_race_twin")
    assert {run.schedule.words for run in twin.runs} == {"ipdom", "ipdom, last-warp-first"}


def kernel_of(found: Sanitized, name: str) -> KernelFindings:
    (kernel,) = [one for one in found.kernels if one.kernel == name]
    return kernel


QUEUE = """
__global__ void queue(int *count, int *list) {
  list[atomicAdd(count, 1)] = threadIdx.x + blockIdx.x * blockDim.x;
}
__global__ void sum(const float *x, float *total) { atomicAdd(total, x[threadIdx.x + blockIdx.x * blockDim.x]); }
__global__ void active(unsigned *out) {
  int i = threadIdx.x + blockIdx.x * 64;
  if (i % 2) out[i] = 1;
  else out[i] = 2;
}
void host(int *n, int *list, float *x, float *t, unsigned *out) {
  queue<<<4, 64>>>(n, list);
  sum<<<4, 64>>>(x, t);
  active<<<4, 64>>>(out);
}
"""


def test_an_order_that_atomics_decide_is_a_note_and_rounding_is_nothing() -> None:
    found = sanitize(QUEUE)
    (site,) = kernel_of(found, "queue").sites
    assert (site.kind, site.severity) == ("order-dependent", Severity.NOTE)
    assert kernel_of(found, "sum").sites == ()
    assert kernel_of(found, "active").sites == ()
    found.assert_clean()


CHOSEN = """
__global__ void scatter(const int *index, float *out) { out[index[threadIdx.x]] = threadIdx.x; }
__global__ void reverse(float *x) {
  __shared__ float s[256];
  s[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = s[(threadIdx.x + 32) % blockDim.x];
}
"""


def test_what_rests_on_choices_is_no_error() -> None:
    found = sanitize(CHOSEN)
    assert found.errors == ()
    (race,) = kernel_of(found, "scatter").sites
    assert (race.kind, race.severity, race.chosen) == ("data-race", Severity.NOTE, ("index",))
    (race,) = [site for site in kernel_of(found, "reverse").sites if site.severity is not Severity.NOTE]
    assert (race.kind, race.severity) == ("data-race", Severity.WARNING)
    assert "block" in race.chosen
    assert "not with one of 32: nothing says how it is launched" in race.message


TILES = """
__global__ void tiles(float *out) {
  __shared__ float s[64][64];
  s[threadIdx.y * 4 + threadIdx.x / 16][threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) out[blockIdx.x] = s[blockDim.y < 16 ? 63 : 0][0];
}
"""


def test_what_only_another_chosen_block_shows_is_a_note() -> None:
    found = sanitize(TILES)
    reads = [site for site in found.kernels[0].sites if site.kind == "uninitialised-read"]
    assert [(site.severity, site.chosen) for site in reads] == [(Severity.NOTE, ("block",))]


DATA = """
__global__ void count(const unsigned char *data, int *out) {
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  bins[data[blockIdx.x * 256 + threadIdx.x]]++;
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = bins[threadIdx.x];
}
__global__ void rare(const float *data, int *out) {
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;
  if (data[blockIdx.x * 256 + 4] > 0.5f) out[blockIdx.x * 256 + threadIdx.x] = bins[255 - threadIdx.x];
}
__global__ void guarded(float *out, int n) {
  __shared__ float s[64];
  if (threadIdx.x < n) s[threadIdx.x] = 1;
  out[blockIdx.x * 256 + threadIdx.x] = 2;
}
void host(unsigned char *data, float *x, int *out, float *y, int n) {
  count<<<1, 256>>>(data, out);
  rare<<<1, 256>>>(x, out);
  guarded<<<1, 256>>>(y, n);
}
"""


def test_what_all_choices_show_is_a_warning_and_what_some_show_a_note() -> None:
    found = sanitize(DATA, seeds=4)
    races = [site for site in kernel_of(found, "count").sites if site.kind == "data-race"]
    assert {(site.severity, site.chosen) for site in races} == {(Severity.WARNING, ("data",))}
    (race,) = kernel_of(found, "rare").sites
    assert (race.kind, race.severity) == ("data-race", Severity.WARNING)
    assert re.search(r"; seen with the inputs of seed \d and not with those of seed \d$", race.message)
    assert Severity.ERROR not in {site.severity for site in kernel_of(found, "guarded").sites}
    assert found.errors == ()


LOCK = """
__global__ void both_arms(int *out) {
  int value = threadIdx.x;
  if (threadIdx.x % 2) value = __shfl_sync(0xffffffff, value, 0); else value = __shfl_sync(0xffffffff, value, 1);
  out[threadIdx.x] = value;
}
__global__ void wait_for_lane(int *out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 5) { out[0] = 1; flag = 1; } else while (flag == 0) {}
}
void host(int *out) {
  both_arms<<<1, 32>>>(out);
  wait_for_lane<<<1, 32>>>(out);
}
"""


def test_what_lanes_that_take_turns_get_past_is_a_warning() -> None:
    found = kernel_of(sanitize(LOCK, "wait_for_lane"), "wait_for_lane")
    stuck = [site for site in found.sites if site.kind == "livelock"]
    assert [site.severity for site in stuck] in ([], [Severity.WARNING])
    assert found.ended


def test_what_cannot_run_says_why() -> None:
    found = sanitize('struct S; __device__ S get(); __global__ void k(int *p) { asm("bogus.op %0;" : "=r"(*p)); }')
    (kernel,) = found.kernels
    assert kernel.runs == ()
    assert kernel.not_run is not None
    with pytest.raises(AssertionError, match="k: not run: "):
        found.assert_clean()


def test_a_clean_kernel_with_errors_beside_it() -> None:
    with pytest.raises(AssertionError, match="shared_race: data-race in line 5"):
        sanitize(DEFECTS, "shared_race").assert_clean()
    sanitize(DEFECTS, "shared_race_twin").assert_clean()
    with pytest.raises(KeyError):
        sanitize(DEFECTS, "nothing")


def test_time_that_is_over_is_told() -> None:
    found = sanitize(DEFECTS, "shared_race_twin", seconds=0.06).kernels[0]
    assert found.left or found.not_run is not None


def test_planning_has_no_more_time_than_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*given: object) -> None:
        del given
        for _ in paced(range(1 << 40)):
            pass

    monkeypatch.setattr("sim.launch.planner.Planner.plan", endless)
    (found,) = sanitize(DEFECTS, "shared_race_twin", seconds=0.3).kernels
    assert found.not_run == OUT_OF_TIME


CUT_OFF = """
__global__ void grows(float *out) {
  extern __shared__ float s[];
  s[threadIdx.x * 3] = 1;
  for (volatile int i = 0; ; i++) if (i < 0) out[0] = s[0];
}
__global__ void allocates(int **out) { out[blockIdx.x * blockDim.x + threadIdx.x] = new int; }
void host(int **out) { allocates<<<2, 64>>>(out); }
"""


def test_chosen_shared_memory_and_addresses_are_no_faults() -> None:
    found = sanitize(CUT_OFF, seconds=0.5)
    short, endless = kernel_of(found, "grows").sites
    assert (short.kind, short.severity) == ("out-of-bounds", Severity.NOTE)
    assert (endless.kind, endless.severity) == ("livelock", Severity.ERROR)
    assert kernel_of(found, "allocates").sites == ()


def test_what_ran_counts_though_the_time_ends_the_search_for_a_better_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(planner: Planner, run: Callable[[Plan], Result]) -> tuple[Plan, Result]:
        run(planner.plan())
        raise Cancelled

    monkeypatch.setattr(trials, "run_adapted", interrupted)
    text = "__global__ void k(int *p, int *q, int n) { p[threadIdx.x - 1 - n % 2] = n; q[threadIdx.x + 5000] = n; }"
    steps = sanitize(text).kernels[0].runs[0].warp_instructions
    (kernel,) = sanitize(text, steps=steps).kernels
    assert len(kernel.runs) == 1
    assert [site.message.partition(",")[0] for site in kernel.sites if site.kind == "out-of-bounds"] == [
        "writes 4 bytes outside of p"
    ]
    assert any(choice.name == "n" and choice.is_chosen for choice in kernel.launches[0].choices)
