
// The page about a tokenizer.

const BYTES = 256;
const NUM_MERGES = data.merges.length / 2;
const rankOf = new Map();  // left * RADIX + right -> rank
const RADIX = 2 ** 26;  // more than there can be tokens, and its square is still exact

function buildTokens() {
  const ids = data.ids.flatMap(([first, count]) => Array.from({length: count}, (_, n) => first + n));
  for (let byte = 0; byte < BYTES; byte++) {
    addToken(String.fromCharCode(byte), ids[byte], NONE, NONE, NONE);
  }
  for (let rank = 0; rank < NUM_MERGES; rank++) {
    const left = data.merges[2 * rank], right = data.merges[2 * rank + 1];
    addToken(tokens.bytes[left] + tokens.bytes[right], ids[BYTES + rank], left, right, rank);
    rankOf.set(left * RADIX + right, rank);
  }
  for (const [bytes, id] of data.specials) addToken(bytes, id, NONE, NONE, SPECIAL);
  for (const [bytes, id] of data.others) addToken(bytes, id, NONE, NONE, OTHER);
}

function showSummary() {
  byId("summary").textContent = `${plural(NUM_MERGES, "merge")}, ` +
    `${plural(data.specials.length, "special token")}` +
    `${data.specials.length ? ": " : ""}` +
    data.specials.slice(0, 8).map(([bytes]) => label(bytes)).join(", ") +
    `${data.specials.length > 8 ? ", \u2026" : ""}. ` +
    (data.gpt2 ? "Text is cut with GPT-2\u2019s pattern." : `Text is cut with the pattern ${data.pattern}`);
}

// --- A text, as training goes on -------------------------------------------------------------

// GPT-2's pattern. JavaScript's \s is not what Unicode calls white space.
const PATTERN = new RegExp("'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+" +
  "| ?[^\\p{White_Space}\\p{L}\\p{N}]+|\\p{White_Space}+(?!\\P{White_Space})|\\p{White_Space}+", "gu");

const firstSpecial = BYTES + NUM_MERGES;
const specialTexts = new Map(data.specials.map(([bytes], n) =>
  [decoder.decode(Uint8Array.from(bytes, (c) => c.charCodeAt(0))), firstSpecial + n]));
const specialPattern = specialTexts.size
  ? new RegExp("(" + Array.from(specialTexts.keys()).sort((a, b) => b.length - a.length)
    .map((token) => token.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|") + ")")
  : null;

function encodeWord(bytes) {
  const word = Array.from(bytes, (c) => c.charCodeAt(0));
  for (;;) {
    let best = Infinity, at = NONE;
    for (let n = 0; n + 1 < word.length; n++) {
      const rank = rankOf.get(word[n] * RADIX + word[n + 1]);
      if (rank < best) [best, at] = [rank, n];
    }
    if (at === NONE) return word;
    word.splice(at, 2, BYTES + best);
  }
}

function encodeText(text) {
  const result = [];
  for (const part of specialPattern ? text.split(specialPattern) : [text]) {
    if (specialTexts.has(part)) result.push(specialTexts.get(part));
    else for (const match of part.match(PATTERN) || []) result.push(...encodeWord(toBytes(match)));
  }
  return result;
}

let encoded = [];  // all tokens of the text, after all merges
let changes = [];  // the numbers of merges after which the text looks different
let stops = [];  // the numbers of merges that the slider stops at
let count = NUM_MERGES;
const slider = byId("slider"), countInput = byId("count");

function textChanged() {
  encoded = data.gpt2 ? encodeText(byId("input").value)
    : data.pretokens.flatMap(([bytes, special]) => special
      ? [firstSpecial + data.specials.findIndex((entry) => entry[0] === bytes)]
      : encodeWord(bytes));
  changes = Array.from(new Set(stepsOf(encoded).map((step) => step.rank + 1))).sort((a, b) => a - b);
  // Half of all changes come in the first percent of the merges: equal ratios, not equal steps.
  const chosen = new Set([0, NUM_MERGES, ...changes]);
  const places = Math.min(NUM_MERGES, 400);
  for (let n = 0; n <= places; n++) {
    chosen.add(NUM_MERGES <= 400 ? n : Math.round((NUM_MERGES + 1) ** (n / places) - 1));
  }
  stops = Array.from(chosen).sort((a, b) => a - b);
  slider.max = stops.length - 1;
  showMerged();
}

function setCount(number) {
  count = Math.max(0, Math.min(NUM_MERGES, Math.round(number) || 0));
  showMerged();
}

function showMerged() {
  let stop = stops.findIndex((number) => number > count);
  slider.value = stop < 0 ? stops.length - 1 : stop - 1;
  if (document.activeElement !== countInput) countInput.value = count;
  byId("previous").disabled = count === 0;
  byId("next").disabled = !changes.some((number) => number > count);
  const now = tokensAfter(encoded, count);
  const merged = byId("merged");
  merged.replaceChildren(...now.map((token, place) => {
    const element = chip(token, place);
    element.title = `id ${tokens.id[token]}, bytes ${hexBytes(tokens.bytes[token])}`;
    if (count && tokens.rank[token] === count - 1) element.classList.add("fresh");
    return element;
  }));
  const size = now.reduce((sum, token) => sum + tokens.bytes[token].length, 0);
  let said = `After ${format(count)} of ${plural(NUM_MERGES, "merge")}: ` +
    plural(now.length, "token") + (now.length ? `, ${(size / now.length).toFixed(2)} bytes each.` : ".");
  if (count) said += ` The last was ${describe(BYTES + count - 1)}` +
    (changes.includes(count) ? "." : " (not in this text).");
  byId("progress").textContent = said;
  slider.setAttribute("aria-valuetext", `${format(count)} merges, ${plural(now.length, "token")}`);
  drawChart();
}

slider.addEventListener("input", () => setCount(stops[slider.value]));
countInput.addEventListener("input", () => setCount(Number(countInput.value)));
countInput.addEventListener("blur", () => { countInput.value = count; });
byId("previous").addEventListener("click", () => {
  setCount(Math.max(0, ...changes.filter((number) => number < count)));
  if (byId("previous").disabled) slider.focus();
});
byId("next").addEventListener("click", () => {
  setCount(changes.find((number) => number > count));
  if (byId("next").disabled) slider.focus();
});
byId("input").addEventListener("input", textChanged);

// --- The vocabulary --------------------------------------------------------------------------

let inOrder = {};  // all tokens, in each order
let lowered = null;
let lengths = null;  // [least, most] bytes, or null for all
let found = [], shownRows = 0, chosenToken = NONE;
const results = byId("results"), query = byId("query");
const ROWS = 100;

function lower(bytes) {
  return bytes.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function prepareSearch() {
  const all = tokens.bytes.map((_, token) => token);
  const size = (token) => tokens.bytes[token].length;
  const id = (a, b) => tokens.id[a] - tokens.id[b];
  inOrder = {id: all.slice().sort(id), long: all.slice().sort((a, b) => size(b) - size(a) || id(a, b)),
             short: all.slice().sort((a, b) => size(a) - size(b) || id(a, b))};
  lowered = tokens.bytes.map(lower);
}

// What the reader has written, as bytes: \xe9 is a byte, and there are signs for blank and line feed.
function wantedBytes(text) {
  let bytes = "";
  for (const part of text.split(/(\\x[0-9a-fA-F]{2}|\\n|\\t)/)) {
    if (part === "\\n") bytes += "\n";
    else if (part === "\\t") bytes += "\t";
    else if (/^\\x[0-9a-fA-F]{2}$/.test(part)) bytes += String.fromCharCode(parseInt(part.slice(2), 16));
    else bytes += lower(toBytes(part.replaceAll("\u2423", " ").replaceAll("\u21b5", "\n")));
  }
  return bytes;
}

function search() {
  const text = query.value, number = /^#?\d+$/.test(text) ? Number(text.replace("#", "")) : null;
  const byNumber = text.startsWith("#") && number !== null;
  const wanted = byNumber ? "" : wantedBytes(text);
  found = inOrder[byId("order").value].filter((token) => {
    const size = tokens.bytes[token].length;
    if (lengths && (size < lengths[0] || size > lengths[1] || tokens.rank[token] === SPECIAL)) return false;
    return byNumber ? tokens.id[token] === number : lowered[token].includes(wanted);
  });
  if (number !== null && !byNumber && !lengths) {
    const exact = inOrder.id.find((token) => tokens.id[token] === number);
    if (exact !== undefined) found = [exact, ...found.filter((token) => token !== exact)];
  }
  byId("found").textContent = found.length ? plural(found.length, "token") : "No token found";
  shownRows = 0;
  results.replaceChildren();
  results.scrollTop = 0;
  moreRows();
}

function moreRows() {
  const rows = document.createDocumentFragment();
  for (const token of found.slice(shownRows, shownRows + ROWS)) {
    const size = tokens.bytes[token].length;
    const button = el("button", {type: "button", tabindex: shownRows || rows.childNodes.length ? -1 : 0,
      "aria-current": token === chosenToken}, el("span", {class: "faint"}, String(tokens.id[token])),
    el("span", {class: "what"}, label(tokens.bytes[token], 60)),
    el("span", {class: "faint"}, tokens.rank[token] === SPECIAL ? "special" : plural(size, "byte")));
    button.dataset.token = token;
    rows.append(el("li", {}, button));
  }
  shownRows = Math.min(found.length, shownRows + ROWS);
  results.append(rows);
}

function chooseToken(token) {
  chosenToken = token;
  for (const button of results.querySelectorAll("button")) {
    button.setAttribute("aria-current", Number(button.dataset.token) === token);
  }
  const panel = byId("panel");
  showWord(panel, [token]);
  panel.firstChild.replaceChildren("Token ", el("code", {}, label(tokens.bytes[token])));
  panel.firstChild.after(el("p", {}, `id ${tokens.id[token]}, bytes ${hexBytes(tokens.bytes[token])}, ` +
    `${describe(token)}`));
  const uses = [];
  for (let other = BYTES; other < BYTES + NUM_MERGES; other++) {
    if (tokens.left[other] === token || tokens.right[other] === token) uses.push(other);
  }
  if (!uses.length) return;
  const links = el("div", {class: "links"});
  for (const other of uses.slice(0, 60)) {
    links.append(el("button", {type: "button", onclick: () => {
      chooseToken(other);
      panel.querySelector("button, [tabindex]")?.focus();
    }}, label(tokens.bytes[other])));
  }
  panel.append(el("h3", {class: "faint"}, `It is a part of ${plural(uses.length, "merge")}` +
    `${uses.length > 60 ? ", the first 60 of which are" : ""}:`), links);
}

function buttonAt(place) {
  const items = results.children;
  if (place < 0) {
    query.focus();
  } else if (place < items.length) {
    results.querySelector("button[tabindex='0']")?.setAttribute("tabindex", "-1");
    items[place].firstChild.tabIndex = 0;
    items[place].firstChild.focus();
  }
}

results.addEventListener("scroll", () => {
  if (results.scrollTop + 2 * results.clientHeight > results.scrollHeight && shownRows < found.length) {
    moreRows();
  }
});
results.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) chooseToken(Number(button.dataset.token));
});
results.addEventListener("keydown", (event) => {
  const item = event.target.closest("li");
  if (!item) return;
  const place = Array.prototype.indexOf.call(results.children, item);
  const moves = {ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: results.children.length - 1,
    PageDown: Math.min(place + 10, results.children.length - 1), PageUp: Math.max(place - 10, 0)};
  if (!(event.key in moves)) return;
  if (moves[event.key] >= results.children.length && shownRows < found.length) moreRows();
  buttonAt(moves[event.key]);
  event.preventDefault();
});
query.addEventListener("input", search);
query.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") {
    buttonAt(0);
    event.preventDefault();
  } else if (event.key === "Enter" && found.length) {
    chooseToken(found[0]);
  }
});
byId("order").addEventListener("change", search);

// --- Lengths ---------------------------------------------------------------------------------

function setLengths(range, name) {
  lengths = range;
  byId("any-length").hidden = !range;
  byId("any-length").textContent = range ? `of ${name}: show all lengths` : "";
  for (const bar of byId("lengths").children) {
    bar.setAttribute("aria-pressed", Boolean(range) && bar.dataset.name === name);
  }
  search();
}

function showLengths() {
  const sizes = new Map();
  let longest = 1;
  tokens.bytes.forEach((bytes, token) => {
    if (tokens.rank[token] === SPECIAL) return;
    sizes.set(bytes.length, (sizes.get(bytes.length) || 0) + 1);
    longest = Math.max(longest, bytes.length);
  });
  const bins = [];
  for (let least = 1, most = 1; least <= longest; least = most + 1) {
    most = least <= 16 ? least : 2 * (least - 1);
    let number = 0;
    for (const [size, times] of sizes) if (size >= least && size <= most) number += times;
    bins.push({least, most, number, name: least === most ? plural(least, "byte") : `${least}\u2013${most}`});
  }
  const greatest = Math.max(...bins.map((bin) => bin.number));
  for (const bin of bins) {
    const bar = svg("svg", {"aria-hidden": "true"},
      svg("rect", {width: `${100 * bin.number / greatest}%`, height: "100%", rx: 2}));
    const button = el("button", {type: "button", "aria-pressed": "false"}, el("span", {}, bin.name), bar,
      el("span", {}, format(bin.number)));
    button.dataset.name = bin.name;
    button.addEventListener("click", () => {
      setLengths(button.getAttribute("aria-pressed") === "true" ? null : [bin.least, bin.most], bin.name);
    });
    byId("lengths").append(button);
  }
}

byId("any-length").addEventListener("click", () => {
  setLengths(null, "");
  query.focus();
});

// --- Bytes per token -------------------------------------------------------------------------

const chart = byId("chart");
let read = data.compression.length - 1;  // the point that is read out

function drawChart() {
  const points = data.compression;
  if (!points.length) {
    chart.textContent = "There was no text to measure on.";
    return;
  }
  const width = Math.max(260, chart.clientWidth), height = 260;
  const [left, right, top, bottom] = [34, 16, 10, 40];
  const greatest = Math.ceil(Math.max(...points.map((point) => point[1])) + 0.2);
  const [first, last] = [points[0][0], points[points.length - 1][0]].map(Math.log2);
  const x = (size) => left + (width - left - right) * (last > first ? (Math.log2(size) - first) / (last - first) : 0.5);
  const y = (ratio) => height - bottom - (height - top - bottom) * ratio / greatest;
  const drawing = svg("svg", {width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true"});
  for (let ratio = 0; ratio <= greatest; ratio++) {
    drawing.append(svg("line", {class: "grid", x1: left, x2: width - right, y1: y(ratio), y2: y(ratio)}),
      svg("text", {x: left - 6, y: y(ratio) + 4, "text-anchor": "end"}, String(ratio)));
  }
  let free = 0;  // where the last label ended
  for (let power = 256; power <= points[points.length - 1][0]; power *= 2) {
    if (power < points[0][0] || x(power) - 24 < free) continue;
    drawing.append(svg("text", {x: x(power), y: height - bottom + 16, "text-anchor": "middle"}, format(power)));
    free = x(power) + 24;
  }
  drawing.append(svg("text", {x: (left + width) / 2, y: height - 6, "text-anchor": "middle"}, "vocabulary size"));
  const now = x(Math.max(points[0][0], data.size - NUM_MERGES + count));
  drawing.append(svg("line", {class: "marker", x1: now, x2: now, y1: top, y2: height - bottom}));
  drawing.append(svg("path", {class: "line", d: "M" + points.map(([size, ratio]) => `${x(size)} ${y(ratio)}`).join("L")}));
  points.forEach(([size, ratio], n) => {
    drawing.append(svg("circle", {cx: x(size), cy: y(ratio), r: n === read ? 5 : 2.5, class: n === read ? "read" : ""}));
  });
  chart.replaceChildren(drawing);
  chart.places = points.map(([size]) => x(size));
  const [size, ratio] = points[read];
  byId("reading").textContent = `With ${plural(size, "token")}: ${ratio.toFixed(2)} bytes per token. ` +
    "The dashed line is where the slider is.";
}

function readPoint(number) {
  read = Math.max(0, Math.min(data.compression.length - 1, number));
  drawChart();
}

chart.addEventListener("pointermove", (event) => {
  if (!data.compression.length) return;
  const at = event.clientX - chart.getBoundingClientRect().left;
  let best = 0;
  chart.places.forEach((place, n) => {
    if (Math.abs(place - at) < Math.abs(chart.places[best] - at)) best = n;
  });
  if (best !== read) readPoint(best);
});
chart.addEventListener("keydown", (event) => {
  const moves = {ArrowRight: read + 1, ArrowLeft: read - 1, Home: 0, End: data.compression.length - 1};
  if (!(event.key in moves)) return;
  readPoint(moves[event.key]);
  event.preventDefault();
});

function showCompression() {
  byId("measured").textContent = `Measured on ${data.measured} (${plural(data.measured_bytes, "byte")}, ` +
    "special tokens left out). A smaller vocabulary is the beginning of a larger one, so this one " +
    "list of merges has all sizes in it.";
  const table = byId("ratios");
  table.append(el("tr", {}, el("th", {scope: "col"}, "tokens"), el("th", {scope: "col"}, "bytes per token")));
  for (const [size, ratio] of data.compression) {
    table.append(el("tr", {}, el("td", {}, format(size)), el("td", {}, ratio.toFixed(2))));
  }
}

// A token to begin with: the last one learnt of a length that makes a tree worth looking at.
function firstChoice() {
  for (let token = BYTES + NUM_MERGES - 1; token >= BYTES; token--) {
    if (tokens.bytes[token].length >= 6 && tokens.bytes[token].length <= 12) return token;
  }
  return BYTES + NUM_MERGES - 1;
}

buildTokens();
showSummary();
countInput.max = NUM_MERGES;
if (data.gpt2) {
  byId("input").value = data.text;
} else {
  byId("own-text").replaceChildren(el("p", {class: "faint"}, "The pattern of this tokenizer is not " +
    "one that this page can apply, so the text can\u2019t be changed here."));
}
showCompression();
textChanged();
prepareSearch();
showLengths();
search();
chooseToken(firstChoice());
new ResizeObserver(drawChart).observe(chart);
