
// --- The page about a tokenizer, put together ------------------------------------------------

function showSummary() {
  byId("summary").textContent = `${plural(NUM_MERGES, "merge")}, ` +
    `${plural(data.specials.length, "special token")}` +
    `${data.specials.length ? ": " : ""}` +
    data.specials.slice(0, 8).map(([bytes]) => label(bytes)).join(", ") +
    `${data.specials.length > 8 ? ", \u2026" : ""}. ` +
    `Text is split by the pattern ${data.pattern}.`;
}

// A token to begin with: the last one learned of a length that makes a tree worth looking at.
function firstChoice() {
  for (let token = BYTES + NUM_MERGES - 1; token >= BYTES; token--) {
    if (tokens.bytes[token].length >= 6 && tokens.bytes[token].length <= 12) return token;
  }
  return BYTES + NUM_MERGES - 1;
}

buildTokens();
showSummary();
countInput.max = NUM_MERGES;
if (data.automaton) {
  byId("input").value = data.text;
} else {
  byId("own-text").replaceChildren(el("p", {class: "faint"}, "The pattern of this tokenizer is " +
    "not one that this page can follow, so the text can\u2019t be changed here."));
}
if (data.cut) {
  byId("own-text").append(el("p", {class: "faint"}, "The text is longer than this page merges: " +
    `these are the first ${plural(data.shown, "byte")}.`));
}
showCompression();
textChanged();
prepareSearch();
showLengths();
search();
chooseToken(firstChoice());
new ResizeObserver(drawChart).observe(chart);
