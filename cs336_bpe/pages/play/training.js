
// The page that steps through training. Step 2k chooses the pair of merge k, step 2k + 1 merges it.

const {words, merges, states} = data;
const keyOf = ([left, right]) => `${left.length} ${left}${right}`;
const countsOf = states.map((state) => new Map(state.pairs.map((pair) => [keyOf(pair), pair[2]])));
const mostFrequent = Math.max(1, ...states.flatMap((state) => state.pairs.map((pair) => pair[2])));

function tiedWith(state) {
  return state.pairs.filter((pair) => pair[2] === state.pairs[0][2]);
}

function showWords(state, marks) {
  byId("words").replaceChildren(...words.map(([word, count], n) => el("tr", {},
    el("th", {scope: "row"}, `${format(count)} \u00d7`),
    el("td", {"aria-label": state.words[n].map((token) => label(token)).join(" ")},
      ...wordChips(state.words[n], marks)))));
}

// What a merge has done to the count of a pair: nothing, or a few words.
function change(pair, before) {
  const was = before && before.get(keyOf(pair));
  return !before || was === pair[2] ? "" : was === undefined ? "new" : `was ${format(was)}`;
}

function pairRow(pair, before, gone = false) {
  const [, , count, where] = pair, text = gone ? "gone" : change(pair, before);
  const bar = svg("svg", {viewBox: "0 0 100 12", preserveAspectRatio: "none",
    "aria-hidden": "true"}, svg("rect", {x: 0, y: 1, height: 10,
    width: gone ? 0 : 100 * count / mostFrequent}));
  return el("tr", {class: gone ? "past" : text && "changed"},
    el("th", {scope: "row"}, pairName(pair)),
    el("td", {}, gone ? "0" : format(count), text && el("span", {class: "change"}, ` ${text}`)),
    el("td", {class: "bar"}, bar),
    el("td", {class: "where"}, gone ? "" : where.map((n) =>
      `${label(words[n][0])}\u00a0${format(words[n][1])}`).join(", ")));
}

function showPairs(number, choosing) {
  const state = states[number], before = choosing ? null : countsOf[number - 1];
  const rows = state.pairs.map((pair) => pairRow(pair, before));
  const tied = choosing && state.pairs.length ? tiedWith(state) : [];
  tied.forEach((_, n) => rows[n].classList.add(n ? "tied" : "best"));
  if (before) {
    for (const pair of states[number - 1].pairs) {
      if (!countsOf[number].has(keyOf(pair))) rows.push(pairRow(pair, before, true));
    }
  }
  byId("pairs").replaceChildren(...rows);
}

function showMerges(done) {
  byId("merges").replaceChildren(...merges.slice(0, done).map(([left, right], n) => {
    const line = el("li", {value: 256 + n}, tokenChip(left), " + ", tokenChip(right, left.length),
      " = ", tokenChip(left + right), el("span", {class: "faint"},
        ` ${format(states[n].pairs[0][2])} times`));
    if (n === done - 1) line.classList.add("latest");
    return line;
  }));
}

function tell(number, choosing) {
  const state = states[number], left = state.pairs.length;
  if (choosing && !left) return "No pair is left: every word is one token.";
  if (choosing) {
    const tied = tiedWith(state), often = plural(tied[0][2], "time");
    if (tied.length === 1) {
      return `Choose: of ${plural(left, "pair")}, ${pairName(tied[0])} is the most frequent. It ` +
        `occurs ${often}.`;
    }
    return `Choose: a tie. ${inWords(tied.map(pairName))} occur ${often} each. The greater pair ` +
      `wins, as Python compares tuples of bytes: ${pairName(tied[0])}.`;
  }
  const [pair, where] = [merges[number - 1], states[number - 1].pairs[0][3]];
  return `Merge: ${pairName(pair)} becomes the token ${label(pair.join(""))}, in ` +
    `${inWords(where.map((n) => label(words[n][0])))}. Then count again.`;
}

startSteps(2 * merges.length, () => {
  const choosing = now % 2 === 0, number = Math.ceil(now / 2);
  showWords(states[number], choosing ? {pair: merges[number]}
    : {fresh: merges[number - 1].join("")});
  showPairs(number, choosing);
  showMerges(number);
  return tell(number, choosing);
});
