// The status bar item: how the server is, and what it counts for the kernel at the cursor.

import * as vscode from "vscode";
import { activeCudaEditor, isCuda } from "./cudaEditor";
import type { KernelTable } from "./kernels";
import type { ServerController, ServerState } from "./server/controller";
import type { Findings, Kernel } from "./server/protocol";

export const MENU_COMMAND = "simt-lsp.showMenu";

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("simt-lsp.status", vscode.StatusBarAlignment.Right, 100);
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly server: ServerController,
    private readonly kernels: KernelTable,
  ) {
    this.item.name = "SIMT";
    this.item.command = MENU_COMMAND;
    this.subscriptions = [
      server.onDidChange(() => {
        this.draw();
      }),
      kernels.onDidChange(() => {
        this.draw();
      }),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.draw();
      }),
      vscode.window.onDidChangeTextEditorSelection(() => {
        this.draw();
      }),
    ];
    this.draw();
  }

  dispose(): void {
    for (const disposable of [this.item, ...this.subscriptions]) disposable.dispose();
  }

  private draw(): void {
    const editor = activeCudaEditor();
    const state = this.server.state;
    if (editor === undefined || (!isCuda(editor.document) && !this.kernels.of(editor.document.uri)?.length)) {
      this.item.hide();
      return;
    }
    const { text, tooltip } = state.kind === "running" ? this.counts(editor, state) : stateWords(state);
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.backgroundColor =
      state.kind === "failed" ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
    this.item.accessibilityInformation = { label: `SIMT: ${text.replace(/\$\([^)]*\)\s*/g, "")}`, role: "button" };
    this.item.show();
  }

  private counts(editor: vscode.TextEditor, state: ServerState & { readonly kind: "running" }): Words {
    const { uri } = editor.document;
    const all = this.kernels.of(uri);
    const here = this.kernels.at(uri, editor.selection.active.line);
    const text = here === undefined ? fileWords(all, this.kernels.findings(uri)) : kernelWords(here);
    const tooltip = new vscode.MarkdownString(undefined, false);
    tooltip.appendMarkdown(`**simt-lsp ${state.launch.version}** is running\n\n`);
    for (const kernel of all ?? []) {
      tooltip.appendMarkdown("- ");
      tooltip.appendText(`${kernel.name}: ${kernel.summary}`);
      tooltip.appendMarkdown("\n");
    }
    tooltip.appendMarkdown("\nClick for commands.");
    return { text: `$(circuit-board) ${text}`, tooltip };
  }
}

interface Words {
  readonly text: string;
  readonly tooltip: string | vscode.MarkdownString;
}

function stateWords(state: Exclude<ServerState, { readonly kind: "running" }>): Words {
  switch (state.kind) {
    case "starting":
      return { text: "$(loading~spin) SIMT", tooltip: "The simt-lsp server is starting." };
    case "stopped":
      return { text: "$(circle-slash) SIMT", tooltip: "The simt-lsp server is not running. Click for commands." };
    case "failed":
      return { text: "$(error) SIMT", tooltip: `${state.problem.text} Click for what can be done.` };
  }
}

/** `smooth: 1 divergent branch · 1 error` */
function kernelWords(kernel: Kernel): string {
  const parts = [
    counted(kernel.divergentBranches, "divergent branch", "divergent branches"),
    ...findingWords(kernel.findings),
  ].filter((part) => part !== undefined);
  const simulated = kernel.simulation.simdEfficiency;
  if (kernel.simulation.state === "finished" && simulated !== null)
    parts.push(`${Math.min(Math.round(100 * simulated), simulated < 1 ? 99 : 100)} % of lanes`);
  return `${kernel.name}: ${parts.length === 0 ? "nothing found" : parts.join(" · ")}`;
}

function fileWords(kernels: readonly Kernel[] | undefined, findings: Findings | undefined): string {
  if (kernels === undefined || findings === undefined) return "SIMT";
  return [counted(kernels.length, "kernel", "kernels") ?? "no kernels", ...findingWords(findings)].join(" · ");
}

function findingWords(findings: Findings): readonly string[] {
  const rest = findings.information + findings.hint;
  return [
    counted(findings.error, "error", "errors"),
    counted(findings.warning, "warning", "warnings"),
    counted(rest, "note", "notes"),
  ].filter((part) => part !== undefined);
}

function counted(count: number, one: string, many: string): string | undefined {
  return count === 0 ? undefined : `${count} ${count === 1 ? one : many}`;
}
