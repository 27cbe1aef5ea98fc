// "Preview Melding": both versions of a branch side by side, as a diff with the figures of the check in its title, and
// what applies the one on the right.
//
// Rules    The edit belongs to one version of the text: for another one nothing is applied, and the user is told.
//          What the simulator refutes can be looked at and not applied.

import * as vscode from "vscode";
import type { CudaEditors } from "./cudaEditor";
import type { ServerController } from "./server/controller";
import { type Meld, Methods, type PlaceParams } from "./server/protocol";

export const MELD_SCHEME = "simt-lsp-meld";

export class MeldPreview implements vscode.Disposable, vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  /** The text of the right side by its URI, with the answer that it comes from. */
  private readonly shown = new Map<string, Meld>();
  private readonly subscriptions = [
    vscode.workspace.registerTextDocumentContentProvider(MELD_SCHEME, this),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      if (uri.scheme === MELD_SCHEME) this.shown.delete(uri.toString());
    }),
    this.changed,
  ];

  constructor(
    private readonly server: ServerController,
    private readonly editors: CudaEditors,
  ) {}

  dispose(): void {
    for (const one of this.subscriptions) one.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.shown.get(uri.toString())?.text ?? "";
  }

  /** Of the branch at a place, or in the line of the cursor. */
  async preview(given?: PlaceParams): Promise<void> {
    const client = this.server.running;
    if (client === undefined) {
      void vscode.window.showInformationMessage("The simt-lsp server is not running.");
      return;
    }
    const place = given ?? (await this.cursor((uri) => client.code2ProtocolConverter.asUri(uri)));
    if (place === undefined) return;
    let meld: Meld;
    try {
      meld = await client.sendRequest<Meld>(Methods.meld, place);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      void vscode.window.showInformationMessage(sentence(text.replace(/^simt\/meld:? /, "")));
      return;
    }
    if (meld.status === "stopped") return;
    if (meld.text === null || meld.title === null) {
      void vscode.window.showInformationMessage(sentence(`Not melded: ${meld.message ?? meld.status}`));
      return;
    }
    await this.show(client.protocol2CodeConverter.asUri(meld.uri), meld, meld.title);
  }

  /** Applies what an open preview shows; `uri` is its right side. */
  async apply(uri = vscode.window.activeTextEditor?.document.uri): Promise<void> {
    const meld = uri && this.shown.get(uri.toString());
    const client = this.server.running;
    if (uri === undefined || meld === undefined || client === undefined) return;
    if (!mayApply(meld)) {
      void vscode.window.showWarningMessage(sentence(`Not melded: ${meld.message ?? meld.status}`));
      return;
    }
    const document = await vscode.workspace.openTextDocument(client.protocol2CodeConverter.asUri(meld.uri));
    if (document.version !== meld.version) {
      const text = "The text changed after it was melded.";
      const pressed = await vscode.window.showWarningMessage(text, "Preview Again");
      if (pressed !== undefined) {
        await this.preview({ textDocument: { uri: meld.uri }, position: meld.range.start });
      }
      return;
    }
    const edit = new vscode.WorkspaceEdit();
    edit.set(document.uri, await client.protocol2CodeConverter.asTextEdits([...(meld.edits ?? [])]));
    if (!(await vscode.workspace.applyEdit(edit))) {
      void vscode.window.showWarningMessage("The editor did not apply the melding.");
      return;
    }
    await close(uri);
    await vscode.window.showTextDocument(document);
  }

  private async show(source: vscode.Uri, meld: Meld, title: string): Promise<void> {
    const right = source.with({ scheme: MELD_SCHEME, query: String(meld.range.start.line) });
    this.shown.set(right.toString(), meld);
    this.changed.fire(right);
    const document = await vscode.workspace.openTextDocument(right);
    await vscode.languages.setTextDocumentLanguage(document, "cuda-cpp");
    const { line, character } = meld.range.start;
    const place = new vscode.Position(line, character);
    await vscode.commands.executeCommand("vscode.diff", source, right, title, {
      selection: new vscode.Range(place, place),
    });
    void this.ask(meld, title, right);
  }

  private async ask(meld: Meld, title: string, right: vscode.Uri): Promise<void> {
    switch (meld.status) {
      case "confirmed":
        if (await vscode.window.showInformationMessage(confirmation(meld, title), APPLY)) await this.apply(right);
        return;
      case "not-checked":
        if (await vscode.window.showWarningMessage(`${title}.`, APPLY_UNCHECKED)) await this.apply(right);
        return;
      default:
        void vscode.window.showWarningMessage(`${title}.`);
    }
  }

  private async cursor(uriOf: (uri: vscode.Uri) => string): Promise<PlaceParams | undefined> {
    const editor = await this.editors.forCommand();
    if (editor === undefined) return undefined;
    const { line, character } = editor.selection.active;
    return { textDocument: { uri: uriOf(editor.document.uri) }, position: { line, character } };
  }
}

const APPLY = "Apply";
const APPLY_UNCHECKED = "Apply Unchecked";

function mayApply(meld: Meld): boolean {
  return meld.status === "confirmed" || meld.status === "not-checked";
}

/** With the policies that were compared, and those that were left out. */
function confirmation(meld: Meld, title: string): string {
  return meld.message === null ? `${title}.` : `${title}. ${sentence(meld.message)}`;
}

async function close(right: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const previews = tabs.filter(
    ({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === right.toString(),
  );
  await vscode.window.tabGroups.close(previews);
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
