
// --- GPT-2's pattern as operations on masks: the same as native/masks_gpt2.h -------------------

// A mask is one integer for the whole text. Its lowest bit is that of the first byte, so `<< 1n`
// goes to the next byte, and there are no blocks with edges.
const [OTHER, LETTER, NUMBER, WHITE] = [0, 1, 2, 3];
const classOf = classFinder(data.runs);
const ALONE = ["s", "d", "m", "t"], TWO = ["ll", "ve", "re"];

function bit(place) {
  return 1n << BigInt(place);
}

// The classes. All bytes of a character have its class; `more` are those after its first.
function classify(text) {
  const masks = {L: 0n, N: 0n, O: 0n, W: 0n, S: 0n, quote: 0n, more: 0n};
  let at = 0;
  for (const character of text) {
    const name = {[LETTER]: "L", [NUMBER]: "N", [WHITE]: "W", [OTHER]: "O"}[classOf(character)];
    const size = encoder.encode(character).length;
    for (let n = 0; n < size; n++) {
      masks[name] |= bit(at + n);
      if (n) masks.more |= bit(at + n);
    }
    if (character === " ") masks.S |= bit(at);
    if (character === "'") masks.quote |= bit(at);
    at += size;
  }
  return masks;
}

// Contractions: an apostrophe that starts a pretoken, with the right letters after it. The letters
// start none (`clear`), and what comes after them does (`set`).
function contractions(bytes, candidates) {
  let set = 0n, clear = 0n;
  for (let at = 0; at < bytes.length; at++) {
    if (!(candidates & bit(at))) continue;
    const length = ALONE.includes(bytes[at + 1]) ? 2
      : TWO.includes(bytes.slice(at + 1, at + 3)) ? 3 : 0;
    if (length) [set, clear] = [set | bit(at + length), clear | bit(at + 1)];
  }
  return {set, clear};
}

function masksOf(text) {
  const bytes = toBytes(text), b = classify(text);
  const {L, N, O, W, S, quote, more} = b;
  const some = L | N | O;
  b.runs = (L & ~(L << 1n)) | (N & ~(N << 1n)) | (O & ~(O << 1n));
  b.spaced = S << 1n;
  b.words = b.runs & ~b.spaced;
  b.white = W & ~(W << 1n);
  // White space has one to three bytes, so what follows is that many places further on.
  b.ahead = (some >> 1n) | (more >> 1n & ((some >> 2n) | (more >> 2n & some >> 3n)));
  b.last = W & ~more & b.ahead;
  b.begins = b.words | b.white | b.last;
  b.maybe = b.begins & quote & (L >> 1n);
  Object.assign(b, contractions(bytes, b.maybe));
  b.starts = ((b.begins & ~b.clear) | b.set) & (some | W);
  return b;
}

function placesIn(mask, size) {
  return Array.from({length: size}, (_, n) => n).filter((n) => mask & bit(n));
}
