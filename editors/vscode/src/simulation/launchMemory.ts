// How each kernel was launched last, kept with the workspace.

import * as vscode from "vscode";
import type { LaunchOptions } from "../server/protocol";

const KEY = "simt-lsp.launches";

export class LaunchMemory {
  constructor(private readonly state: vscode.Memento) {}

  of(uri: vscode.Uri, kernel: string): LaunchOptions {
    return this.all()[nameOf(uri, kernel)] ?? {};
  }

  /** Empty options are no longer remembered. */
  async remember(uri: vscode.Uri, kernel: string, options: LaunchOptions): Promise<void> {
    const { [nameOf(uri, kernel)]: _, ...others } = this.all();
    const kept = Object.keys(options).length === 0 ? {} : { [nameOf(uri, kernel)]: options };
    await this.state.update(KEY, { ...others, ...kept });
  }

  private all(): Readonly<Record<string, LaunchOptions>> {
    return this.state.get(KEY, {});
  }
}

/** By the path within the workspace, so that a workspace that moves keeps its launches. */
function nameOf(uri: vscode.Uri, kernel: string): string {
  return `${vscode.workspace.asRelativePath(uri)}#${kernel}`;
}
