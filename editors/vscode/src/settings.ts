// The settings of the section `simt-lsp`: the few that the extension itself reads, and what is passed to the server.

import * as os from "node:os";
import * as vscode from "vscode";

export const SECTION = "simt-lsp";

/** Settings of the extension; the server ignores them. */
const OURS = new Set([
  "server.path",
  "interpreter",
  "trace.server",
  "heatMap",
  "semanticTokens",
  "workspaceDiagnostics",
]);

const CPP_EXTENSIONS = ["llvm-vs-code-extensions.vscode-clangd", "ms-vscode.cpptools"];

export type HeatMapMode = "off" | "bars" | "figures";

/** The command or interpreter that the user names; empty when there is none.  VS Code withholds both from us in an
 *  untrusted workspace when the workspace set them (`restrictedConfigurations` in package.json). */
export function pathSetting(name: "server.path" | "interpreter"): string {
  return expandHome(read<string>(name, "").trim());
}

export function heatMapMode(): HeatMapMode {
  return read<HeatMapMode>("heatMap", "bars");
}

/** Whether VS Code asks for the findings of all files, which it then does again and again. */
export function workspaceDiagnostics(): boolean {
  return read<boolean>("workspaceDiagnostics", false);
}

/** What the user set, by the server's names, without defaults: a default must not win against `.simt.toml`. */
export function serverSettings(manifest: Manifest, scope: vscode.Uri | undefined): Record<string, unknown> {
  const section = vscode.workspace.getConfiguration(undefined, scope ?? null);
  const settings: Record<string, unknown> = {};
  for (const key of manifest.contributes.configuration.flatMap((group) => Object.keys(group.properties))) {
    const name = key.slice(SECTION.length + 1);
    if (OURS.has(name)) continue;
    const found = section.inspect<unknown>(key);
    const value = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
    if (value !== undefined) put(settings, name.split("."), value);
  }
  const tokens = semanticTokens(section.get<string>(`${SECTION}.semanticTokens`, "auto"));
  return tokens === undefined ? settings : { ...settings, semanticTokens: tokens };
}

/** `auto` is off beside a C++ extension that colours CUDA itself: VS Code shows the tokens of one extension only. */
function semanticTokens(mode: string): boolean | undefined {
  if (mode !== "auto") return mode === "on";
  return CPP_EXTENSIONS.some((id) => vscode.extensions.getExtension(id) !== undefined) ? false : undefined;
}

/** The part of package.json that says which settings there are. */
export interface Manifest {
  readonly contributes: { readonly configuration: readonly { readonly properties: Record<string, unknown> }[] };
}

function put(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const inner = (target[name] ?? {}) as Record<string, unknown>;
  target[name] = inner;
  put(inner, rest, value);
}

function read<T>(name: string, otherwise: T): T {
  return vscode.workspace.getConfiguration(SECTION).get<T>(name, otherwise);
}

function expandHome(path: string): string {
  return /^~(?=$|[\\/])/.test(path) ? os.homedir() + path.slice(1) : path;
}
