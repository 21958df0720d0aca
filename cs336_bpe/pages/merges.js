
// --- Tokens and the merges that made them ----------------------------------------------------
//
// A token is a number, its place in the tables of `tokens`.

const NONE = -1;
const SPECIAL = -2;  // in place of a rank
const OTHER = -3;
const tokens = {bytes: [], id: [], left: [], right: [], rank: []};

function addToken(bytes, id, left, right, rank) {
  tokens.bytes.push(bytes);
  tokens.id.push(id);
  tokens.left.push(left);
  tokens.right.push(right);
  tokens.rank.push(rank);
}

function describe(token) {
  const rank = tokens.rank[token];
  if (rank === SPECIAL) return "special token";
  if (rank === OTHER) return "no merge makes it";
  if (rank < 0) return "a byte";
  return `merge ${format(rank)}: ${label(tokens.bytes[tokens.left[token]])} + ` +
    label(tokens.bytes[tokens.right[token]]);
}

// The tokens that were there after the merges of rank less than `count`: whatever a later merge
// has made is taken apart again.
function tokensAfter(word, count) {
  const waiting = Array.from(word).reverse(), result = [];
  while (waiting.length) {
    const token = waiting.pop();
    if (tokens.rank[token] >= count) waiting.push(tokens.right[token], tokens.left[token]);
    else result.push(token);
  }
  return result;
}

// The merges of a word in the order in which they apply: the lowest rank first, then from the left.
function stepsOf(word) {
  const steps = [];
  let at = 0;
  const waiting = Array.from(word).reverse();
  while (waiting.length) {
    const token = waiting.pop();
    if (typeof token === "object") {
      steps.push(token);
    } else if (tokens.rank[token] < 0) {
      at += tokens.bytes[token].length;
    } else {
      waiting.push({token, rank: tokens.rank[token], at}, tokens.right[token], tokens.left[token]);
    }
  }
  return steps.sort((a, b) => a.rank - b.rank || a.at - b.at);
}

// The tokens of a word after some of its steps.
function afterSteps(word, steps, number) {
  const done = new Set(steps.slice(0, number).map((step) => `${step.token}@${step.at}`));
  const result = [];
  const waiting = [];
  let start = 0;
  for (const token of word) {
    waiting.push([token, start]);
    start += tokens.bytes[token].length;
  }
  waiting.reverse();
  while (waiting.length) {
    const [token, at] = waiting.pop();
    if (tokens.rank[token] < 0 || done.has(`${token}@${at}`)) {
      result.push(token);
    } else {
      const left = tokens.left[token];
      waiting.push([tokens.right[token], at + tokens.bytes[left].length], [left, at]);
    }
  }
  return result;
}

// --- The tree --------------------------------------------------------------------------------

const MOST_BYTES_IN_TREE = 120;
const ROW = 52, BOX = 34, LETTER = 8.5;

function widthOf(text) {
  let width = 0;
  for (const character of text) width += /[\u1100-\uffff]|[^\0-\uffff]/u.test(character) ? 2 : 1;
  return Math.max(30, width * LETTER + 14);
}

// A drawing of the tokens of a word, the bytes on top and what they become below.
function drawTree(word, steps) {
  const order = new Map(steps.map((step, number) => [`${step.token}@${step.at}`, number + 1]));
  const lines = svg("g"), boxes = svg("g");
  let x = 4, at = 0, deepest = 0;
  function place(token) {
    const text = label(tokens.bytes[token], 30), start = at;
    let node;
    if (tokens.rank[token] < 0) {
      const width = widthOf(text);
      node = {x: x + width / 2, depth: 0, step: 0};
      x += width + 6;
      at += tokens.bytes[token].length;
    } else {
      const left = place(tokens.left[token]), right = place(tokens.right[token]);
      node = {x: (left.x + right.x) / 2, depth: 1 + Math.max(left.depth, right.depth),
              step: order.get(`${token}@${start}`)};
      for (const child of [left, right]) {
        const top = child.depth * ROW + BOX + 4, bottom = node.depth * ROW + 4;
        const curve = `${child.x} ${bottom - 4} ${node.x} ${top + 4} ${node.x} ${bottom}`;
        lines.append(svg("path", {"data-step": node.step, d: `M${child.x} ${top}C${curve}`}));
      }
    }
    deepest = Math.max(deepest, node.depth);
    const width = Math.min(widthOf(text), 290), y = node.depth * ROW + 4;
    const rank = tokens.rank[token];
    boxes.append(svg("g", {"data-step": node.step, class: rank < 0 ? "leaf" : "node"},
      svg("title", {}, `id ${tokens.id[token]}, bytes ${hexBytes(tokens.bytes[token])}`),
      svg("rect", {x: node.x - width / 2, y, width, height: BOX, rx: 5}),
      svg("text", {x: node.x, y: y + 15}, text),
      svg("text", {x: node.x, y: y + 28, class: "rank"},
        rank < 0 ? hexBytes(tokens.bytes[token], 4) : `#${rank}`)));
    return node;
  }
  for (const token of word) place(token);
  const height = deepest * ROW + BOX + 8;
  return svg("svg", {class: "tree", role: "img", width: x + 2, height,
    viewBox: `0 0 ${x + 2} ${height}`,
    "aria-label": "Tree of merges; the list of steps says the same"}, lines, boxes);
}

// The panel with a word: its tokens, its tree, and a slider through its steps.
function showWord(panel, word) {
  const bytes = word.map((token) => tokens.bytes[token]).join("");
  const steps = stepsOf(word);
  const title = el("h2", {}, "How ", el("code", {}, label(bytes)), " is merged");
  const ids = el("p", {},
    `${plural(bytes.length, "byte")} \u2192 ${plural(word.length, "token")}: `);
  word.slice(0, 200).forEach((token, place) => {
    ids.append(smallChip(token, place), ` ${tokens.id[token]}`,
      place + 1 < Math.min(word.length, 200) ? ", " : word.length > 200 ? " \u2026" : "");
  });
  panel.replaceChildren(title, ids);
  if (word.some((token) => tokens.rank[token] === SPECIAL)) {
    panel.append(el("p", {}, "A special token: it is found before the pattern cuts the text, and " +
      "nothing is ever merged with it."));
    return;
  }
  if (!steps.length) {
    panel.append(el("p", {}, tokens.rank[word[0]] === OTHER
      ? "No merge makes it, so no text is ever encoded with it."
      : word.length === 1 ? "A single byte: every vocabulary starts with all 256 of them."
        : "No merge applies: every byte stays a token of its own."));
    return;
  }
  if (bytes.length > MOST_BYTES_IN_TREE) {
    panel.append(el("p", {}, `It is longer than ${MOST_BYTES_IN_TREE} bytes, so its tree is not ` +
      "drawn."));
    return;
  }
  const tree = drawTree(word, steps);
  const state = el("p", {class: "state"});
  const said = el("p", {class: "said", "aria-live": "polite"});
  const range = el("input", {type: "range", min: 0, max: steps.length, step: 1,
    value: steps.length, "aria-label": "Step", class: "steps"});
  const back = el("button", {type: "button", "aria-label": "One step back"}, "\u2190");
  const next = el("button", {type: "button", "aria-label": "One step forward"}, "\u2192");
  function sentence(number) {
    const step = steps[number - 1];
    const [left, right] = [tokens.left[step.token], tokens.right[step.token]];
    return `merge ${format(step.rank)}: ${label(tokens.bytes[left])} + ` +
      `${label(tokens.bytes[right])} \u2192 ${label(tokens.bytes[step.token])}`;
  }
  function update() {
    const number = Number(range.value);
    state.replaceChildren(...afterSteps(word, steps, number).flatMap(
      (token, place) => [smallChip(token, place), " "]));
    said.textContent = number ? `Step ${number} of ${steps.length}, ${sentence(number)}`
      : `Before the first of ${plural(steps.length, "step")}: single bytes`;
    range.setAttribute("aria-valuetext", said.textContent);
    back.disabled = number === 0;
    next.disabled = number === steps.length;
    for (const part of tree.querySelectorAll("[data-step]")) {
      const step = Number(part.getAttribute("data-step"));
      part.classList.toggle("later", step > number);
      part.classList.toggle("now", step === number && number > 0);
    }
  }
  range.addEventListener("input", update);
  for (const [button, change] of [[back, -1], [next, 1]]) {
    button.addEventListener("click", () => {
      range.value = Number(range.value) + change;
      update();
      if (button.disabled) range.focus();
    });
  }
  const list = el("ol", {class: "stepslist"});
  steps.forEach((step, number) => list.append(el("li", {}, sentence(number + 1))));
  panel.append(
    el("div", {class: "controls"}, back, range, next), said, state,
    el("div", {class: "scroll", tabindex: 0, role: "group", "aria-label": "Tree of merges"}, tree),
    el("details", {}, el("summary", {}, `All ${plural(steps.length, "step")} as a list`), list));
  update();
}
