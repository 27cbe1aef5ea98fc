// "Simulate with…": a list of what can be chosen about a launch; picking a line asks for its value and comes back.

import * as vscode from "vscode";
import type { Kernel, LaunchOptions } from "../server/protocol";
import { argumentField, FIELDS, type Field } from "./launchFields";

type Item = vscode.QuickPickItem & { readonly action: Field | "run" | "forget" };

/** The options that the user ends up with, or undefined if it was cancelled. */
export async function askForLaunch(kernel: Kernel, remembered: LaunchOptions): Promise<LaunchOptions | undefined> {
  let options = remembered;
  for (;;) {
    const picked = await vscode.window.showQuickPick(items(kernel, options), {
      title: `Simulate ${kernel.name} with…`,
      placeHolder: "Choose what to change, then Run. What is not set is chosen and listed in the report.",
      matchOnDescription: true,
      ignoreFocusOut: true,
    });
    if (picked === undefined) return undefined;
    if (picked.action === "run") return options;
    options = picked.action === "forget" ? {} : await ask(picked.action, options);
  }
}

async function ask(field: Field, options: LaunchOptions): Promise<LaunchOptions> {
  const text = await vscode.window.showInputBox({
    title: `${field.label}: ${field.hint}`,
    value: field.read(options),
    prompt: `For example ${field.placeholder}. Leave empty to let simt-lsp choose.`,
    ignoreFocusOut: true,
    validateInput: (typed) => {
      const written = field.write(options, typed.trim());
      return typeof written === "string" ? written : undefined;
    },
  });
  if (text === undefined) return options;
  const written = field.write(options, text.trim());
  return typeof written === "string" ? options : written;
}

function items(kernel: Kernel, options: LaunchOptions): readonly Item[] {
  const known = kernel.launch;
  const names = [...new Set([...(kernel.parameters ?? []), ...Object.keys(known?.arguments ?? {})])];
  const chosen: Readonly<Record<string, string | undefined>> = {
    Grid: known?.grid?.join(", "),
    Block: known?.block?.join(", "),
    ...known?.arguments,
  };
  const line = (field: Field): Item => {
    const value = field.read(options);
    const otherwise = chosen[field.label];
    const description =
      value !== ""
        ? value
        : otherwise === undefined
          ? "not set"
          : `${otherwise} (${known?.from === "simulation" ? "last time" : "from the source"})`;
    return {
      label: `${value === "" ? "$(blank)" : "$(edit)"} ${field.label}`,
      description,

      action: field,
    };
  };
  const separator = (label: string): Item => ({ label, kind: vscode.QuickPickItemKind.Separator, action: "run" });
  return [
    { label: "$(play) Run", description: "simulate with these", action: "run" },
    ...(Object.keys(options).length === 0 ? [] : [FORGET]),
    separator("launch"),
    ...FIELDS.map(line),
    ...(names.length === 0 ? [] : [separator("arguments")]),
    ...names.map((name) => line(argumentField(name))),
  ];
}

const FORGET: Item = {
  label: "$(discard) Forget these",
  description: "let simt-lsp choose everything",
  action: "forget",
};
