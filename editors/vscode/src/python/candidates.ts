// The interpreters that may run the server, the best first.
//
// Order    `simt-lsp.interpreter`, and then nothing else: who names one wants that one.  Otherwise the private
//          environment that the user had us make, the interpreter chosen in the Python extension, python3, python, py.
// Trust    In a workspace that is not trusted, the Python extension's choice may point into the workspace: it is left
//          out.  The settings are withheld by VS Code itself.

import * as vscode from "vscode";
import { pathSetting } from "../settings";
import type { PrivateEnvironment } from "./environment";

export interface Candidate {
  readonly command: readonly [string, ...string[]];
  /** Where it comes from, for messages. */
  readonly origin: "setting" | "private environment" | "Python extension" | "PATH";
}

export async function candidates(environment: PrivateEnvironment): Promise<readonly Candidate[]> {
  const chosen = pathSetting("interpreter");
  if (chosen !== "") return [{ command: [chosen], origin: "setting" }];
  const found: Candidate[] = [];
  if (environment.exists()) found.push({ command: [environment.python], origin: "private environment" });
  return [...found, ...(await othersThanOurs())];
}

/** What a private environment can be made with. */
export async function othersThanOurs(): Promise<readonly Candidate[]> {
  const chosen = pathSetting("interpreter");
  if (chosen !== "") return [{ command: [chosen], origin: "setting" }];
  const selected = vscode.workspace.isTrusted ? await pythonExtensionChoice() : undefined;
  const found: Candidate[] = selected === undefined ? [] : [{ command: [selected], origin: "Python extension" }];
  const names: readonly (readonly [string, ...string[]])[] =
    process.platform === "win32" ? [["py", "-3"], ["python"], ["python3"]] : [["python3"], ["python"]];
  return [...found, ...names.map((command): Candidate => ({ command, origin: "PATH" }))];
}

/** The two calls of the Python extension's public interface that we need. */
interface PythonExtension {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(path: {
      readonly path: string;
    }): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
  };
}

async function pythonExtensionChoice(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  if (extension === undefined) return undefined;
  try {
    const { environments } = await extension.activate();
    const resource = vscode.workspace.workspaceFolders?.[0]?.uri;
    const resolved = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(resource));
    return resolved?.executable.uri?.fsPath;
  } catch {
    return undefined; // its interface is not ours to repair; python3 on the PATH comes next
  }
}
