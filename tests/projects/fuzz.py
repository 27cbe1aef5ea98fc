"""`python -m tests.projects.fuzz COUNT SEED`: random projects; prints what was compared and what is wrong."""

from __future__ import annotations

import sys
import time
from collections import Counter

from tests.projects.random_project import random_project, shown
from tests.projects.referee import referee
from tests.sim.random.choices import Seeded


def main(count: int, first: int) -> int:
    checked: Counter[str] = Counter()
    failed = 0
    started = time.process_time()
    for seed in range(first, first + count):
        project = random_project(Seeded(seed))
        findings = referee(project)
        checked.update(findings.checked)
        if findings.failures:
            failed += 1
            print(f"seed {seed}: {findings.failures[0]}\n{shown(project.files)}", flush=True)
    seconds = time.process_time() - started
    print("checked: " + ", ".join(f"{name} {number:,}" for name, number in sorted(checked.items())))
    print(f"{count} projects from seed {first}: {failed} failed, {seconds / count:.3f} s each")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
