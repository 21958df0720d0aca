
// The page that steps through an index of positions. All steps come from flat_words.py.

const {tokens, counts, steps} = data;
const NONE = -1, FIRST_MERGE = 256;

function pairOf([left, right]) {
  return pairName([tokens[left], tokens[right]]);
}

// What stands in a cell: a byte as it is, or the number of a token.
function cellText(id) {
  return id < FIRST_MERGE ? label(tokens[id]) : String(id);
}

// --- The cells -----------------------------------------------------------------------------------

// The tokens of a step: [where it begins, its length], word by word.
function tokensIn(cells) {
  const words = [];
  for (let at = 1; at < cells.length;) {
    if (cells[at] === NONE) {
      at++;
      continue;
    }
    if (cells[at - 1] === NONE) words.push([]);
    const length = tokens[cells[at]].length;
    words[words.length - 1].push([at, length]);
    at += length;
  }
  return words;
}

// The cells that a step is about: those of the pair's two tokens, or of the token made of them.
function touched({kind, pair, at}) {
  if (!["merge", "stale"].includes(kind)) return [0, 0];
  return [at, at + tokens[pair[0]].length + tokens[pair[1]].length];
}

function cell(step, at, first, length, colour) {
  const [from, to] = touched(step);
  const inside = at > first && at < first + length - 1;
  const looks = [inside ? "inside" : colour, at >= from && at < to ? `touched ${step.kind}` : "",
    at === first ? "begin" : "", at === first + length - 1 ? "end" : ""];
  return el("span", {class: `cell ${looks.filter(Boolean).join(" ")}`},
    el("small", {}, String(at)), el("span", {}, cellText(step.cells[at])));
}

function drawCells(step) {
  const words = tokensIn(step.cells);
  byId("cells").replaceChildren(...words.map((word) => {
    const start = word[0][0];
    return el("div", {class: "word"},
      el("span", {class: "times"}, `${format(counts[start])} \u00d7`),
      ...word.flatMap(([first, length]) => Array.from({length}, (_, n) =>
        cell(step, first + n, first, length, `c${(first - start) % COLOURS}`))));
  }));
  byId("cells").setAttribute("aria-label", `The words: ${words.map((word) => word.map(([at]) =>
    label(tokens[step.cells[at]])).join(" ")).join("; ")}`);
}

// --- The index and the merges ------------------------------------------------------------------

function drawIndex(step) {
  const rows = step.index.filter((row) => row[2] || row[3].length);
  rows.sort((a, b) => b[2] - a[2]);
  byId("index").replaceChildren(...rows.map(([left, right, count, places]) => {
    const row = el("tr", {}, el("th", {scope: "row"}, pairOf([left, right])),
      el("td", {}, count ? format(count) : "\u2013"),
      el("td", {class: "entries"}, ...places.map(([place, stale]) =>
        el("span", {class: stale ? "stale" : ""}, String(place)))));
    const isBest = step.kind === "choose" && left === step.pair[0] && right === step.pair[1];
    if (isBest) row.classList.add("best");
    return row;
  }));
}

function drawMerges(step) {
  byId("merges").replaceChildren(...tokens.slice(FIRST_MERGE, FIRST_MERGE + step.merged)
    .map((token, n) => el("li", {value: FIRST_MERGE + n,
      class: n === step.merged - 1 ? "latest" : ""}, tokenChip(token))));
}

function tell(step) {
  const {kind, pair, at} = step;
  if (kind === "start") return "Every byte is a token, and every pair has a list of its positions.";
  const name = pairOf(pair), made = `token ${FIRST_MERGE + step.merged - 1}`;
  if (kind === "choose") {
    const row = step.index.find((one) => one[0] === pair[0] && one[1] === pair[1]);
    return `The most frequent pair is ${name}. Its list has ` +
      `${plural(row[3].length, "position")}: ${row[3].map(([place]) => place).join(", ")}.`;
  }
  if (kind === "done") return `The list of ${name} is empty, and forgotten. Counts are corrected.`;
  const [from, to] = touched(step);
  if (kind === "stale") {
    return `Position ${at} is stale: ${name} is not there any more. Go on.`;
  }
  const before = step.cells[from - 1], after = step.cells[to], sides = [];
  if (before !== NONE) sides.push(`${cellText(before)} in cell ${from - 1}`);
  if (after !== NONE) sides.push(`${cellText(after)} in cell ${to}`);
  return `Position ${at}: write ${made} into cells ${from} and ${to - 1}. ` + (sides.length
    ? `${sides.length > 1 ? "The neighbours are" : "The neighbour is"} ${inWords(sides)}: ` +
      `${sides.length > 1 ? "two new positions" : "a new position"} for the index.`
    : "There is no neighbour.");
}

startSteps(steps.length - 1, () => {
  const step = steps[now];
  drawCells(step);
  drawIndex(step);
  drawMerges(step);
  return tell(step);
});
