// Where VS Code enters: the parts are made, wired to each other and to their commands, and the server is started.
//
// Rules    Starting never touches the network.  A start that fails says so once, with what can be done, and then stays
//          visible in the status bar.

import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { CudaEditors } from "./cudaEditor";
import { tell } from "./failure";
import { HeatMap } from "./heatMap";
import { Inspections } from "./inspect";
import { KernelTable } from "./kernels";
import { Legend } from "./legend";
import { MeldPreview } from "./meld";
import { showMenu } from "./menu";
import { bundleOf } from "./python/bundle";
import { PrivateEnvironment } from "./python/environment";
import { makeClient } from "./server/client";
import { ServerController } from "./server/controller";
import {
  Commands,
  type Kernels,
  MELD_PREVIEW_COMMAND,
  Methods,
  type PlaceParams,
  type SimulateParams,
  type Simulation,
} from "./server/protocol";
import type { Manifest } from "./settings";
import { SetUp } from "./setUp";
import { LaunchMemory } from "./simulation/launchMemory";
import { Simulations, type Target } from "./simulation/simulate";
import { MENU_COMMAND, StatusItem } from "./status";
import { Panels } from "./view/panels";

let server: ServerController | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("simt-lsp", { log: true });
  context.subscriptions.push(log);
  try {
    await start(context, log);
  } catch (error) {
    log.error(error instanceof Error ? error : String(error));
    const text = `simt-lsp could not be started: ${error instanceof Error ? error.message : String(error)}`;
    void vscode.window.showErrorMessage(text, "Show Log").then((pressed) => {
      if (pressed !== undefined) log.show();
    });
    throw error;
  }
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

async function start(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Promise<void> {
  const { extensionPath } = context;
  const environment = new PrivateEnvironment(context.globalStorageUri.fsPath, bundleOf(extensionPath));
  const kernels = new KernelTable();
  const heatMap = new HeatMap();
  const panels = new Panels(extensionPath);
  const legend = new Legend(context.globalState, panels);
  context.subscriptions.push(
    legend,
    heatMap.onDidDraw((place) => {
      legend.drawn(place);
    }),
  );
  const editors = new CudaEditors();
  const controller = new ServerController({
    extensionPath,
    environment,
    log,
    makeClient: (launch, errors) => {
      const client = makeClient(launch, {
        manifest: context.extension.packageJSON as Manifest,
        log,
        errors,
        runCommand,
        tinted: (uri, tokens, modifiers) => {
          legend.tinted(uri, tokens, modifiers);
        },
      });
      listen(client, kernels, (uri, said) => {
        heatMap.update(uri, said);
        simulations.goesOn(uri, said);
      });
      return client;
    },
  });
  server = controller;
  const setUp = new SetUp(extensionPath, environment, log, () => controller.restart());
  const memory = new LaunchMemory(context.workspaceState);
  const simulations = new Simulations(controller, kernels, memory, panels, editors, (why) => setUp.offer(why));
  const inspections = new Inspections(controller, panels, editors);
  const melds = new MeldPreview(controller, editors);
  const status = new StatusItem(controller, kernels);
  context.subscriptions.push(editors, kernels, heatMap, panels, inspections, melds, controller, status);

  /** The lenses name the server's commands; the extension shows their answers in its own views. */
  function runCommand(command: string, args: unknown[], next: (command: string, args: unknown[]) => unknown): unknown {
    if (command === Commands.simulate) return simulate(args[0] as SimulateParams);
    if (command === Commands.explain)
      return inspections.explain(vscode.Uri.parse(args[0] as string), args[1] as number);
    return next(command, args);
  }

  /** A place without a kernel is that of a launch. */
  function simulate({ kernel, position, textDocument }: SimulateParams): Promise<void> {
    const uri = vscode.Uri.parse(textDocument.uri);
    if (position === undefined) return simulations.simulate();
    return kernel === undefined
      ? simulations.simulateLaunch({ uri, position })
      : simulations.simulate({ uri, kernel, position });
  }

  controller.onDidChange((state) => {
    if (state.kind !== "running") {
      kernels.clear();
      heatMap.clear();
    }
    if (state.kind === "failed") void tell(state.problem);
  });

  const commands: Readonly<Record<string, (...args: never[]) => unknown>> = {
    "simt-lsp.simulate": (target?: Target) => simulations.simulate(target),
    "simt-lsp.simulateWith": (target?: Target) => simulations.simulateWith(target),
    "simt-lsp.explain": () => inspections.explain(),
    "simt-lsp.explainExactly": () => inspections.explainExactly(),
    "simt-lsp.showGraph": () => inspections.graph(),
    "simt-lsp.showVectors": () => inspections.vectors(),
    "simt-lsp.meldPreview": () => melds.preview(),
    "simt-lsp.meldApply": (uri?: vscode.Uri) => melds.apply(uri),
    [MELD_PREVIEW_COMMAND]: (place: PlaceParams) => melds.preview(place),
    "simt-lsp.showLegend": () => {
      legend.show();
    },
    "simt-lsp.restart": () => controller.restart(),
    "simt-lsp.showLog": () => {
      log.show();
    },
    "simt-lsp.setUp": () => setUp.offer("Set up simt-lsp's own Python environment?"),
    "simt-lsp.selectInterpreter": () => setUp.selectInterpreter(),
    "simt-lsp.openExample": (name?: unknown) => openExample(extensionPath, name),
    [MENU_COMMAND]: () => showMenu(controller.state),
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  }
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => {
      const paths = ["simt-lsp.server.path", "simt-lsp.interpreter"];
      if (paths.some((name) => event.affectsConfiguration(name))) void controller.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void controller.restart()),
  );
  await controller.restart();
}

function listen(
  client: LanguageClient,
  kernels: KernelTable,
  simulated: (uri: vscode.Uri, said: Simulation) => void,
): void {
  const uriOf = (uri: string) => client.protocol2CodeConverter.asUri(uri);
  client.onNotification(Methods.kernels, (said: Kernels) => {
    kernels.update(uriOf(said.uri), said);
  });
  client.onNotification(Methods.simulation, (said: Simulation) => {
    simulated(uriOf(said.uri), said);
  });
}

/** The examples of the walkthrough: a file, and the place where there is something to ask. */
const EXAMPLES = {
  "three-branches": { file: "example.cu", place: "state[i] > 0" },
  "two-arms": { file: "meld.cu", place: "if (from_left)" },
} as const;

/** As a document that is nobody's file, with the cursor at its place; the first one unless named. */
async function openExample(extensionPath: string, name?: unknown): Promise<void> {
  const { file, place } = EXAMPLES[name === "two-arms" ? name : "three-branches"];
  const content = await fs.readFile(path.join(extensionPath, "walkthrough", file), "utf8");
  const opened = vscode.workspace.textDocuments.find(
    (document) => document.isUntitled && !document.isClosed && document.getText() === content,
  );
  const document = opened ?? (await vscode.workspace.openTextDocument({ language: "cuda-cpp", content }));
  const start = document.positionAt(content.lastIndexOf(place));
  const selection = new vscode.Range(start, start);
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.One, selection });
}
