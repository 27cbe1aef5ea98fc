// A private Python environment in the extension's own storage: NumPy, and the libraries where the package has none.
//
// Rules    Made only when the user agreed to it; nothing else of this extension touches the network.
//          It is made under another name and renamed when it is whole, so half an environment is never used.
//          The server's code is not in it: that always is the one of the extension.

import * as fs from "node:fs";
import * as path from "node:path";
import type { Bundle } from "./bundle";
import { run } from "./run";

const MINUTES = 60_000;

export type Made = { readonly kind: "made" } | { readonly kind: "failed"; readonly reason: string };

export class PrivateEnvironment {
  readonly folder: string;

  constructor(
    private readonly storage: string,
    private readonly bundle: Bundle,
  ) {
    this.folder = path.join(storage, "environment");
  }

  get python(): string {
    return interpreterOf(this.folder);
  }

  exists(): boolean {
    return fs.existsSync(this.python);
  }

  /** Downloads from the package index that pip is configured for; `say` gets the lines that pip prints. */
  async make(python: readonly [string, ...string[]], say: (line: string) => void, signal: AbortSignal): Promise<Made> {
    fs.mkdirSync(this.storage, { recursive: true });
    const fresh = path.join(this.storage, "environment.new");
    fs.rmSync(fresh, { recursive: true, force: true });
    const options = { cwd: this.storage, milliseconds: 15 * MINUTES, signal, onOutput: say };
    const steps: readonly [string, ...string[]][] = [
      [...python, "-I", "-m", "venv", fresh],
      [interpreterOf(fresh), "-I", "-m", "pip", "install", ...PIP_OPTIONS, "-r", this.bundle.requirements],
    ];
    for (const step of steps) {
      const done = await run(step, options);
      if (done.status !== 0) {
        fs.rmSync(fresh, { recursive: true, force: true });
        return { kind: "failed", reason: signal.aborted ? "it was cancelled" : reasonOf(done.stderr || done.stdout) };
      }
    }
    fs.rmSync(this.folder, { recursive: true, force: true });
    fs.renameSync(fresh, this.folder);
    return { kind: "made" };
  }
}

const PIP_OPTIONS = ["--disable-pip-version-check", "--no-input", "--only-binary", ":all:", "--progress-bar", "off"];

function interpreterOf(folder: string): string {
  return process.platform === "win32" ? path.join(folder, "Scripts", "python.exe") : path.join(folder, "bin", "python");
}

/** The line that says why, of all that pip and venv print. */
function reasonOf(output: string): string {
  const lines = output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (output.includes("ensurepip is not available")) {
    return "this Python has no ensurepip; on Debian and Ubuntu: sudo apt install python3-venv";
  }
  return (lines.find((line) => line.startsWith("ERROR:")) ?? lines.at(-1) ?? "no reason was given").slice(0, 300);
}
