// Lines in which lanes were lost: a bar in the gutter as full as the warps were, colour in the overview ruler.
//
// Rules    The server says which lines, after each simulation and each edit; a stale result has no lines.  Where nearly
//          all lanes worked there is no bar, only the hover: what is calm looks calm.
//          The fuller the bar, the more lanes worked: the figure does not rest on colour alone.
//          No blue, green or red: those are the editor's own for lines that were modified, added and removed.

import * as vscode from "vscode";
import type { Simulation } from "./server/protocol";
import { type HeatMapMode, heatMapMode } from "./settings";

interface Level {
  /** Active lanes from here on, as a share. */
  readonly least: number;
  /** Of the bar; none where no lanes are lost. */
  readonly colours: Colours | undefined;
}

interface Colours {
  readonly dark: string;
  readonly light: string;
  /** The colour in the overview ruler. */
  readonly ruler: string;
}

/** From sand to vermillion: the fewer lanes, the more colour. */
const LEVELS: readonly Level[] = [
  { least: 0.95, colours: undefined },
  { least: 0.75, colours: { dark: "#b5a88a", light: "#857a5e", ruler: "simtLsp.heat.low" } },
  { least: 0.5, colours: { dark: "#d9ae5c", light: "#96701a", ruler: "simtLsp.heat.medium" } },
  { least: 0.25, colours: { dark: "#f0a04b", light: "#ad5f0c", ruler: "simtLsp.heat.high" } },
  { least: 0, colours: { dark: "#ff8f4d", light: "#c94f00", ruler: "simtLsp.heat.highest" } },
];

/** A line of a document, from 0. */
export interface Place {
  readonly uri: vscode.Uri;
  readonly line: number;
}

export class HeatMap implements vscode.Disposable {
  private readonly types = LEVELS.map((level) => decorationType(level));
  private readonly simulations = new Map<string, Simulation>();
  private readonly firstBar = new vscode.EventEmitter<Place>();
  /** Where the first bar of a document stands, each time that bars are drawn. */
  readonly onDidDraw = this.firstBar.event;
  private readonly subscriptions = [
    this.firstBar,
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
      const bars = levels.filter((_, at) => LEVELS[at]?.colours !== undefined).flat();
      const lines = bars.map(({ range }) => range.start.line);
      if (lines.length > 0) this.firstBar.fire({ uri: editor.document.uri, line: Math.min(...lines) });
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
  const { least, colours } = level;
  return vscode.window.createTextEditorDecorationType({
    ...(colours === undefined
      ? {}
      : {
          dark: { gutterIconPath: bar(least, colours.dark) },
          light: { gutterIconPath: bar(least, colours.light) },
          gutterIconSize: "contain",
          overviewRulerLane: vscode.OverviewRulerLane.Left,
          overviewRulerColor: new vscode.ThemeColor(colours.ruler),
        }),
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
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
