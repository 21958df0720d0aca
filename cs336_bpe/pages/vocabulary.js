
// --- The vocabulary --------------------------------------------------------------------------

const BYTES = 256;
const NUM_MERGES = data.merges.length / 2;
const rankOf = new Map();  // left * RADIX + right -> rank
const RADIX = 2 ** 26;  // more than there can be tokens, and its square is still exact

function buildTokens() {
  const ids = data.ids.flatMap(
    ([first, count]) => Array.from({length: count}, (_, n) => first + n));
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

// --- Search ----------------------------------------------------------------------------------

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
  inOrder = {
    id: all.slice().sort(id),
    long: all.slice().sort((a, b) => size(b) - size(a) || id(a, b)),
    short: all.slice().sort((a, b) => size(a) - size(b) || id(a, b)),
  };
  lowered = tokens.bytes.map(lower);
}

// What the reader has written, as bytes: \xe9 is a byte, and there are signs for a space and a line
// feed.
function wantedBytes(text) {
  let bytes = "";
  for (const part of text.split(/(\\x[0-9a-fA-F]{2}|\\n|\\t)/)) {
    if (part === "\\n") bytes += "\n";
    else if (part === "\\t") bytes += "\t";
    else if (/^\\x[0-9a-fA-F]{2}$/.test(part)) {
      bytes += String.fromCharCode(parseInt(part.slice(2), 16));
    } else bytes += lower(toBytes(part.replaceAll("\u2423", " ").replaceAll("\u21b5", "\n")));
  }
  return bytes;
}

function rightLength(token) {
  const size = tokens.bytes[token].length;
  return !lengths ||
    (size >= lengths[0] && size <= lengths[1] && tokens.rank[token] !== SPECIAL);
}

function search() {
  const text = query.value, number = /^#?\d+$/.test(text) ? Number(text.replace("#", "")) : null;
  const byNumber = text.startsWith("#") && number !== null;
  const wanted = byNumber ? "" : wantedBytes(text);
  found = inOrder[byId("order").value].filter((token) => {
    return rightLength(token) && (byNumber ? tokens.id[token] === number
      : lowered[token].includes(wanted));
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
    const isFirst = !shownRows && !rows.childNodes.length;
    const size = plural(tokens.bytes[token].length, "byte");
    const button = el("button",
      {type: "button", tabindex: isFirst ? 0 : -1, "aria-current": String(token === chosenToken)},
      el("span", {class: "faint"}, String(tokens.id[token])),
      el("span", {class: "what"}, label(tokens.bytes[token], 60)),
      el("span", {class: "faint"}, tokens.rank[token] === SPECIAL ? "special" : size));
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
  panel.firstChild.after(el("p", {}, `id ${tokens.id[token]}, bytes ` +
    `${hexBytes(tokens.bytes[token])}, ${describe(token)}`));
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
  const left = results.scrollHeight - results.scrollTop;
  if (left < 2 * results.clientHeight && shownRows < found.length) moreRows();
});
results.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) chooseToken(Number(button.dataset.token));
});
results.addEventListener("keydown", (event) => {
  const item = event.target.closest("li");
  if (!item) return;
  const place = Array.prototype.indexOf.call(results.children, item);
  const last = results.children.length - 1;
  const moves = {ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: last,
    PageDown: Math.min(place + 10, last), PageUp: Math.max(place - 10, 0)};
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
    const name = least === most ? plural(least, "byte") : `${least}\u2013${most}`;
    bins.push({least, most, number, name});
  }
  const greatest = Math.max(...bins.map((bin) => bin.number));
  for (const bin of bins) {
    const bar = svg("svg", {"aria-hidden": "true"},
      svg("rect", {width: `${100 * bin.number / greatest}%`, height: "100%", rx: 2}));
    const button = el("button", {type: "button", "aria-pressed": "false"},
      el("span", {}, bin.name), bar, el("span", {}, format(bin.number)));
    button.dataset.name = bin.name;
    button.addEventListener("click", () => {
      const pressed = button.getAttribute("aria-pressed") === "true";
      setLengths(pressed ? null : [bin.least, bin.most], bin.name);
    });
    byId("lengths").append(button);
  }
}

byId("any-length").addEventListener("click", () => {
  setLengths(null, "");
  query.focus();
});
