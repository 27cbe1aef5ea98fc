"""How fast it is: `python -m benchmarks` prints a table and writes JSON."""
