
// --- The automaton of a pattern ----------------------------------------------------------------

const DEAD = -1;
const {next: nextStates, accept: accepts, runs} = data.automaton ||
  {next: [[]], accept: [[]], runs: []};  // a pattern that can't be compiled has none
const END = nextStates[0].length - 1;  // the column of the end of the text
const classOf = classFinder(runs);

// All steps over a text. A step looks at the character at `at`, or at the end of the text:
//   go    take it, and go on in another state; `mark` says that a match could end before it
//   end   a match ends before it; the next attempt takes it at once, if it can
//   back  the match ended at the mark, and what came after it is looked at again
//   gap   nothing matches at `start`; that character is in no match
function walk(characters) {
  const columns = characters.map(classOf);
  columns.push(END);
  const steps = [];
  let at = 0, state = 0, start = 0, mark = 0;
  const pieces = [];  // [start, stop, whether it is a match]
  while (start < characters.length) {
    const column = columns[at], then = nextStates[state][column];
    const accept = accepts[state][column] === 1;
    const step = {at, state, column, start, mark, found: pieces.length};
    if (then !== DEAD) {
      if (accept) mark = at;
      state = then;
      step.kind = accept ? "mark" : "go";
      at++;
    } else if (accept) {
      pieces.push([start, at, true]);
      start = mark = at;
      state = column === END ? 0 : nextStates[0][column];
      step.kind = "end";
      if (state === DEAD) state = 0;
      else if (column !== END) at++;
    } else if (mark > start) {
      pieces.push([start, mark, true]);
      step.kind = "back";
      at = start = mark;
      state = 0;
    } else {
      pieces.push([start, start + 1, false]);
      step.kind = "gap";
      at = start = mark = start + 1;
      state = 0;
    }
    Object.assign(step, {toState: state, toAt: at, toStart: start, toMark: mark,
      toFound: pieces.length});
    steps.push(step);
  }
  return {steps, pieces};
}
