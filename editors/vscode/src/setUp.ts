// Sets up the private environment, after asking; and lets the user name an interpreter instead.

import * as vscode from "vscode";
import { tell } from "./failure";
import { GET_PYTHON, SELECT_INTERPRETER, SHOW_LOG } from "./problem";
import { bundleOf } from "./python/bundle";
import { othersThanOurs } from "./python/candidates";
import type { PrivateEnvironment } from "./python/environment";
import { LEAST_TEXT, shakeHands } from "./python/handshake";
import { pathSetting, SECTION } from "./settings";

const CREATE = "Download and Set Up";

export class SetUp {
  constructor(
    private readonly extensionPath: string,
    private readonly environment: PrivateEnvironment,
    private readonly log: vscode.LogOutputChannel,
    private readonly restart: () => Promise<void>,
  ) {}

  /** Whether the environment was made and the server runs in it. */
  async offer(why: string): Promise<boolean> {
    const chosen = pathSetting("server.path") || pathSetting("interpreter");
    if (chosen !== "") return this.explainChosen(why, chosen);
    const detail =
      "This makes a Python environment of simt-lsp's own and downloads NumPy and a few small libraries into it " +
      `(about 25 MB, from the package index that your pip uses). Nothing else changes.\n\n${this.environment.folder}`;
    const pressed = await vscode.window.showInformationMessage(why, { modal: true, detail }, CREATE);
    return pressed === CREATE && (await this.make());
  }

  async selectInterpreter(): Promise<void> {
    const picked = await vscode.window.showOpenDialog({
      title: `A Python ${LEAST_TEXT} or newer`,
      openLabel: "Use",
      ...(process.platform === "win32" ? {} : { defaultUri: vscode.Uri.file("/usr/bin") }),
    });
    const path = picked?.[0]?.fsPath;
    if (path === undefined) return;
    // The change of the setting restarts the server.
    await vscode.workspace.getConfiguration(SECTION).update("interpreter", path, vscode.ConfigurationTarget.Global);
  }

  private async explainChosen(why: string, chosen: string): Promise<boolean> {
    const detail =
      `The settings say that the server runs on ${chosen}, so an environment of simt-lsp's own would not be used. ` +
      `Either clear the setting, or see to it that NumPy is there:\n\n"${chosen}" -m pip install numpy`;
    const pressed = await vscode.window.showInformationMessage(why, { modal: true, detail }, "Open Settings");
    if (pressed !== undefined) await vscode.commands.executeCommand("workbench.action.openSettings", "simt-lsp");
    return false;
  }

  private async make(): Promise<boolean> {
    const python = await this.usablePython();
    if (python === undefined) {
      const text = `No Python ${LEAST_TEXT} or newer was found to make the environment with.`;
      void tell({ text, details: [], remedies: [GET_PYTHON, SELECT_INTERPRETER] });
      return false;
    }
    const where = {
      location: vscode.ProgressLocation.Notification,
      title: "Setting up simt-lsp's Python environment",
      cancellable: true,
    };
    const made = await vscode.window.withProgress(where, (progress, cancelled) => {
      const stop = new AbortController();
      cancelled.onCancellationRequested(() => {
        stop.abort();
      });
      const say = (text: string) => {
        this.log.info(text.trimEnd());
        const line = text.trim().split("\n").at(-1)?.trim().slice(0, 80);
        if (line !== undefined && line !== "") progress.report({ message: line });
      };
      return this.environment.make([python], say, stop.signal);
    });
    if (made.kind === "failed") {
      const text = `The Python environment could not be made: ${made.reason}`;
      void tell({ text, details: [], remedies: [SHOW_LOG, SELECT_INTERPRETER] });
      return false;
    }
    await this.restart();
    return true;
  }

  private async usablePython(): Promise<string | undefined> {
    const bundle = bundleOf(this.extensionPath);
    for (const { command } of await othersThanOurs()) {
      const { executable, hands } = await shakeHands(command, bundle);
      if (hands.kind === "ready" || hands.kind === "librariesMissing") return executable;
    }
    return undefined;
  }
}
