
// --- Words in tokens, as the pages about training show them -----------------------------------

// A token on one line. Its colour is that of its first byte's place in the word: a token that
// stays what it is keeps its colour.
function tokenChip(token, at = 0) {
  return el("span", {class: `small token c${at % COLOURS}`}, label(token));
}

function pairName([left, right]) {
  return `${label(left)}\u202f+\u202f${label(right)}`;
}

// A word in tokens. Where `pair` stands, from left to right, it has a box around it; `fresh` is
// the token that the last merge has made.
function wordChips(word, {pair = null, fresh = null} = {}) {
  const parts = [];
  let at = 0;
  for (let n = 0; n < word.length; n++) {
    const chip = tokenChip(word[n], at);
    at += word[n].length;
    if (word[n] === fresh) chip.classList.add("fresh");
    if (pair && word[n] === pair[0] && word[n + 1] === pair[1]) {
      parts.push(el("span", {class: "boxed"}, chip, tokenChip(word[n + 1], at)));
      at += word[++n].length;
    } else {
      parts.push(chip);
    }
  }
  return parts;
}

function inWords(names) {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}
