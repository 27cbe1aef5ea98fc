"""`python -m benchmarks.melding [KERNEL…] [--html PAGE] [--json FILE]`: what does melding do to the paper's kernels?

Every kernel is run before and after melding by each method, with the paper's block sizes, under warps of 32 and of 64
lanes (the paper's GPU has 64), and for thresholds from 0.1 to 0.5; the paper's figures stand beside ours.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks.melding.json_study import study_json
from benchmarks.melding.page import study_page
from benchmarks.melding.study import WARP_SIZES, study
from benchmarks.melding.subjects import SUBJECTS, subjects_named
from benchmarks.melding.text import study_text


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.melding", description=__doc__)
    names = ", ".join(subject.name for subject in SUBJECTS)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help=f"only these: {names}")
    parser.add_argument("--html", type=Path, metavar="PAGE", help="also write a page with plots")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all counts")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="kernels that are studied at the same time")
    options = parser.parse_args()
    try:
        subjects = subjects_named(options.kernels)
    except KeyError as error:
        sys.exit(f"python -m benchmarks.melding: no such kernel: {error.args[0]}; there are {names}")
    with ProcessPoolExecutor(options.jobs) as pool:
        studies = list(pool.map(study, subjects))
    print(study_text(studies, WARP_SIZES))
    if options.json is not None:
        options.json.write_text(study_json(studies), encoding="utf-8")
    if options.html is not None:
        options.html.write_text(study_page(studies, WARP_SIZES), encoding="utf-8")


if __name__ == "__main__":
    main()
