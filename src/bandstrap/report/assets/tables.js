// Tables that sort by any column, and the table of final values.

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function sortKey(row, column) {
  const cell = row.cells[column];
  const key = cell.dataset.sort ?? cell.textContent;
  return key.trim() === "" ? NaN : isNaN(key) ? key : Number(key);
}

// Numbers before words, words with their numbers in order (C2 before C10), nothing last.
function compareKeys(first, second) {
  if (typeof first === "number" && typeof second === "number") {
    return (isNaN(first) - isNaN(second)) || first - second || 0;
  }
  return String(first).localeCompare(String(second), "en", { numeric: true });
}

function sortTable(table, column, ascending) {
  const body = table.tBodies[0];
  const rows = [...body.rows].sort((a, b) => {
    const [first, second] = [sortKey(a, column), sortKey(b, column)];
    const missing = Number.isNaN(first) - Number.isNaN(second);
    return missing || (ascending ? 1 : -1) * compareKeys(first, second);
  });
  body.append(...rows);
  [...table.tHead.rows[0].cells].forEach((head, place) => {
    if (place === column) head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    else head.removeAttribute("aria-sort");
  });
}

function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      sortTable(table, column, head.getAttribute("aria-sort") !== "ascending");
    });
  });
}

function heading(text, kind = "") {
  return element("th", { scope: "col", class: kind }, element("button", { type: "button" }, text));
}

function numberCell(value, shown) {
  return element("td", { class: "number", "data-sort": value ?? "" }, shown);
}

function finalValues(curves) {
  const words = ["Experiment", "Environment", "Policy"];
  const numbers = ["Runs", "Rounds", "Regret", "Reward per step", "CPU per decision"];
  const heads = [...words.map((text) => heading(text)), ...numbers.map((text) => heading(text, "number"))];
  const rows = curves.map((curve) => {
    const last = curve.rounds.length - 1;
    const value = (key) => numberCell(
      curve[key].mean[last], withError(curve[key].mean[last], curve[key].error[last]));
    return element("tr", {},
      ...[curve.experiment, curve.environment, curve.policy].map(
        (text) => element("td", { class: "word" }, text)),
      numberCell(curve.runs, grouped(curve.runs)),
      numberCell(curve.rounds[last], grouped(curve.rounds[last])),
      value("regret"), value("reward"), numberCell(curve.cost, time(curve.cost)));
  });
  const title = "Final values: means over runs ± standard error";
  const table = element("table", { class: "sorts", id: "values" },
    element("caption", { class: "unseen" }, title),
    element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
  const box = element("div", { class: "wide tall", role: "region", tabindex: "0", "aria-label": title }, table);
  return [element("h3", {}, title), box];
}
