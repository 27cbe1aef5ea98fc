// Simulating a kernel: which one, how it is launched, what is shown while it runs and afterwards.

import * as vscode from "vscode";
import { type LanguageClient, WorkDoneProgress } from "vscode-languageclient/node";
import type { CudaEditors } from "../cudaEditor";
import type { KernelTable } from "../kernels";
import type { ServerController } from "../server/controller";
import {
  Commands,
  type Kernel,
  type Kernels,
  type LaunchPlace,
  type LaunchOptions,
  Methods,
  type Report,
  type ServerStatus,
  type SimulateAnswer,
  type SimulateParams,
  type Simulation,
} from "../server/protocol";
import { type Content, type Panels, reveal } from "../view/panels";
import { reportParts } from "../view/report";
import { askForLaunch } from "./launchForm";
import type { LaunchMemory } from "./launchMemory";

/** A place in a document. */
export interface Place {
  readonly uri: vscode.Uri;
  readonly position: { readonly line: number; readonly character: number };
}

/** What a command is about; without an argument it is the kernel at the cursor, or the launch in its line.  `launch` is
 *  set where the kernel was simulated from a host file. */
export interface Target extends Place {
  readonly kernel: string;
  readonly launch?: Place;
}

/** A simulation that has not ended; `isShown` once its report was. */
interface Running {
  readonly target: Target;
  isShown: boolean;
}

export class Simulations {
  private tokens = 0;
  private readonly running = new Set<Running>();

  constructor(
    private readonly server: ServerController,
    private readonly kernels: KernelTable,
    private readonly memory: LaunchMemory,
    private readonly panels: Panels,
    private readonly editors: CudaEditors,
    private readonly offerSetUp: (why: string) => Promise<boolean>,
  ) {
    kernels.onDidChange((uri) => {
      this.markReport(uri);
    });
  }

  /** The kernel at the cursor (or the one that is asked for), launched as it was last. */
  async simulate(given?: Target): Promise<void> {
    const target = given ?? (await this.pick());
    if (target === undefined) return;
    if (!isTarget(target)) await this.simulateLaunch(target);
    else if (target.launch !== undefined) await this.simulateLaunch(target.launch);
    else await this.launch(target, this.memory.of(target.uri, target.kernel));
  }

  /** The kernel that is launched at a place of a host file, with what the launch says. */
  async simulateLaunch(launch: Place): Promise<void> {
    const client = this.server.running;
    if (client === undefined) return;
    const textDocument = { uri: client.code2ProtocolConverter.asUri(launch.uri) };
    const params: SimulateParams = { textDocument, position: launch.position, again: true, quiet: true };
    const answer = await this.run(client, "this launch", params);
    const { kernel, position } = answer;
    const uri = client.protocol2CodeConverter.asUri(answer.uri);
    await this.ended(client, { uri, kernel, position, launch }, answer);
  }

  async simulateWith(given?: Target): Promise<void> {
    const picked = given ?? (await this.pick());
    const target = picked !== undefined && isTarget(picked) ? picked : undefined;
    const kernel = target && this.kernels.named(target.uri, target.kernel);
    if (target === undefined || kernel === undefined) return;
    const options = await askForLaunch(kernel, this.memory.of(target.uri, target.kernel));
    if (options === undefined) return;
    await this.memory.remember(target.uri, target.kernel, options);
    await this.launch(target, options);
  }

  private async launch(target: Target, options: LaunchOptions): Promise<void> {
    const client = this.server.running;
    if (client === undefined) return;
    const params: SimulateParams = {
      ...options,
      textDocument: { uri: client.code2ProtocolConverter.asUri(target.uri) },
      kernel: target.kernel,
      position: target.position,
      quiet: true,
    };
    const running: Running = { target, isShown: false };
    this.running.add(running);
    const answer = await this.run(client, target.kernel, params).finally(() => this.running.delete(running));
    await this.ended(client, target, answer);
  }

  private async ended(client: LanguageClient, target: Target, answer: SimulateAnswer): Promise<void> {
    switch (answer.status) {
      case "finished":
        await this.showReport(target);
        return;
      case "refused":
        await this.tellRefusal(target, answer);
        return;
      case "failed":
        await this.tellFailure(client, target, answer);
        return;
      case "stopped":
        // What it had counted stays, and no longer says that it goes on.
        if (this.showsReport(target)) await this.showReport(target, { reveal: false });
        vscode.window.setStatusBarMessage(`Simulating ${target.kernel} was stopped`, 5000);
    }
  }

  /** What runs that go on have counted: their report opens at the first of it, and follows while it is open. */
  goesOn(uri: vscode.Uri, { kernels }: Simulation): void {
    for (const running of this.running) {
      const { target } = running;
      const counts = kernels.some(({ kernel, interim }) => interim && kernel === target.kernel);
      if (!counts || target.uri.toString() !== uri.toString()) continue;
      if (!running.isShown) void this.showReport(target);
      else if (this.showsReport(target)) void this.showReport(target, { reveal: false });
      running.isShown = true;
    }
  }

  private showsReport({ uri, kernel }: Target): boolean {
    const shown = this.panels.shown("report");
    return shown?.subject === kernel && shown.uri.toString() === uri.toString();
  }

  /** Progress is shown as a notification, because only that can be cancelled. */
  private async run(client: LanguageClient, kernel: string, params: SimulateParams): Promise<SimulateAnswer> {
    const workDoneToken = `simt-lsp-simulate-${++this.tokens}`;
    const where = { location: vscode.ProgressLocation.Notification, title: `Simulating ${kernel}`, cancellable: true };
    return await vscode.window.withProgress(where, async (progress, cancelled) => {
      let done = 0;
      const listening = client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
        if (value.kind !== "report") return;
        const { percentage = done, message } = value;
        progress.report({ increment: percentage - done, ...(message === undefined ? {} : { message }) });
        done = percentage;
      });
      const cancelling = cancelled.onCancellationRequested(() =>
        client.sendNotification("window/workDoneProgress/cancel", { token: workDoneToken }),
      );
      try {
        const request = { command: Commands.simulate, arguments: [params], workDoneToken };
        return await client.sendRequest<SimulateAnswer>("workspace/executeCommand", request);
      } finally {
        listening.dispose();
        cancelling.dispose();
      }
    });
  }

  private async showReport(target: Target, { reveal }: { reveal: boolean } = { reveal: true }): Promise<void> {
    const client = this.server.running;
    if (client === undefined) return;
    const report = await client.sendRequest<Report | null>(Methods.report, {
      textDocument: { uri: client.code2ProtocolConverter.asUri(target.uri) },
      kernel: target.kernel,
      position: target.position,
      format: "html",
    });
    if (report === null || (!reveal && !this.showsReport(target))) return;
    const { body, style, script } = reportParts(report.content);
    const content: Content = {
      title: `${report.kernel} – simulation`,
      body,
      styles: [style],
      scripts: [script],
      uri: target.uri,
      subject: target.kernel,
      stale: report.stale,
      renew: () => void this.simulate(target),
    };
    this.panels.show("report", content, { reveal });
  }

  /** The report says when it no longer is about the text. */
  private markReport(changed: vscode.Uri | undefined): void {
    const shown = this.panels.shown("report");
    if (shown === undefined || (changed !== undefined && changed.toString() !== shown.uri.toString())) return;
    const state = this.kernels.named(shown.uri, shown.subject)?.simulation.state;
    if (state !== "running") this.panels.setStale("report", state !== "finished");
  }

  private async tellRefusal(target: Target, { message, line }: SimulateAnswer): Promise<void> {
    const text = message ?? `${target.kernel} cannot be simulated.`;
    const buttons = line === null ? [CHANGE] : [GO, CHANGE];
    const pressed = await vscode.window.showWarningMessage(text, ...buttons);
    if (pressed === GO && line !== null) await reveal(target.uri, new vscode.Position(line - 1, 0));
    if (pressed === CHANGE) await this.simulateWith(target);
  }

  private async tellFailure(client: LanguageClient, target: Target, { message }: SimulateAnswer): Promise<void> {
    const { simulator } = await client.sendRequest<ServerStatus>(Methods.status, {});
    if (simulator.state === "unavailable") {
      if (await this.offerSetUp("Simulating needs NumPy, which this Python does not have."))
        await this.simulate(target);
      return;
    }
    await vscode.window.showErrorMessage(message ?? `Simulating ${target.kernel} failed.`);
  }

  /** A kernel, or the place of a launch. */
  private async pick(): Promise<Target | Place | undefined> {
    const editor = await this.editors.forCommand();
    if (editor === undefined) return undefined;
    const client = this.server.running;
    if (client === undefined) {
      void vscode.window.showInformationMessage("The simt-lsp server is not running.");
      return undefined;
    }
    const { document, selection } = editor;
    const uri = client.code2ProtocolConverter.asUri(document.uri);
    const answer = await client.sendRequest<Kernels | null>(Methods.kernels, { textDocument: { uri } });
    const kernels = answer?.kernels ?? [];
    const here = kernels.find(({ range }) => contains(range, selection.active.line));
    const launches = answer?.launches ?? [];
    const launched = launches.find(({ range }) => contains(range, selection.active.line));
    if (here === undefined && launched !== undefined) return { uri: document.uri, position: launched.range.start };
    if (kernels.length === 0 && launches.length > 0) {
      const launch = launches.length > 1 ? await pickLaunch(launches) : launches[0];
      return launch && { uri: document.uri, position: launch.range.start };
    }
    const chosen = here ?? (kernels.length > 1 ? await pickKernel(kernels) : kernels[0]);
    if (kernels.length === 0) void vscode.window.showInformationMessage("There is no kernel in this file.");
    if (chosen === undefined) return undefined;
    return { uri: document.uri, kernel: chosen.name, position: chosen.selectionRange.start };
  }
}

const GO = "Go to Line";
const CHANGE = "Simulate with…";

function contains(range: Kernel["range"], line: number): boolean {
  return range.start.line <= line && line <= range.end.line;
}

function isTarget(place: Target | Place): place is Target {
  return "kernel" in place;
}

async function pickLaunch(launches: readonly LaunchPlace[]): Promise<LaunchPlace | undefined> {
  const items = launches.map((launch) => ({
    label: launch.kernel,
    description: `line ${launch.range.start.line + 1}`,
    launch,
  }));
  return (await vscode.window.showQuickPick(items, { title: "Simulate which launch?", matchOnDescription: true }))
    ?.launch;
}

async function pickKernel(kernels: readonly Kernel[]): Promise<Kernel | undefined> {
  const items = kernels.map((kernel) => ({ label: kernel.name, description: kernel.summary, kernel }));
  return (await vscode.window.showQuickPick(items, { title: "Simulate which kernel?", matchOnDescription: true }))
    ?.kernel;
}
