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

  // Graphs: as wide as the panel at first, but never too small to be read; then as large as the reader wants.
  const READABLE = 0.7;
  const SMALLEST = 0.1;
  const LARGEST = 4;
  const STEP = 1.25;
  for (const graph of document.querySelectorAll(".graph")) {
    const svg = graph.querySelector("svg");
    if (svg) makeZoomable(graph, svg);
  }

  function makeZoomable(graph, svg) {
    const { width, height } = svg.viewBox.baseVal;
    const tools = document.createElement("div");
    tools.className = "graph-tools";
    tools.setAttribute("role", "toolbar");
    tools.setAttribute("aria-label", "Size of the graph");
    graph.before(tools);
    let scale = 1;

    // What is at `x`, `y` of the visible part stays there.
    function zoom(wanted, x = graph.clientWidth / 2, y = graph.clientHeight / 2) {
      const before = scale;
      scale = Math.min(LARGEST, Math.max(SMALLEST, wanted));
      svg.style.width = `${scale * width}px`;
      const ratio = scale / before;
      graph.scrollTo((graph.scrollLeft + x) * ratio - x, (graph.scrollTop + y) * ratio - y);
      shown.textContent = `${Math.round(100 * scale)} %`;
    }
    const wide = () => graph.clientWidth / width;
    const whole = () => Math.min(wide(), (window.innerHeight - tools.offsetHeight - 16) / height);
    const button = (text, label, press) => {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = text;
      made.setAttribute("aria-label", label);
      made.addEventListener("click", press);
      tools.append(made);
    };
    button("−", "Smaller", () => zoom(scale / STEP));
    const shown = document.createElement("output");
    tools.append(shown);
    button("+", "Larger", () => zoom(scale * STEP));
    button("Fit", "All of it", () => zoom(whole()));
    button("Width", "As wide as the panel", () => zoom(wide()));
    graph.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        const { left, top } = graph.getBoundingClientRect();
        zoom(scale * (event.deltaY < 0 ? STEP : 1 / STEP), event.clientX - left, event.clientY - top);
      },
      { passive: false },
    );
    graph.addEventListener("keydown", (event) => {
      const wanted = { "+": () => scale * STEP, "-": () => scale / STEP, 0: whole, 1: () => 1 }[event.key];
      if (!wanted || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      zoom(wanted());
    });
    graph.tabIndex = 0;
    zoom(Math.min(1, Math.max(READABLE, wide())));
    graph.scrollTo(0, 0);
  }

  for (const node of document.querySelectorAll(".graph g.node")) {
    node.setAttribute("tabindex", "0");
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter") revealNode(node, node);
    });
  }
})();
