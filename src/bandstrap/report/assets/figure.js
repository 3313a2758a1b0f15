// A figure: controls, and for each panel a chart with the ranking at the chosen round, which is
// its legend too.

class PanelView {
  constructor(figure, panel, curves) {
    this.figure = figure;
    this.panel = panel;
    this.curves = panel.curves.map((place) => curves[place]);
    this.hidden = new Set();
    this.root = document.getElementById("panel").content.firstElementChild.cloneNode(true);
    this.box = this.root.querySelector(".chart");
    this.tip = element("div", { class: "tip", "aria-hidden": "true" });
    this.buttons = new Map(this.curves.map((curve) => [curve.policy, this.button(curve)]));
    this.fill();
  }

  fill() {
    const title = this.panel.title;
    this.root.querySelector("h4").textContent = title;
    this.root.querySelector("caption").textContent = `${title}: ranking at the chosen round`;
    this.root.querySelector(".wide").setAttribute("aria-label", `${title}: ranking`);
    this.all = this.root.querySelector(".all");
    this.all.addEventListener("click", () => this.toggleAll());
    const heads = this.figure.measures.map((measure) => element("th", { scope: "col" }, measure.label));
    this.heads = heads;
    this.root.querySelector("thead tr").append(
      element("th", { scope: "col" }, "Rank"), element("th", { scope: "col" }, "Policy"), ...heads);
  }

  button(curve) {
    const button = element("button", { type: "button", class: "curve", "aria-pressed": "true", title: "Show or hide this curve" });
    button.innerHTML = `<svg width="28" height="10" aria-hidden="true"><line x1="1" x2="27" y1="5" y2="5"/></svg>`;
    button.querySelector("line").style.cssText =
      `stroke: var(${colourName(curve)}); stroke-dasharray: ${dashes(curve).join(" ") || "none"}`;
    button.append(curve.policy);
    button.addEventListener("click", () => this.toggle(curve.policy));
    for (const event of ["mouseenter", "focus"]) button.addEventListener(event, () => this.emphasise(curve.policy));
    for (const event of ["mouseleave", "blur"]) button.addEventListener(event, () => this.emphasise(null));
    return button;
  }

  draw() {
    this.chart?.destroy();
    const leave = (u) => u.over.addEventListener("mouseleave", () => this.tip.classList.remove("on"));
    const ready = [(u) => u.over.append(this.tip), leave, (u) => u.over.addEventListener("click", () => this.pick(u))];
    this.chart = makeChart(this.box, this.curves, this.figure.state, this.hidden, {
      ready, setCursor: [(u) => this.hover(u)], draw: [(u) => this.mark(u)],
    });
    const { measure } = this.figure.state;
    this.box.setAttribute("aria-label",
      `${measure.label} against rounds, ${this.curves.length} curves; the table that follows has the values.`);
  }

  // A line at the round of the slider.
  mark(u) {
    const x = u.valToPos(this.figure.state.round, "x", true);
    const { left, top, width, height } = u.bbox;
    if (!(x >= left && x <= left + width)) return;
    const context = u.ctx;
    context.save();
    context.strokeStyle = css("--muted");
    context.lineWidth = devicePixelRatio;
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, top + height);
    context.stroke();
    context.restore();
  }

  pick(u) {
    if (u.cursor.idx != null) this.figure.choose(u.data[0][u.cursor.idx]);
  }

  hover(u) {
    const { idx, left, top } = u.cursor;
    this.tip.classList.toggle("on", idx != null && left >= 0);
    if (idx == null || left < 0) return;
    const round = u.data[0][idx];
    const near = this.shown().map((curve) => this.valueAt(curve, round)).filter((value) => value.mean !== null && !value.late);
    near.sort((a, b) => Math.abs(u.valToPos(a.mean, "y") - top) - Math.abs(u.valToPos(b.mean, "y") - top));
    const listed = near.slice(0, 8).sort((a, b) => b.mean - a.mean);
    this.tip.replaceChildren(element("b", {}, `Round ${grouped(round)}`), ...listed.map((value) => this.tipLine(value, round)));
    const beyond = left > u.over.clientWidth / 2;
    this.tip.style.cssText = beyond ? `right: ${u.over.clientWidth - left + 14}px` : `left: ${left + 14}px`;
  }

  tipLine(value, round) {
    const swatch = element("i", { style: `background: var(${colourName(value.curve)})` });
    const when = value.round === round ? "" : ` at ${grouped(value.round)}`;
    return element("span", {}, swatch, element("span", {}, value.curve.policy), element("em", {}, withError(value.mean, value.error) + when));
  }

  valueAt(curve, round, measure = this.figure.state.measure) {
    const at = pointAt(curve, round);
    return { ...at, curve, mean: curve[measure.key].mean[at.point], error: curve[measure.key].error[at.point] };
  }

  shown() {
    return this.curves.filter((curve) => !this.hidden.has(curve.policy));
  }

  toggle(policy) {
    const show = this.hidden.has(policy);
    if (show) this.hidden.delete(policy);
    else this.hidden.add(policy);
    this.show([policy], show);
  }

  toggleAll() {
    const names = this.curves.map((curve) => curve.policy);
    const show = this.hidden.size > 0;
    this.hidden = new Set(show ? [] : names);
    this.show(names, show);
  }

  show(names, visible) {
    this.chart.batch(() => this.curves.forEach((curve, place) => {
      if (!names.includes(curve.policy)) return;
      for (const part of [1, 2, 3]) this.chart.setSeries(3 * place + part, { show: visible });
      this.buttons.get(curve.policy).setAttribute("aria-pressed", String(visible));
    }));
    this.all.textContent = this.hidden.size ? "Show all" : "Hide all";
  }

  emphasise(policy) {
    const place = this.curves.findIndex((curve) => curve.policy === policy);
    this.chart.setSeries(place < 0 || this.hidden.has(policy) ? null : 3 * place + 1, { focus: true });
  }

  // Best first at the chosen round; policies that ended before it follow, without a rank.
  rank() {
    const { round, measure } = this.figure.state;
    const sign = measure.best === "low" ? 1 : -1;
    const values = this.curves.map((curve) => this.valueAt(curve, round));
    values.sort((a, b) => a.late - b.late || sign * (a.mean - b.mean));
    this.figure.measures.forEach((each, place) => { this.heads[place].className = this.kind(each); });
    const focused = document.activeElement;
    this.root.querySelector("tbody").replaceChildren(...values.map((value, place) => this.row(value, place)));
    if (this.root.contains(focused)) focused.focus();
  }

  // Where there is little room the chosen measure alone is shown.
  kind(measure) {
    return measure === this.figure.state.measure ? "number" : "number other";
  }

  row(value, place) {
    const { round } = this.figure.state;
    const when = value.round === round ? "" : element("small", {}, ` ${value.late ? "ended" : "at"} ${grouped(value.round)}`);
    const cells = this.figure.measures.map((measure) => {
      const { mean, error } = this.valueAt(value.curve, round, measure);
      const cell = numberCell(mean, withError(mean, error));
      cell.className = this.kind(measure);
      return cell;
    });
    return element("tr", { "data-policy": value.curve.policy },
      element("td", { class: "number" }, value.late ? "" : String(place + 1)),
      element("th", { scope: "row" }, this.buttons.get(value.curve.policy), when), ...cells);
  }
}

class FigureView {
  constructor(figure, curves, root) {
    this.measures = figure.measures;
    this.root = root;
    const inside = figure.panels.flatMap((panel) => panel.curves.map((place) => curves[place]));
    this.rounds = unionRounds(inside, 1);
    const [measure] = figure.measures;
    this.state = { measure, logX: measure.best === "high", logY: false, round: this.rounds.at(-1) };
    this.panels = figure.panels.map((panel) => new PanelView(this, panel, curves));
    const controls = this.controls(figure.title);
    const grid = element("div", { class: `panels${figure.panels.length > 1 ? " several" : ""}` });
    grid.append(...this.panels.map((panel) => panel.root));
    root.append(controls, this.caption(inside), grid);
    this.panels.forEach((panel) => panel.draw());
    this.choose(this.state.round);
  }

  caption(curves) {
    const [runs, rounds] = [curves.map((curve) => curve.runs), curves.map((curve) => curve.rounds.at(-1))];
    const most = `${grouped(Math.max(...runs))} runs, ${grouped(Math.max(...rounds))} rounds`;
    return element("p", { class: "caption" }, `Means over ${most}; bands are one standard error each way.`);
  }

  controls(title) {
    const controls = document.getElementById("controls").content.firstElementChild.cloneNode(true);
    controls.setAttribute("aria-label", `${title}: controls`);
    const measures = controls.querySelector(".measures");
    for (const measure of this.measures) {
      const button = element("button", { type: "button", "aria-pressed": String(measure === this.state.measure), "data-measure": measure.key }, measure.label);
      button.addEventListener("click", () => this.set({ measure }, measures, button));
      measures.append(button);
    }
    for (const [axis, name] of [["x", "logX"], ["y", "logY"]]) {
      const button = controls.querySelector(`[data-axis=${axis}]`);
      button.setAttribute("aria-pressed", String(this.state[name]));
      button.addEventListener("click", () => {
        this.set({ [name]: !this.state[name] });
        button.setAttribute("aria-pressed", String(this.state[name]));
      });
    }
    this.slider = controls.querySelector("input");
    this.output = controls.querySelector("output");
    this.slider.max = this.rounds.length - 1;
    this.slider.addEventListener("input", () => this.choose(this.rounds[this.slider.value]));
    return controls;
  }

  set(changes, group, pressed) {
    Object.assign(this.state, changes);
    for (const button of group?.children ?? []) button.setAttribute("aria-pressed", String(button === pressed));
    this.panels.forEach((panel) => panel.draw());
    this.choose(this.state.round);
  }

  choose(round) {
    this.state.round = round;
    this.slider.value = this.rounds.indexOf(round);
    this.slider.setAttribute("aria-valuetext", `round ${grouped(round)}`);
    this.output.textContent = grouped(round);
    this.panels.forEach((panel) => {
      panel.rank();
      panel.chart.redraw(false, false);
    });
  }

  redraw() {
    this.panels.forEach((panel) => panel.chart.redraw(false, true));
  }

  // The size that the page has for it now.
  fit() {
    this.panels.forEach((panel) => {
      const width = panel.box.clientWidth;
      if (width && width !== panel.chart.width) panel.chart.setSize({ width, height: panel.chart.height });
    });
  }

  showEverything() {
    this.panels.forEach((panel) => panel.hidden.size && panel.toggleAll());
  }
}
