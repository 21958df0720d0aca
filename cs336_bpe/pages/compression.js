
// --- Bytes per token -------------------------------------------------------------------------

const chart = byId("chart");
let read = data.compression.length - 1;  // the point that is read out

function drawChart() {
  const points = data.compression;
  if (!points.length) {
    chart.textContent = "There was no text to measure on.";
    return;
  }
  const width = Math.max(260, chart.clientWidth), height = 260;
  const [left, right, top, bottom] = [34, 16, 10, 40];
  const greatest = Math.ceil(Math.max(...points.map((point) => point[1])) + 0.2);
  const [first, last] = [points[0][0], points[points.length - 1][0]].map(Math.log2);
  const scale = (width - left - right) / Math.max(last - first, 1e-9);
  const x = (size) => left + scale * (Math.log2(size) - first);
  const y = (ratio) => height - bottom - (height - top - bottom) * ratio / greatest;
  const drawing = svg("svg",
    {width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true"});
  for (let ratio = 0; ratio <= greatest; ratio++) {
    drawing.append(
      svg("line", {class: "grid", x1: left, x2: width - right, y1: y(ratio), y2: y(ratio)}),
      svg("text", {x: left - 6, y: y(ratio) + 4, "text-anchor": "end"}, String(ratio)));
  }
  let free = 0;  // where the last label ended
  for (let power = 256; power <= points[points.length - 1][0]; power *= 2) {
    if (power < points[0][0] || x(power) - 24 < free) continue;
    drawing.append(svg("text",
      {x: x(power), y: height - bottom + 16, "text-anchor": "middle"}, format(power)));
    free = x(power) + 24;
  }
  drawing.append(svg("text",
    {x: (left + width) / 2, y: height - 6, "text-anchor": "middle"}, "vocabulary size"));
  const now = x(Math.max(points[0][0], data.size - NUM_MERGES + count));
  drawing.append(svg("line", {class: "marker", x1: now, x2: now, y1: top, y2: height - bottom}));
  const line = points.map(([size, ratio]) => `${x(size)} ${y(ratio)}`).join("L");
  drawing.append(svg("path", {class: "line", d: `M${line}`}));
  points.forEach(([size, ratio], n) => {
    const isRead = n === read;
    drawing.append(svg("circle",
      {cx: x(size), cy: y(ratio), r: isRead ? 5 : 2.5, class: isRead ? "read" : ""}));
  });
  chart.replaceChildren(drawing);
  chart.places = points.map(([size]) => x(size));
  const [size, ratio] = points[read];
  byId("reading").textContent = `With ${plural(size, "token")}: ${ratio.toFixed(2)} bytes per ` +
    "token. The dashed line is where the slider is.";
}

function readPoint(number) {
  read = Math.max(0, Math.min(data.compression.length - 1, number));
  drawChart();
}

chart.addEventListener("pointermove", (event) => {
  if (!data.compression.length) return;
  const at = event.clientX - chart.getBoundingClientRect().left;
  let best = 0;
  chart.places.forEach((place, n) => {
    if (Math.abs(place - at) < Math.abs(chart.places[best] - at)) best = n;
  });
  if (best !== read) readPoint(best);
});
chart.addEventListener("keydown", (event) => {
  const moves = {
    ArrowRight: read + 1, ArrowLeft: read - 1, Home: 0, End: data.compression.length - 1,
  };
  if (!(event.key in moves) || !data.compression.length) return;
  readPoint(moves[event.key]);
  event.preventDefault();
});

function showCompression() {
  byId("measured").textContent = `Measured on ${data.measured} ` +
    `(${plural(data.measured_bytes, "byte")}, special tokens left out). A smaller vocabulary is ` +
    "the beginning of a larger one, so this one list of merges has all sizes in it.";
  const table = byId("ratios");
  table.append(el("tr", {},
    el("th", {scope: "col"}, "tokens"), el("th", {scope: "col"}, "bytes per token")));
  for (const [size, ratio] of data.compression) {
    table.append(el("tr", {}, el("td", {}, format(size)), el("td", {}, ratio.toFixed(2))));
  }
}
