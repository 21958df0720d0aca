
// --- Results of measurements, to rungs with speeds ---------------------------------------------

// Either all ladders of one text (`cs336-bpe ladder --json`) or one ladder (benchmarks/results).
const LADDERS = {
  pretokenize: {name: "Counting", unit: "MB/s", has: "workers"},
  train: {name: "Training", unit: "merges/s", has: "whole_seconds"},
  encode: {name: "Encoding", unit: "MB/s", has: "bytes_per_second"},
  decode: {name: "Decoding", unit: "million tokens/s", has: "medians"},
};

// All speeds of a row: the median, and those of single runs. A row that is not complete did a part
// only: of training, the rest is extrapolated, and one run says nothing about a spread.
const SPEEDS = {
  pretokenize: (row) => [row.num_bytes / row.seconds / 1e6,
    row.all_seconds.map((seconds) => row.num_bytes / seconds / 1e6)],
  train: (row) => {
    const done = row.complete ? row.num_merges : row.wanted;
    return [done / row.whole_seconds,
      row.complete ? row.all_seconds.map((seconds) => done / seconds) : []];
  },
  encode: (row) => [row.bytes_per_second / 1e6,
    (row.all_bytes_per_second || []).map((speed) => speed / 1e6)],
  decode: (row) => [row.num_tokens / row.medians.text / 1e6,
    row.all_seconds.text.map((seconds) => row.num_tokens / seconds / 1e6)],
};

// The part of a stage's name that stays when stages are numbered anew.
function ideaOf(stage) {
  return stage.startsWith("stage") ? stage.slice(stage.indexOf("_") + 1) : stage;
}

function rungOf(ladder, row) {
  const [speed, runs] = SPEEDS[ladder](row);
  if (typeof row.stage !== "string" || ![speed, ...runs].every((n) => n > 0 && n < Infinity)) {
    throw new TypeError(`a row of ${ladder} has no stage, or no speed`);
  }
  const workers = ladder === "pretokenize" ? row.workers : 1;
  return {
    stage: row.stage.split("_")[0].replace("stage", ""), idea: String(row.idea || ""),
    key: `${ideaOf(row.stage)} ${workers}`, name: ideaOf(row.stage), workers, speed,
    before: row.predecessor ? ideaOf(row.predecessor) : null,
    spread: runs.length > 1 ? [Math.min(...runs), Math.max(...runs)] : null, runs: runs.length,
    part: row.complete === false,
  };
}

// The rung that another one changes, with as many workers if it can use them.
function rungBefore(rungs, rung) {
  const found = rungs.filter((other) => other.name === rung.before);
  return found.find((other) => other.workers === rung.workers) || found[0] || null;
}

// All ladders of a result. An error if there are none.
function measurementsOf(result) {
  const tables = Array.isArray(result.rows) && result.rows.length
    ? [[Object.keys(LADDERS).find((name) => LADDERS[name].has in result.rows[0]), result.rows]]
    : Object.keys(LADDERS).filter((name) => Array.isArray(result[name]) && result[name].length)
      .map((name) => [name, result[name]]);
  if (!tables.length || !tables[0][0]) throw new TypeError("there are no rows of a ladder in it");
  const size = result.vocab_size ? `, vocabulary ${format(result.vocab_size)}` : "";
  return tables.map(([ladder, rows]) => {
    const rungs = rows.map((row) => rungOf(ladder, row));
    for (const rung of rungs) {
      const before = rungBefore(rungs, rung);
      rung.gains = [before, rungs[0]].map((other) =>
        other && other !== rung ? rung.speed / other.speed : null);
      rung.number = before ? before.stage : null;
      rung.rough = ladder === "train" && [before, rung].some((one) => one && one.part);
      rung.roughFirst = ladder === "train" && (rung.part || rungs[0].part);
    }
    return {ladder, rungs, title: result.title || `${result.corpus || "a text"}${size}`,
      machine: result.machine || "", date: result.date || "", command: result.command || ""};
  });
}
