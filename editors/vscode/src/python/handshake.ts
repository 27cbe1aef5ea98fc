// Is this a Python that can run the server?  Two questions to the program itself: its version, and the server's.

import { type Bundle, serverCommand } from "./bundle";
import { run } from "./run";

export const LEAST: readonly [number, number] = [3, 11];
export const LEAST_TEXT = LEAST.join(".");

const PATIENCE = 20_000;
const WHO_ARE_YOU = "import sys; print('%d.%d.%d' % sys.version_info[:3]); print(sys.executable)";

export type Handshake =
  | { readonly kind: "ready"; readonly version: string }
  | { readonly kind: "unusable"; readonly reason: string }
  | { readonly kind: "tooOld"; readonly reason: string }
  | { readonly kind: "librariesMissing"; readonly reason: string };

export interface Interpreter {
  /** Absolute, so that nothing in a workspace can take its place. */
  readonly executable: string;
  readonly hands: Handshake;
}

/** Whether the bundled server starts on an interpreter. */
export async function shakeHands(python: readonly [string, ...string[]], bundle: Bundle): Promise<Interpreter> {
  const asked = await run([...python, "-I", "-c", WHO_ARE_YOU], { cwd: bundle.folder, milliseconds: PATIENCE });
  const [, major, minor, executable] = /^(\d+)\.(\d+)\.\d+\r?\n(.+?)\r?$/m.exec(asked.stdout) ?? [];
  if (asked.status !== 0 || executable === undefined) {
    return { executable: python[0], hands: { kind: "unusable", reason: lastLine(asked.stderr) } };
  }
  if (!isNewEnough(Number(major), Number(minor))) {
    const reason = `is Python ${major}.${minor}; ${LEAST_TEXT} or newer is needed`;
    return { executable, hands: { kind: "tooOld", reason } };
  }
  const hands = await shakeHandsWithServer(serverCommand(executable, bundle), bundle.folder);
  return { executable, hands: hands.kind === "unusable" ? { ...hands, kind: "librariesMissing" } : hands };
}

/** Whether a command is a server: it says so when asked for its version. */
export async function shakeHandsWithServer(command: readonly [string, ...string[]], cwd: string): Promise<Handshake> {
  const said = await run([...command, "--version"], { cwd, milliseconds: PATIENCE });
  const version = /^simt-lsp (\S+)/m.exec(said.stdout)?.[1];
  if (said.status === 0 && version !== undefined) return { kind: "ready", version };
  return { kind: "unusable", reason: lastLine(said.stderr) || "it does not answer --version as simt-lsp does" };
}

function isNewEnough(major: number, minor: number): boolean {
  return major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.trim() ?? "";
}
