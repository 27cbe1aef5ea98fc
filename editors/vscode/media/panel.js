// Runs in the web views: clicks on places go to the editor, the banner tells when the text has changed.
(() => {
  const vscode = acquireVsCodeApi();
  const banner = document.querySelector(".stale-banner");

  banner.querySelector("button").addEventListener("click", () => vscode.postMessage({ kind: "renew" }));
  window.addEventListener("message", ({ data }) => {
    if (data.kind === "stale") banner.hidden = !data.stale;
  });

  // A page that replaces another about the same, as the report on a run that goes on, is read on where the reader was.
  const before = vscode.getState();
  if (before?.title === document.title) window.scrollTo(0, before.scrolled);
  window.addEventListener("scroll", () => vscode.setState({ title: document.title, scrolled: window.scrollY }));

  const reveal = (line, character = 0, uri = null) =>
    vscode.postMessage({ kind: "reveal", uri, line: Number(line), character: Number(character) });

  document.addEventListener("click", (event) => {
    const place = event.target.closest("a[data-line]");
    if (place) {
      event.preventDefault();
      reveal(place.dataset.line, place.dataset.character, place.dataset.uri ?? null);
      return;
    }
    // The report's own links name a line of its listing, from 1; they scroll there, and the editor follows.
    const jump = event.target
      .closest("a.jump")
      ?.getAttribute("href")
      ?.match(/-line-(\d+)$/);
    if (jump) reveal(jump[1] - 1);
    const node = event.target.closest(".graph g.node");
    if (node) revealNode(node, event.target);
  });

  function revealNode(node, target) {
    const number = target.closest("text")?.querySelector(".number") ?? node.querySelector(".number");
    const line = number?.textContent.match(/\d+/);
    if (line) reveal(line[0] - 1);
  }

  const SMALLEST = 0.7; // below this the text of a graph cannot be read
  for (const svg of document.querySelectorAll(".graph svg")) {
    svg.style.minWidth = `${SMALLEST * svg.viewBox.baseVal.width}px`;
  }

  for (const node of document.querySelectorAll(".graph g.node")) {
    node.setAttribute("tabindex", "0");
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter") revealNode(node, node);
    });
  }
})();
