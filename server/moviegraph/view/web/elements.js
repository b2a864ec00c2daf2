// Elements and texts. A text may hold anything: it is cut, cleaned, and only ever set as text.

const SVG = "http://www.w3.org/2000/svg";
const LONGEST_NAME = 160;
const LONGEST_TEXT = 6000;
// Control characters, marks that turn the direction of writing, and characters that nobody sees.
const HIDDEN = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b\\u200e\\u200f" +
    "\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]",
  "gu",
);

function clean(value, longest = LONGEST_NAME) {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const cut = text.length > longest ? text.slice(0, longest - 1) + "…" : text;
  return cut.replace(HIDDEN, " ").replace(/\p{Cs}/gu, "\ufffd");
}

// Names of attributes are ours; a function listens to the event that its name says after "on".
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined));
  return element;
}

function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

// A text of the data, apart from its surroundings in whichever direction it is written.
function said(value, longest) {
  return make("bdi", { dir: "auto" }, clean(value, longest));
}

function unseen(...children) {
  return make("span", { class: "unseen" }, ...children);
}

function quiet(text) {
  return make("p", { class: "quiet" }, text);
}

function pressed(name, onclick, ...children) {
  const attributes = { type: "button", class: name, "aria-pressed": "false", onclick };
  return make("button", attributes, ...children);
}

function plain(name, onclick, ...children) {
  return make("button", { type: "button", class: name, onclick }, ...children);
}

function folded(title, ...children) {
  return make("details", {}, make("summary", {}, title), ...children);
}

// A part of the page that may be wider or longer than its place, and is reached by the keyboard.
function scrolling(name, ...children) {
  const attributes = { class: "scroll", tabindex: "0", role: "region", "aria-label": name };
  return make("div", attributes, ...children);
}

function headed(caption, heads, lines) {
  return make(
    "table",
    {},
    make("caption", { class: "unseen" }, caption),
    make("thead", {}, make("tr", {}, heads)),
    make("tbody", {}, lines),
  );
}

function plural(count, word, many = `${word}s`) {
  return `${Number(count).toLocaleString("en")} ${count === 1 ? word : many}`;
}

function announce(text) {
  document.getElementById("said").textContent = clean(text, 400);
}

const SHAPES = [
  "M8 1.5a6.5 6.5 0 1 0 .01 0z",
  "M8 .8 15.2 8 8 15.2.8 8z",
  "M2 2h12v12H2z",
  "M8 1.2 15.3 14H.7z",
  "M4.2 1.8h7.6L15.4 8l-3.6 6.2H4.2L.6 8z",
  "M.7 2h14.6L8 14.8z",
  "M8 .8 15.3 6.2l-2.8 8.6h-9L.7 6.2z",
  "M5.3 1h5.4v4.3H15v5.4h-4.3V15H5.3v-4.3H1V5.3h4.3z",
];

// Each kind has a form and a colour of its own; beyond the eighth both repeat, and names tell.
function glyph(at) {
  const form = Math.max(0, at) % SHAPES.length;
  const attributes = { class: `glyph tone${form}`, viewBox: "0 0 16 16", "aria-hidden": "true" };
  return draw("svg", attributes, draw("path", { d: SHAPES[form] }));
}

// Arrow keys move within a group of which one element at a time is reached by Tab.
function rove(elements, next) {
  const go = to => {
    for (const each of elements) each.tabIndex = each === to ? 0 : -1;
    to.focus();
  };
  elements.forEach((element, at) => {
    element.tabIndex = at === 0 ? 0 : -1;
    element.addEventListener("focus", () => {
      for (const each of elements) each.tabIndex = each === element ? 0 : -1;
    });
    element.addEventListener("keydown", event => {
      const to = event.ctrlKey || event.metaKey || event.altKey ? null : next(at, event.key);
      if (!to) return;
      event.preventDefault();
      go(to);
    });
  });
}
