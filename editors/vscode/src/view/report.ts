// The server's report is a whole page with a policy of its own; a web view wants its parts, to give them its nonce.

export interface ReportParts {
  readonly body: string;
  readonly style: string;
  readonly script: string;
}

/** The page has one style and one script, and none comes from the kernel's text: that is escaped. */
export function reportParts(html: string): ReportParts {
  const style = between(html, "<style>", "</style>");
  const body = between(html, "<body>", "<script>");
  const script = between(html, "<script>", "</script>");
  return { body, style, script };
}

function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start) + start.length;
  const to = text.indexOf(end, from);
  if (from < start.length || to < 0) throw new Error(`The server's report has no ${start}.`);
  return text.slice(from, to);
}
