// The journal as a page: executions by filter, a record in full.

const shape = JSON.parse(document.getElementById("shape").textContent);
const TIMES = {
  "1h": "last hour",
  "24h": "last 24 hours",
  "7d": "last 7 days",
  "30d": "last 30 days",
};
const PAUSE = 250; // milliseconds after the last key, before the list is read again
const page = { view: null, list: make("div"), main: make("div"), chain: make("p"), latest: "" };

async function read(path) {
  const reply = await fetch(path, { credentials: "omit", cache: "no-store" });
  const answer = await reply.json().catch(() => null);
  if (!reply.ok) throw new Error(answer?.error ?? `The server answered ${reply.status}.`);
  return answer;
}

function outcomes(record) {
  return [
    record.strategy_id,
    stateOf(record.status),
    record.row_count ? plural(record.row_count, "row") : null,
  ];
}

function entryLine(entry) {
  const place = `#executions/${entry.id}`;
  const parts = outcomes(entry).filter(Boolean);
  const button = pressed(
    "strategy entry",
    () => (location.hash = place),
    make("span", { class: "asked" }, said(entry.title || entry.code || entry.tool, 160)),
    make(
      "span",
      { class: "outcome" },
      make("span", {}, clean(entry.tool)),
      parts.map(part => make("span", {}, typeof part === "string" ? clean(part, 64) : part)),
      make("time", {}, clockTime(entry.created)),
    ),
  );
  button.dataset.place = place;
  return button;
}

// Returns the entries of each day below its date.
function days(entries, buttons) {
  const lists = new Map();
  entries.forEach((entry, at) => {
    const day = dayOf(entry.created);
    if (!lists.has(day)) lists.set(day, []);
    lists.get(day).push(make("li", {}, buttons[at]));
  });
  const parts = ([day, lines]) => [
    make("h3", {}, day),
    make("ul", { class: "strategies", "aria-label": day }, lines),
  ];
  return [...lists].flatMap(parts);
}

function showEntries(entries) {
  const buttons = entries.map(entryLine);
  rove(buttons, (at, key) => upDown(buttons, at, key));
  const nothing = quiet("No call matches these filters.");
  page.list.replaceChildren(...(entries.length ? days(entries, buttons) : [nothing]));
  announce(`${plural(entries.length, "call")} listed`);
  mark();
}

function mark() {
  const place = location.hash;
  for (const button of page.list.querySelectorAll("button"))
    button.setAttribute("aria-pressed", String(button.dataset.place === place));
}

async function list(form) {
  const asked = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value) asked.set(name, value);
  page.latest = String(asked);
  form.classList.toggle("filtered", [...asked.keys()].some(name => name !== "limit"));
  try {
    const { records } = await read(`data/executions?${asked}`);
    if (page.latest === String(asked)) showEntries(records);
  } catch (error) {
    page.list.replaceChildren(make("p", { class: "problem" }, clean(error.message, 400)));
  }
}

// A value that the command line set can be chosen too, even where no record has it.
function choice(name, title, any, values, label = value => value) {
  const chosen = shape.filters[name] ?? "";
  const known = chosen && !values.includes(chosen) ? [chosen, ...values] : values;
  const option = value =>
    make("option", { value, selected: value === chosen }, clean(label(value), 60));
  const options = [make("option", { value: "" }, any), ...known.map(option)];
  return make("label", {}, title, make("select", { name }, options));
}

function filters({ tools, owners }) {
  const value = shape.filters.question ?? "";
  const placeholder = "Question or SQL";
  const text = { name: "question", type: "search", value, placeholder };
  const states = Object.keys(STATES);
  const several = owners.length > 1 || shape.filters.owner;
  const form = make(
    "form",
    { class: "filters", role: "search", "aria-label": "Filters" },
    make("label", { class: "text" }, "Search", make("input", text)),
    choice("tool", "Tool", "all tools", tools),
    choice("status", "Status", "any status", states, status => STATES[status]?.[1] ?? status),
    choice("since", "Time", "any time", Object.keys(TIMES), time => TIMES[time] ?? `since ${time}`),
    several ? choice("owner", "Owner", "all owners", owners) : null,
    make("input", { type: "hidden", name: "limit", value: shape.filters.limit ?? "100" }),
    plain("action clear", () => reset(form), "Clear filters"),
  );
  let timer = 0;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => list(form), PAUSE);
  };
  form.addEventListener("input", event => (event.target.type === "search" ? soon() : list(form)));
  form.addEventListener("submit", event => {
    event.preventDefault();
    list(form);
  });
  return form;
}

function reset(form) {
  for (const field of form.elements) if (field.name && field.name !== "limit") field.value = "";
  list(form);
}

async function verify() {
  try {
    const check = await read("data/verification");
    const whole = `✓ Chain verified: ${plural(check.records, "record")}`;
    const [fault] = check.faults;
    const broken = fault && `✕ Chain broken at record ${fault.record}: ${fault.reason}`;
    page.chain.textContent = clean(check.ok ? whole : broken, 400);
    page.chain.className = check.ok ? "state ok" : "state failed";
    page.chain.title = `Head: ${clean(check.head)}`;
  } catch (error) {
    page.chain.textContent = clean(`The chain could not be verified: ${error.message}`, 400);
  }
}

async function open() {
  const id = location.hash.split("/")[1];
  mark();
  document.body.classList.toggle("opened", Boolean(id));
  if (!id) {
    const hint = "Select a call to see what was asked, what ran and what it found.";
    page.main.replaceChildren(make("p", { class: "hint" }, hint));
    return;
  }
  const context = { shape };
  try {
    const execution = await read(`data/executions/${encodeURIComponent(id)}`);
    page.view = recordView(context, execution);
    const back = plain("action back", () => history.back(), "← Back");
    page.main.replaceChildren(back, page.view.element);
    page.view.resize();
    if (page.main.getBoundingClientRect().top < 0) page.main.scrollIntoView({ block: "start" });
    announce("The record is shown.");
  } catch (error) {
    page.main.replaceChildren(make("p", { class: "problem" }, clean(error.message, 400)));
  }
}

async function begin() {
  const known = await read("data/choices").catch(() => ({ tools: [], owners: [] }));
  const form = filters(known);
  page.chain.textContent = "Verifying the chain…";
  page.chain.className = "quiet";
  document.body.classList.add("paged");
  document.getElementById("root").replaceChildren(
    make("header", {}, make("h1", {}, "Journal"), page.chain),
    make(
      "div",
      { class: "journal" },
      make("nav", { "aria-label": "Calls" }, form, page.list),
      make("section", { class: "main", "aria-label": "Selected call" }, page.main),
    ),
  );
  new ResizeObserver(() => requestAnimationFrame(() => page.view?.resize())).observe(document.body);
  addEventListener("hashchange", open);
  list(form);
  open();
  verify();
}

begin();
