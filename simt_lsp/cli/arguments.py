"""What the user may write after `simt-lsp`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from enum import Enum
from typing import NoReturn

from simt_lsp.cli.exit_status import UsageError

EPILOG = """exit status of check: 0 nothing wrong, 1 errors found (or what --fail-on says), 2 the command could not be
carried out, or not as it was meant: a path or a settings file is wrong, or a function has a syntax error.
Settings are read from .simt.toml beside the sources or above them; the command line wins over them."""


SIMULATE_EPILOG = """exit status, of several kernels the first that applies in the order 1, 4, 3, 2, 0:
  0    every kernel ran to its end without a fault (notes are no faults)
  1    faults found
  2    the command could not be carried out: wrong usage, or a launch that does not fit
  3    refused: the kernel uses something that is not simulated
  4    a run was ended early by --timeout or --max-steps, with no fault until then
  130  interrupted
"""

MELD_EPILOG = """Both versions of a kernel run with the same inputs under every reconvergence policy.  A meld is
offered if they leave the same memory, print the same lines and have the same faults, and the second one
issues fewer instructions.  Of a long launch, policies other than ipdom run a few blocks; one that still takes
too long is left out.  The report says which launches and policies were compared.

exit status, the first that applies in the order 1, 4, 3, 2, 0:
  0    the regions were looked at, whether they can be melded or not
  1    a meld changes what the kernel does: it is not offered, and a defect of this program
  2    the command could not be carried out
  3    with a line: no meld is offered there
  4    --timeout ended a check, so that a meld is not offered that might have been
  130  interrupted; the file is as it was, or as it is with all melds
"""

SANITIZE_EPILOG = """Errors rest on nothing that was invented for a run.  What may be the doing of inputs that were
chosen is a note, which --verbose shows.  A kernel that did not run, and what was left of a budget, is listed.

exit status, the first that applies in the order 1, 2, 0:
  0    nothing found that counts (see --fail-on) in what was tried
  1    findings that count
  2    the command could not be carried out, or a file could not be read
  130  interrupted
"""

SWEEP_EPILOG = """Every option of the launch may be given several times: all combinations are run.  What is not given
is taken from the file or chosen.  Rows are written as they come; the same command goes on where one
that was broken off stood.

exit status: 0 every point has its row, 1 some with faults, 2 the command could not be carried out or
a row could not be had, 130 interrupted
"""

# Spelt out: to ask the simulator for them takes longer than everything else here.
POLICIES_HELP = (
    "how warps reconverge: ipdom (default), counters, min-pc, path-list-depth, path-list-breadth, round-robin,"
    " stackless, preserve; several with commas, or all"
)


JOBS_HELP = "processes to use (default: one per core)"
DASK_HELP = "run on a Dask cluster: the address of its scheduler"
EDITORS = ("vscode", "vscode-insiders", "vscodium", "cursor")
MELD_METHODS = ("darm", "fusion", "tail", "linear", "best")


class OutputFormat(Enum):
    """How `check` writes what it found."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"
    JUNIT = "junit"


class _Parser(argparse.ArgumentParser):
    """Raises instead of exiting, so that all errors leave through one door."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\nSee: {self.prog} --help")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The namespace of the command; `command` is None for the server.  Raises `UsageError`."""
    options, unknown = _parser().parse_known_args(arguments)
    if unknown:  # argparse itself would point to the help of no command
        prog = "simt-lsp" if options.command is None else f"simt-lsp {options.command}"
        raise UsageError(f"unrecognized arguments: {' '.join(unknown)}\nSee: {prog} --help")
    return options


def available_cores() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="simt-lsp",
        description="Shows a CUDA programmer what the warp sees. Without a command: the language server, on stdio.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    channel = parser.add_mutually_exclusive_group()
    channel.add_argument("--stdio", action="store_true", help="serve an editor on stdin and stdout (the default)")
    channel.add_argument("--tcp", metavar="HOST:PORT", type=_address, help="serve one editor on a TCP socket")
    channel.add_argument("--ws", metavar="HOST:PORT", type=_address, help="serve one editor on a WebSocket")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)

    def command(name: str, what: str, epilog: str | None = None) -> argparse.ArgumentParser:
        layout = argparse.RawDescriptionHelpFormatter
        return commands.add_parser(
            name, help=what, description=f"{what[0].upper()}{what[1:]}.", epilog=epilog, formatter_class=layout
        )

    _add_check(
        command("check", "report barriers that threads may miss, branches that cost, and other findings", EPILOG)
    )
    _add_explain(command("explain", "say in words why a line varies between threads, or what a rule reports"))
    _add_facts(command("facts", "print everything known about files, one JSON object per line"))
    _add_cfg(command("cfg", "draw the control flow of a function"))
    _add_meld(
        command("meld", "make divergent arms one converged sequence where that is equal and cheaper", MELD_EPILOG)
    )
    _add_scalarize(command("scalarize", "print code with one register and operation per warp"))
    _add_straightline(command("straightline", "print index arithmetic as compilers simplify it, with counts"))
    _add_simulate(command("simulate", "run kernels on the built-in SIMT simulator", SIMULATE_EPILOG))
    _add_sweep(
        command(
            "sweep", "run kernels over launches, sizes, inputs, policies and warps, here or on a cluster", SWEEP_EPILOG
        )
    )
    command("mcp", "serve the analysis and the simulator to an agent as tools (Model Context Protocol), on stdio")
    _add_sanitize(
        command("sanitize", "run every kernel in many ways and report what goes wrong, without a GPU", SANITIZE_EPILOG)
    )
    _add_ir(command("ir", "print the intermediate representation of a function"))
    return parser


def _add_check(check: argparse.ArgumentParser) -> None:
    check.add_argument("paths", nargs="+", metavar="PATH", help="a file, or a folder to search")
    check.add_argument(
        "--format",
        choices=[item.value for item in OutputFormat],
        default="text",
        help="text (default), json, sarif, github (annotations of a workflow) or junit",
    )
    check.add_argument("--output", "-o", metavar="FILE", help="write to a file instead of standard output")
    check.add_argument(
        "--verbose",
        "-v",
        action="store_true",
        help="also show hints, what is not understood, and what could not be read, as missing headers",
    )
    check.add_argument("--one-arch", action="store_true", help="only what holds for one value of __CUDA_ARCH__")
    check.add_argument("--all-findings", action="store_true", help="also the cheaper ones of a kernel that has many")
    check.add_argument("--color", choices=["auto", "always", "never"], default="auto")
    check.add_argument(
        "--statistics", action="store_true", help="count the findings per rule and per file, instead of showing them"
    )
    _add_jobs(check)
    _add_gates(check)
    _add_fixes(check)
    _add_runs(check)
    _add_rules(check)
    _add_analysis(check)


def _add_gates(check: argparse.ArgumentParser) -> None:
    gates = check.add_argument_group("gates", "which findings are reported, and which fail")
    gates.add_argument("--baseline", metavar="FILE", help="do not report the findings that this file has")
    gates.add_argument("--write-baseline", metavar="FILE", help="write all findings to this file, and report none")
    gates.add_argument(
        "--changed-since",
        metavar="REF",
        help="report findings on lines that were changed since that commit or branch, and those that it did not have",
    )
    gates.add_argument(
        "--fail-on",
        metavar="WHAT",
        action="append",
        help="status 1 only for these: error (default), warning, information, hint, with all above them; or rules:"
        " RAC,SYN101",
    )
    gates.add_argument("--exit-zero", action="store_true", help="status 0 also where there are findings")
    gates.add_argument(
        "--exclude", metavar="GLOB", action="append", help="leave out files and folders: third_party, 'src/**/old_*'"
    )


def _add_fixes(check: argparse.ArgumentParser) -> None:
    fixes = check.add_argument_group("fixes", "of the findings that are reported; in one process")
    how = fixes.add_mutually_exclusive_group()
    how.add_argument("--fix", action="store_true", help="make the safe repairs, and report what is left")
    how.add_argument("--diff", action="store_true", help="print the repairs as a patch; status 1 if there are any")
    fixes.add_argument(
        "--unsafe-fixes",
        action="store_true",
        help="also those that are not safe or that no run could check; never what one refutes",
    )


def _add_runs(check: argparse.ArgumentParser) -> None:
    runs = check.add_argument_group("runs", "of the kernels that reach what the analysis could not decide")
    runs.add_argument(
        "--confirm", action="store_true", help="simulate them, and report what a run confirms like what is proven"
    )
    runs.add_argument("--timeout", metavar="S", type=_seconds, help="run the kernels of each file for S seconds (30)")


def _add_explain(explain: argparse.ArgumentParser) -> None:
    explain.add_argument("place", metavar="FILE:LINE|RULE", help="a line, or the code or name of a rule: its page")
    explain.add_argument(
        "--exact", action="store_true", help="also follow all paths of two threads: which code is convergent, and why"
    )
    explain.add_argument("--net", metavar="FILE", help="draw the Petri net behind the exact analysis (.svg or .dot)")
    explain.add_argument("--states", metavar="FILE", help="draw the state space of that net (.svg or .dot)")
    explain.add_argument(
        "--free",
        action="store_true",
        help="draw the net of the patent: nothing is known of branches, threads advance in any order, barriers wait",
    )
    _add_analysis(explain)


def _add_facts(facts: argparse.ArgumentParser) -> None:
    facts.add_argument("paths", nargs="+", metavar="PATH", help="a file, or a folder to search")
    facts.add_argument("--json", action="store_true", help="as JSON lines (the only form there is)")
    _add_jobs(facts)
    _add_rules(facts)
    _add_analysis(facts)


def _add_cfg(cfg: argparse.ArgumentParser) -> None:
    cfg.add_argument("place", metavar="FILE:KERNEL")
    cfg.add_argument(
        "--format", choices=["svg", "dot", "mermaid"], help="that of the name after --output unless given, or svg"
    )
    cfg.add_argument("--output", "-o", metavar="FILE", help="write to a file instead of standard output")
    cfg.add_argument("--inlined", action="store_true", help="draw the functions that it calls as well")
    cfg.add_argument("--meld", action="store_true", help="draw it before and after its divergent arms are melded")
    _add_analysis(cfg)


def _add_scalarize(scalarize: argparse.ArgumentParser) -> None:
    scalarize.add_argument("place", metavar="FILE[:KERNEL]")
    scalarize.add_argument("--json", action="store_true", help="one JSON object per function")
    scalarize.add_argument(
        "--view",
        choices=["scalar", "simd"],
        default="scalar",
        help="scalar (default): code with shared registers; simd: vectors under masks that the program keeps itself",
    )
    scalarize.add_argument("--source", action="store_true", help="show the source lines beside the code")
    scalarize.add_argument("--conventional", action="store_true", help="show the code before scalarization as well")
    scalarize.add_argument(
        "--exit-optimization",
        action="store_true",
        help="threads that have left the kernel do not count: what the others do counts as converged",
    )
    scalarize.add_argument("--color", choices=["auto", "always", "never"], default="auto")
    _add_analysis(scalarize)


def _add_straightline(straightline: argparse.ArgumentParser) -> None:
    straightline.add_argument("place", metavar="FILE[:KERNEL]")
    straightline.add_argument("--json", action="store_true", help="one JSON object per function")
    straightline.add_argument("--all-steps", action="store_true", help="show the code before and after each step")
    straightline.add_argument("--color", choices=["auto", "always", "never"], default="auto")
    _add_analysis(straightline)


def _add_simulate(simulate: argparse.ArgumentParser) -> None:
    simulate.add_argument(
        "place",
        metavar="FILE[:KERNEL|:LINE]",
        help="all kernels of a file, one by its name (an included header's too), or the launch in a line of host code",
    )
    _add_launch(simulate)
    run = simulate.add_argument_group("run")
    run.add_argument("--policy", metavar="P[,P...]", help=POLICIES_HELP)
    run.add_argument("--max-steps", metavar="N", type=_positive, help="end after so many warp instructions")
    run.add_argument("--timeout", metavar="S", type=_seconds, help="end each run after S seconds (10)")
    run.add_argument("--havoc", action="store_true", help="what is not understood yields random values, not a refusal")
    run.add_argument(
        "--study",
        action=argparse.BooleanOptionalAction,
        help="run once more to study convergence, registers and scalar code; text shows it only if asked,"
        " --json and --html have it unless told otherwise",
    )
    output = simulate.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="one JSON object per kernel")
    output.add_argument("--coverage", action="store_true", help="list the kernel's lines with how often each ran")
    output.add_argument("--metrics", action="store_true", help="list the counts under the names of NVIDIA's profilers")
    output.add_argument("--html", metavar="FILE", help="write one self-contained page about all kernels that ran")
    output.add_argument(
        "--before",
        metavar="FILE[:KERNEL]",
        help="simulate another version of the kernel in the same way, and compare the two",
    )
    output.add_argument(
        "--editor-links",
        choices=EDITORS,
        help="let the numbers of lines on the page open an editor on this machine; the page then names its folders",
    )
    output.add_argument("--out", metavar="DIR", help="write the arrays after the run as .npy files")
    output.add_argument(
        "--warp", metavar="BLOCK,WARP", type=_warp, default=(0, 0), help="whose timeline the page shows"
    )
    output.add_argument("--color", choices=["auto", "always", "never"], default="auto")
    _add_analysis(simulate)


def _add_sanitize(sanitize: argparse.ArgumentParser) -> None:
    sanitize.add_argument("paths", nargs="+", metavar="PATH", help="a file, or a folder to search")
    output = sanitize.add_argument_group("output")
    output.add_argument("--format", choices=[item.value for item in OutputFormat], default="text")
    output.add_argument("--output", "-o", metavar="FILE", help="write to a file instead of standard output")
    output.add_argument("--html", metavar="FILE", help="write one self-contained page about all kernels as well")
    output.add_argument("--verbose", "-v", action="store_true", help="also notes, and what was tried of each kernel")
    output.add_argument("--color", choices=["auto", "always", "never"], default="auto")
    gates = sanitize.add_argument_group("gates")
    gates.add_argument(
        "--fail-on",
        metavar="WHAT",
        action="append",
        help="status 1 only for these: error (default), warning, note, with all above them; or data-race,RAC,SYN101",
    )
    gates.add_argument("--exit-zero", action="store_true", help="status 0 also where there are findings")
    gates.add_argument("--exclude", metavar="GLOB", action="append", help="leave out files and folders: third_party")
    runs = sanitize.add_argument_group("runs")
    runs.add_argument("--timeout", metavar="S", type=_seconds, default=10.0, help="run each kernel for S seconds (10)")
    runs.add_argument("--budget", metavar="S", type=_seconds, help="begin nothing after S seconds in all")
    runs.add_argument("--seeds", metavar="N", type=_positive, default=3, help="different contents of arrays to try (3)")
    where = runs.add_mutually_exclusive_group()
    where.add_argument("--jobs", "-j", metavar="N", type=_positive, help=JOBS_HELP)
    where.add_argument("--dask", metavar="ADDRESS", help=DASK_HELP)
    _add_rules(sanitize)
    _add_analysis(sanitize)


def _add_sweep(sweep: argparse.ArgumentParser) -> None:
    sweep.add_argument("places", nargs="+", metavar="FILE[:KERNEL]", help="all kernels of a file, or one by its name")
    axes = sweep.add_argument_group("axes", "each may be given several times")
    axes.add_argument("--grid", metavar="X[,Y[,Z]]", type=_extent, action="append", default=[], help="blocks")
    axes.add_argument("--block", metavar="X[,Y[,Z]]", type=_extent, action="append", default=[], help="their threads")
    axes.add_argument(
        "--arg", metavar="NAME=VALUE", action="append", default=[], help="a value of an argument, as simulate takes it"
    )
    axes.add_argument("--shared", metavar="BYTES", type=_positive, action="append", default=[], help="of a launch")
    axes.add_argument("--warp-size", metavar="N", type=_positive, action="append", default=[], help="lanes of a warp")
    axes.add_argument("--seeds", metavar="N", type=_positive, default=1, help="inputs: so many seeds (1)")
    axes.add_argument("--seed", metavar="N", type=int, help="the first of them (1)")
    axes.add_argument("--policy", metavar="P[,P...]", default="ipdom", help=POLICIES_HELP)
    axes.add_argument("--meld", action="store_true", help="run each kernel also with all melds that are offered")
    run = sweep.add_argument_group("run")
    run.add_argument("--max-steps", metavar="N", type=_positive, help="end a run after so many warp instructions")
    run.add_argument("--timeout", metavar="S", type=_seconds, help="end each run after S seconds (10)")
    run.add_argument("--havoc", action="store_true", help="what is not understood yields random values, not a refusal")
    where = run.add_mutually_exclusive_group()
    where.add_argument("--jobs", "-j", metavar="N", type=_positive, help=JOBS_HELP)
    where.add_argument("--dask", metavar="ADDRESS", help=DASK_HELP)
    output = sweep.add_argument_group("output")
    output.add_argument(
        "--output", "-o", metavar="FOLDER", required=True, help="where rows are written, and an earlier run goes on"
    )
    output.add_argument("--format", choices=["parquet", "jsonl"], help="of rows (parquet where pyarrow is installed)")
    output.add_argument("--html", metavar="FILE", help="write a self-contained page with plots")
    _add_surroundings(sweep.add_argument_group("analysis").add_argument)


def _add_meld(meld: argparse.ArgumentParser) -> None:
    meld.add_argument("place", metavar="FILE[:FUNCTION[:LINE]]", help="all divergent branches, or those of a function")
    output = meld.add_argument_group("output")
    change = output.add_mutually_exclusive_group()
    change.add_argument("--diff", action="store_true", help="print all melds that are offered as a patch")
    change.add_argument("--write", action="store_true", help="change the file")
    output.add_argument("--json", action="store_true", help="one JSON object (docs/meld-json.md)")
    output.add_argument(
        "--verbose",
        "-v",
        dest="all_branches",
        action="store_true",
        help="list also loops and branches with one arm",
    )
    output.add_argument("--color", choices=["auto", "always", "never"], default="auto")
    how = meld.add_argument_group("melding", "what is not given is taken from the settings")
    how.add_argument(
        "--method", choices=MELD_METHODS, help="how arms are aligned; best (default) takes what saves most"
    )
    how.add_argument("--threshold", metavar="T", type=float, help="how much of two pieces must agree, 0 to 0.5 (0.2)")
    how.add_argument(
        "--unchecked", action="store_true", help="offer also what no run could check; never what one refutes"
    )
    how.add_argument("--timeout", metavar="S", type=_seconds, help="check each meld for S seconds at most (30)")
    _add_launch(meld)
    _add_analysis(meld)


def _add_launch(parser: argparse.ArgumentParser) -> None:
    launch = parser.add_argument_group("launch", "what is not given is taken from the file or chosen, and listed")
    launch.add_argument("--grid", metavar="X[,Y[,Z]]", type=_extent, help="blocks of the grid")
    launch.add_argument(
        "--arg",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a number, random(0,1), iota, zeros[4096], @file.npy; also for template parameters and variables",
    )
    launch.add_argument("--shared", metavar="BYTES", type=_positive, help="dynamic shared memory")
    launch.add_argument("--seed", metavar="N", type=int, help="of everything that is chosen at random")


def _add_ir(ir: argparse.ArgumentParser) -> None:
    ir.add_argument("place", metavar="FILE[:FUNCTION]")
    ir.add_argument("--stage", choices=["lowered", "ssa", "inlined"], default="ssa")
    _add_analysis(ir)


def _add_jobs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", "-j", metavar="N", type=_positive, help=JOBS_HELP)


def _add_rules(parser: argparse.ArgumentParser) -> None:
    rules = parser.add_argument_group("rules")
    rules.add_argument("--select", metavar="CODES", action="append", help="report these only: SYN101,DIV or ALL")
    rules.add_argument("--ignore", metavar="CODES", action="append", help="do not report these")
    rules.add_argument(
        "--tier",
        metavar="TIERS",
        action="append",
        help="how certain a finding must be: proven (default), possible, assumed; several with commas",
    )


def _add_analysis(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("analysis")
    group.add_argument("--warp-size", type=_positive, metavar="N", help="lanes of a warp: 4, 8, 16, 32 or 64")
    group.add_argument("--block", metavar="X,Y,Z", help="threads per block, whatever the launches say")
    _add_surroundings(group.add_argument)


def _add_surroundings(add: Callable[..., object]) -> None:
    add("--arch", metavar="SM", help="sm_80, 80 or 800: the value of __CUDA_ARCH__")
    add("-D", dest="define", action="append", metavar="NAME[=VALUE]", help="define a macro")
    add("-U", dest="undefine", action="append", metavar="NAME", help="undefine a macro")
    add("-I", dest="include", action="append", metavar="FOLDER", help="search headers here")
    add("--no-project", action="store_true", help="look at each file alone, not at those that launch it")
    add("--no-cache", action="store_true", help="work everything out anew, and keep nothing of it")
    add("--config", metavar="FILE", help="read this settings file instead of the .simt.toml found")


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of at least 1")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds above 0")
    return seconds


def _extent(text: str) -> tuple[int, int, int]:
    numbers = [_positive(part.strip()) for part in text.split(",")]
    if len(numbers) > 3:
        raise argparse.ArgumentTypeError(f"'{text}' has more than three extents: write X, X,Y or X,Y,Z")
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def _warp(text: str) -> tuple[int, int]:
    block, comma, warp = text.partition(",")
    if not comma or not block.strip().isdecimal() or not warp.strip().isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not BLOCK,WARP, for example 0,1")
    return int(block), int(warp)


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"'{text}' is not HOST:PORT, for example 127.0.0.1:8765")
    return host.strip("[]") or "127.0.0.1", int(port)
