// Texts of the service's page. All that comes from elsewhere is put in as text, never as HTML.

// What a name may hold and no reader should be fooled by: controls, and marks of direction.
const OBEYED = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]/gu;

function clean(text) {
  return String(text).replace(OBEYED, (each) => `\\u${each.codePointAt(0).toString(16).padStart(4, "0")}`);
}

function known(value) {
  return typeof value === "number" && Number.isFinite(value);
}

function shownNumber(value) {
  return known(value) ? number(value) : "–";
}

function signed(value) {
  return known(value) ? `${value > 0 ? "+" : value < 0 ? "−" : ""}${number(Math.abs(value))}` : "–";
}

function count(value) {
  return known(value) ? grouped(value) : "–";
}

function percent(value, places = 1) {
  return known(value) ? `${grouped(100 * value, places)}%` : "–";
}

function between(low, high, shown = shownNumber) {
  return known(low) && known(high) ? `${shown(low)} to ${shown(high)}` : "–";
}

// Seconds as people say them.
function span(seconds) {
  if (!known(seconds)) return "–";
  if (seconds < 1) return time(Math.max(seconds, 1e-3));
  const [size, name] = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]].find(([least]) => seconds >= 2 * least || least === 1);
  return `${grouped(seconds / size, seconds / size < 10 && size > 1 ? 1 : 0)} ${name}`;
}

const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const SHORT = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

// A moment: the time of day, and the day if it is not today.
function moment(seconds) {
  if (!known(seconds)) return "–";
  const date = new Date(1000 * seconds);
  const today = date.toDateString() === new Date().toDateString();
  return today ? CLOCK.format(date) : `${DAY.format(date)}, ${SHORT.format(date)}`;
}

function timeElement(seconds) {
  const made = element("time", {}, moment(seconds));
  if (known(seconds)) made.setAttribute("datetime", new Date(1000 * seconds).toISOString());
  return made;
}

// A moment on an axis: as much of it as the axis needs.
function axisMoment(value, all) {
  const date = new Date(1000 * value);
  const wide = all.at(-1) - all[0];
  if (wide < 240) return CLOCK.format(date);
  return wide < 86400 ? SHORT.format(date) : DAY.format(date) + (wide < 3 * 86400 ? ` ${SHORT.format(date)}` : "");
}

const shownOf = new WeakMap();

// Renew what is in an element, but only if it has changed: no flicker, and nothing said twice.
function renew(box, data, make) {
  const text = JSON.stringify(data ?? null);
  if (shownOf.get(box) === text) return;
  shownOf.set(box, text);
  box.replaceChildren(...make(data));
}
