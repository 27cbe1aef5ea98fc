// Finds out how to start the server, or what the user can do so that it can be started.
//
// Order    `simt-lsp.server.path`, then the bundled server on the first candidate interpreter that shakes hands.
// Rules    What the user names is used or complained about, never silently replaced by something else.

import { GET_PYTHON, type Problem, SELECT_INTERPRETER, SET_UP, SHOW_LOG, settingsRemedy } from "../problem";
import { bundleOf, serverCommand } from "../python/bundle";
import { candidates } from "../python/candidates";
import type { PrivateEnvironment } from "../python/environment";
import { type Handshake, LEAST_TEXT, shakeHands, shakeHandsWithServer } from "../python/handshake";
import { pathSetting } from "../settings";

export interface Launch {
  readonly command: readonly [string, ...string[]];
  readonly version: string;
  /** For the log and the tooltip: which interpreter or program, and why that one. */
  readonly description: string;
}

export type Found =
  { readonly kind: "launch"; readonly launch: Launch } | { readonly kind: "problem"; readonly problem: Problem };

export async function findLaunch(extensionPath: string, environment: PrivateEnvironment): Promise<Found> {
  const named = pathSetting("server.path");
  return named === "" ? interpreterLaunch(extensionPath, environment) : serverLaunch(extensionPath, named);
}

async function serverLaunch(extensionPath: string, program: string): Promise<Found> {
  const hands = await shakeHandsWithServer([program], extensionPath);
  if (hands.kind === "ready") {
    const description = `${program} (simt-lsp.server.path)`;
    return { kind: "launch", launch: { command: [program], version: hands.version, description } };
  }
  const text = `The setting simt-lsp.server.path names ${program}, which is not a simt-lsp server: ${hands.reason}`;
  return { kind: "problem", problem: { text, details: [], remedies: [settingsRemedy("server.path"), SHOW_LOG] } };
}

async function interpreterLaunch(extensionPath: string, environment: PrivateEnvironment): Promise<Found> {
  const bundle = bundleOf(extensionPath);
  const tried: { readonly name: string; readonly hands: Handshake }[] = [];
  for (const { command, origin } of await candidates(environment)) {
    const { executable, hands } = await shakeHands(command, bundle);
    const name = `${executable} (${origin})`;
    if (hands.kind === "ready") {
      const launch = { command: serverCommand(executable, bundle), version: hands.version, description: name };
      return { kind: "launch", launch };
    }
    tried.push({ name, hands });
    if (origin === "setting") return { kind: "problem", problem: chosenIsNoUse(command[0], hands) };
  }
  return { kind: "problem", problem: noneIsOfUse(tried) };
}

type Failure = Exclude<Handshake, { readonly kind: "ready" }>;

function chosenIsNoUse(python: string, failure: Failure): Problem {
  const remedies = [SELECT_INTERPRETER, settingsRemedy("interpreter")];
  const named = `The setting simt-lsp.interpreter names ${python}`;
  switch (failure.kind) {
    case "unusable":
      return { text: `${named}, which cannot be run: ${failure.reason}`, details: [], remedies };
    case "tooOld":
      return { text: `${named}, which ${failure.reason}.`, details: [], remedies };
    case "librariesMissing":
      return {
        text: `${named}, where simt-lsp's libraries are missing (${failure.reason}). simt-lsp can make an environment of its own.`,
        details: [],
        remedies: [SET_UP, ...remedies],
      };
  }
}

function noneIsOfUse(tried: readonly { readonly name: string; readonly hands: Handshake }[]): Problem {
  const details = tried.map(({ name, hands }) => `${name}: ${hands.kind === "ready" ? "ready" : hands.reason}`);
  if (tried.some(({ hands }) => hands.kind === "librariesMissing")) {
    const text =
      "simt-lsp needs a few Python libraries that are not installed. It can put them in an environment of its own.";
    return { text, details, remedies: [SET_UP, SELECT_INTERPRETER, SHOW_LOG] };
  }
  const old = tried.find(({ hands }) => hands.kind === "tooOld");
  const found = old === undefined || old.hands.kind === "ready" ? "none was found" : `${old.name} ${old.hands.reason}`;
  const text = `simt-lsp needs Python ${LEAST_TEXT} or newer: ${found}.`;
  return { text, details, remedies: [GET_PYTHON, SELECT_INTERPRETER, SHOW_LOG] };
}
