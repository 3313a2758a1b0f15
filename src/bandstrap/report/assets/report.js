// The page: figures, tables, colours and print.

const THEMES = [["auto", "Auto", "as the system"], ["light", "Light", "light"], ["dark", "Dark", "dark"]];
let views = [];

function applyTheme(theme) {
  const [name, label, said] = theme;
  const button = document.getElementById("theme");
  document.documentElement.dataset.theme = name;
  button.textContent = `◐ ${label}`;
  button.setAttribute("aria-label", `Colours: ${said}`);
  views.forEach((view) => view.redraw());
}

function nextTheme() {
  const now = THEMES.findIndex(([name]) => name === (document.documentElement.dataset.theme || "auto"));
  applyTheme(THEMES[(now + 1) % THEMES.length]);
}

// Paper is white and has no buttons: light colours, every curve, everything unfolded.
function beforePrint() {
  document.documentElement.classList.add("printing");
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  views.forEach((view) => { view.showEverything(); view.fit(); view.redraw(); });
}

function afterPrint() {
  document.documentElement.classList.remove("printing");
  views.forEach((view) => { view.fit(); view.redraw(); });
}

function drawTables(curves) {
  const section = document.getElementById("tables");
  if (curves.length) section.append(...finalValues(curves));
  document.querySelectorAll("table.sorts").forEach(makeSortable);
  if (!section.querySelector("table")) section.hidden = document.querySelector("[href='#tables']").hidden = true;
}

function drawFigures({ figures, curves }) {
  views = figures.map((figure) => new FigureView(
    figure, curves, document.getElementById(figure.id).querySelector(".charts")));
  const resized = new ResizeObserver(() => views.forEach((view) => view.fit()));
  views.forEach((view) => resized.observe(view.root));
  document.documentElement.dataset.drawn = "true"; // for who waits
}

function selectAll(code) {
  const range = document.createRange();
  range.selectNodeContents(code);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}

// Where the clipboard is closed to pages the code is selected, so that one key copies it.
async function copyCode(code, button) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  } catch {
    selectAll(code);
    button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
}

function addCopyButtons() {
  document.querySelectorAll("pre").forEach((pre) => {
    const frame = element("div", { class: "code" });
    const button = element("button", { type: "button", class: "copy", "aria-live": "polite" }, "Copy");
    button.addEventListener("click", () => copyCode(pre.querySelector("code"), button));
    pre.replaceWith(frame);
    frame.append(button, pre);
  });
}

document.getElementById("theme").addEventListener("click", nextTheme);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => views.forEach((view) => view.redraw()));
addCopyButtons();
addEventListener("beforeprint", beforePrint);
addEventListener("afterprint", afterPrint);
// The answer is painted before anything is drawn.
requestAnimationFrame(() => setTimeout(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  drawTables(data.curves);
  drawFigures(data);
}));
