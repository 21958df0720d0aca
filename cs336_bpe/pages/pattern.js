
// The page about a pattern: its automaton, and a text that is followed through it.

const input = byId("input");

// --- The table -----------------------------------------------------------------------------------

const rows = [], cells = [], heads = [];

function cellText(state, column) {
  const then = nextStates[state][column], accept = accepts[state][column];
  if (then === DEAD) return accept ? "|" : "\u00b7";
  return accept ? `${then}\u2032` : String(then);
}

function drawTable() {
  const names = [...data.names, "end"];
  names.forEach((name) => heads.push(el("th", {scope: "col"}, name)));
  const body = nextStates.map((row, state) => {
    cells.push(row.map((_, column) => el("td", {}, cellText(state, column))));
    rows.push(el("tr", {}, el("th", {scope: "row"}, `${state} `,
      el("span", {class: "faint"}, data.paths[state] || "start")), ...cells[state]));
    return rows[state];
  });
  byId("table").append(el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "state"), ...heads)),
    el("tbody", {}, ...body));
  byId("classes").append(
    el("thead", {}, el("tr", {}, ...["class", "examples", "characters"].map((name) =>
      el("th", {scope: "col"}, name)))),
    el("tbody", {}, ...data.names.map((name, number) => el("tr", {},
      el("th", {scope: "row"}, name), el("td", {}, data.examples[number]),
      el("td", {}, format(data.sizes[number]))))));
  byId("cuts").append(...(data.cuts.length ? data.cuts : ["nowhere"]).map((line) =>
    el("li", {}, line)));
}

// --- The text ----------------------------------------------------------------------------------

let characters = [], walked = {steps: [], pieces: []};

function setText(text) {
  characters = Array.from(text);
  const notice = byId("notice");
  notice.hidden = characters.length <= data.most && !(data.cut && text === data.text);
  notice.textContent = `Only the first ${format(data.most)} characters are used.`;
  characters.length = Math.min(characters.length, data.most);
  walked = walk(characters);
  startSteps(walked.steps.length, show);
}

// Where everything is before step `now`, or after the last.
function situation() {
  const step = walked.steps[now];
  if (step) return step;
  const last = walked.steps[now - 1];
  return last ? {at: last.toAt, state: last.toState, start: last.toStart, mark: last.toMark,
    found: last.toFound} : {at: 0, state: 0, start: 0, mark: 0, found: 0};
}

function signs(character) {
  return label(toBytes(character)) + (character === "\n" ? "\n" : "");
}

function showText(here) {
  const parts = [];
  walked.pieces.slice(0, here.found).forEach(([start, stop, match], place) => {
    parts.push(el("span", {class: match ? `token c${place % COLOURS}` : "gap"},
      ...characters.slice(start, stop).map(signs)));
  });
  const {start, at, mark} = here;
  for (let n = start; n < characters.length; n++) {
    if (n === mark && mark > start) parts.push(el("span", {class: "mark"}, "\u25be"));
    const kind = n === at ? "next" : n < at ? "going" : "ahead";
    parts.push(el("span", {class: kind}, signs(characters[n])));
  }
  if (mark === characters.length && mark > start) parts.push(el("span", {class: "mark"}, "\u25be"));
  byId("text").replaceChildren(...parts);
}

function shown(start, stop) {
  return `\u201c${label(toBytes(characters.slice(start, stop).join("")))}\u201d`;
}

function tell(step) {
  if (!step) {
    const number = walked.pieces.filter((piece) => piece[2]).length;
    return characters.length ? `The text has ended: ${plural(number, "pretoken")}.`
      : "The text is empty.";
  }
  const next = step.column === END ? "the end of the text"
    : `${shown(step.at, step.at + 1)}, class ${data.names[step.column]}`;
  const seen = `State ${step.state}; next is ${next}: `;
  if (step.kind === "go") return `${seen}go on in state ${step.toState}.`;
  if (step.kind === "mark") {
    return `${seen}a match may end before it, which is marked; go on in state ${step.toState}.`;
  }
  const [start, stop] = walked.pieces[step.found];
  if (step.kind === "gap") return `${seen}nothing matches ${shown(start, stop)}.`;
  if (step.kind === "back") {
    return `${seen}no match can end here. The last one could end at the mark: ` +
      `${shown(start, stop)}. Start again there.`;
  }
  return `${seen}the match ends, ${shown(start, stop)}` +
    (step.column === END ? "." : `, and a new one starts: state ${step.toState}.`);
}

function show() {
  const step = walked.steps[now];
  showText(situation());
  rows.forEach((row, state) => row.classList.toggle("now", Boolean(step) && state === step.state));
  for (const cell of document.querySelectorAll("#table .here")) cell.classList.remove("here");
  if (step) pointAt(step);
  return tell(step);
}

// Mark the cell of a step, and scroll the table so that it can be seen.
function pointAt(step) {
  heads[step.column].classList.add("here");
  const cell = cells[step.state][step.column], box = byId("table").parentElement;
  cell.classList.add("here");
  const covered = rows[0].firstChild.offsetWidth;  // by the states, which don't scroll
  const left = cell.offsetLeft - covered - 2, right = cell.offsetLeft + cell.offsetWidth + 2;
  if (left < box.scrollLeft) box.scrollLeft = left;
  else if (right > box.scrollLeft + box.clientWidth) box.scrollLeft = right - box.clientWidth;
}

input.addEventListener("input", () => setText(input.value));

byId("summary").textContent = `${plural(nextStates.length, "state")}, ` +
  `${data.names.length} classes of characters. ` + (data.gaps
  ? "It leaves gaps: there are characters that no match takes."
  : "It leaves no gaps: every character is part of a match.");
byId("pattern").textContent = data.pattern;
input.maxLength = 2 * data.most;
input.value = data.text;
drawTable();
setText(data.text);  // not what is in the box, in which a browser changes the ends of lines
