"""How much of a kernel ran: lines that did and lines that did not, in the report, its words and `--coverage`."""

from __future__ import annotations

from presentation.terminal.report import plain, report_lines
from sim.report.model import PolicyReport
from tests.sim.report.test_races import reported

_HALF = """__device__ int twice(int x) {
  return 2 * x;
}
__global__ void k(int *out, int mode) {
  int i = threadIdx.x;
  out[i] = 1;
  if (mode == 77) {
    out[i] += 2;
    out[i] += 3;
    out[i] += 4;
    out[i] = i < 3 ? twice(out[i]) : 0;
  }
}
"""


def run_of(text: str, arguments: dict[str, str]) -> PolicyReport:
    (run,) = reported(text, grid=(1, 1, 1), block=(64, 1, 1), arguments=arguments).policies
    return run


def reached(run: PolicyReport) -> dict[int, bool]:
    (file,) = run.coverage.files
    return {line.line: line.reached > 0 for line in file.lines}


def test_lines_that_never_ran_are_counted_with_those_of_helpers() -> None:
    run = run_of(_HALF, {"mode": "1"})
    assert reached(run) == {2: False, 5: True, 6: True, 7: True, 8: False, 9: False, 10: False, 11: False, 13: True}
    assert (run.coverage.reached, run.coverage.lines, run.coverage.is_low) == (4, 9, True)


def test_a_run_that_reached_less_than_half_is_not_called_free_of_faults() -> None:
    for mode, words in (("1", "no faults in what ran · 4 of 9 lines ran"), ("77", " · no faults")):
        report = reported(_HALF, grid=(1, 1, 1), block=(64, 1, 1), arguments={"mode": mode})
        assert plain(report_lines(report)).splitlines()[2].endswith(words)


def test_the_listing_has_a_count_for_each_line_with_code() -> None:
    report = reported(_HALF, grid=(1, 1, 1), block=(64, 1, 1), arguments={"mode": "1"})
    lines = plain(report_lines(report, with_coverage=True)).splitlines()
    listing = [" ".join(line.split()) for line in lines[lines.index("coverage  warps") + 1 :]]
    assert listing[:3] == [
        "2 never return 2 * x;",
        "4 __global__ void k(int *out, int mode) {",
        "5 2 int i = threadIdx.x;",
    ]
    assert "8 never out[i] += 2;" in listing
    assert "coverage  warps" not in plain(report_lines(report))


def test_a_line_that_ran_in_part_says_so() -> None:
    text = "__global__ void k(int *out, int mode) {\n  if (mode == 77) out[threadIdx.x] = mode;\n  out[0] = 1;\n}\n"
    report = reported(text, grid=(1, 1, 1), block=(64, 1, 1), arguments={"mode": "1"})
    (file,) = report.policies[0].coverage.files
    assert [(line.line, line.reached < line.places) for line in file.lines] == [(2, True), (3, False), (4, False)]
    assert "  2      2  in part    if (mode == 77)" in plain(report_lines(report, with_coverage=True))
