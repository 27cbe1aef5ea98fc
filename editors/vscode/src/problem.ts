// Something that keeps the server from running, with what the user can do about it.

/** A button under a message. */
export interface Remedy {
  readonly title: string;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

export interface Problem {
  /** One or two sentences: what is wrong, and what would help. */
  readonly text: string;
  /** For the log: what was tried. */
  readonly details: readonly string[];
  readonly remedies: readonly Remedy[];
}

export const SHOW_LOG: Remedy = { title: "Show Log", command: "simt-lsp.showLog" };
export const RESTART: Remedy = { title: "Restart Server", command: "simt-lsp.restart" };
export const SET_UP: Remedy = { title: "Set Up…", command: "simt-lsp.setUp" };
export const SELECT_INTERPRETER: Remedy = { title: "Select Python…", command: "simt-lsp.selectInterpreter" };
export const GET_PYTHON: Remedy = {
  title: "Get Python",
  command: "vscode.open",
  arguments: ["https://www.python.org/downloads/"],
};

export function settingsRemedy(name: string): Remedy {
  return { title: "Open Setting", command: "workbench.action.openSettings", arguments: [`simt-lsp.${name}`] };
}
