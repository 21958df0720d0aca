
// The page with the chart of the ladders. A step is a rung: the keys go up and down the ladder.

const BOOK = "the book's machine", OWN = "yours";
const ROW = 38, LEFT = 8, RIGHT = 8, TOP = 8, BOTTOM = 40;
const book = data.results.flatMap(measurementsOf);
const which = byId("which"), chart = byId("chart"), notice = byId("notice");
let own = [];  // the ladders of the reader's file
let shown = [];  // of each rung: [the book's, the reader's], one of which may be missing

// As in Python: three digits; but two, after a `~`, if it rests on an extrapolated time.
function rounded(value, rough = false) {
  if (rough) {
    const digits = Number(value.toPrecision(2));
    return `~${digits >= 10 ? format(digits) : digits.toPrecision(2)}`;
  }
  return value >= 100 ? format(Math.round(value)) : value.toPrecision(3);
}

function chosen() {
  return [...book, ...own][Number(which.value)];
}

// --- What is shown -----------------------------------------------------------------------------

function fillSelect(choose = 0) {
  const groups = [[book, data.results.length ? BOOK : ""], [own, OWN]];
  let number = 0;
  which.replaceChildren(...groups.filter(([list]) => list.length).map(([list, name]) =>
    el("optgroup", {label: name}, ...list.map((one) =>
      el("option", {value: number++}, `${LADDERS[one.ladder].name}: ${one.title}`)))));
  which.disabled = !number;
  if (number) which.value = choose;
  showLadder();
}

// A rung of the reader's belongs to the one of the book that has the same idea.
function showLadder() {
  const one = chosen();
  byId("table").replaceChildren();
  if (!one) {
    byId("source").textContent = "";
    shown = [];
    chart.replaceChildren(el("p", {}, "There is nothing to show yet."));
    startSteps(0, () => "Choose a file.");
    return;
  }
  const mine = own.includes(one) ? null : own.find((other) => other.ladder === one.ladder);
  const rest = new Map(mine ? mine.rungs.map((rung) => [rung.key, rung]) : []);
  shown = one.rungs.map((rung) => {
    const other = rest.get(rung.key) || null;
    rest.delete(rung.key);
    return [rung, other];
  });
  for (const rung of rest.values()) shown.push([null, rung]);
  byId("legend").replaceChildren(...legend(one, mine));
  byId("source").textContent = [one.machine, one.date, one.command].filter(Boolean).join(". ");
  drawTable();
  startSteps(shown.length - 1, () => {
    drawChart();
    return tell();
  });
}

function legend(one, mine) {
  const sign = (kind) => {
    const place = svg("svg", {class: "sign", width: 16, height: 14, "aria-hidden": "true"});
    place.append(mark(8, 7, {part: kind === "part"}, kind === "own"));
    return place;
  };
  const parts = [];
  if (mine) {
    parts.push(sign("book"), " what is chosen above, ", sign("own"), ` ${mine.title}. `);
    if (mine.title !== one.title) {
      parts.push("These are not the same text: compare how the ladders rise, not the speeds. ");
    }
  }
  parts.push("A line: from the slowest run to the fastest. ");
  if (one.rungs.some((rung) => rung.part)) {
    parts.push(sign("part"), one.ladder === "train"
      ? " only the first merges were done, and the rest is extrapolated."
      : " only a part of the text was done.");
  }
  return parts;
}

// --- The chart -----------------------------------------------------------------------------------

function mark(x, y, rung, isOwn) {
  const look = `${isOwn ? "own" : "book"}${rung.part ? " hollow" : ""}`;
  return isOwn ? svg("path", {class: look, d: `M${x} ${y - 6}l6 6-6 6-6-6z`})
    : svg("circle", {class: look, cx: x, cy: y, r: 5});
}

function drawChart() {
  const width = Math.max(280, chart.clientWidth), height = TOP + BOTTOM + ROW * shown.length;
  const rungs = shown.flat().filter(Boolean);
  const ends = rungs.flatMap((rung) => [rung.speed, ...(rung.spread || [])]).map(Math.log10);
  const least = Math.floor(Math.min(...ends));
  const most = Math.max(least + 1, Math.ceil(Math.max(...ends)));
  const x = (speed) => LEFT + (width - LEFT - RIGHT) * (Math.log10(speed) - least) / (most - least);
  const drawing = svg("svg", {width, height, viewBox: `0 0 ${width} ${height}`,
    "aria-hidden": "true"});
  drawing.append(svg("rect", {class: "now", x: 0, y: TOP + ROW * now, width, height: ROW, rx: 4}));
  const every = Math.ceil((most - least) * 64 / (width - LEFT - RIGHT));
  for (let power = least; power <= most; power++) {
    const at = x(10 ** power), foot = TOP + ROW * shown.length;
    drawing.append(svg("line", {class: "grid", x1: at, x2: at, y1: TOP, y2: foot}));
    if ((power - least) % every === 0) {
      drawing.append(svg("text", {x: at, y: foot + 15, "text-anchor": power === least ? "start"
        : power === most ? "end" : "middle"}, (10 ** power).toLocaleString("en",
        {maximumSignificantDigits: 1})));
    }
  }
  drawing.append(svg("text", {x: width / 2, y: height - 5, "text-anchor": "middle"},
    LADDERS[chosen().ladder].unit));
  shown.forEach((both, n) => {
    const top = TOP + ROW * n, rung = both[0] || both[1];
    const row = svg("g", {class: "rung"}, svg("rect", {class: "hit", x: 0, y: top, width,
      height: ROW}), svg("text", {class: "idea", x: LEFT, y: top + 13},
      `${rung.stage}  ${nameOf(rung)}`));
    row.addEventListener("click", () => setStep(n));
    both.forEach((one, side) => {
      if (!one) return;
      const y = top + 25 + (both[0] && both[1] ? 6 * side - 3 : 0);
      if (one.spread) {
        row.append(svg("line", {class: `spread ${side ? "own" : "book"}`, x1: x(one.spread[0]),
          x2: x(one.spread[1]), y1: y, y2: y}));
      }
      row.append(mark(x(one.speed), y, one, Boolean(side)));
    });
    drawing.append(row);
  });
  chart.replaceChildren(drawing);
  for (const text of chart.querySelectorAll(".idea")) {  // a long one on a narrow page
    const room = width - LEFT - RIGHT;
    if (text.getComputedTextLength() > room) fill(text, {textLength: room,
      lengthAdjust: "spacingAndGlyphs"}, []);
  }
}

// --- In words --------------------------------------------------------------------------------

function nameOf(rung) {
  return rung.idea + (rung.workers > 1 ? `, ${rung.workers} workers` : "");
}

function isRough(rung) {
  return rung.part && chosen().ladder === "train";  // others compare speeds
}

function speedOf(rung) {
  const spread = rung.spread ? ` (${rung.spread.map((speed) => rounded(speed)).join(" to ")} in ` +
    `${rung.runs} runs)` : "";
  return `${rounded(rung.speed, isRough(rung))} ${LADDERS[chosen().ladder].unit}${spread}`;
}

function gainsOf(rung) {
  const [before, first] = rung.gains, gains = [];
  if (before) gains.push(`${rounded(before, rung.rough)} times as fast as stage ${rung.number}`);
  if (first && first !== before) {
    gains.push(`${rounded(first, rung.roughFirst)} times as fast as stage 01`);
  }
  return gains;
}

// The two speeds are not divided by each other: they are of different texts as a rule.
function tell() {
  const [theirs, mine] = shown[now], rung = theirs || mine;
  const told = [`Stage ${rung.stage}, ${nameOf(rung)}: ${speedOf(rung)}`, ...gainsOf(rung)];
  const yours = theirs && mine ? [speedOf(mine), ...gainsOf(mine)] : [];
  return `${told.join(", ")}.` + (yours.length ? ` Yours: ${yours.join(", ")}.` : "");
}

function drawTable() {
  const both = shown.some(([, mine]) => mine) && shown.some(([theirs]) => theirs);
  const unit = LADDERS[chosen().ladder].unit;
  const heads = ["stage", "idea", unit, "x before", "x stage 01"];
  if (both) heads.push(`yours, ${unit}`);
  const cell = (value, rough) => value === null ? "" : rounded(value, rough);
  byId("table").append(
    el("thead", {}, el("tr", {}, ...heads.map((name) => el("th", {scope: "col"}, name)))),
    el("tbody", {}, ...shown.map(([theirs, mine]) => {
      const rung = theirs || mine;
      return el("tr", {}, el("th", {scope: "row"}, rung.stage),
        el("td", {class: "idea"}, nameOf(rung)),
        el("td", {}, cell(theirs || !both ? rung.speed : null, isRough(rung))),
        el("td", {}, cell(rung.gains[0], rung.rough)),
        el("td", {}, cell(rung.gains[1], rung.roughFirst)),
        ...(both ? [el("td", {}, cell(mine && mine.speed, mine && isRough(mine)))] : []));
    })));
}

// --- The reader's file -------------------------------------------------------------------------

function say(text) {
  notice.hidden = !text;
  notice.textContent = text;
}

function useText(text, name) {
  try {
    own = measurementsOf(JSON.parse(text));
  } catch (error) {
    say(`${name} can't be shown: ${error.message}. It has to be what cs336-bpe ladder --json ` +
      "has written.");
    return;
  }
  byId("forget").disabled = false;
  say(`${name}: ${own.map((one) => LADDERS[one.ladder].name.toLowerCase()).join(", ")}.`);
  const same = book.findIndex((one) => one.ladder === own[0].ladder);
  const now = chosen();
  fillSelect(now && own.some((one) => one.ladder === now.ladder) ? which.value
    : same >= 0 ? same : book.length);
}

byId("file").addEventListener("change", async () => {
  const [file] = byId("file").files;
  if (file) useText(await file.text(), file.name);
});
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", async (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file) useText(await file.text(), file.name);
});
byId("forget").addEventListener("click", () => {
  own = [];
  byId("file").value = "";
  byId("forget").disabled = true;
  say("");
  fillSelect();
  which.focus();
});
which.addEventListener("change", showLadder);
addEventListener("resize", () => shown.length && drawChart());
// A link to this page may name a ladder: ladder.html#encode.
fillSelect(Math.max(0, book.findIndex((one) => `#${one.ladder}` === location.hash)));
