// Starts, stops and restarts the server, one thing after the other, and says in which state it is.
//
// Rules    Requests to restart queue up; those that arrive while one waits become that one.
//          A server that dies is started again; after five deaths in three minutes it stays down and the user is told,
//          and at once if it never ran.

import * as vscode from "vscode";
import { CloseAction, ErrorAction, type ErrorHandler, type LanguageClient, State } from "vscode-languageclient/node";
import { type Problem, RESTART, SHOW_LOG } from "../problem";
import type { PrivateEnvironment } from "../python/environment";
import { findLaunch, type Launch } from "./launch";

const MOST_DEATHS = 5;
const WITHIN_MILLISECONDS = 3 * 60_000;

export type ServerState =
  | { readonly kind: "stopped" }
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly client: LanguageClient; readonly launch: Launch }
  | { readonly kind: "failed"; readonly problem: Problem };

export interface ServerParts {
  readonly extensionPath: string;
  readonly environment: PrivateEnvironment;
  readonly log: vscode.LogOutputChannel;
  readonly makeClient: (launch: Launch, errors: ErrorHandler) => LanguageClient;
}

export class ServerController implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<ServerState>();
  /** Fires with the new state, also when a server that died is running again. */
  readonly onDidChange = this.changed.event;

  private current: ServerState = { kind: "stopped" };
  private client: LanguageClient | undefined;
  private queue: Promise<void> = Promise.resolve();
  private waiting: Promise<void> | undefined;
  private deaths: number[] = [];

  constructor(private readonly parts: ServerParts) {}

  get state(): ServerState {
    return this.current;
  }

  /** The connection while the server runs. */
  get running(): LanguageClient | undefined {
    return this.current.kind === "running" ? this.current.client : undefined;
  }

  restart(): Promise<void> {
    this.waiting ??= this.enqueue(async () => {
      this.waiting = undefined;
      this.deaths = [];
      await this.stopNow();
      await this.startNow();
    });
    return this.waiting;
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.stopNow());
  }

  dispose(): void {
    this.changed.dispose();
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.queue.then(work);
    this.queue = done.catch((error: unknown) => {
      this.fail(unexpected(error));
    });
    return this.queue;
  }

  private async startNow(): Promise<void> {
    this.become({ kind: "starting" });
    const found = await findLaunch(this.parts.extensionPath, this.parts.environment);
    if (found.kind === "problem") {
      this.fail(found.problem);
      return;
    }
    const { launch } = found;
    this.parts.log.info(`simt-lsp ${launch.version} on ${launch.description}: ${launch.command.join(" ")}`);
    const client = this.parts.makeClient(launch, this.errors());
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      this.clientChanged(client, launch, newState);
    });
    await client.start();
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client !== undefined) {
      if (client.needsStop())
        await client.stop().catch((error: unknown) => {
          this.parts.log.warn(String(error));
        });
      await client.dispose().catch(() => undefined); // it was stopped, or never started
    }
    this.become({ kind: "stopped" });
  }

  private clientChanged(client: LanguageClient, launch: Launch, state: State): void {
    if (this.client !== client) return; // it was replaced
    if (state === State.Running) this.become({ kind: "running", client, launch });
    else if (state === State.Starting) this.become({ kind: "starting" });
    else if (this.current.kind !== "failed") this.become({ kind: "stopped" });
  }

  private errors(): ErrorHandler {
    return {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        if (this.current.kind === "starting" && this.deaths.length === 0) {
          return { action: CloseAction.DoNotRestart, handled: true }; // `start` fails, and says so
        }
        const now = Date.now();
        this.deaths = [...this.deaths.filter((then) => now - then < WITHIN_MILLISECONDS), now];
        if (this.deaths.length < MOST_DEATHS) {
          this.parts.log.warn(`The server ended unexpectedly (${this.deaths.length}); it is started again.`);
          return { action: CloseAction.Restart, handled: true };
        }
        const text = `The simt-lsp server ended ${MOST_DEATHS} times within 3 minutes, so it is not started again.`;
        this.fail({ text, details: [], remedies: [RESTART, SHOW_LOG] });
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }

  private fail(problem: Problem): void {
    this.parts.log.error(problem.text, ...problem.details);
    this.become({ kind: "failed", problem });
  }

  private become(state: ServerState): void {
    this.current = state;
    this.changed.fire(state);
  }
}

function unexpected(error: unknown): Problem {
  const text = `The simt-lsp server could not be started: ${error instanceof Error ? error.message : String(error)}`;
  return { text, details: [], remedies: [RESTART, SHOW_LOG] };
}
