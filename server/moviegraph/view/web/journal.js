// The journal as a page: records by filter, a plan as it ran, a record as a whole.

const shape = JSON.parse(document.getElementById("shape").textContent);
const STATUSES = ["", "ok", "empty", "failed", "refused", "asked"];
const FIELDS = [
  ["question", "Text", "search"],
  ["tool", "Tool", "text"],
  ["owner", "Owner", "text"],
  ["since", "Since", "text"],
];
const page = { view: null, list: make("div"), main: make("div"), chain: make("p"), nav: null };

async function read(path) {
  const reply = await fetch(path, { credentials: "omit", cache: "no-store" });
  const told = await reply.json().catch(() => null);
  if (!reply.ok) throw new Error(told?.error ?? `The server answered ${reply.status}.`);
  return told;
}

// The records of one plan stand beside each other, and are listed as one.
function entries(records) {
  const found = [];
  for (const record of records) {
    const last = found.at(-1);
    const isPlan = record.tool === "run_strategies" && record.strategy_id;
    const again = last?.strategies?.includes(record.strategy_id);
    const same = last?.question === record.question && last?.owner === record.owner;
    if (isPlan && last?.strategies && same && !again) last.strategies.push(record.strategy_id);
    else found.push({ ...record, strategies: isPlan ? [record.strategy_id] : null });
  }
  return found;
}

function entryLine(entry) {
  const place = entry.strategies ? `#plans/${entry.id}` : `#executions/${entry.id}`;
  const count = entry.strategies?.length;
  const outcome = count
    ? plural(count, "strategy", "strategies")
    : [stateOf(entry.status), entry.row_count ? `, ${plural(entry.row_count, "row")}` : ""];
  const go = () => (location.hash = place);
  const button = pressed(
    "strategy entry",
    go,
    make(
      "span",
      { class: "about" },
      make("span", { class: "asked" }, said(entry.asked || entry.code || entry.tool, 160)),
      make("span", { class: "outcome" }, `${clean(entry.tool)}, `, outcome),
      make("span", { class: "outcome" }, moment(entry.created)),
    ),
  );
  button.dataset.place = place;
  return button;
}

function listed(records) {
  const buttons = entries(records).map(entryLine);
  rove(buttons, (at, key) => upDown(buttons, at, key));
  const lines = buttons.map(button => make("li", {}, button));
  page.list.replaceChildren(
    records.length ? make("ul", { class: "strategies" }, lines) : quiet("No record is like that."),
  );
  announce(`${plural(records.length, "record")} listed`);
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
  try {
    listed((await read(`data/executions?${asked}`)).records);
  } catch (error) {
    page.list.replaceChildren(make("p", { class: "problem" }, clean(error.message, 400)));
  }
}

function filters() {
  const field = ([name, title, type]) =>
    make("label", {}, title, make("input", { name, type, value: shape.filters[name] ?? "" }));
  const chosen = shape.filters.status ?? "";
  const option = status =>
    make("option", { value: status, selected: status === chosen }, status || "any");
  const form = make(
    "form",
    { class: "filters", role: "search", "aria-label": "Which records" },
    FIELDS.map(field),
    make("label", {}, "Status", make("select", { name: "status" }, STATUSES.map(option))),
    make("input", { type: "hidden", name: "limit", value: shape.filters.limit ?? "100" }),
    make("button", { class: "action" }, "Show"),
  );
  form.addEventListener("submit", event => {
    event.preventDefault();
    list(form);
  });
  return form;
}

async function verify() {
  try {
    const found = await read("data/verification");
    const head = found.head.slice(0, 12);
    const whole = `The chain holds: ${plural(found.records, "record")}, head ${head}`;
    const broken = `The chain is broken at record ${found.bad}: ${found.reason}`;
    page.chain.textContent = clean(found.ok ? `✓ ${whole}` : `✕ ${broken}`, 400);
    page.chain.className = found.ok ? "state ok" : "state failed";
  } catch (error) {
    page.chain.textContent = clean(`The chain could not be verified: ${error.message}`, 400);
  }
}

async function open() {
  const [kind, id] = location.hash.slice(1).split("/");
  mark();
  document.body.classList.toggle("opened", Boolean(id));
  if (!id) {
    page.main.replaceChildren(quiet("Choose a question or a record."));
    return;
  }
  const context = { shape, open: other => (location.hash = `#executions/${other}`) };
  try {
    const plan = kind === "plans" ? await read(`data/plans/${encodeURIComponent(id)}`) : null;
    const found = plan ?? (await read(`data/executions/${encodeURIComponent(id)}`));
    page.view = plan ? planView(context, plan) : recordView(context, found);
    const back = plain("action back", () => history.back(), "Back");
    page.main.replaceChildren(back, page.view.element);
    page.view.resize();
    if (page.main.getBoundingClientRect().top < 0) page.main.scrollIntoView({ block: "start" });
    announce("The record is shown.");
  } catch (error) {
    page.main.replaceChildren(make("p", { class: "problem" }, clean(error.message, 400)));
  }
}

function begin() {
  const form = filters();
  page.chain.textContent = "Verifying the chain…";
  page.chain.className = "quiet";
  document.body.classList.add("paged");
  document.getElementById("root").replaceChildren(
    make("header", {}, make("h1", {}, "Journal"), page.chain),
    make(
      "div",
      { class: "journal" },
      make("nav", { "aria-label": "Records" }, form, page.list),
      make("section", { class: "main", "aria-label": "What was chosen" }, page.main),
    ),
  );
  new ResizeObserver(() => requestAnimationFrame(() => page.view?.resize())).observe(document.body);
  addEventListener("hashchange", open);
  list(form);
  open();
  verify();
}

begin();
