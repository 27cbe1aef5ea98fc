// What the extension brings along: the server's own code, its libraries where the package has them, and the script
// that puts both on Python's path.

import * as path from "node:path";

export interface Bundle {
  readonly folder: string;
  /** Run as `python -I start.py ARGUMENTS`: `-I` keeps the workspace off the import path. */
  readonly start: string;
  readonly requirements: string;
}

export function bundleOf(extensionPath: string): Bundle {
  const folder = path.join(extensionPath, "bundled");
  return { folder, start: path.join(folder, "start.py"), requirements: path.join(folder, "environment.txt") };
}

/** The command line that runs the bundled server on an interpreter. */
export function serverCommand(executable: string, bundle: Bundle): [string, ...string[]] {
  return [executable, "-I", "-X", "utf8", bundle.start];
}
