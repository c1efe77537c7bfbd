"use strict";
// Tables marked `data-rows` sort by a click on a heading; long ones get a filter. No state, no network.
for (const table of document.querySelectorAll("table[data-rows]")) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const key = (row, column) => {
    const cell = row.cells[column];
    const number = cell.dataset.v;
    return number === undefined ? cell.textContent.trim() : number === "" ? null : Number(number);
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
  if (rows.length > 12) {
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
    const place = table.closest(".scroll") || table;
    place.before(field);
  }
}
