// "Explain Divergence Here", "Explain Exactly Here", "Show Control-Flow Graph" and "Show as Vectors and Masks": ask the
// server about the cursor's place, show the answer.

import * as vscode from "vscode";
import type { CudaEditors } from "./cudaEditor";
import type { ServerController } from "./server/controller";
import { type Explanation, type Graph, Methods, type Vectors } from "./server/protocol";
import { explanationBody } from "./view/explanation";
import type { PanelKind, Panels } from "./view/panels";
import { vectorsBody } from "./view/vectors";

export class Inspections implements vscode.Disposable {
  private readonly subscription = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
    if (contentChanges.length > 0) this.markStale(document.uri);
  });

  constructor(
    private readonly server: ServerController,
    private readonly panels: Panels,
    private readonly editors: CudaEditors,
  ) {}

  dispose(): void {
    this.subscription.dispose();
  }

  /** `line` counts from 1, as in the arguments of the server's command. */
  async explain(uri?: vscode.Uri, line?: number): Promise<void> {
    const place =
      uri === undefined || line === undefined
        ? await this.cursor()
        : { uri, position: new vscode.Position(line - 1, 0) };
    if (place === undefined) return;
    await this.explainAt(place, false);
  }

  /** Follows all paths of two threads, and draws what was looked at. */
  async explainExactly(): Promise<void> {
    const place = await this.cursor();
    if (place !== undefined) await this.explainAt(place, true);
  }

  private async explainAt(place: Place, exact: boolean): Promise<void> {
    const explanation = await this.ask<Explanation>(Methods.explain, place, exact ? { exact, drawings: true } : {});
    if (explanation === undefined) return;
    const subject = explanation?.function ?? explanation?.items[0]?.what; // of a launch, what is launched
    if (explanation === null || subject === undefined) {
      void vscode.window.showInformationMessage(NOT_EXPLAINED);
      return;
    }
    this.show("explanation", place, subject, {
      title: `Line ${explanation.line} explained${exact ? " exactly" : ""}`,
      body: explanationBody(explanation, place.uri),
      again: () => this.explainAt(place, exact),
    });
  }

  async graph(given?: Place): Promise<void> {
    const place = given ?? (await this.cursor());
    if (place === undefined) return;
    const graph = await this.ask<Graph>(Methods.graph, place, { format: "svg" });
    if (graph === undefined) return;
    if (graph === null) {
      void vscode.window.showInformationMessage(NOT_THERE);
      return;
    }
    this.show("graph", place, graph.kernel, {
      title: `${graph.kernel} – control flow`,
      body: `<div class="graph">${graph.content}</div>`,
      again: () => this.graph(place),
    });
  }

  async vectors(given?: Place): Promise<void> {
    const place = given ?? (await this.cursor());
    if (place === undefined) return;
    const view = await this.ask<Vectors>(Methods.vectors, place);
    if (view === undefined) return;
    if (view === null) {
      void vscode.window.showInformationMessage(NOT_THERE);
      return;
    }
    this.show("vectors", place, view.kernel, {
      title: `${view.kernel} – vectors and masks`,
      body: vectorsBody(view),
      again: () => this.vectors(place),
    });
  }

  private show(kind: PanelKind, place: Place, subject: string, view: View): void {
    const renew = () => void view.again();
    const { title, body } = view;
    this.panels.show(kind, { title, body, styles: [], scripts: [], uri: place.uri, subject, stale: false, renew });
  }

  /** undefined without a server, of which the user is told. */
  private async ask<Answer>(method: string, place: Place, more: object = {}): Promise<Answer | null | undefined> {
    const client = this.server.running;
    if (client === undefined) {
      void vscode.window.showInformationMessage("The simt-lsp server is not running.");
      return undefined;
    }
    const { line, character } = place.position;
    const textDocument = { uri: client.code2ProtocolConverter.asUri(place.uri) };
    return client.sendRequest<Answer | null>(method, { ...more, textDocument, position: { line, character } });
  }

  private async cursor(): Promise<Place | undefined> {
    const editor = await this.editors.forCommand();
    return editor && { uri: editor.document.uri, position: editor.selection.active };
  }

  private markStale(changed: vscode.Uri): void {
    for (const kind of ["explanation", "graph", "vectors"] as const) {
      if (this.panels.shown(kind)?.uri.toString() === changed.toString()) this.panels.setStale(kind, true);
    }
  }
}

export interface Place {
  readonly uri: vscode.Uri;
  readonly position: vscode.Position;
}

interface View {
  readonly title: string;
  readonly body: string;
  readonly again: () => Promise<void>;
}

const NOT_THERE = "Put the cursor into a kernel or a device function first.";
const NOT_EXPLAINED = "Put the cursor into a kernel or a device function, or on a launch, first.";
