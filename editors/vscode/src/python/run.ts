// Runs a program to its end and keeps what it said.

import { spawn } from "node:child_process";

export interface Run {
  /** null when the program could not be started or was stopped. */
  readonly status: number | null;
  readonly stdout: string;
  /** Standard error, or why the program could not be started. */
  readonly stderr: string;
}

export interface RunOptions {
  /** Never the workspace: Windows looks for programs in the current folder first. */
  readonly cwd: string;
  readonly milliseconds: number;
  readonly signal?: AbortSignal;
  readonly onOutput?: (text: string) => void;
}

export function run(command: readonly [string, ...string[]], options: RunOptions): Promise<Run> {
  const [program, ...args] = command;
  const { promise, resolve } = withResolvers<Run>();
  const child = spawn(program, args, {
    cwd: options.cwd,
    timeout: options.milliseconds,
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe"],
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    options.onOutput?.(text);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    options.onOutput?.(text);
  });
  child.on("error", (error) => {
    resolve({ status: null, stdout, stderr: error.message });
  });
  child.on("close", (status, signal) => {
    const why = signal === null ? stderr : `${stderr}\nstopped after ${options.milliseconds / 1000} s (${signal})`;
    resolve({ status, stdout, stderr: why.trim() });
  });
  return promise;
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
