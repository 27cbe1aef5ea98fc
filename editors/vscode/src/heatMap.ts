// Lines tinted by what ran there: a bar in the gutter as full as the warps were, colour in the overview ruler.
//
// Rules    The server says which lines, after each simulation and each edit; a stale result has no lines.
//          The fuller the bar, the more lanes worked: the figure does not rest on colour alone.

import * as vscode from "vscode";
import type { Simulation } from "./server/protocol";
import { type HeatMapMode, heatMapMode } from "./settings";

interface Level {
  /** Active lanes from here on, as a share. */
  readonly least: number;
  readonly dark: string;
  readonly light: string;
  /** In the overview ruler; lines without loss do not appear there. */
  readonly ruler: string | undefined;
}

/** From orange to blue, as in the report. */
const LEVELS: readonly Level[] = [
  { least: 0.95, dark: "#63b3f2", light: "#0067a8", ruler: undefined },
  { least: 0.75, dark: "#9fb3c4", light: "#5b6f87", ruler: "simtLsp.heat.low" },
  { least: 0.5, dark: "#cfab87", light: "#8a6a4a", ruler: "simtLsp.heat.medium" },
  { least: 0.25, dark: "#eb9c63", light: "#ad5a1c", ruler: "simtLsp.heat.high" },
  { least: 0, dark: "#ff8f4d", light: "#c94f00", ruler: "simtLsp.heat.highest" },
];

export class HeatMap implements vscode.Disposable {
  private readonly types = LEVELS.map((level) => decorationType(level));
  private readonly simulations = new Map<string, Simulation>();
  private readonly subscriptions = [
    vscode.window.onDidChangeVisibleTextEditors(() => {
      this.draw();
    }),
    vscode.workspace.onDidCloseTextDocument((document) => this.simulations.delete(document.uri.toString())),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("simt-lsp.heatMap")) this.draw();
    }),
  ];

  /** What the server says about a document now. */
  update(uri: vscode.Uri, simulation: Simulation): void {
    this.simulations.set(uri.toString(), simulation);
    this.draw();
  }

  /** The server is gone, and what it knew with it. */
  clear(): void {
    this.simulations.clear();
    this.draw();
  }

  dispose(): void {
    for (const disposable of [...this.types, ...this.subscriptions]) disposable.dispose();
  }

  private draw(): void {
    const mode = heatMapMode();
    for (const editor of vscode.window.visibleTextEditors) {
      const simulation = this.simulations.get(editor.document.uri.toString());
      const levels = LEVELS.map((): vscode.DecorationOptions[] => []);
      if (mode !== "off" && simulation !== undefined) collect(simulation, mode, levels);
      this.types.forEach((type, at) => {
        editor.setDecorations(type, levels[at] ?? []);
      });
    }
  }
}

function collect(simulation: Simulation, mode: HeatMapMode, levels: readonly vscode.DecorationOptions[][]): void {
  for (const kernel of simulation.kernels) {
    for (const { range, simdEfficiency, share, text } of kernel.lines) {
      const at = LEVELS.findIndex(({ least }) => simdEfficiency >= least);
      const figures = `${percent(simdEfficiency)} of lanes · ${percent(share)} of the instructions`;
      levels[at]?.push({
        range: new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character),
        hoverMessage: `${kernel.kernel} simulated ${kernel.interim ? "so far " : ""}(${kernel.policy}): ${text}`,
        ...(mode === "figures" ? { renderOptions: { after: { contentText: figures } } } : {}),
      });
    }
  }
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function decorationType(level: Level): vscode.TextEditorDecorationType {
  const { dark, light, ruler } = level;
  return vscode.window.createTextEditorDecorationType({
    dark: { gutterIconPath: bar(level.least, dark) },
    light: { gutterIconPath: bar(level.least, light) },
    gutterIconSize: "contain",
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    ...(ruler === undefined ? {} : { overviewRulerColor: new vscode.ThemeColor(ruler) }),
    after: {
      margin: "0 0 0 2.5em",
      color: new vscode.ThemeColor("editorCodeLens.foreground"),
      fontStyle: "normal",
    },
  });
}

/** A bar from the bottom of the line, as high as the share of lanes (in steps of the levels). */
function bar(least: number, colour: string): vscode.Uri {
  const height = Math.round(16 * Math.min(1, least + 0.2));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16"><rect x="6" y="0" width="4" height="16" rx="1" fill="${colour}" fill-opacity="0.25"/><rect x="6" y="${16 - height}" width="4" height="${height}" rx="1" fill="${colour}"/></svg>`;
  return vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`);
}
