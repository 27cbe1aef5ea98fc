// What the server last said about the kernels of each open document.

import * as vscode from "vscode";
import type { Findings, Kernel, Kernels } from "./server/protocol";

export class KernelTable implements vscode.Disposable {
  private readonly known = new Map<string, Kernels>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri | undefined>();
  /** Fires with the document, or with nothing when all changed. */
  readonly onDidChange = this.changed.event;
  private readonly subscription = vscode.workspace.onDidCloseTextDocument(({ uri }) => {
    if (this.known.delete(uri.toString())) this.changed.fire(uri);
  });

  update(uri: vscode.Uri, said: Kernels): void {
    this.known.set(uri.toString(), said);
    this.changed.fire(uri);
  }

  clear(): void {
    this.known.clear();
    this.changed.fire(undefined);
  }

  /** undefined while the server has said nothing about the document. */
  of(uri: vscode.Uri): readonly Kernel[] | undefined {
    return this.known.get(uri.toString())?.kernels;
  }

  /** Of the whole document, also outside of kernels. */
  findings(uri: vscode.Uri): Findings | undefined {
    return this.known.get(uri.toString())?.findings;
  }

  at(uri: vscode.Uri, line: number): Kernel | undefined {
    return this.of(uri)?.find(({ range }) => range.start.line <= line && line <= range.end.line);
  }

  named(uri: vscode.Uri, name: string): Kernel | undefined {
    return this.of(uri)?.find((kernel) => kernel.name === name);
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }
}
