
// --- Bytes to code points, and what is wrong where they are not UTF-8 --------------------------

const REASONS = {
  alone: "it can only go on with a character, and none has begun",
  never: "no character of UTF-8 has this byte",
  long: "this form has more bytes than the code point needs",
  surrogate: "it would be half of a surrogate pair, which only UTF-16 has",
  beyond: "it would be beyond U+10FFFF, the last code point",
  short: "the character is cut short",
};

// What the first byte promises: [number of bytes, bits of the code point in it].
function promised(byte) {
  if (byte < 0x80) return [1, 7];
  if (byte >= 0xc2 && byte < 0xe0) return [2, 5];
  if (byte >= 0xe0 && byte < 0xf0) return [3, 4];
  if (byte >= 0xf0 && byte < 0xf5) return [4, 3];
  return null;
}

// Why the second byte does not fit to the first, or null if it does.
function secondIsWrong(first, second) {
  if (second < 0x80 || second > 0xbf) return "short";
  if (first === 0xe0 && second < 0xa0) return "long";
  if (first === 0xed && second > 0x9f) return "surrogate";
  if (first === 0xf0 && second < 0x90) return "long";
  if (first === 0xf4 && second > 0x8f) return "beyond";
  return null;
}

// A list of units {bytes, point} or {bytes, reason}. Wrong bytes are taken together as Python
// does, and as browsers do: as many as could have begun a character.
function unitsOf(bytes) {
  const units = [];
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at], promise = promised(first);
    let length = 1, reason = null, point = first;
    if (!promise) {
      reason = first < 0xc0 ? "alone" : first < 0xc2 ? "long" : first < 0xf8 ? "beyond" : "never";
    } else if (promise[0] > 1) {
      point = first & ((1 << promise[1]) - 1);
      reason = at + 1 < bytes.length ? secondIsWrong(first, bytes[at + 1]) : "short";
      for (; !reason && length < promise[0]; length++) {
        const next = bytes[at + length];
        if (next === undefined || next < 0x80 || next > 0xbf) reason = "short";
        else point = point << 6 | (next & 0x3f);
        if (reason) break;
      }
    }
    const taken = bytes.slice(at, at + length);
    units.push(reason ? {bytes: taken, reason} : {bytes: taken, point});
    at += length;
  }
  return units;
}

// Bytes from hexadecimal, with or without spaces, \x or 0x. An error that names what is no byte.
function parseHex(text) {
  const bytes = [];
  for (const word of text.replaceAll(/\\x|0x|,/gi, " ").split(/\s+/).filter(Boolean)) {
    if (!/^([0-9a-f]{2})+$/i.test(word)) throw new TypeError(word);
    for (let n = 0; n < word.length; n += 2) bytes.push(parseInt(word.slice(n, n + 2), 16));
  }
  return bytes;
}
