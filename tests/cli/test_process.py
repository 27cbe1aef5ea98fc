"""What surrounds the commands: signals, pipes, terminals, and the version."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.kernels import CLEAN, DIVERGENT
from tests.cli.shell import COMMAND, TIMEOUT, environment, simt_lsp, write

POSIX = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals and pseudo-terminals")


def test_the_version_is_one_line() -> None:
    done = simt_lsp("--version")
    assert done.returncode == 0
    assert re.fullmatch(r"simt-lsp \d+\.\d+\.\d+\S*\n", done.stdout)


def test_help_names_the_commands() -> None:
    done = simt_lsp("--help")
    assert done.returncode == 0
    assert all(command in done.stdout for command in ("check", "explain", "facts", "ir", "--stdio"))


@pytest.mark.parametrize(
    "command", ["check", "explain", "facts", "cfg", "scalarize", "straightline", "simulate", "sweep", "ir"]
)
def test_the_help_of_a_command_says_what_it_does(command: str) -> None:
    said = re.search(rf"^    {command} +(.*(?:\n {{15,}}.*)*)$", simt_lsp("--help").stdout, re.MULTILINE)
    assert said is not None
    words = " ".join(said[1].split())
    assert f"{words[0].upper()}{words[1:]}." in " ".join(simt_lsp(command, "--help").stdout.split())


def test_the_help_of_simulate_names_every_policy() -> None:
    pytest.importorskip("numpy")
    from sim.policies.registry import POLICIES

    told = " ".join(simt_lsp("simulate", "--help").stdout.split()).replace("- ", "-")
    assert all(name in told for name in POLICIES)


@pytest.mark.parametrize(("command", "page"), [((), "simt-lsp"), (("check", "a.cu"), "simt-lsp check")])
def test_an_option_that_there_is_not_leads_to_the_page_that_lists_them(command: tuple[str, ...], page: str) -> None:
    done = simt_lsp(*command, "--no-colour")
    assert done.returncode == 2
    assert done.stderr == f"simt-lsp: error: unrecognized arguments: --no-colour\nSee: {page} --help\n"


def test_the_version_does_not_wait_for_the_analysis() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-X", "importtime", "-m", "simt_lsp", "--version"],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=True,
    )
    assert not re.search(r"\b(analysis|tree_sitter|pygls|lsprotocol|rich|multiprocessing)\b", done.stderr)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_package_of_the_user_is_not_imported(tmp_path: Path, jobs: str) -> None:
    write(tmp_path, {"analysis/__init__.py": "raise SystemExit(9)", "a.cu": CLEAN, "b.cu": CLEAN})
    done = subprocess.run(
        [sys.executable, "-I", "-m", "simt_lsp", "check", ".", "--jobs", jobs],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@POSIX
def test_a_reader_that_stops_early_gets_no_traceback(tmp_path: Path) -> None:
    write(tmp_path, {f"k{number:03}.cu": DIVERGENT for number in range(300)})
    with subprocess.Popen(
        [*COMMAND, "facts", ".", "--jobs", "1"],
        cwd=tmp_path,
        env=environment({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(TIMEOUT) == 141


@POSIX
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_ends_the_run_without_traceback(tmp_path: Path, jobs: str) -> None:
    write(tmp_path, {f"k{number:04}.cu": DIVERGENT * 20 for number in range(2000)})
    with subprocess.Popen(
        [*COMMAND, "facts", ".", "--jobs", jobs],
        cwd=tmp_path,
        env=environment({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()  # the run has begun
        os.killpg(process.pid, signal.SIGINT)
        process.stdout.read()
        assert process.stderr.read() == b"simt-lsp: interrupted\n"
        assert process.wait(TIMEOUT) == 130


@POSIX
def test_a_worker_that_is_killed_costs_one_file(tmp_path: Path) -> None:
    names = [f"k{number:03}" for number in range(40)]
    write(tmp_path, {f"{name}.cu": "".join(CLEAN.replace("scale", f"{name}_{n}") for n in range(60)) for name in names})
    with subprocess.Popen(
        [*COMMAND, "facts", ".", "--jobs", "2"],
        cwd=tmp_path,
        env=environment({}),
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        workers = [pid for pid in children(process.pid) if "spawn_main" in command_line(pid)]
        os.kill(workers[0], signal.SIGKILL)
        lines = [first, *process.stdout]
        assert process.wait(TIMEOUT) == 0
    assert len(lines) == 40
    assert sum('"error"' in line for line in lines) <= 1


class TestColor:
    def test_a_pipe_gets_plain_text(self, tmp_path: Path) -> None:
        write(tmp_path, {"halo.cu": DIVERGENT})
        assert "\x1b" not in simt_lsp("check", "halo.cu", cwd=tmp_path).stdout

    def test_color_can_be_asked_for(self, tmp_path: Path) -> None:
        write(tmp_path, {"halo.cu": DIVERGENT})
        colored = simt_lsp("check", "halo.cu", "--color", "always", cwd=tmp_path).stdout
        plain = simt_lsp("check", "halo.cu", cwd=tmp_path).stdout
        assert "\x1b[" in colored
        assert without_time(re.sub(r"\x1b\[[0-9;]*m", "", colored)) == without_time(plain)

    @POSIX
    @pytest.mark.parametrize(("env", "colored"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
    def test_a_terminal_gets_color_unless_it_objects(self, tmp_path: Path, env: dict[str, str], colored: bool) -> None:
        write(tmp_path, {"halo.cu": DIVERGENT})
        assert ("\x1b[" in on_terminal(["check", "."], tmp_path, {"TERM": "xterm-256color", **env})) is colored

    def test_color_that_is_asked_for_does_not_ask_the_environment(self, tmp_path: Path) -> None:
        write(tmp_path, {"halo.cu": DIVERGENT})
        asked = [
            simt_lsp("check", "halo.cu", "--color", "always", cwd=tmp_path, env=env).stdout
            for env in ({}, {"NO_COLOR": "1"})
        ]
        assert "\x1b[1;31m" in asked[0]
        assert without_time(asked[0]) == without_time(asked[1])

    @POSIX
    def test_the_progress_bar_goes_away_before_the_text(self, tmp_path: Path) -> None:
        write(tmp_path, {"halo.cu": DIVERGENT, "scale.cu": CLEAN})
        written = on_terminal(["check", ".", "--color", "never"], tmp_path, {"TERM": "xterm-256color"})
        bar, _, text = written.rpartition("\x1b[2K")
        assert "checking" in bar
        assert text.startswith("./halo.cu:3:5: error SYN101")

    def test_a_terminal_without_unicode_gets_escapes(self, tmp_path: Path) -> None:
        write(tmp_path, {"halo.cu": DIVERGENT.replace("syncthreads();", "syncthreads();  // größe ✓")})
        done = simt_lsp("check", "halo.cu", cwd=tmp_path, env={"PYTHONIOENCODING": "ascii"})
        assert done.returncode == 1
        assert r"gr\xf6\xdfe \u2713" in done.stdout


def without_time(text: str) -> str:
    return re.sub(r"\d+\.\d s", "", text)


def children(pid: int) -> list[int]:
    """The processes that `pid` started, by the process table."""
    listing = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = [line.split() for line in listing.splitlines()]
    return [int(child) for child, parent in pairs if int(parent) == pid]


def command_line(pid: int) -> str:
    return subprocess.run(
        ["ps", "-ww", "-p", str(pid), "-o", "args="], capture_output=True, text=True, check=False
    ).stdout


def on_terminal(arguments: list[str], folder: Path, env: dict[str, str]) -> str:
    """What the command writes to a pseudo-terminal, on both streams."""
    import pty

    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments], cwd=folder, env=environment(env), stdout=follower, stderr=follower, stdin=follower
    )
    os.close(follower)
    written = b""
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        try:
            chunk = os.read(leader, 65536)
        except OSError:  # Linux: the other end is closed
            break
        if not chunk:
            break
        written += chunk
    os.close(leader)
    process.wait(TIMEOUT)
    return written.decode()


def test_what_a_run_has_built_is_not_freed_at_its_end(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": CLEAN})
    start = "import atexit; from simt_lsp.__main__ import main; atexit.register(print, 'freed'); main()"
    command = [sys.executable, "-I", "-c", start, "check", str(tmp_path / "a.cu")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("no findings in 1 file"), done.stdout
    assert "freed" not in done.stdout
