
// The page that steps through a lazy heap. What happened in each step comes from stage 05.

const {words, steps} = data;
const LEVEL = 74, WIDTH = 42, HEIGHT = 52;
const deepest = Math.max(1, ...steps.map((step) => Math.ceil(Math.log2(step.heap.length + 1))));
const longest = Math.max(1, ...steps.flatMap((step) => step.heap.flatMap((entry) =>
  entry.slice(0, 2).map((token) => label(token).length))));

const sameAs = (pair) => (other) => other[0] === pair[0] && other[1] === pair[1];

// The count of a pair as it is now, or 0 if it does not occur any more.
function countOf(step, pair) {
  const found = step.counts.find(sameAs(pair));
  return found ? found[2] : 0;
}

function isStale(step, entry) {
  return countOf(step, entry) !== entry[2];
}

// --- The tree ----------------------------------------------------------------------------------

// Entry i stands above entries 2i + 1 and 2i + 2.
function drawTree(step) {
  const box = byId("tree"), slots = 2 ** (deepest - 1), slot = Math.max(WIDTH, 6 * longest + 8);
  const width = Math.max(slots * slot + 2, box.parentElement.clientWidth);
  const height = LEVEL * (deepest - 1) + HEIGHT + 4;
  const drawing = svg("svg", {width, height, viewBox: `0 0 ${width} ${height}`,
    "aria-hidden": "true"});
  const level = (n) => Math.floor(Math.log2(n + 1));
  const x = (n) => (n + 1 - 2 ** level(n) + 0.5) / 2 ** level(n) * width;
  const y = (n) => 2 + LEVEL * level(n);
  const latest = step.kind === "push"
    ? step.heap.findIndex((entry) => sameAs(step.pair)(entry) && entry[2] === step.count) : -1;
  step.heap.forEach((entry, n) => {
    if (!n) return;
    const above = (n - 1) >> 1;
    drawing.append(svg("line", {class: "edge", x1: x(above), y1: y(above) + HEIGHT, x2: x(n),
      y2: y(n)}));
  });
  step.heap.forEach((entry, n) => {
    const look = [isStale(step, entry) ? "stale" : "", n === latest ? "latest" : ""];
    drawing.append(svg("g", {class: `entry ${look.join(" ")}`},
      svg("rect", {x: x(n) - slot / 2 + 1, y: y(n), width: slot - 2, height: HEIGHT, rx: 5}),
      svg("text", {class: "count", x: x(n), y: y(n) + 17}, format(entry[2])),
      ...entry.slice(0, 2).map((token, side) =>
        svg("text", {x: x(n), y: y(n) + 32 + 13 * side}, label(token)))));
  });
  box.replaceChildren(drawing);
  box.setAttribute("aria-label", step.heap.length ? `The heap: ${step.heap.map((entry) =>
    `${pairName(entry)} ${entry[2]}${isStale(step, entry) ? " stale" : ""}`).join(", ")}`
    : "The heap is empty");
}

// --- The tables ----------------------------------------------------------------------------------

function drawCounts(step) {
  const pairs = step.counts.map((pair) => [...pair]);
  for (const [left, right] of step.heap) {
    if (!pairs.some(sameAs([left, right]))) pairs.push([left, right, 0]);
  }
  pairs.sort((a, b) => b[2] - a[2]);
  byId("counts").replaceChildren(...pairs.map((pair) => {
    const entries = step.heap.filter(sameAs(pair)).map((entry) => el("span",
      {class: isStale(step, entry) ? "stale" : ""}, format(entry[2])));
    const row = el("tr", {class: pair[2] ? "" : "past"}, el("th", {scope: "row"}, pairName(pair)),
      el("td", {}, format(pair[2])), el("td", {class: "entries"}, ...entries));
    if (step.pair && sameAs(step.pair)(pair)) row.classList.add("best");
    return row;
  }));
}

function drawWords(step) {
  const marks = step.kind === "pop" ? {pair: step.pair}
    : step.merged || step.kind === "push" ? {fresh: lastToken(step)} : {};
  byId("words").replaceChildren(...words.map(([, count], n) => el("tr", {},
    el("th", {scope: "row"}, `${format(count)} \u00d7`),
    el("td", {}, ...wordChips(step.words[n], marks)))));
}

// The token of the merge that is going on, or was the last.
function lastToken(step) {
  const doing = ["push", "gone"].includes(step.kind) ? step.merged : step.merged - 1;
  return data.merges[doing].join("");
}

function tell(step) {
  if (step.kind === "start") {
    return `An entry for each of ${plural(step.heap.length, "pair")}: a count and the pair.`;
  }
  const name = pairName(step.pair), count = format(step.count), truth = countOf(step, step.pair);
  if (step.kind === "pop") return `Out comes ${name} with ${count}. That is its count: merge it.`;
  if (step.kind === "stale") {
    return `Out comes ${name} with ${count}. ` + (truth ? `But its count is ${format(truth)}`
      : "But it does not occur any more") + ": the entry is stale. Throw it away.";
  }
  if (step.kind === "gone") {
    return `The merge has taken all ${plural(step.before, "occurrence")} of ${name}. Its entry ` +
      "stays, and is stale from now on.";
  }
  return step.before ? `The count of ${name} falls from ${format(step.before)} to ${count}: push ` +
    "a new entry. The old one stays, and is stale."
    : `${name} is a new pair, which occurs ${plural(step.count, "time")}: push it.`;
}

startSteps(steps.length - 1, () => {
  const step = steps[now], out = ["pop", "stale"].includes(step.kind);
  byId("out").replaceChildren(out ? el("span", {class: `popped ${step.kind}`},
    `${format(step.count)}  ${pairName(step.pair)}`) : "\u2013");
  drawTree(step);
  drawCounts(step);
  drawWords(step);
  return tell(step);
});
addEventListener("resize", () => drawTree(steps[now]));
