// A chart over time that takes new numbers without being made anew.

const SHARES = { key: "share", label: "Share", range: [0, 1], shown: (value) => percent(value, 0), start: -Infinity };
const REWARDS = { key: "reward", label: "Mean reward", best: "high", start: -Infinity };
const CURVES = 8; // arms with a curve of their own

class LiveChart {
  constructor(root, measure, shown) {
    this.root = root;
    this.measure = measure;
    this.shown = shown; // a value as text
    this.box = root.querySelector(".chart");
    this.legend = root.querySelector(".legend");
    this.table = root.querySelector("table");
    this.tip = element("div", { class: "tip", "aria-hidden": "true" });
    this.curves = [];
    root.querySelector("details").addEventListener("toggle", () => this.fillTable());
    new ResizeObserver(() => this.fit()).observe(this.box);
  }

  show(curves, empty) {
    this.names = curves.map((curve) => [curve.policy, curve.look].join());
    this.curves = curves;
    const nothing = !curves.some((curve) => curve[this.measure.key].mean.some(known));
    this.box.classList.toggle("empty", nothing);
    if (nothing) this.clear(empty);
    else this.draw();
    this.fillLegend(nothing ? [] : curves);
    this.fillTable();
  }

  clear(empty) {
    this.chart?.destroy();
    this.chart = null;
    renew(this.box, empty, () => [empty]);
    this.box.removeAttribute("aria-label");
  }

  draw() {
    const data = chartData(this.curves, this.measure, false);
    const text = JSON.stringify([this.names, data]);
    if (text === this.drawn && this.chart) return;
    this.drawn = text;
    const same = this.chart && this.made === this.names.join() && this.single === (data[0].length === 1);
    if (same) this.chart.setData(data);
    else this.make(data);
    const said = this.curves.map((curve) => `${curve.policy} ${this.shown(curve, this.last(curve))}`).slice(0, CURVES);
    this.box.setAttribute("aria-label", `${this.measure.label} over time. Last: ${said.join(", ")}. “Numbers” below has the values.`);
  }

  make(data) {
    this.chart?.destroy();
    this.box.replaceChildren();
    shownOf.delete(this.box);
    [this.made, this.single] = [this.names.join(), data[0].length === 1];
    const leave = (u) => u.over.addEventListener("mouseleave", () => this.tip.classList.remove("on"));
    const state = { measure: this.measure, time: axisMoment, logX: false, logY: false };
    const hooks = { ready: [(u) => u.over.append(this.tip), leave], setCursor: [(u) => this.hover(u)] };
    this.chart = makeChart(this.box, this.curves, state, new Set(), hooks);
  }

  last(curve) {
    const { mean } = curve[this.measure.key];
    let place = mean.length - 1;
    while (place > 0 && !known(mean[place])) place--;
    return place;
  }

  hover(u) {
    const { idx, left } = u.cursor;
    this.tip.classList.toggle("on", idx != null && left >= 0);
    if (idx == null || left < 0) return;
    const lines = this.curves.map((curve) => this.tipLine(curve, u.data[0][idx]));
    this.tip.replaceChildren(element("b", {}, moment(u.data[0][idx])), ...lines);
    this.tip.style.cssText = left > u.over.clientWidth / 2 ? `right: ${u.over.clientWidth - left + 14}px` : `left: ${left + 14}px`;
  }

  tipLine(curve, when) {
    const swatch = element("i");
    swatch.style.background = `var(${colourName(curve)})`;
    return element("span", {}, swatch, element("span", {}, curve.policy), element("em", {}, this.shown(curve, curve.rounds.indexOf(when))));
  }

  fillLegend(curves) {
    const rows = curves.map((curve) => [curve.policy, curve.look, this.shown(curve, this.last(curve))]);
    renew(this.legend, rows, () => curves.map((curve, place) => element("li", {}, this.swatch(curve),
      element("span", { class: "name" }, curve.policy), element("b", {}, rows[place][2]))));
  }

  swatch(curve) {
    const [svg, line] = ["svg", "line"].map((name) => document.createElementNS("http://www.w3.org/2000/svg", name));
    for (const [key, value] of [["width", 28], ["height", 10], ["aria-hidden", "true"]]) svg.setAttribute(key, value);
    for (const [key, value] of [["x1", 1], ["x2", 27], ["y1", 5], ["y2", 5]]) line.setAttribute(key, value);
    line.style.stroke = `var(${colourName(curve)})`;
    line.style.strokeDasharray = dashes(curve).join(" ") || "none";
    svg.append(line);
    return svg;
  }

  // Only while somebody looks at it.
  fillTable() {
    if (!this.root.querySelector("details").open) return;
    const [rounds, names] = [this.curves[0]?.rounds ?? [], this.curves.map((curve) => curve.policy)];
    renew(this.table.tHead, names, () => [element("tr", {}, element("th", { scope: "col" }, "Time"),
      ...names.map((name) => element("th", { scope: "col", class: "number" }, name)))]);
    const all = rounds.map((when, place) => [when, ...this.curves.map((curve) => this.shown(curve, place))]);
    const rows = all.filter(([, ...values]) => values.some((text) => text !== "–")).reverse();
    renew(this.table.tBodies[0], rows, () => rows.map(([when, ...values]) => element("tr", {},
      element("td", {}, timeElement(when)), ...values.map((text) => element("td", { class: "number" }, text)))));
  }

  fit() {
    const width = this.box.clientWidth;
    if (this.chart && width && width !== this.chart.width) this.chart.setSize({ width, height: this.chart.height });
  }

  redraw() {
    this.chart?.redraw(false, true);
  }
}

// Times with one more, of which nothing is known, wherever there was a pause: no line crosses it.
function withPauses(times) {
  const steps = times.slice(1).map((when, at) => when - times[at]);
  const usual = Math.min(...steps);
  return times.flatMap((when, at) => (steps[at] > 1.5 * usual ? [[when, at], [when + usual, null]] : [[when, at]]));
}

// A curve, or several, over times with pauses.
function broken(times, make) {
  const places = withPauses(times);
  const spread = (values) => places.map(([, at]) => (at === null ? null : values[at] ?? null));
  return make(places.map(([when]) => when), spread).map((curve) => ({ ...curve, broken: true }));
}

// A curve for each of the arms with most traffic, and one for all others.
function trafficCurves(traffic, arms) {
  const { times = [], shares = {} } = traffic ?? {};
  const order = Object.keys(shares);
  const decisions = new Map(arms.map((arm) => [String(arm.name), arm.decisions ?? 0]));
  const weight = (name) => decisions.get(name) ?? 0;
  const own = order.length > CURVES + 1 ? [...order].sort((a, b) => weight(b) - weight(a)).slice(0, CURVES) : order;
  const rest = order.filter((name) => !own.includes(name));
  const together = times.map((_, at) => rest.reduce((sum, name) => sum + (shares[name][at] ?? 0), 0));
  const rows = order.filter((name) => own.includes(name)).map((name) => [clean(name), order.indexOf(name), shares[name]]);
  if (rest.length) rows.push([`${rest.length} others`, 4, together]);
  return broken(times, (rounds, spread) => rows.map(([policy, look, values]) => {
    const mean = spread(values);
    return { policy, look, rounds, share: { mean, low: mean, high: mean } };
  }));
}

function rewardCurves(reward) {
  const { times = [], mean = [], low = [], high = [] } = reward ?? {};
  if (!times.length) return [];
  return broken(times, (rounds, spread) => [{ policy: "all decisions", look: 0, rounds, reward: { mean: spread(mean), low: spread(low), high: spread(high) } }]);
}
