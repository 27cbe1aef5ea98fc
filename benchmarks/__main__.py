"""`python -m benchmarks [PATH…] [--json FILE]`: how fast is it here?

Without paths a synthetic tree is generated and measured; with paths also the files below them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import measure, peer, project_index, simulation, start
from benchmarks.melding.speed import melding_speed
from benchmarks.synthetic import write_tree
from benchmarks.table import Row, print_table, write_json

DEFAULT_JSON = Path(".benchmarks") / "latest.json"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="also measure `check` over these files and folders")
    parser.add_argument("--json", type=Path, default=DEFAULT_JSON, metavar="FILE", help="where to write the numbers")
    parser.add_argument("--no-server", action="store_true", help="leave the measurements of the server out")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        rows = measure_all(Path(folder), options.paths, server=not options.no_server)
    print_table(rows)
    for message in peer.missing():
        print(message, file=sys.stderr)
    write_json(rows, options.json)
    print(f"\nwritten to {options.json}", file=sys.stderr)


def measure_all(folder: Path, paths: list[str], *, server: bool) -> list[Row]:
    """Every measurement, in the order of the table."""
    tree = folder / "tree"
    write_tree(tree, measure.TREE_LINES)
    rows = measure.command_start()
    rows += start.measure(folder / "one")
    rows += measure.check_speed([str(tree)], f"synthetic, {measure.TREE_LINES:,} lines")
    for path in paths:
        rows += measure.check_speed([path], path)
    rows += measure.check_command(tree, measure.TREE_LINES)
    rows += measure.file_sizes(folder / "sizes")
    rows += measure.pass_times([str(tree)])
    rows += melding_speed([str(tree)], "synthetic")
    for path in paths:
        rows += melding_speed([path], path)
    rows += simulation.measure_all()
    rows += peer.measure()
    if server:
        rows += project_index.measure(folder / "project_index")
        rows += measure.server_start(folder / "start")
        rows += measure.server_memory(folder / "memory")
    return rows


if __name__ == "__main__":
    main()
