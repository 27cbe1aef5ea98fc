// How something that went wrong reaches the user: one message with buttons for what can be done about it.

import * as vscode from "vscode";
import type { Problem } from "./problem";

export async function tell(problem: Problem): Promise<void> {
  const pressed = await vscode.window.showErrorMessage(problem.text, ...problem.remedies.map(({ title }) => title));
  const remedy = problem.remedies.find(({ title }) => title === pressed);
  if (remedy !== undefined) await vscode.commands.executeCommand(remedy.command, ...(remedy.arguments ?? []));
}
