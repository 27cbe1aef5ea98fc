(() => {
  "use strict";
  const root = document.querySelector(".simt-report");
  const dark = matchMedia("(prefers-color-scheme: dark)");

  // Theme: what the system says until the button was pressed.
  root.querySelector(".theme").addEventListener("click", () => {
    const page = document.documentElement;
    const current = page.dataset.theme || (dark.matches ? "dark" : "light");
    page.dataset.theme = current === "dark" ? "light" : "dark";
  });

  // A link to a kernel opens its section.
  function openTarget() {
    const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
    if (target && target.tagName === "DETAILS") target.open = true;
  }
  addEventListener("hashchange", openTarget);
  openTarget();

  const table = root.querySelector("table.overview");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];

  // Sorting: numbers begin with the largest, words with the first; equal rows stay in the order of places.
  heads.forEach((head, column) => {
    const button = head.querySelector("button.sort");
    if (!button) return;
    button.addEventListener("click", () => {
      const isNumber = head.classList.contains("num");
      const before = head.getAttribute("aria-sort");
      const first = isNumber ? "descending" : "ascending";
      const now = before === first ? (isNumber ? "ascending" : "descending") : first;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", now);
      const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
      const compare = isNumber ? (a, b) => Number(a) - Number(b) : (a, b) => a.localeCompare(b);
      const turn = now === "ascending" ? 1 : -1;
      body.append(...[...rows].sort((a, b) => turn * compare(value(a), value(b))));
    });
  });

  // Filtering: by words in a row, and by whether something was found.
  const words = root.querySelector("#filter");
  const found = root.querySelector("#only-found");
  const shown = root.querySelector("#shown");
  function filter() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    rows.forEach((row) => {
      const text = row.textContent.toLowerCase();
      const isWanted = wanted.every((word) => text.includes(word)) && (!found.checked || "found" in row.dataset);
      row.hidden = !isWanted;
      count += isWanted;
    });
    shown.textContent = `${count} of ${rows.length}`;
  }
  words.addEventListener("input", filter);
  found.addEventListener("change", filter);
  filter();
})();
