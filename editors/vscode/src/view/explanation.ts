// The page for what the server explains about a line: each item with its verdict and the chain of reasons; where it was
// asked for, what holds on all paths of two threads, with the net and the states behind it.

import * as path from "node:path";
import type * as vscode from "vscode";
import type { Drawing, ExactItem, ExplainedItem, Explanation, Step } from "../server/protocol";
import { escaped } from "./page";

export function explanationBody(explanation: Explanation, uri: vscode.Uri): string {
  const where = explanation.function === null ? "" : ` in <code>${escaped(explanation.function)}</code>`;
  const items = explanation.items.map(itemMarkup).join("\n");
  return `<main class="explanation">
<h1><a href="#" data-line="${explanation.line - 1}">${escaped(path.basename(uri.path))}:${explanation.line}</a>${where}</h1>
<pre>${escaped(explanation.source.trim())}</pre>
<p>${withCode(explanation.summary)}</p>
${items}
${explanation.exact === null ? "" : exactMarkup(explanation.exact)}
</main>
${(explanation.drawings ?? []).map(drawingMarkup).join("\n")}`;
}

function exactMarkup(exact: readonly ExactItem[]): string {
  const stretches = exact.map(({ sentences: [what, ...more] }) => {
    return `<h3>${withCode(what ?? "")}</h3>\n${more.map((sentence) => `<p>${withCode(sentence)}</p>`).join("\n")}`;
  });
  const nothing = "<p>No code runs on this line.</p>";
  return `<section>\n<h2>All paths of two threads</h2>\n${stretches.length === 0 ? nothing : stretches.join("\n")}\n</section>`;
}

/** The server's SVG has no scripts, and the page's policy would run none. */
function drawingMarkup({ title, svg, problem }: Drawing): string {
  if (svg === null) return `<p class="quiet">${escaped(title)}: ${escaped(problem ?? "")}</p>`;
  return `<figure class="graph" aria-label="${escaped(title)}">${svg}</figure>`;
}

function itemMarkup(item: ExplainedItem): string {
  const details = item.details.map((detail) => `<li>${withCode(detail)}</li>`).join("");
  return `<section>
<h2>${withCode(item.what)}</h2>
<p>${withCode(item.verdict)}</p>
${details === "" ? "" : `<ul>${details}</ul>`}
${steps("Why", item.why)}
${item.place === null ? "" : `<p class="quiet">${withCode(item.place)}</p>`}
${steps("Why not all threads arrive here together", item.whyNotConvergent)}
</section>`;
}

function steps(title: string, chain: readonly Step[]): string {
  if (chain.length === 0) return "";
  return `<h3>${title}</h3>\n<ol>${chain.map((step) => `<li>${stepMarkup(step)}</li>`).join("")}</ol>`;
}

function stepMarkup(step: Step): string {
  const source = step.source === null ? "" : `<br><code>${escaped(step.source.trim())}</code>`;
  if (step.location === null) return `${withCode(step.text)}${source}`;
  const { line, character } = step.location.range.start;
  const place = `<a href="#" data-uri="${escaped(step.location.uri)}" data-line="${line}" data-character="${character}">line ${line + 1}</a>`;
  return `${place}: ${withCode(step.text)}${source}`;
}

/** Words with code between back quotes, as the server writes them. */
function withCode(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}
