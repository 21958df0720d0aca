"use strict";
// Elements, and what a token looks like. Bytes are kept as strings with one character a byte. Text
// reaches the page as text nodes and attributes, never as HTML.

const data = JSON.parse(document.getElementById("data").textContent);
const COLOURS = 6;
const format = new Intl.NumberFormat("en").format;

function byId(id) {
  return document.getElementById(id);
}

function plural(number, noun) {
  return `${format(number)} ${noun}${number === 1 ? "" : "s"}`;
}

// --- Elements --------------------------------------------------------------------------------

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

// The namespace is taken from an element that the browser's parser has made.
function svg(name, attributes = {}, ...children) {
  const space = document.querySelector("svg").namespaceURI;
  return fill(document.createElementNS(space, name), attributes, children);
}

// --- What a token looks like: the same as appearance.py --------------------------------------

// The length of the character that starts at this byte, or 0 if none does.
function characterLength(bytes, at) {
  const first = bytes.charCodeAt(at);
  const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3
    : first < 0xf5 ? 4 : 0;
  if (at + length > bytes.length) return 0;
  for (let i = 1; i < length; i++) {
    const byte = bytes.charCodeAt(at + i);
    let low = 0x80, high = 0xbf;
    if (i === 1 && first === 0xe0) low = 0xa0;  // written in more bytes than it needs
    if (i === 1 && first === 0xed) high = 0x9f;  // half a surrogate pair
    if (i === 1 && first === 0xf0) low = 0x90;
    if (i === 1 && first === 0xf4) high = 0x8f;  // beyond the last code point
    if (byte < low || byte > high) return 0;
  }
  return length;
}

const decoder = new TextDecoder("utf-8", {ignoreBOM: true});
const encoder = new TextEncoder();

function toBytes(text) {
  let bytes = "";
  for (const byte of encoder.encode(text)) bytes += String.fromCharCode(byte);
  return bytes;
}

function hexadecimal(number, digits) {
  return number.toString(16).padStart(digits, "0");
}

// A list of [kind, text]; kinds are text, newline, tab and escape.
function appearance(bytes) {
  const parts = [];
  for (let at = 0; at < bytes.length;) {
    const length = characterLength(bytes, at);
    let kind = "text", text;
    if (!length) {
      [kind, text] = ["escape", "\\x" + hexadecimal(bytes.charCodeAt(at), 2)];
    } else {
      text = decoder.decode(Uint8Array.from(bytes.slice(at, at + length), (c) => c.charCodeAt(0)));
      if (text === "\n") [kind, text] = ["newline", "\u21b5"];
      else if (text === "\t") [kind, text] = ["tab", "\u2192"];
      else if (text !== " " && /[\p{C}\p{Z}]/u.test(text)) {
        const code = text.codePointAt(0);
        kind = "escape";
        text = code < 0x10000 ? "\\u" + hexadecimal(code, 4) : "\\U" + hexadecimal(code, 8);
      } else if (!at && /\p{M}/u.test(text)) {
        text = "\u25cc" + text;  // an accent needs something to sit on
      }
    }
    const last = parts[parts.length - 1];
    if (kind === "text" && last && last[0] === "text") last[1] += text;
    else parts.push([kind, text]);
    at += length || 1;
  }
  return parts;
}

// On one line, with a sign for a space; the beginning of it if it is long.
function label(bytes, most = 40) {
  const text = appearance(bytes.slice(0, 4 * most)).map((part) => part[1]).join("")
    .replaceAll(" ", "\u2423");
  const characters = Array.from(text);
  return characters.length <= most && bytes.length <= 4 * most ? text
    : characters.slice(0, most).join("") + "\u2026";
}

function hexBytes(bytes, most = 64) {
  const shown = Array.from(bytes.slice(0, most), (c) => hexadecimal(c.charCodeAt(0), 2)).join(" ");
  return bytes.length > most ? `${shown} \u2026` : shown;
}

// Letters that are written from right to left. Only tokens with such are isolated, so that tokens
// stay in their order; isolating all of them makes the browser slow.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\ud802\ud803\ud83a\ud83b]/;

function chipClass(token, place, text) {
  const colour = tokens.rank[token] === SPECIAL ? "special" : `c${place % COLOURS}`;
  return `token ${colour}${RIGHT_TO_LEFT.test(text) ? " isolated" : ""}`;
}

// A token in colour, with line breaks and spaces as they are.
function chip(token, place) {
  const element = document.createElement("span");
  const parts = appearance(tokens.bytes[token]);
  element.className = chipClass(token, place, parts.map((part) => part[1]).join(""));
  for (const [kind, text] of parts) {
    if (kind === "escape") element.append(el("i", {}, text));
    else element.append(text + (kind === "newline" ? "\n" : kind === "tab" ? "\t" : ""));
  }
  return element;
}

// A token in colour on one line.
function smallChip(token, place, most = 40) {
  const text = label(tokens.bytes[token], most);
  return el("span", {class: `small ${chipClass(token, place, text)}`}, text);
}
