
// The page on which masks cut a text. A step is an operation; its rows are those that it needs.

const ROWS = {
  L: "letters", N: "digits and other numbers", O: "all other characters, but no white space",
  W: "white space", S: "spaces", quote: "apostrophes",
  more: "bytes that go on with a character of several bytes",
  runs: "a run of letters, of numbers or of others begins",
  spaced: "the byte before is a space", words: "a run begins, and no space has started it already",
  white: "white space begins", ahead: "something that is not white space follows",
  last: "the last white space before something", begins: "all of them together",
  maybe: "an apostrophe that starts a pretoken, with a letter after it",
  clear: "letters of a contraction, which start nothing", set: "what comes after a contraction",
  starts: "a pretoken starts",
};
const STEPS = [
  {rows: [], formula: "", told: "The text, and the bytes that it is made of."},
  {rows: ["L", "N", "O", "W", "S", "quote", "more"], formula: "",
    told: "Classify. Every byte has the class of its character."},
  {rows: ["L", "N", "O", "runs"], told: "A run begins where a class has a one, and had none " +
    "before.", formula: "runs = (L & ~(L << 1)) | (N & ~(N << 1)) | (O & ~(O << 1))"},
  {rows: ["runs", "S", "spaced", "words"], told: "A space belongs to the run after it. So a run " +
    "that has one before it does not start a pretoken: the space does.",
  formula: "words = runs & ~(S << 1)"},
  {rows: ["W", "white"], told: "White space starts a pretoken where it begins.",
    formula: "white = W & ~(W << 1)"},
  {rows: ["W", "more", "ahead", "last"], told: "If something follows white space, its last " +
    "character starts another one: \\s+(?!\\S) leaves it to what comes next.",
  formula: "last = W & ~more & ahead"},
  {rows: ["words", "white", "last", "begins"], told: "Three rows together.",
    formula: "begins = words | white | last"},
  {rows: ["begins", "maybe", "clear", "set", "starts"], told: "Contractions, as 's and 'll. Only " +
    "apostrophes that start a pretoken, with a letter after them, are looked at.",
  formula: "starts = (begins & ~clear) | set"},
  {rows: ["starts"], formula: "", told: "Cut at every one."},
];
const CLASS_COLOURS = {L: "c1", N: "c3", O: "c5", W: "c4", S: "c2", quote: "c0", more: "c0"};
const HEAD = 57, CELL = 18;
const input = byId("input");
let text = "", masks = {}, bytes = "", firsts = [];

function setText(given) {
  const clean = decoder.decode(encoder.encode(given));  // half a surrogate pair is no character
  const characters = [];
  let size = 0, cut = false;
  for (const character of clean) {
    size += encoder.encode(character).length;
    cut = size > data.most;
    if (cut) break;
    characters.push(character);
  }
  text = characters.join("");
  bytes = toBytes(text);
  firsts = characters.flatMap((character) =>
    [character, ...Array(encoder.encode(character).length - 1).fill(null)]);
  masks = masksOf(text);
  byId("notice").hidden = !cut;
  byId("notice").textContent = `Only the first ${format(data.most)} bytes are used.`;
  startSteps(STEPS.length - 1, show, Math.min(now, STEPS.length - 1));
}

function pieces() {
  const starts = placesIn(masks.starts, bytes.length);
  return starts.map((start, n) => bytes.slice(start, starts[n + 1]));
}

// --- The rows --------------------------------------------------------------------------------

// As many bytes to a line as there is room for: 8, 16, ... 64.
function perLine() {
  const room = Math.floor((byId("bits").clientWidth - HEAD) / CELL / 8) * 8;
  return Math.max(8, Math.min(64, room));
}

function bitRow(name, from, to) {
  const colour = CLASS_COLOURS[name] || "on", cells = [];
  for (let n = from; n < to; n++) {
    const on = masks[name] & bit(n);
    cells.push(el("td", {class: on ? colour : "off"}, on ? "1" : "\u00b7"));
  }
  return el("tr", {class: now > 1 && name === STEPS[now].rows.at(-1) ? "result" : ""},
    el("th", {scope: "row"}, name), ...cells);
}

function textRows(from, to) {
  const done = now === STEPS.length - 1;
  let piece = -1;
  for (let n = 0; n < from; n++) if (masks.starts & bit(n)) piece++;
  const top = [], below = [];
  for (let n = from; n < to; n++) {
    const starts = masks.starts & bit(n);
    if (starts) piece++;
    const look = done ? `c${piece % COLOURS}${starts ? " cut" : ""}` : "";
    top.push(el("td", {class: look}, firsts[n] === null ? "" : label(toBytes(firsts[n]))));
    below.push(el("td", {class: "hex"}, hexadecimal(bytes.charCodeAt(n), 2)));
  }
  return [el("tr", {class: "characters"}, el("th", {scope: "row"}, "text"), ...top),
    el("tr", {}, el("th", {scope: "row"}, "byte"), ...below)];
}

function show() {
  const {rows, formula, told} = STEPS[now], size = perLine(), tables = [];
  for (let from = 0; from < bytes.length; from += size) {
    const to = Math.min(bytes.length, from + size);
    tables.push(el("table", {}, ...textRows(from, to),
      ...rows.map((row) => bitRow(row, from, to))));
  }
  byId("bits").replaceChildren(...tables);
  byId("formula").textContent = formula || "\u00a0";
  const found = pieces(), result = rows.at(-1);
  const places = result && placesIn(masks[result], bytes.length);
  byId("bits").setAttribute("aria-label", !result || now === 1 ? `The text in ` +
    `${plural(bytes.length, "byte")}` : `Of ${plural(bytes.length, "byte")}, the row ${result} ` +
    `has a one at ${places.join(", ") || "none"}`);
  byId("pieces").replaceChildren(...found.map((piece, n) =>
    el("span", {class: `token small c${n % COLOURS}`}, label(piece))));
  byId("names").replaceChildren(...(now ? rows : Object.keys(ROWS)).flatMap((name) =>
    [el("dt", {}, name), el("dd", {}, ROWS[name])]));
  return now === STEPS.length - 1 ? `${told} ${plural(found.length, "pretoken")}.` : told;
}

input.addEventListener("input", () => setText(input.value));
addEventListener("resize", () => setStep(now));
byId("pattern").textContent = data.pattern;
input.maxLength = 4 * data.most;
input.value = data.text;
setText(data.text);  // not what is in the box, in which a browser changes the ends of lines
