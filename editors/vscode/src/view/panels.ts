// The views beside the editor: one panel each for reports, explanations and graphs, used again for the next one.

import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import { type PageParts, page } from "./page";

export type PanelKind = "report" | "explanation" | "graph" | "vectors" | "legend";

/** What a panel shows; `uri` is the document that its line numbers belong to. */
export interface Content extends PageParts {
  readonly uri: vscode.Uri;
  /** The kernel or function it is about. */
  readonly subject: string;
  /** Whether the text has changed since. */
  readonly stale: boolean;
  /** Runs when the user presses the button in the banner of a stale view. */
  readonly renew: () => void;
}

/** What a page may ask for; see media/panel.js. */
type Message =
  | { readonly kind: "reveal"; readonly uri: string | null; readonly line: number; readonly character: number }
  | { readonly kind: "renew" };

export class Panels implements vscode.Disposable {
  private readonly open = new Map<PanelKind, { readonly panel: vscode.WebviewPanel; content: Content }>();
  private readonly style: string;
  private readonly script: string;

  constructor(extensionPath: string) {
    this.style = fs.readFileSync(path.join(extensionPath, "media", "panel.css"), "utf8");
    this.script = fs.readFileSync(path.join(extensionPath, "media", "panel.js"), "utf8");
  }

  /** Without `reveal`, a panel that is behind others stays there. */
  show(kind: PanelKind, content: Content, { reveal }: { reveal: boolean } = { reveal: true }): void {
    const known = this.open.get(kind);
    const entry = known ?? { panel: this.make(kind, content.title), content };
    const isNew = entry.content.body !== content.body || known === undefined;
    entry.content = content;
    entry.panel.title = content.title;
    if (isNew)
      entry.panel.webview.html = page({
        title: content.title,
        body: `${BANNER}\n${content.body}`,
        styles: [this.style, ...content.styles],
        scripts: [this.script, ...content.scripts],
      });
    this.tell(kind, content.stale);
    if (known === undefined) this.open.set(kind, entry);
    else if (reveal) entry.panel.reveal(undefined, true);
  }

  /** What `kind` shows at the moment. */
  shown(kind: PanelKind): Content | undefined {
    return this.open.get(kind)?.content;
  }

  /** Show or hide the banner that says that the text has changed. */
  setStale(kind: PanelKind, stale: boolean): void {
    const entry = this.open.get(kind);
    if (entry === undefined || entry.content.stale === stale) return;
    entry.content = { ...entry.content, stale };
    this.tell(kind, stale);
  }

  dispose(): void {
    for (const { panel } of this.open.values()) panel.dispose();
  }

  private make(kind: PanelKind, title: string): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel(
      `simt-lsp.${kind}`,
      title,
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, enableCommandUris: false, localResourceRoots: [], retainContextWhenHidden: true },
    );
    panel.onDidDispose(() => this.open.delete(kind));
    panel.webview.onDidReceiveMessage((message: Message) => {
      this.received(kind, message);
    });
    return panel;
  }

  private tell(kind: PanelKind, stale: boolean): void {
    void this.open.get(kind)?.panel.webview.postMessage({ kind: "stale", stale });
  }

  private received(kind: PanelKind, message: Message): void {
    const content = this.open.get(kind)?.content;
    if (content === undefined) return;
    if (message.kind === "renew") content.renew();
    else {
      const uri = message.uri === null ? content.uri : vscode.Uri.parse(message.uri);
      void reveal(uri, new vscode.Position(message.line, message.character));
    }
  }
}

/** Shows a place in the editor that has the document already, or in the first column. */
export async function reveal(uri: vscode.Uri, position: vscode.Position): Promise<void> {
  const shown = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString());
  await vscode.window.showTextDocument(uri, {
    viewColumn: shown?.viewColumn ?? vscode.ViewColumn.One,
    selection: new vscode.Range(position, position),
  });
}

const BANNER = `<div class="stale-banner" role="status" hidden>
<span>The text has changed since; this is what held before.</span> <button type="button">Update</button>
</div>`;
