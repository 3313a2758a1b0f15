// One chart: mean curves with bands, of one standard error or as given, drawn by uPlot. Over rounds,
// or over time.

const DASHES = [[], [9, 4], [2, 3], [9, 3, 2, 3], [14, 4]];
const COLOURS = 7; // --c0 … --c6 of the style sheet; 7 and 5 make 35 looks
const TINY = 1e-100; // what is no more than this is zero to a logarithm
const LINES = 8; // decades that a logarithmic axis has lines at
const GRAIN = 1e-9; // share of a number that an axis shows at least: numbers have few digits more

function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function colourName(curve) {
  return `--c${curve.look % COLOURS}`;
}

function dashes(curve) {
  return DASHES[curve.look % DASHES.length];
}

function unionRounds(curves, start) {
  const all = new Set(curves.flatMap((curve) => curve.rounds));
  const rounds = [...all].sort((a, b) => a - b);
  const kept = rounds.filter((round) => round >= start);
  return kept.length > 1 ? kept : rounds;
}

// Values at given rounds, null where none was recorded; a logarithm has only what is positive.
function aligned(curve, rounds, values, logarithmic) {
  const places = new Map(curve.rounds.map((round, place) => [round, place]));
  return rounds.map((round) => {
    const value = places.has(round) ? values(places.get(round)) : null;
    return logarithmic && value !== null && value <= TINY ? null : value;
  });
}

// A curve's values, or the upper or lower end of its band.
function bound({ mean, error, low, high }, sign) {
  if (low) return (place) => [mean, high, low].at(sign)[place];
  return (place) => mean[place] + sign * (error[place] ?? 0);
}

function chartData(curves, measure, logarithmic) {
  const rounds = unionRounds(curves, measure.start);
  const data = [rounds];
  for (const curve of curves) {
    for (const sign of [0, 1, -1]) data.push(aligned(curve, rounds, bound(curve[measure.key], sign), logarithmic));
  }
  return data;
}

function chartSeries(curves, hidden, rounds) {
  const series = [{}];
  for (const curve of curves) {
    const common = { show: !hidden.has(curve.policy), spanGaps: !curve.broken, points: { show: false } };
    const stroke = () => css(colourName(curve));
    // Where there is no line: of one round, and between two gaps.
    const points = { show: rounds.length === 1 || !!curve.broken, filter: curve.broken && ((u, place) => alone(u.data[place])) };
    series.push({ ...common, points, label: curve.policy, stroke, width: 2, dash: dashes(curve) });
    series.push({ ...common, width: 0 }, { ...common, width: 0 });
  }
  return series;
}

function alone(values) {
  return [...values.keys()].filter((at) => values[at] !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null);
}

function chartBands(curves) {
  return curves.map((curve, place) => ({
    series: [3 * place + 2, 3 * place + 3],
    fill: () => css(colourName(curve)) + (curves.length > 6 ? "14" : "2b"),
  }));
}

function axisNumber(value) {
  if (value === null) return "";
  if (value >= 1e6) return `${value / 1e6}M`;
  if (value >= 1e4) return `${value / 1e3}k`;
  return String(+value.toPrecision(6));
}

// Lines of a logarithmic axis: 1, 2 and 5 of each decade where there are few, else its powers,
// and not all of these where there are many. An axis without a beginning or an end has none.
function logSplits(low, high) {
  if (!(low > 0 && high < Infinity)) return [];
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const leads = last - first < 4 ? [1, 2, 5] : last - first < 6 ? [1, 3] : [1];
  const step = Math.ceil((last - first) / LINES) || 1;
  const splits = [];
  for (let power = first; power <= last; power += step) {
    for (const lead of leads) splits.push(Number(`${lead}e${power}`));
  }
  return splits.filter((value) => value >= low && value <= high);
}

function axisSplits(logarithmic) {
  return logarithmic ? { splits: (u, axis, low, high) => logSplits(low, high), filter: (u, splits) => splits } : {};
}

function chartAxis(size, logarithmic, shown = axisNumber) {
  return {
    stroke: () => css("--muted"),
    font: "12px system-ui, sans-serif",
    grid: { stroke: () => css("--line"), width: 1 },
    ticks: { stroke: () => css("--line"), width: 1, size: 4 },
    size,
    values: (u, splits) => splits.map((value) => shown(value, splits)),
    ...axisSplits(logarithmic),
  };
}

// A single round, or moment, stands in the middle: an axis needs some width.
function horizontalRange(first, last, time) {
  if (first < last) return [first, last];
  return time ? [first - 30, first + 30] : [first / 2, 2 * last];
}

function verticalRange(state, measure) {
  if (measure.range) return measure.range;
  return (u, low, high) => {
    if (low === null || high === null) return state.logY ? [0.1, 1] : [0, 1]; // nothing is shown
    const alike = high - low <= GRAIN * Math.max(Math.abs(low), Math.abs(high));
    if (state.logY) return alike ? [low / 2, 2 * high] : uPlot.rangeLog(low, high, 10, false);
    const margin = 0.06 * (alike ? Math.abs(high) || 1 : high - low);
    const floor = measure.best === "low" && low >= 0 ? 0 : low - margin;
    return [low >= 0 ? Math.max(0, floor) : floor, high + margin];
  };
}

function makeChart(box, curves, state, hidden, hooks) {
  const data = chartData(curves, state.measure, state.logY);
  const rounds = data[0];
  const options = {
    width: Math.max(box.clientWidth, 200),
    height: box.clientWidth > 700 ? 360 : 260,
    legend: { show: false },
    focus: { alpha: 0.18 },
    cursor: { drag: { x: false, y: false }, y: false, points: { show: false } },
    scales: {
      x: { time: !!state.time, distr: state.logX ? 3 : 1, range: (u, first, last) => horizontalRange(first, last, state.time) },
      y: { distr: state.logY ? 3 : 1, range: verticalRange(state, state.measure) },
    },
    axes: [{ ...chartAxis(34, state.logX, state.time), space: state.time ? 64 : 46 }, chartAxis(52, state.logY, state.measure.shown)],
    series: chartSeries(curves, hidden, rounds),
    bands: chartBands(curves),
    hooks,
  };
  return new uPlot(options, data, box);
}
