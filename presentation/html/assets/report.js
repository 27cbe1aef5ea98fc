(() => {
  "use strict";
  const root = document.querySelector(".simt-report");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const redraws = [];
  const redraw = () => redraws.forEach((draw) => draw());

  // Theme: what the system says until the button was pressed.
  root.querySelector(".theme").addEventListener("click", () => {
    const page = document.documentElement;
    const current = page.dataset.theme || (dark.matches ? "dark" : "light");
    page.dataset.theme = current === "dark" ? "light" : "dark";
    redraw();
  });
  dark.addEventListener("change", redraw);
  new MutationObserver(redraw).observe(document.body, { attributes: true, attributeFilter: ["class"] });

  // Lines: every link to one marks it and shows it.
  const panelOf = (index) => document.getElementById(`panel-${index}`);
  function mark(row) {
    root.querySelectorAll(".line.marked").forEach((other) => other.classList.remove("marked"));
    row.classList.add("marked");
  }
  function showLine(panel, line) {
    const row = document.getElementById(`p${panel}-line-${line}`);
    if (!row) return;
    mark(row);
    row.scrollIntoView({ block: "center" });
    row.focus({ preventScroll: true });
  }
  root.addEventListener("click", (event) => {
    const link = event.target.closest("a.jump, a.choose");
    if (!link) return;
    event.preventDefault();
    if (link.classList.contains("choose")) {
      const panel = link.dataset.panel;
      selectTab(document.getElementById(`tab-${panel}`));
      panelOf(panel).closest("article").scrollIntoView();
      return;
    }
    const [, panel, line] = link.getAttribute("href").match(/^#p(\d+)-line-(\d+)$/);
    showLine(panel, line);
  });

  // Each listing opens at its costliest line, which is marked; the page itself stays where it begins.
  function openAtHottest() {
    root.querySelectorAll(".listing[data-hottest]").forEach((listing) => {
      const row = document.getElementById(listing.dataset.hottest);
      if (!row || !listing.clientHeight || listing.dataset.opened) return;
      listing.dataset.opened = "";
      row.classList.add("hottest");
      listing.scrollTop = row.offsetTop - (listing.clientHeight - row.offsetHeight) / 2;
    });
  }

  // Policies: tabs with arrow keys, as the ARIA practices describe them.
  const tabsOf = (tab) => [...tab.parentElement.querySelectorAll("[role=tab]")];
  function selectTab(chosen) {
    tabsOf(chosen).forEach((tab) => {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
    });
    openAtHottest();
    redraw();
  }
  root.querySelectorAll("[role=tab]").forEach((tab) => {
    tab.addEventListener("click", () => selectTab(tab));
    tab.addEventListener("keydown", (event) => {
      const tabs = tabsOf(tab);
      const at = tabs.indexOf(tab), last = tabs.length - 1;
      const next = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at ? at - 1 : last, Home: 0, End: last }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      selectTab(tabs[next]);
      tabs[next].focus();
    });
  });
  openAtHottest();

  // Timelines: steps across, lanes down.  Only the visible part is drawn, so that any number of steps scrolls.
  const GUTTER = 34, HEAD = 20, FOOT = 44, SMALLEST = 0.25, LARGEST = 48;

  function colours(figure) {
    const probe = document.createElement("i");
    figure.append(probe);
    const read = (value) => {
      probe.style.color = value;
      return getComputedStyle(probe).color;
    };
    const found = {
      text: read("var(--text)"), muted: read("var(--muted)"), edge: read("var(--edge)"), accent: read("var(--accent)"),
      waiting: read("var(--waiting)"), gone: read("var(--gone)"), card: read("var(--card)"),
      heat: Array.from({ length: 11 }, (_, at) => read(`color-mix(in oklab, var(--high) ${at * 10}%, var(--low))`)),
      places: Array.from({ length: 12 }, (_, at) => {
        const hue = (255 + at * 137.5) % 360;
        return read(`light-dark(oklch(0.63 0.13 ${hue}), oklch(0.72 0.12 ${hue}))`);
      }),
    };
    probe.remove();
    return found;
  }

  function mask(text) {
    const low = parseInt(text.slice(-8), 16) || 0;
    const high = text.length > 8 ? parseInt(text.slice(0, -8), 16) : 0;
    return (lane) => ((lane < 32 ? low >>> lane : high >>> (lane - 32)) & 1) === 1;
  }

  function timeline(figure) {
    const data = JSON.parse(figure.dataset.timeline);
    const panel = figure.dataset.panel;
    const lanes = data.warpSize;
    const steps = data.steps.map(([place, active, running]) => {
      const isActive = mask(active);
      let count = 0;
      for (let lane = 0; lane < lanes; lane++) count += isActive(lane);
      return { place, isActive, isRunning: mask(running), count };
    });
    const canvas = figure.querySelector("canvas");
    const viewport = figure.querySelector(".viewport");
    const spacer = figure.querySelector(".spacer");
    const readout = figure.querySelector(".readout");
    const context = canvas.getContext("2d");
    const row = lanes <= 8 ? 20 : lanes <= 16 ? 14 : lanes <= 32 ? 10 : 6;
    const height = HEAD + row * lanes + FOOT;
    let column = 0, cursor = -1, palette = null;

    const fitting = () => Math.min(26, Math.max(SMALLEST, (viewport.clientWidth - GUTTER) / steps.length));
    const comfortable = () => Math.max(6, Math.floor(fitting()));

    function draw() {
      const width = viewport.clientWidth;
      if (!width) return;
      if (!column) column = comfortable();
      const scale = devicePixelRatio || 1;
      spacer.style.width = `${Math.max(width, GUTTER + Math.ceil(steps.length * column))}px`;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      context.setTransform(scale, 0, 0, scale, 0, 0);
      palette = colours(figure);
      context.font = "10.5px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
      const left = viewport.scrollLeft;
      const first = Math.max(0, Math.floor(left / column));
      const last = Math.min(steps.length, Math.ceil((left + width - GUTTER) / column));
      context.save();
      context.beginPath();
      context.rect(GUTTER, 0, width - GUTTER, height);
      context.clip();
      for (let at = first; at < last; at++) drawStep(at, GUTTER + at * column - left);
      drawHeads(first, last, left);
      context.restore();
      drawGutter();
    }

    function drawStep(at, x) {
      const step = steps[at];
      const gap = column >= 6 ? 1 : 0;
      const own = data.places[step.place][0] ? palette.places[step.place % palette.places.length] : palette.muted;
      for (let lane = 0; lane < lanes; lane++) {
        context.fillStyle = step.isActive(lane) ? own : step.isRunning(lane) ? palette.waiting : palette.gone;
        context.fillRect(x, HEAD + lane * row, column - gap, row - (row > 7 ? 1 : 0));
      }
      const share = step.count / lanes;
      context.fillStyle = palette.heat[Math.floor(share * 10)];
      context.fillRect(x, height - 16 - share * 22, column - gap, share * 22);
      if (at === cursor) {
        context.strokeStyle = palette.text;
        context.lineWidth = 1.5;
        context.strokeRect(x - 0.5, HEAD - 1, column, row * lanes + 1);
      }
    }

    // One label above each run of steps in the same line, one step number below every so often.
    function drawHeads(first, last, left) {
      context.textBaseline = "alphabetic";
      context.textAlign = "left";
      let free = GUTTER;
      for (let at = first; at < last; at++) {
        if (at && steps[at - 1].place === steps[at].place && at !== first) continue;
        const x = Math.max(GUTTER, GUTTER + at * column - left);
        const [label, line] = data.places[steps[at].place];
        const text = line ? String(line) : label.replace(/^.*:/, ":");
        if (x < free || !text) continue;
        context.fillStyle = palette.places[steps[at].place % palette.places.length];
        context.fillText(text, x, HEAD - 7);
        free = x + context.measureText(text).width + 6;
      }
      context.fillStyle = palette.muted;
      const every = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((count) => count * column >= 44) || 1000;
      for (let at = Math.floor(first / every) * every; at < last; at += every) {
        const x = GUTTER + at * column - left;
        if (x >= GUTTER - 1) context.fillText(String(at + 1), x, height - 3);
      }
    }

    function drawGutter() {
      context.fillStyle = palette.muted;
      context.textAlign = "right";
      context.textBaseline = "middle";
      context.fillText("line", GUTTER - 6, HEAD - 11);
      const every = lanes <= 8 ? 1 : lanes / 8;
      for (let lane = 0; lane < lanes; lane += every) context.fillText(String(lane), GUTTER - 6, HEAD + (lane + 0.5) * row);
      context.fillText("step", GUTTER - 6, height - 7);
    }

    function codeOf(line) {
      const row = document.getElementById(`p${panel}-line-${line}`);
      return row ? row.querySelector("code").textContent.trim() : "";
    }

    function point(at) {
      if (at < 0 || at >= steps.length || at === cursor) return;
      cursor = at;
      const step = steps[at];
      const [label, line] = data.places[step.place];
      const text = `step ${at + 1} · ${label || "between lines"} · ${step.count} of ${lanes} lanes${line ? `   ${codeOf(line)}` : ""}`;
      readout.textContent = text;
      canvas.setAttribute("aria-valuenow", String(at + 1));
      canvas.setAttribute("aria-valuetext", text);
      draw();
    }

    function follow() {
      const x = cursor * column;
      const room = viewport.clientWidth - GUTTER - column;
      if (x < viewport.scrollLeft) viewport.scrollLeft = x;
      else if (x > viewport.scrollLeft + room) viewport.scrollLeft = x - room;
    }

    function zoom(width) {
      const at = cursor < 0 ? Math.floor(viewport.scrollLeft / column) : cursor;
      column = Math.min(LARGEST, Math.max(SMALLEST, width));
      draw();
      viewport.scrollLeft = at * column - viewport.clientWidth / 3;
      draw();
    }

    const stepAt = (event) => {
      const x = event.clientX - viewport.getBoundingClientRect().left - GUTTER;
      return x < 0 ? -1 : Math.floor((x + viewport.scrollLeft) / column);
    };
    const open = () => {
      if (cursor >= 0) showLine(panel, data.places[steps[cursor].place][1]);
    };
    canvas.addEventListener("pointermove", (event) => point(stepAt(event)));
    canvas.addEventListener("click", (event) => {
      point(stepAt(event));
      open();
    });
    canvas.addEventListener("keydown", (event) => {
      const page = Math.max(1, Math.floor((viewport.clientWidth - GUTTER) / column) - 1);
      const move = { ArrowRight: 1, ArrowLeft: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
      if (event.key === "Enter") open();
      if (move === undefined) return;
      event.preventDefault();
      point(Math.min(steps.length - 1, Math.max(0, cursor + move)));
      follow();
    });
    viewport.addEventListener("scroll", draw, { passive: true });
    figure.parentElement.querySelectorAll(".zoom").forEach((button) => {
      button.addEventListener("click", () => {
        const kind = button.dataset.zoom;
        zoom(kind === "in" ? column * 1.5 : kind === "out" ? column / 1.5 : fitting());
      });
    });
    new ResizeObserver(draw).observe(viewport);
    redraws.push(draw);
    draw();
  }
  root.querySelectorAll(".timeline").forEach(timeline);
})();
