// Which editors show CUDA or HIP, and which of them a command is about.

import * as vscode from "vscode";

const LANGUAGES = new Set(["cuda-cpp", "cuda", "hip"]);
const SUFFIX = /\.(cu|cuh|hip)$/i;
const OPEN_EXAMPLE = "Open Example Kernel";

export function isCuda(document: vscode.TextDocument): boolean {
  return LANGUAGES.has(document.languageId) || SUFFIX.test(document.uri.path);
}

/** The editor that is in sight.  A header may hold device code and have any suffix, so the active editor counts if it is
 *  C++ at all; with the focus in a view or in the log, it is the only CUDA file that is shown. */
export function activeCudaEditor(): vscode.TextEditor | undefined {
  if (activeText() !== undefined) return activeIfCuda();
  const shown = vscode.window.visibleTextEditors.filter(({ document }) => isCuda(document));
  return shown.length === 1 ? shown[0] : undefined;
}

/** Remembers where the user was last, for commands that are given in a view, in the log or in the walkthrough. */
export class CudaEditors implements vscode.Disposable {
  private last: vscode.Uri | undefined = activeCudaEditor()?.document.uri;
  private readonly subscription = vscode.window.onDidChangeActiveTextEditor(() => {
    this.last = activeIfCuda()?.document.uri ?? this.last;
  });

  dispose(): void {
    this.subscription.dispose();
  }

  /** The editor that a command is about: if it is behind the walkthrough it comes to the front.  Without one, the user is
   *  told what to do. */
  async forCommand(): Promise<vscode.TextEditor | undefined> {
    const editor = activeCudaEditor() ?? (await this.bringBack());
    if (editor === undefined) void offerExample();
    return editor;
  }

  private async bringBack(): Promise<vscode.TextEditor | undefined> {
    const { last } = this;
    if (last === undefined || activeText() !== undefined) return undefined;
    for (const { tabs, viewColumn } of vscode.window.tabGroups.all) {
      const isOpen = tabs.some(({ input }) => input instanceof vscode.TabInputText && isSame(input.uri, last));
      if (isOpen) return vscode.window.showTextDocument(last, { viewColumn });
    }
    return undefined;
  }
}

/** The log is a text editor as well, but nobody asks about it. */
function activeText(): vscode.TextEditor | undefined {
  const active = vscode.window.activeTextEditor;
  return active?.document.uri.scheme === "output" ? undefined : active;
}

function activeIfCuda(): vscode.TextEditor | undefined {
  const active = activeText();
  return active !== undefined && (isCuda(active.document) || active.document.languageId === "cpp") ? active : undefined;
}

async function offerExample(): Promise<void> {
  const pressed = await vscode.window.showInformationMessage("Open a CUDA file first.", OPEN_EXAMPLE);
  if (pressed !== undefined) await vscode.commands.executeCommand("simt-lsp.openExample");
}

function isSame(one: vscode.Uri, other: vscode.Uri): boolean {
  return one.toString() === other.toString();
}
