// What tint, italics and bars mean: a sentence behind the first line that shows one, once, and a view with all of it.
//
// Rules    Each sentence is shown where its subject is seen first, in one document, until that is hidden, changed in that
//          line or the legend is opened; then never again on this machine.  Nothing pops up.

import * as vscode from "vscode";
import type { Place } from "./heatMap";
import type { Panels } from "./view/panels";

type Subject = "tint" | "italics" | "bars";

const SENTENCES: Readonly<Record<Subject, string>> = {
  tint: "tinted: differs between threads",
  italics: "italics: only a part of the warp may run this",
  bars: "the emptier the bar, the more lanes idled",
};
const SUBJECTS = Object.keys(SENTENCES) as readonly Subject[];
const COMMAND = "simt-lsp.showLegend";
const WHERE_TO_READ_MORE = "· SIMT: Show Legend";

export class Legend implements vscode.Disposable {
  private readonly places = new Map<Subject, Place>();
  private readonly type = vscode.window.createTextEditorDecorationType({
    after: {
      margin: "0 0 0 2.5em",
      color: new vscode.ThemeColor("editorCodeLens.foreground"),
      fontStyle: "normal",
    },
  });
  private readonly subscriptions = [
    vscode.window.onDidChangeVisibleTextEditors((editors) => {
      const visible = new Set(editors.map(({ document }) => document.uri.toString()));
      this.forget(({ uri }) => !visible.has(uri.toString()));
    }),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const touched = (line: number) => contentChanges.some(({ range }) => range.start.line <= line);
      this.forget(({ uri, line }) => uri.toString() === document.uri.toString() && touched(line));
    }),
  ];

  constructor(
    private readonly memory: vscode.Memento,
    private readonly panels: Panels,
  ) {}

  dispose(): void {
    for (const disposable of [this.type, ...this.subscriptions]) disposable.dispose();
  }

  /** Shows all of it, beside the editor. */
  show(): void {
    for (const subject of SUBJECTS) void this.memory.update(key(subject), true);
    this.places.clear();
    this.draw();
    const uri = vscode.window.activeTextEditor?.document.uri ?? vscode.Uri.parse("simt-lsp:legend");
    const renew = () => undefined;
    this.panels.show("legend", {
      title: "SIMT: legend",
      body: BODY,
      styles: [],
      scripts: [],
      uri,
      subject: "",
      stale: false,
      renew,
    });
  }

  /** Names of a document were tinted. */
  tinted(uri: vscode.Uri, tokens: vscode.SemanticTokens, modifiers: readonly string[]): void {
    this.seen("tint", uri, firstLine(tokens, modifiers, ["affine", "varying"]));
    this.seen("italics", uri, firstLine(tokens, modifiers, ["splitBlock"]));
  }

  /** Bars were drawn; the first of them is here. */
  drawn({ uri, line }: Place): void {
    this.seen("bars", uri, line);
  }

  private seen(subject: Subject, uri: vscode.Uri, line: number | undefined): void {
    if (line === undefined || this.memory.get(key(subject)) === true) return;
    const isVisible = vscode.window.visibleTextEditors.some(({ document }) => isSame(document.uri, uri));
    if (!isVisible) return;
    void this.memory.update(key(subject), true);
    this.places.set(subject, { uri, line });
    this.draw();
  }

  private forget(isOver: (place: Place) => boolean): void {
    const over = [...this.places].filter(([, place]) => isOver(place));
    if (over.length === 0) return;
    for (const [subject] of over) this.places.delete(subject);
    this.draw();
  }

  private draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const here = [...this.places].filter(([, { uri }]) => isSame(uri, editor.document.uri));
      const lines = new Map<number, string[]>();
      for (const [subject, { line }] of here) lines.set(line, [...(lines.get(line) ?? []), SENTENCES[subject]]);
      editor.setDecorations(
        this.type,
        [...lines].map(([line, sentences]) => ({
          range: endOf(editor.document, line),
          hoverMessage: hover(),
          renderOptions: { after: { contentText: `${sentences.join(" · ")} ${WHERE_TO_READ_MORE}` } },
        })),
      );
    }
  }
}

function key(subject: Subject): string {
  return `legend.${subject}`;
}

function isSame(one: vscode.Uri, other: vscode.Uri): boolean {
  return one.toString() === other.toString();
}

function endOf(document: vscode.TextDocument, line: number): vscode.Range {
  const { end } = document.lineAt(Math.min(line, document.lineCount - 1)).range;
  return new vscode.Range(end, end);
}

function hover(): vscode.MarkdownString {
  const text = new vscode.MarkdownString(`[What tint, italics and bars mean](command:${COMMAND})`);
  text.isTrusted = { enabledCommands: [COMMAND] };
  return text;
}

/** The line of the first token that has one of these modifiers; tokens are five numbers each, relative to the last. */
function firstLine(
  tokens: vscode.SemanticTokens,
  modifiers: readonly string[],
  wanted: readonly string[],
): number | undefined {
  const mask = modifiers.reduce((bits, name, at) => (wanted.includes(name) ? bits | (1 << at) : bits), 0);
  let line = 0;
  for (let at = 0; at + 4 < tokens.data.length; at += 5) {
    line += tokens.data[at] ?? 0;
    if (((tokens.data[at + 4] ?? 0) & mask) !== 0) return line;
  }
  return undefined;
}

const BODY = `<main class="explanation legend">
<h1>What the marks mean</h1>
<h2>Tint and italics</h2>
<dl>
<dt><span class="sample affine">affine</span></dt>
<dd>The value differs from thread to thread by a fixed step, as <code>threadIdx.x</code> and what is computed from it.</dd>
<dt><span class="sample varying">varying</span></dt>
<dd>The value differs between the threads of a warp in a way that is not known, as what is loaded from memory. The
keyword of a branch has this tint where the lanes of any warp may go different ways; that of a bounds check, at which few
warps split, has none.</dd>
<dt><span class="sample italics">italics</span></dt>
<dd>This stands in code that only a part of a warp may run, and more than bounds checks decide which: those of
<code>if (i &lt; n)</code> split few warps.</dd>
<dt>no tint</dt>
<dd>One value for the whole warp, or nothing is known that a name could be tinted for.</dd>
</dl>
<h2>Bars in the gutter</h2>
<dl>
<dt><span class="bar most"></span> <span class="bar half"></span> <span class="bar few"></span></dt>
<dd>After a simulation, beside the lines where lanes were lost: the bar is as full as the warps were. Lines where
nearly all lanes worked have none. The same colours are in the ruler at the right edge. Edits that change what ran remove
them.</dd>
</dl>
<h2>Words</h2>
<dl>
<dt>behind a declaration</dt>
<dd>How the value depends on the thread, where the declaration does not say it: <code>4·tid + n</code>, where
<code>tid</code> is <code>threadIdx.x</code>.</dd>
<dt>behind an access</dt>
<dd>Sectors of 32 bytes that one warp moves, and how many would do; for shared memory, how often it passes over the
banks.</dd>
<dt>above a kernel</dt>
<dd>What was found in it, and what the last simulation counted.</dd>
</dl>
<p class="quiet">Settings: <code>simt-lsp.semanticTokens</code>, <code>simt-lsp.heatMap</code>,
<code>editor.semanticTokenColorCustomizations</code>.</p>
</main>`;
