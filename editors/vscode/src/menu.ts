// What a click on the status bar item offers.

import * as vscode from "vscode";
import { tell } from "./failure";
import type { ServerState } from "./server/controller";

type Item = vscode.QuickPickItem & { readonly command: string; readonly arguments?: readonly unknown[] };

const ABOUT_THE_KERNEL: readonly Item[] = [
  { label: "$(play) Simulate Kernel", command: "simt-lsp.simulate" },
  { label: "$(settings) Simulate with…", command: "simt-lsp.simulateWith" },
  { label: "$(question) Explain Divergence Here", command: "simt-lsp.explain" },
  { label: "$(telescope) Explain Exactly Here", command: "simt-lsp.explainExactly" },
  { label: "$(type-hierarchy-sub) Show Control-Flow Graph", command: "simt-lsp.showGraph" },
  { label: "$(symbol-array) Show as Vectors and Masks", command: "simt-lsp.showVectors" },
];

const ABOUT_THE_SERVER: readonly Item[] = [
  { label: "$(refresh) Restart Server", command: "simt-lsp.restart" },
  { label: "$(info) Show Legend", command: "simt-lsp.showLegend" },
  { label: "$(output) Show Log", command: "simt-lsp.showLog" },
  { label: "$(gear) Settings", command: "workbench.action.openSettings", arguments: ["simt-lsp"] },
];

export async function showMenu(state: ServerState): Promise<void> {
  if (state.kind === "failed") {
    await tell(state.problem);
    return;
  }
  const items = state.kind === "running" ? [...ABOUT_THE_KERNEL, ...ABOUT_THE_SERVER] : ABOUT_THE_SERVER;
  const picked = await vscode.window.showQuickPick(items, { title: "SIMT" });
  if (picked !== undefined) await vscode.commands.executeCommand(picked.command, ...(picked.arguments ?? []));
}
