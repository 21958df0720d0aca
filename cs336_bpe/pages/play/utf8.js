
// The page that takes a text apart. A step is a code point, or bytes that are none.

const input = byId("input"), hex = byId("hex"), example = byId("example");
let bytes = [], units = [], boxes = [];

function say(text) {
  byId("notice").hidden = !text;
  byId("notice").textContent = text;
}

function setBytes(given) {
  bytes = given.slice(0, data.most);
  if (given.length > data.most) say(`Only the first ${format(data.most)} bytes are shown.`);
  units = unitsOf(bytes);
  const right = units.filter((unit) => !unit.reason).length, wrong = units.length - right;
  byId("counts").textContent = `${plural(bytes.length, "byte")}, ${plural(right, "code point")}, ` +
    (wrong ? `${plural(wrong, "mistake")}.` : toAReader());
  boxes = units.map(box);
  byId("units").replaceChildren(...boxes);
  startSteps(Math.max(0, units.length - 1), show);
}

// What a reader sees as one character may be several code points. Old browsers can't tell.
function toAReader() {
  if (!Intl.Segmenter) return "no mistake.";
  const text = decoder.decode(Uint8Array.from(bytes));
  const seen = Array.from(new Intl.Segmenter("en").segment(text)).length;
  return `${plural(seen, "character")} to a reader.`;
}

function asText(unit) {
  const shown = label(unit.bytes.map((byte) => String.fromCharCode(byte)).join(""));
  return unit.reason ? "\ufffd" : shown;
}

function nameOf(unit) {
  return unit.reason ? "not UTF-8" : `U+${hexadecimal(unit.point, 4).toUpperCase()}`;
}

function hexOf(unit) {
  return unit.bytes.map((byte) => hexadecimal(byte, 2)).join(" ");
}

function box(unit, n) {
  return el("li", {class: unit.reason ? "wrong" : ""}, el("button", {type: "button", tabindex: -1,
    onclick: () => setStep(n)},
  el("span", {class: `token small c${n % COLOURS}`}, asText(unit)),
  el("span", {}, nameOf(unit)), el("code", {}, hexOf(unit))));
}

// --- The bits ----------------------------------------------------------------------------------

// Bits of a byte as cells: those that say what kind of byte it is, and those of the code point.
function bitCells(byte, fixed, colour) {
  return Array.from(byte.toString(2).padStart(8, "0"), (digit, n) =>
    el("td", {class: n < fixed ? "fixed" : colour}, digit));
}

function drawBits(unit) {
  const rows = unit.bytes.map((byte, n) => {
    const fixed = unit.reason ? 0 : n ? 2 : 8 - promised(byte)[1];
    const kind = unit.reason ? "" : n ? "goes on" : unit.bytes.length === 1 ? "one byte"
      : `the first of ${unit.bytes.length}`;
    return el("tr", {}, el("th", {scope: "row"}, hexadecimal(byte, 2)),
      ...bitCells(byte, fixed, unit.reason ? "" : `c${n % COLOURS}`),
      el("td", {class: "kind"}, `${byte}${kind && `, ${kind}`}`));
  });
  byId("bits").replaceChildren(...rows);
  byId("sum").replaceChildren(...(unit.reason ? [] : sum(unit)));
}

// The bits of the code point, put together from those of the bytes.
function sum(unit) {
  const parts = unit.bytes.map((byte, n) => {
    const size = n ? 6 : promised(byte)[1];
    const digits = (byte & ((1 << size) - 1)).toString(2).padStart(size, "0");
    return el("span", {class: `token small c${n % COLOURS}`}, digits);
  });
  return [...parts, ` = ${format(unit.point)} = ${nameOf(unit)}`];
}

function show() {
  if (!units.length) {
    byId("bits").replaceChildren();
    byId("sum").replaceChildren();
    return "There is nothing to look at.";
  }
  const unit = units[now];
  boxes.forEach((item, n) => item.firstChild.setAttribute("aria-current", n === now));
  const list = byId("units"), top = boxes[now].offsetTop - list.offsetTop;
  if (top < list.scrollTop || top + boxes[now].offsetHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = top - 4;
  }
  drawBits(unit);
  const many = plural(unit.bytes.length, "byte");
  return unit.reason ? `${many}, ${hexOf(unit)}: not UTF-8, because ${REASONS[unit.reason]}. ` +
    "Python's errors=\"replace\" puts U+FFFD here."
    : `${asText(unit)}, ${nameOf(unit)}, number ${format(unit.point)}: ${many}, ${hexOf(unit)}.`;
}

// --- Text and bytes ------------------------------------------------------------------------------

function useText(text) {
  const encoded = Array.from(encoder.encode(text));
  const lone = /\p{Cs}/u.test(text);
  say(lone ? "Half of a surrogate pair has no UTF-8 form; U+FFFD stands for it." : "");
  hex.value = encoded.map((byte) => hexadecimal(byte, 2)).join(" ");
  setBytes(encoded);
}

function useBytes(given) {
  say("");
  input.value = decoder.decode(Uint8Array.from(given));
  setBytes(given);
}

input.addEventListener("input", () => useText(input.value));
hex.addEventListener("input", () => {
  try {
    useBytes(parseHex(hex.value));
  } catch (error) {
    say(`${error.message} is not a row of bytes: a byte has two digits from 0 to f.`);
  }
});
example.append(el("option", {value: ""}, "choose"),
  ...data.examples.map(([name, value]) => el("option", {value}, name)));
example.addEventListener("change", () => {
  if (!example.value) return;
  hex.value = example.value;
  useBytes(parseHex(example.value));
});
input.value = data.text;
useText(data.text);  // not what is in the box, in which a browser changes the ends of lines
