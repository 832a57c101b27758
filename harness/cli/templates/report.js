// Search, filters and sorting of the table of rules. Without it the table is there whole.
"use strict";
(() => {
  const table = document.getElementById("rule-table");
  // Rows stand below their document and chapter, which become columns; ids become targets of links.
  const body = table.tBodies[0];
  for (const [place, name] of ["document", "chapter"].entries()) {
    const heading = table.tHead.rows[0].appendChild(document.createElement("th"));
    heading.className = `c${7 + place}`;
    heading.append(document.createElement("button"));
    heading.firstChild.textContent = name;
  }
  for (const group of Array.from(table.tBodies)) {
    const [heading, ...members] = group.rows;
    for (const row of members) {
      row.id = row.querySelector("code").textContent;
      for (const part of heading.querySelectorAll("span")) row.insertCell().textContent = part.textContent;
    }
    heading.remove();
    if (group !== body) {
      body.append(...members);
      group.remove();
    }
  }
  const form = document.getElementById("filters");
  const count = document.getElementById("shown");
  const rows = Array.from(body.rows);
  // The columns that filters are of, by the filters' names.
  const columns = { unit: 1, level: 3, state: 4, device: 5, document: 7, chapter: 8 };
  const cell = (row, column) => row.cells[column].textContent;
  const texts = new Map();
  const text = (row) => {
    if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
    return texts.get(row);
  };

  function matches(row, words, wanted) {
    const fits = ([name, value]) => {
      const actual = cell(row, columns[name]);
      if (name === "device") return actual.split(" ").includes(value);
      return name === "unit" ? actual.toLowerCase() === value.toLowerCase() : actual === value;
    };
    return wanted.every(fits) && words.every((word) => text(row).includes(word));
  }

  function filter() {
    const words = form.elements.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const values = Object.keys(columns).map((name) => [name, form.elements[name].value.trim()]);
    const wanted = values.filter(([, value]) => value !== "");
    let shown = 0;
    for (const row of rows) {
      row.hidden = !matches(row, words, wanted);
      if (!row.hidden) shown += 1;
    }
    count.textContent = `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rules`;
  }

  // A column's cells are numbers, or begin with one, or are text.
  const key = (row, column) => {
    const content = cell(row, column);
    const number = parseFloat(content.replaceAll(",", ""));
    return Number.isNaN(number) ? content : number;
  };
  function compare(a, b) {
    if (typeof a === typeof b) return a < b ? -1 : Number(a > b);
    return typeof a === "number" ? -1 : 1;
  }
  function sort(heading) {
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const keyed = rows.map((row) => [key(row, heading.cellIndex), row]);
    keyed.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)));
    body.append(...keyed.map(([, row]) => row));
  }

  let waiting;
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 150);
  });
  form.addEventListener("reset", () => setTimeout(filter));
  form.addEventListener("submit", (event) => event.preventDefault());
  table.tHead.addEventListener("click", (event) => {
    const heading = event.target.closest("th");
    if (heading && event.target.closest("button")) sort(heading);
  });
  // Numbers of the table of documents show the rules that they count.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-show]");
    if (!link) return;
    form.reset();
    for (const [name, value] of new URLSearchParams(link.dataset.show)) {
      form.elements[name].value = value;
    }
    filter();
  });
  // Where a link leads is shown, whatever the filters say and whatever is folded away.
  function follow() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target || target.getClientRects().length > 0) return;
    for (let around = target.closest("details"); around; around = around.parentElement.closest("details")) {
      around.open = true;
    }
    if (target.hidden) {
      form.reset();
      filter();
    }
    target.scrollIntoView();
  }
  addEventListener("hashchange", follow);
  form.hidden = false;
  filter();
  // The page may have been opened at a rule, which has got its id just now.
  document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  follow();
})();
