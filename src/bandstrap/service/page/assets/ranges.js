// Intervals one below the other with a line through all of them: what charts.py draws for reports.

function rangeScale(rows, marks) {
  const all = [...marks, ...rows.flatMap((row) => [row.low, row.high, row.value])].filter(known);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const wide = (high - low) || 1;
  return (value) => (100 * (value - (low - 0.04 * wide))) / (1.08 * wide);
}

function placed(kind, left, width) {
  const made = element("i", { class: kind });
  made.style.left = `${left.toFixed(2)}%`;
  if (width !== undefined) made.style.width = `${width.toFixed(2)}%`;
  return made;
}

function rangeRow(row, at, marks) {
  const track = element("span", { class: "track", "aria-hidden": "true" });
  for (const mark of marks) track.append(placed("mark", at(mark)));
  if (known(row.low) && known(row.high)) track.append(placed(`range ${row.tone}`, at(row.low), Math.max(at(row.high) - at(row.low), 0.3)));
  if (known(row.value)) track.append(placed("point", at(row.value)));
  const name = element("span", { class: "name" }, clean(row.name));
  if (row.about) name.append(element("small", {}, clean(row.about)));
  const made = element("div", { class: "row" }, name, track, element("span", { class: "shown" }, row.shown));
  if (row.far) made.append(element("span", { class: "far" }, row.far));
  return made;
}

function rangeChart(rows, marks, caption) {
  const at = rangeScale(rows, marks);
  return [
    element("div", { class: "panel ranges" }, ...rows.map((row) => rangeRow(row, at, row.marks ?? marks))),
    element("p", { class: "caption" }, caption),
  ];
}

function toneOf(low, high, mark = 0) {
  if (!known(low) || !known(high)) return "open";
  return low > mark ? "good" : high < mark ? "bad" : "open";
}
