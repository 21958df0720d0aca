
// The page with the tokens of a text.

for (const row of data.tokens) addToken(...row);
const words = data.words;
const text = byId("text"), panel = byId("panel"), tip = byId("tip");
const chips = [];  // the elements, and of each its token and the place of its word in the text
const chipTokens = [], chipWords = [];

function showSummary() {
  const number = chips.length;
  const ratio = number ? (data.shown / number).toFixed(2) : "0";
  byId("summary").textContent = `${plural(data.shown, "byte")}, ` +
    `${plural(data.text.length, "word")}, ${plural(number, "token")} of a vocabulary of ` +
    `${format(data.vocab)}: ${ratio} bytes per token.`;
  if (data.cut) {
    byId("notice").hidden = false;
    byId("notice").textContent = `The text is longer than this page shows: here are the first ` +
      `${format(data.shown)} of ${format(data.total)} bytes.`;
  }
  if (!number) text.append(el("span", {class: "faint"}, "The text is empty."));
}

function showText() {
  const all = document.createDocumentFragment();
  data.text.forEach((number, place) => {
    for (const token of words[number]) {
      const element = chip(token, chips.length);
      element.setAttribute("role", "button");
      element.tabIndex = chips.length ? -1 : 0;
      element.dataset.n = chips.length;
      chips.push(element);
      chipTokens.push(token);
      chipWords.push(place);
      all.append(element);
    }
  });
  text.append(all);
}

// --- Pointing and focus ----------------------------------------------------------------------

function chipOf(event) {
  const element = event.target instanceof Element && event.target.closest("#text .token");
  return element ? Number(element.dataset.n) : NONE;
}

function showTip(number) {
  const token = chipTokens[number], bytes = tokens.bytes[token];
  tip.replaceChildren(
    el("b", {}, label(bytes)), el("br"), `id ${tokens.id[token]}`, el("br"),
    `${plural(bytes.length, "byte")}: ${hexBytes(bytes)}`, el("br"), describe(token));
  tip.hidden = false;
  // A token that goes on in the next line has several boxes; the tip belongs to the first.
  const box = chips[number].getClientRects()[0] || chips[number].getBoundingClientRect();
  const width = document.documentElement.clientWidth;
  const left = Math.max(4, Math.min(box.left, width - tip.offsetWidth - 4));
  const below = box.bottom + 4;
  const top = below + tip.offsetHeight > innerHeight ? box.top - tip.offsetHeight - 4 : below;
  tip.style.left = `${left}px`;
  tip.style.top = `${Math.max(0, top)}px`;
}

function hideTip() {
  tip.hidden = true;
}

let current = 0;  // the token that the Tab key reaches

function moveTo(number) {
  if (number < 0 || number >= chips.length) return;
  chips[current].tabIndex = -1;
  current = number;
  chips[current].tabIndex = 0;
  const token = chipTokens[number];
  chips[current].setAttribute("aria-label",
    `${label(tokens.bytes[token])}, id ${tokens.id[token]}, ` +
    `bytes ${hexBytes(tokens.bytes[token])}`);
  chips[current].focus();
}

// The token above or below: the nearest one in the next line that has one.
function vertical(direction) {
  const from = chips[current].getBoundingClientRect();
  let best = NONE, line = null, distance = Infinity;
  for (let n = current + direction; n >= 0 && n < chips.length; n += direction) {
    const box = chips[n].getClientRects()[0];
    if (!box || (box.top - from.top) * direction < box.height / 2) continue;
    if (line === null) line = box.top;
    if (Math.abs(box.top - line) > box.height / 2) break;
    if (Math.abs(box.left - from.left) < distance) {
      distance = Math.abs(box.left - from.left);
      best = n;
    }
  }
  return best;
}

let chosen = NONE;  // the place of a word in the text

function markWord(place, on) {
  for (let n = chipWords.indexOf(place); n >= 0 && chipWords[n] === place; n++) {
    chips[n].classList.toggle("chosen", on);
    chips[n].setAttribute("aria-pressed", on);
  }
}

function chooseWord(place) {
  if (chosen !== NONE) markWord(chosen, false);
  chosen = place;
  markWord(place, true);
  panel.classList.add("open");
  showWord(panel, words[data.text[place]]);
  const close = el("button", {type: "button", class: "close", "aria-label": "Close",
    onclick: closePanel}, "\u00d7");
  panel.prepend(close);
  text.classList.add("behind");
  chips[current].scrollIntoView({block: "nearest"});
}

function closePanel() {
  if (chosen === NONE) return;
  markWord(chosen, false);
  chosen = NONE;
  panel.classList.remove("open");
  text.classList.remove("behind");
  panel.replaceChildren(el("p", {class: "faint"}, "No word is chosen."));
  chips[current].focus();
}

text.addEventListener("mouseover", (event) => {
  const number = chipOf(event);
  if (number === NONE) hideTip();
  else showTip(number);
});
text.addEventListener("mouseleave", hideTip);
text.addEventListener("focusin", (event) => {
  const number = chipOf(event);
  if (number !== NONE) showTip(number);
});
text.addEventListener("focusout", hideTip);
addEventListener("scroll", hideTip, {passive: true});
text.addEventListener("click", (event) => {
  const number = chipOf(event);
  if (number === NONE) return;
  moveTo(number);
  hideTip();
  chooseWord(chipWords[number]);
});
text.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || !chips.length) return;
  const moves = {
    ArrowRight: () => current + 1, ArrowLeft: () => current - 1,
    ArrowDown: () => vertical(1), ArrowUp: () => vertical(-1),
    Home: () => 0, End: () => chips.length - 1,
  };
  if (event.key in moves) moveTo(moves[event.key]());
  else if (event.key === "Enter" || event.key === " ") chooseWord(chipWords[current]);
  else return;
  event.preventDefault();
});
addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (!tip.hidden) hideTip();
  else closePanel();
});

showText();
showSummary();
