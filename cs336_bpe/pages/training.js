
// --- A text, as training goes on -------------------------------------------------------------

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
    else {
      const characters = Array.from(part);
      for (const [start, stop] of walk(characters).pieces) {
        result.push(...encodeWord(toBytes(characters.slice(start, stop).join(""))));
      }
    }
  }
  return result;
}

let encoded = [];  // all tokens of the text, after all merges
let changes = [];  // the numbers of merges after which the text looks different
let stops = [];  // the numbers of merges that the slider stops at
let count = NUM_MERGES;
const slider = byId("slider"), countInput = byId("count");

let written = data.text;  // not what is in the box, in which a browser changes the ends of lines

function textChanged() {
  encoded = data.automaton ? encodeText(written)
    : data.pretokens.flatMap(([bytes, special]) => special
      ? [firstSpecial + data.specials.findIndex((entry) => entry[0] === bytes)]
      : encodeWord(bytes));
  changes = Array.from(new Set(stepsOf(encoded).map((step) => step.rank + 1)));
  changes.sort((a, b) => a - b);
  // The first merges change the text most often: equal ratios, not equal steps.
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
  const stop = stops.findIndex((number) => number > count);
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
    plural(now.length, "token") +
    (now.length ? `, ${(size / now.length).toFixed(2)} bytes each.` : ".");
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
byId("input").addEventListener("input", () => {
  written = byId("input").value;
  textChanged();
});
