// The page for a kernel as vector operations under masks: each line with a link to the source that it stands for.

import * as vscode from "vscode";
import type { SimdLine, Vectors } from "../server/protocol";
import { escaped } from "./page";

export function vectorsBody(view: Vectors): string {
  if (view.lines === null) return `<main><p>${escaped(view.text.trim())}</p></main>`;
  const lines = view.lines.map((line) => `${link(line)}${escaped(written(line))}`);
  return `<main class="vectors">
<p>Vectors of ${view.warp_size} lanes (<code>v</code>), scalars of the warp (<code>s</code>), masks (<code>m</code>: who waits, <code>p</code>: who runs).</p>
<pre>${lines.map((line) => `<span class="vector-line">${line}</span>`).join("\n")}</pre>
</main>`;
}

function written({ depth, code, target, mask }: SimdLine): string {
  const guard = mask === null ? "" : `(${mask}) `;
  return `${"    ".repeat(depth)}${guard}${target === null ? "" : `${target} = `}${code}`;
}

/** The number of the line in the source; nothing where no text stands behind it. */
function link({ source_line: line, source_path: path }: SimdLine): string {
  if (line === null) return "";
  const uri = path === null ? "" : ` data-uri="${escaped(vscode.Uri.file(path).toString())}"`;
  return `<a href="#"${uri} data-line="${line - 1}">${line}</a>`;
}
