// What the server answers beyond LSP, as docs/protocol.md describes it: types only, no logic.

import type { Position, Range, TextEdit } from "vscode-languageclient/node";

/** The method names and the commands that the server runs. */
export const Methods = {
  explain: "simt/explain",
  graph: "simt/controlFlowGraph",
  vectors: "simt/simdView",
  kernels: "simt/kernels",
  simulation: "simt/simulation",
  report: "simt/simulationReport",
  status: "simt/status",
  meld: "simt/meld",
} as const;

export const Commands = { explain: "simt.explain", simulate: "simt.simulate" } as const;

/** What the server wants of clients that announce `simtMeldPreview`. */
export const MELD_PREVIEW_COMMAND = "simt.meldPreview";

export interface DocumentParams {
  readonly textDocument: { readonly uri: string };
}

export interface PlaceParams extends DocumentParams {
  readonly position: Position;
}

export interface Step {
  readonly text: string;
  readonly source: string | null;
  readonly location: { readonly uri: string; readonly range: Range } | null;
}

export interface ExplainedItem {
  readonly range: Range;
  readonly what: string;
  readonly verdict: string;
  readonly details: readonly string[];
  readonly place: string | null;
  readonly why: readonly Step[];
  readonly whyNotConvergent: readonly Step[];
}

export interface Explanation {
  /** Counts from 1. */
  readonly line: number;
  readonly source: string;
  readonly function: string | null;
  readonly summary: string;
  readonly items: readonly ExplainedItem[];
  /** null unless asked for. */
  readonly exact: readonly ExactItem[] | null;
  readonly drawings: readonly Drawing[] | null;
  readonly text: string;
}

/** What holds on all paths of two threads for one stretch of code. */
export interface ExactItem {
  readonly range: Range;
  readonly sentences: readonly string[];
}

/** An SVG document without scripts; null where it would be too large, as `problem` says. */
export interface Drawing {
  readonly title: string;
  readonly svg: string | null;
  readonly problem: string | null;
}

export interface SimdLine {
  readonly depth: number;
  readonly code: string;
  readonly target: string | null;
  readonly mask: string | null;
  /** null in the document itself. */
  readonly source_path: string | null;
  /** Counts from 1. */
  readonly source_line: number | null;
}

/** A kernel as vector operations under masks; `lines` is null where it has no such form, as `text` says. */
export interface Vectors {
  readonly kernel: string;
  readonly warp_size: number;
  readonly lines: readonly SimdLine[] | null;
  readonly text: string;
}

export interface Graph {
  readonly kernel: string;
  readonly format: "svg" | "dot" | "mermaid";
  readonly content: string;
}

export interface Findings {
  readonly error: number;
  readonly warning: number;
  readonly information: number;
  readonly hint: number;
}

/** How a kernel is launched; null and missing names are chosen by the server. */
export interface Launch {
  readonly grid: readonly number[] | null;
  readonly block: readonly number[] | null;
  readonly sharedBytes: number | null;
  readonly seed: number | null;
  readonly arguments: Readonly<Record<string, string>>;
  readonly from: string | null;
}

export type SimulationState = "none" | "running" | "finished" | "stale" | "refused" | "failed";

export interface Kernel {
  readonly name: string;
  readonly range: Range;
  readonly selectionRange: Range;
  readonly summary: string;
  readonly branches: number;
  readonly divergentBranches: number;
  readonly barriers: number;
  readonly unsafeBarriers: number;
  readonly uncoalesced: number;
  readonly findings: Findings;
  /** The names of its parameters. */
  readonly parameters?: readonly string[];
  readonly launch: Launch | null;
  readonly simulation: {
    readonly state: SimulationState;
    readonly message: string | null;
    readonly simdEfficiency: number | null;
    readonly faults: number;
  };
}

export interface Kernels {
  readonly uri: string;
  readonly version: number;
  readonly kernels: readonly Kernel[];
  readonly launches: readonly LaunchPlace[];
  /** Of the whole document. */
  readonly findings: Findings;
}

export interface ServerStatus {
  readonly server: { readonly version: string; readonly python: string };
  readonly simulator: { readonly state: "ready" | "idle" | "unavailable"; readonly message: string | null };
}

/** What a user chose for a kernel; what is left out is chosen by the server. */
export interface LaunchOptions {
  readonly grid?: readonly number[];
  readonly block?: readonly number[];
  readonly sharedBytes?: number;
  readonly seed?: number;
  readonly arguments?: Readonly<Record<string, string>>;
  readonly policies?: readonly string[];
  readonly warpSize?: number;
  readonly seconds?: number;
  readonly maxSteps?: number;
  /** In the words of the comment above a kernel; the other members win. */
  readonly launchText?: string;
  readonly havoc?: boolean;
}

export interface SimulateParams extends DocumentParams, LaunchOptions {
  readonly kernel?: string;
  readonly position?: Position;
  /** The client shows the outcome itself. */
  readonly quiet?: boolean;
  /** The options of the last simulation count where these are silent. */
  readonly again?: boolean;
}

export interface Report {
  readonly kernel: string;
  readonly stale: boolean;
  readonly format: "html" | "json";
  readonly content: string;
}

/** A launch in host code of a kernel in sight. */
export interface LaunchPlace {
  readonly kernel: string;
  readonly range: Range;
}

export interface SimulateAnswer {
  readonly status: "finished" | "refused" | "failed" | "stopped";
  readonly message: string | null;
  /** Counts from 1. */
  readonly line: number | null;
  /** The document to which the results belong: of a launch, that of the kernel. */
  readonly uri: string;
  readonly kernel: string;
  readonly position: Position;
}

/** The arms of a branch melded, and what comparing both versions says. */
export interface Meld {
  readonly uri: string;
  readonly version: number;
  /** Of the branch's keyword. */
  readonly range: Range;
  readonly status: "confirmed" | "refuted" | "not-checked" | "refused" | "failed" | "stopped";
  readonly title: string | null;
  readonly message: string | null;
  readonly edits: readonly TextEdit[] | null;
  /** The whole document with the edits. */
  readonly text: string | null;
}

export interface SimulatedLine {
  readonly line: number;
  readonly range: Range;
  readonly simdEfficiency: number;
  readonly share: number;
  readonly text: string;
}

export interface SimulatedKernel {
  readonly kernel: string;
  readonly line: number | null;
  readonly stale: boolean;
  /** What a run that goes on has counted so far. */
  readonly interim: boolean;
  readonly policy: string;
  readonly simdEfficiency: number;
  readonly faults: number;
  readonly lines: readonly SimulatedLine[];
}

export interface Simulation {
  readonly uri: string;
  readonly version: number;
  readonly kernels: readonly SimulatedKernel[];
}
