// One connection to a server: what it is told at the start, and which of its commands the extension runs itself.

import * as vscode from "vscode";
import {
  type ErrorHandler,
  type ExecuteCommandSignature,
  LanguageClient,
  type LanguageClientOptions,
  type StaticFeature,
} from "vscode-languageclient/node";
import { type Manifest, SECTION, serverSettings, workspaceDiagnostics } from "../settings";
import type { Launch } from "./launch";

/** CUDA and HIP by language, and C++ files, of which the server picks those with kernels or device functions. */
const DOCUMENTS = [
  { language: "cuda-cpp" },
  { language: "cuda" },
  { language: "hip" },
  { language: "cpp", pattern: "**/*.{cu,cuh,hip,h,hpp,hh,hxx,inl,inc,cpp,cc,cxx}" },
];

export interface ClientParts {
  readonly manifest: Manifest;
  readonly log: vscode.LogOutputChannel;
  readonly errors: ErrorHandler;
  /** A command of a code lens or a code action; `next` has the server run it. */
  readonly runCommand: (
    command: string,
    args: unknown[],
    next: ExecuteCommandSignature,
  ) => vscode.ProviderResult<unknown>;
  /** All tokens of a document came, and these are the names of their modifiers. */
  readonly tinted: (uri: vscode.Uri, tokens: vscode.SemanticTokens, modifiers: readonly string[]) => void;
}

export function makeClient(launch: Launch, parts: ClientParts): LanguageClient {
  const [command, ...args] = launch.command;
  const options: LanguageClientOptions = {
    documentSelector: DOCUMENTS,
    outputChannel: parts.log,
    traceOutputChannel: parts.log,
    errorHandler: parts.errors,
    initializationFailedHandler: () => false,
    markdown: { isTrusted: false, supportHtml: false },
    middleware: {
      executeCommand: parts.runCommand,
      provideDocumentSemanticTokens: async (document, cancelled, next) => {
        const tokens = await next(document, cancelled);
        const { semanticTokensProvider } = client.initializeResult?.capabilities ?? {};
        if (tokens) parts.tinted(document.uri, tokens, semanticTokensProvider?.legend.tokenModifiers ?? []);
        return tokens;
      },
      workspace: {
        configuration: (params) =>
          params.items.map((item) =>
            item.section === SECTION
              ? serverSettings(
                  parts.manifest,
                  item.scopeUri === undefined ? undefined : vscode.Uri.parse(item.scopeUri),
                )
              : null,
          ),
      },
    },
  };
  const client = new QuietClient(SECTION, "simt-lsp", { command, args: [...args, "--stdio"] }, options);
  client.registerFeature(NOTIFICATIONS);
  return client;
}

/** What goes wrong is logged; whether the user is told is decided by the controller, once and with something to do. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Asks for the notifications that docs/protocol.md offers, and says that VS Code shows findings in hovers, too. */
const NOTIFICATIONS: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    const others = capabilities.experimental as object | undefined;
    capabilities.experimental = {
      ...others,
      simtSimulation: true,
      simtKernels: true,
      simtMeldPreview: true,
      simtFindingsInHovers: true,
      simtWorkspaceDiagnostics: workspaceDiagnostics(),
    };
  },
  initialize: () => undefined,
  getState: () => ({ kind: "static" }),
  clear: () => undefined,
};
