// The page of a web view: one style, one script, both by a nonce, and no request to anywhere.

import { randomBytes } from "node:crypto";

export interface PageParts {
  readonly title: string;
  /** Markup that was made by the server or by `escaped`. */
  readonly body: string;
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
}

export function page(parts: PageParts): string {
  const nonce = randomBytes(16).toString("base64");
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
  const styles = parts.styles.map((style) => `<style nonce="${nonce}">${style}</style>`).join("\n");
  const scripts = parts.scripts.map((script) => `<script nonce="${nonce}">${script}</script>`).join("\n");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(parts.title)}</title>
${styles}
</head>
<body>
${parts.body.replaceAll("<style>", `<style nonce="${nonce}">`)}
${scripts}
</body>
</html>`;
}

export function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
