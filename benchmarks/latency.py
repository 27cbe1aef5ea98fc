"""How long after an edit do its diagnostics come?

    latency.py [FILE.cu ...] [--edits 60] [--pause 0.05] [--json OUT]

Starts the real server for each file (synthetic ones of 500, 2,000 and 20,000 lines if none is given), opens it, then
types one character after the other inside the body of the middle kernel (or function, of a file without kernels), so
that no version was seen before; each edit waits for the diagnostics of its own version.  The clock runs from the write
of `didChange` to the read of `publishDiagnostics`, so the server's debounce is in it.  `start` is from the start of the
process to the first diagnostics; the `cpu` columns are the processor time of the server for that and per edit; `MiB` is
its resident set.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, final

SIZES: Final = (500, 2_000, 20_000)

KERNEL: Final = """
#define TILE_{n} 16

__device__ float weight_{n}(float x, int k) {{
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) {{
    sum += x * (float)i;
  }}
  return sum > 4.0f ? sum : -sum;
}}

__global__ void filter_{n}(const float *in, float *out, const int *index, int n) {{
  __shared__ float tile[TILE_{n}][TILE_{n} + 1];
  int column = blockIdx.x * TILE_{n} + threadIdx.x;
  int row = blockIdx.y * TILE_{n} + threadIdx.y;
  if (row < n && column < n) {{
    tile[threadIdx.y][threadIdx.x] = in[row * n + column];
  }}
  __syncthreads();
  float value = 0.0f;
  for (int step = 0; step < TILE_{n}; ++step) {{
    value += tile[threadIdx.y][step] * weight_{n}(tile[step][threadIdx.x], step);
    if (index[column] == step) {{
      value *= 2.0f;
    }}
  }}
  if (threadIdx.x < 8) {{
    __syncwarp();
    value += 1.0f;
  }}
  __syncthreads();
  out[row * n + column] = value;
}}

void launch_{n}(const float *in, float *out, const int *index, int n) {{
  filter_{n}<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(in, out, index, n);
}}
"""


@final
@dataclass(frozen=True, slots=True)
class Row:
    """One file; times in milliseconds, memory in MiB."""

    file: str
    lines: int
    edits: int
    start: float
    open: float
    p50: float
    p95: float
    worst: float
    start_cpu: float
    edit_cpu: float
    memory: float


class Client:
    """As little of a client as the measurement needs."""

    def __init__(self) -> None:
        command = [sys.executable, "-I", "-m", "simt_lsp", "--stdio"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, method: str, params: Any, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        body = json.dumps(message if number is None else {**message, "id": number}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self) -> Any:
        out = self.process.stdout
        assert out is not None
        length = 0
        while (header := out.readline().strip()) != b"":
            if header.lower().startswith(b"content-length:"):
                length = int(header.split(b":")[1])
        if length == 0:
            raise SystemExit("the server is gone")
        return json.loads(out.read(length))

    def published(self, version: int) -> None:
        while True:
            message = self.receive()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["version"] == version:
                return

    def cpu(self) -> float:
        """Seconds of processor time so far: what remains comparable on a machine that does other things too."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:
            return 0.0
        found = re.search(r"VmRSS:\s+(\d+)", status)
        return int(found[1]) / 1024 if found else 0.0


def synthetic(lines: int) -> str:
    """About so many lines of kernels that call, loop, branch and wait."""
    size = KERNEL.count("\n")
    return "".join(KERNEL.format(n=number) for number in range(max(lines // size, 1)))


def place_of_edit(text: str) -> tuple[int, int]:
    """Line and character just behind the opening brace of the middle kernel, or function where there is no kernel."""
    braces = [match.end() for match in re.finditer(r"__global__[^;{]*\{", text)]
    braces = braces or [match.end() for match in re.finditer(r"^\w[^;{}()]*\([^;{}]*\)\s*\{", text, re.MULTILINE)]
    offset = braces[len(braces) // 2] if braces else 0
    return text.count("\n", 0, offset), offset - (text.rfind("\n", 0, offset) + 1)


def measure(path: Path, edits: int, pause: float) -> Row:
    text = path.read_text(errors="replace")
    uri = path.resolve().as_uri()
    started = time.perf_counter()
    client = Client()
    capabilities = {"textDocument": {"publishDiagnostics": {"versionSupport": True}}}
    client.send("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities}, 1)
    client.receive()
    client.send("initialized", {})
    opened = time.perf_counter()
    document = {"uri": uri, "languageId": "cuda", "version": 0, "text": text}
    client.send("textDocument/didOpen", {"textDocument": document})
    client.published(0)
    first = time.perf_counter()
    start_cpu = client.cpu()
    times = list(type_on(client, uri, place_of_edit(text), edits, pause))
    edit_cpu = (client.cpu() - start_cpu) / edits
    memory = client.memory()
    client.send("shutdown", None, 2)
    client.receive()
    client.send("exit", None)
    client.process.wait(10)
    return Row(
        file=path.name,
        lines=text.count("\n"),
        edits=edits,
        start=1000 * (first - started),
        open=1000 * (first - opened),
        p50=1000 * statistics.median(times),
        p95=1000 * statistics.quantiles(times, n=20, method="inclusive")[18],
        worst=1000 * max(times),
        start_cpu=1000 * start_cpu,
        edit_cpu=1000 * edit_cpu,
        memory=memory,
    )


def type_on(client: Client, uri: str, place: tuple[int, int], edits: int, pause: float) -> Iterator[float]:
    """Seconds from each edit to its diagnostics."""
    line, character = place
    start = {"line": line, "character": character}
    for version in range(1, edits + 1):
        time.sleep(pause)
        change = {"range": {"start": start, "end": start}, "text": ";"}
        params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}
        before = time.perf_counter()
        client.send("textDocument/didChange", params)
        client.published(version)
        yield time.perf_counter() - before


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", nargs="*", type=Path)
    parser.add_argument("--edits", type=int, default=60)
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between edits")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths: list[Path] = list(options.file)
        for size in () if paths else SIZES:
            path = Path(folder) / f"synthetic-{size}.cu"
            path.write_text(synthetic(size))
            paths.append(path)
        columns = ("lines", "start", "open", "p50", "p95", "worst", "start cpu", "edit cpu", "MiB")
        print(f"{'file':24}" + "".join(f"{column:>11}" for column in columns))
        rows: list[Row] = []
        for path in paths:
            row = measure(path, max(options.edits, 2), options.pause)
            rows.append(row)
            numbers = (row.start, row.open, row.p50, row.p95, row.worst, row.start_cpu, row.edit_cpu, row.memory)
            print(f"{row.file:24}{row.lines:11}" + "".join(f"{number:11.1f}" for number in numbers), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n")


if __name__ == "__main__":
    main()
