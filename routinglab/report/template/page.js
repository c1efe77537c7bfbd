"use strict";
// Tables marked `data-rows` sort by a click on a heading, can be saved, and get a filter where they
// are long. No state, no network.

// What a cell says: a folded text without its summary, lines joined.
const textOf = (cell) => {
  const fold = cell.querySelector("details");
  const from = (fold || cell).cloneNode(true);
  for (const summary of from.querySelectorAll("summary")) summary.remove();
  for (const line of from.querySelectorAll("br")) line.replaceWith("\n");
  return from.textContent.trim();
};

const number = (text) => (text === undefined || text === "" ? null : Number(text));

// The rows shown, in the order shown: [[name, value], ...] a row; an interval has columns of its own.
const recordsOf = (table) => {
  const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent.trim());
  const names = heads.map((head, i) => (heads.indexOf(head) === i ? head : `${heads[i - 1]} ${head}`));
  const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden);
  const bounded = heads.map((_, i) => rows.some((row) => row.cells[i].dataset.low !== undefined));
  return rows.map((row) =>
    names.flatMap((name, i) => {
      const cell = row.cells[i];
      const missing = cell.classList.contains("missing");
      const value = cell.dataset.v !== undefined ? number(cell.dataset.v) : missing ? null : textOf(cell);
      const bounds = [[`${name} low`, number(cell.dataset.low)], [`${name} high`, number(cell.dataset.high)]];
      return [[name, value], ...(bounded[i] ? bounds : [])];
    })
  );
};

const quoted = (value) => {
  const text = value === null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const FORMS = {
  CSV: ["text/csv", (records) =>
    [records[0].map(([name]) => name), ...records.map((record) => record.map(([, value]) => value))]
      .map((row) => row.map(quoted).join(",") + "\r\n").join("")],
  JSON: ["application/json", (records) => JSON.stringify(records.map(Object.fromEntries), null, 2) + "\n"],
};

const saver = (table, name, form) => {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "save";
  button.textContent = form;
  button.title = `Save the rows shown as ${form}`;
  button.addEventListener("click", () => {
    const records = recordsOf(table);
    if (!records.length) return;
    const [type, write] = FORMS[form];
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([write(records)], { type }));
    link.download = `${name}.${form.toLowerCase()}`;
    link.click();
    URL.revokeObjectURL(link.href);
  });
  return button;
};

const sortable = (table) => {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const key = (row, column) => {
    const cell = row.cells[column];
    const given = cell.dataset.v;
    return given === undefined ? cell.textContent.trim() : number(given);
  };
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const turn = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", turn === 1 ? "ascending" : "descending");
      const sorted = [...rows].sort((a, b) => {
        const x = key(a, column), y = key(b, column);
        if (x === null || y === null) return (x === null) - (y === null);
        if (typeof x === "number" && typeof y === "number") return turn * (x - y);
        return turn * (String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0);
      });
      body.append(...sorted);
    });
  });
};

const filter = (rows) => {
  const field = document.createElement("input");
  field.className = "filter";
  field.type = "search";
  field.placeholder = `Filter ${rows.length} rows`;
  field.setAttribute("aria-label", field.placeholder);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
  return field;
};

// Say so where columns or rows are out of sight, for many systems hide scroll bars.
const hinted = (place, hint) => {
  const look = () => {
    const right = place.scrollLeft + place.clientWidth < place.scrollWidth - 2;
    const down = place.scrollTop + place.clientHeight < place.scrollHeight - 2;
    place.classList.toggle("more", right);
    hint.textContent = [right && "more columns \u2192", down && "more rows \u2193"].filter(Boolean).join("   ");
  };
  place.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(place);
  new ResizeObserver(look).observe(place.firstElementChild);
};

for (const table of document.querySelectorAll("table[data-rows]")) {
  const rows = [...table.tBodies[0].rows];
  const place = table.closest(".scroll") || table;
  const cell = table.closest("section[id]");
  const name = (cell ? cell.id.replace(/^cell-/, "") : "table") || "table";
  const tools = document.createElement("div");
  tools.className = "tools";
  if (rows.length > 12) tools.append(filter(rows));
  if (rows.length) tools.append(saver(table, name, "CSV"), saver(table, name, "JSON"));
  const hint = document.createElement("span");
  hint.className = "hint";
  tools.append(hint);
  place.before(tools);
  sortable(table);
  if (place !== table) hinted(place, hint);
}
