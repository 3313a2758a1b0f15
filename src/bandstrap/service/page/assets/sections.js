// The parts of the page, each from one part of an experiment's status. A part that is missing or
// null is said to be so.

const part = (id) => document.getElementById(id);

// What decides: a candidate that was promoted goes by its name, the experiment's own policy by what
// it is.
function policyOf(status) {
  if (status.policy && status.policy !== status.experiment) return clean(status.policy);
  return clean(status.described ?? "the policy");
}

// Decisions whose window is over.
function learntOf(status) {
  return (status.decisions ?? 0) - (status.waiting ?? 0);
}

// At the beginning of a sentence; names stay as they are.
function capital(text) {
  return text.replace(/^the /, "The ");
}

function sentenceOf(status) {
  const { lift } = status;
  const [policy, over] = [policyOf(status), lift ? clean(lift.over) : ""];
  if (learntOf(status) <= 0) return status.waiting ? "Decisions wait for their windows to end." : "Nothing has been learnt yet.";
  if (status.mode === "logging") return "Your rule decides; every decision is kept.";
  if (!lift) return `${capital(policy)} ${status.mode === "shadow" ? "watches your rule" : "decides"}; there is no control to compare it with.`;
  if (!known(lift.value)) return `Nothing can be said yet of ${policy} against ${over}.`;
  const size = number(Math.abs(lift.value));
  if (lift.low > 0) return `${capital(policy)} earns ${size} more a decision than ${over}.`;
  if (lift.high < 0) return `${capital(policy)} earns ${size} less a decision than ${over}.`;
  return `Whether ${policy} earns more than ${over} is open.`;
}

function showNow(status) {
  const name = clean(status.experiment ?? "");
  renew(part("running"), [name, status.time], () => [`${name}, as of `, timeElement(status.time)]);
  renew(part("sentence"), sentenceOf(status), (text) => [text]);
  const { lift } = status;
  renew(part("lift"), lift ?? null, () => (lift && known(lift.value) ? rangeChart([{
    ...lift, name: `Lift over ${lift.over}`, tone: toneOf(lift.low, lift.high),
    shown: `${signed(lift.value)} (${between(lift.low, lift.high, signed)})`,
  }], [0], `The line is no difference. The interval holds at every look, from ${count(lift.decisions)} decisions.`) : []));
  showFacts(status);
  showWarnings(status.warnings ?? []);
  showFirst(status);
}

function showFacts(status) {
  const MODES = { online: "the policy decides", shadow: "your rule decides, the policy watches", logging: "your rule decides, no policy runs" };
  const facts = [
    ["Policy", capital(policyOf(status)), [status.policy === status.experiment ? "" : clean(status.described ?? ""), known(status.version) ? `version ${count(status.version)}` : ""].filter(Boolean).join(", ")],
    ["Mode", clean(status.mode ?? "–"), MODES[status.mode] ?? ""],
    ["Arms", status.arms?.length ? count(status.arms.filter((arm) => !arm.retired && !arm.stopped).length) : "–", armsGone(status.arms ?? [])],
    ["Decisions", count(status.decisions), ""],
    ["Waiting", count(status.waiting), "for their window to end"],
    ["Rewards", count(status.rewards), known(status.late) && status.late ? `${count(status.late)} came too late` : ""],
    ["Running since", moment(status.started), ""],
  ];
  renew(part("facts"), facts, () => facts.map(([name, value, more]) => element("div", {},
    element("dt", {}, name), element("dd", {}, value, ...(more ? [element("small", {}, more)] : [])))));
}

function armsGone(arms) {
  const [retired, stopped] = [arms.filter((arm) => arm.retired && !arm.stopped).length, arms.filter((arm) => arm.stopped).length];
  return [retired && `${retired} retired`, stopped && `${stopped} stopped`].filter(Boolean).join(", ");
}

function showWarnings(warnings) {
  part("warnings").hidden = !warnings.length;
  renew(part("warnings").querySelector("ul"), warnings, () => warnings.map((text) => element("li", {}, clean(text))));
}

// How to begin, as long as there is nothing.
function showFirst(status) {
  const empty = !status.decisions && !status.waiting;
  part("first").hidden = !empty;
  const where = new URL(`v1/experiments/${encodeURIComponent(status.experiment ?? "")}/decisions`, location.href);
  renew(part("first").querySelector("code"), where.href, () => [`curl -X POST ${where.href} -H 'Content-Type: application/json' -d '{}'`]);
}

function stateOf(arm) {
  if (arm.stopped) return ["stopped", "bad"];
  return arm.retired ? ["retired", "open"] : ["active", "good"];
}

function showArms(arms) {
  const total = arms.reduce((sum, arm) => sum + (arm.decisions ?? 0), 0);
  const cell = (label, text) => element("td", { class: "number", "data-label": label }, text);
  renew(part("arms").querySelector("tbody"), arms, () => arms.map((arm) => element("tr", {},
    element("th", { scope: "row", class: "word name" }, clean(arm.name)),
    cell("decisions", count(arm.decisions)), cell("share", percent(total ? arm.decisions / total : null)),
    cell("learnt", count(arm.lessons)), cell("mean", shownNumber(arm.mean)), cell("interval", between(arm.low, arm.high)),
    element("td", {}, element("span", { class: `badge ${stateOf(arm)[1]}` }, stateOf(arm)[0])))));
}

function checks(box, rows) {
  renew(box, rows, () => rows.map(([name, value, meaning]) => element("div", {}, element("dt", {}, name),
    element("dd", {}, element("b", {}, value), element("small", {}, meaning)))));
}

function evidenceOf(logarithm) {
  return logarithm < 6 ? String(+(10 ** logarithm).toPrecision(2)) : "over a million";
}

function showHealth(status) {
  const { smallest, effective, mean_weight: mean, mean_weight_error: error } = status.propensity ?? {};
  const ratio = status.ratio ?? {};
  const share = known(effective) && learntOf(status) > 0 ? `, ${percent(effective / learntOf(status), 0)} of decisions` : "";
  checks(part("propensities"), [
    ["Smallest", shownNumber(smallest), "The least probable arm that was chosen. The floor of the experiment keeps it up."],
    ["Effective sample size", count(known(effective) ? Math.round(effective) : null) + share, "As many decisions at even odds would say as much."],
    ["Mean weight", known(mean) ? withError(mean, known(error) ? error : null) : "–", "1 if propensities are right; two errors away from it is worth a look."],
    ["Choices against propensities", ratio.alarm ? "do not agree" : known(ratio.evidence) ? "agree" : "–",
      known(ratio.evidence) ? `Evidence against them (an e-value; 1 is none): ${evidenceOf(ratio.evidence)}. Tested at every look.` : "Tested at every look."],
  ]);
  checks(part("delays"), [
    ["Half of them come within", span(status.delay?.median), "Median from decision to reward."],
    ["95% come within", span(status.delay?.p95), "The window of the experiment should be longer."],
    ["Missing", percent(learntOf(status) > 0 ? status.missing : null), "Decisions whose window ended without a reward."],
    ["Late", count(status.late), "Rewards after the window: kept, not learnt."],
  ]);
}

function farFrom(candidate) {
  const margin = candidate.margin ?? 0;
  const told = `Promotion needs a lower bound above ${margin === 0 ? 0 : shownNumber(margin)}: `;
  if (known(candidate.low) && candidate.low > margin) return `${told}it is above.`;
  if (known(candidate.needed)) return `${told}about ${count(Math.ceil(candidate.needed))} more decisions at this rate.`;
  return `${told}it is not on its way there.`;
}

function showCandidates(candidates) {
  const rows = candidates.map((each) => ({
    ...each, about: [each.policy, `${count(each.decisions)} decisions`].filter(Boolean).join(" · "), tone: toneOf(each.low, each.high, each.margin ?? 0),
    shown: known(each.value) ? `${signed(each.value)} (${between(each.low, each.high, signed)})` : "cannot say yet",
    far: farFrom(each) + overControl(each.over_control), marks: [...new Set([0, each.margin ?? 0])],
  }));
  const marks = [0, ...candidates.map((each) => each.margin).filter(known)];
  const caption = "Lift over the deciding policy. The lines are no difference and the margin; intervals hold at every look.";
  renew(part("candidates").lastElementChild, candidates, () => (rows.length ? rangeChart(rows, marks, caption)
    : [element("p", { class: "none" }, "None. Name some in the configuration and they learn from the same decisions.")]));
}

function overControl(lift) {
  return lift && known(lift.value) ? ` Over the control: ${signed(lift.value)} (${between(lift.low, lift.high, signed)}).` : "";
}

function showGuardrails(rails) {
  part("guardrails").hidden = !rails.length;
  const box = part("guardrails").lastElementChild;
  renew(box, rails, () => [...new Set(rails.map((rail) => rail.metric))].flatMap((metric) => {
    const own = rails.filter((rail) => rail.metric === metric);
    const rows = own.map((rail) => ({
      ...rail, name: rail.arm, value: rail.mean, tone: rail.stopped ? "bad" : "open", about: rail.stopped ? "stopped" : "",
      shown: `${shownNumber(rail.mean)} (${between(rail.low, rail.high)})`,
    }));
    const limit = own[0].limit;
    return [element("h3", {}, clean(metric)), ...rangeChart(rows, known(limit) ? [limit] : [], `The line is the limit, ${shownNumber(limit)}. An arm that is surely beyond it is stopped.`)];
  }));
}

function showLog(box, rows, nothing) {
  const newest = [...rows].sort((a, b) => (b.time ?? 0) - (a.time ?? 0));
  renew(box, newest, () => (newest.length ? newest.map((row) => element("li", {}, timeElement(row.time), element("span", {}, clean(row.text))))
    : [element("li", {}, nothing)]));
}

class Page {
  constructor() {
    this.traffic = new LiveChart(part("traffic"), SHARES, (curve, at) => percent(curve.share.mean[at]));
    this.reward = new LiveChart(part("reward"), REWARDS, ({ reward }, at) =>
      (known(reward.mean[at]) ? `${number(reward.mean[at])} (${between(reward.low[at], reward.high[at])})` : "–"));
  }

  show(status) {
    const arms = status.arms ?? [];
    showNow(status);
    this.traffic.show(trafficCurves(status.traffic, arms), "No window has ended yet.");
    this.reward.show(rewardCurves(status.reward), "No reward has been learnt yet.");
    showArms(arms);
    showHealth(status);
    showCandidates(status.candidates ?? []);
    showGuardrails(status.guardrails ?? []);
    showLog(part("events"), status.events ?? [], "None so far.");
    showLog(part("errors"), status.errors ?? [], "None.");
  }

  redraw() {
    this.traffic.redraw();
    this.reward.redraw();
  }
}
