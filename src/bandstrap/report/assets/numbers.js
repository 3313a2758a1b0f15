"use strict";

// Numbers as people read them. Decimals follow the size of the number, so that a mean and its
// error line up.

function decimals(value) {
  const size = Math.abs(value);
  if (size >= 1e4) return 0;
  if (size >= 100) return 1;
  if (size >= 10) return 2;
  return size >= 1 ? 3 : 4;
}

function grouped(value, places = 0) {
  return value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });
}

function number(value) {
  return value === null ? "–" : grouped(value, decimals(value));
}

function withError(mean, error) {
  if (mean === null) return "–";
  return error === null ? number(mean) : `${number(mean)} ± ${grouped(error, decimals(mean))}`;
}

function time(seconds) {
  const units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
  const [unit, name] = units.find(([size]) => seconds >= size) || units[3];
  return `${grouped(seconds / unit, seconds / unit < 10 ? 2 : seconds / unit < 100 ? 1 : 0)} ${name}`;
}

// The last recorded point of a curve up to a round; `late` says that the curve ended before.
function pointAt(curve, round) {
  let point = curve.rounds.length - 1;
  while (point > 0 && curve.rounds[point] > round) point--;
  return { point, round: curve.rounds[point], late: round > curve.rounds[curve.rounds.length - 1] };
}
