// Which editors show CUDA or HIP, and where the cursor is in them.

import * as vscode from "vscode";

const LANGUAGES = new Set(["cuda-cpp", "cuda", "hip"]);
const SUFFIX = /\.(cu|cuh|hip)$/i;

export function isCuda(document: vscode.TextDocument): boolean {
  return LANGUAGES.has(document.languageId) || SUFFIX.test(document.uri.path);
}

/** The editor that a command without arguments is about.  A header may hold device code and have any suffix, so the
 *  active editor counts if it is C++ at all; with the focus in a view or in the log, it is the only CUDA file in sight. */
export function activeCudaEditor(): vscode.TextEditor | undefined {
  const active = vscode.window.activeTextEditor;
  if (active !== undefined && active.document.uri.scheme !== "output") {
    return isCuda(active.document) || active.document.languageId === "cpp" ? active : undefined;
  }
  const shown = vscode.window.visibleTextEditors.filter(({ document }) => isCuda(document));
  return shown.length === 1 ? shown[0] : undefined;
}
