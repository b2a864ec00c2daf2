// The page of `moviegraph explore`: where it stands, what it calls, and the frame around it.

const TOKEN = location.pathname.split("/")[1];
const PLACES = { search: searchPlace, record: recordPlace, sql: sqlPlace, schema: schemaPlace };
const NAMES = { search: "Search", sql: "SQL", schema: "Schema", calls: "Calls" };
const NEEDS = {
  sql: ["run_readonly_sql"],
  search: ["hybrid_search", "semantic_search", "fulltext_search"],
};
const MOST_CALLS = 200;
const page = {
  calls: [],
  main: make("main"),
  tabs: {},
  view: null,
  trail: [],
  walked: false,
  waiting: new AbortController(),
};

function reasonOf(reply, answer) {
  return new Error(answer?.error ?? `The server answered ${reply.status}.`);
}

async function readShape() {
  const reply = await fetch("shape", { credentials: "omit", cache: "no-store" });
  const answer = await reply.json().catch(() => null);
  if (!reply.ok) throw reasonOf(reply, answer);
  const { contract, counts, tools } = answer;
  const pairs = edge => edge.pairs.map(pair => [pair.from_table, pair.to_table]);
  return {
    contract,
    counts,
    tools,
    kinds: contract.nodes.map(node => node.name),
    edges: Object.fromEntries(contract.edges.map(edge => [edge.name, pairs(edge)])),
  };
}

// Calls a tool as a client would, and keeps what it was asked and answered for this visit.
async function callTool(tool, values) {
  const call = { number: page.calls.length + 1, tool, values, result: null, time: 0 };
  page.calls.push(call);
  countCalls();
  const began = performance.now();
  const { signal } = page.waiting;
  try {
    const reply = await fetch("/call", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Moviegraph-Token": TOKEN },
      body: JSON.stringify({ tool, arguments: values }),
      credentials: "omit",
      cache: "no-store",
      signal,
    });
    const answer = await reply.json().catch(() => null);
    if (!reply.ok || answer?.error) throw reasonOf(reply, answer);
    call.result = answer;
    return answer;
  } catch (error) {
    const gone = "The server is gone. Start `moviegraph explore` again.";
    const message = error instanceof TypeError ? gone : error.message;
    call.result = { isError: true, content: [{ type: "text", text: message }] };
    throw signal.aborted ? error : new Error(message);
  } finally {
    call.time = Math.round(performance.now() - began);
  }
}

function address(name, values = {}) {
  const filled = Object.entries(values).filter(([, value]) => value);
  const asked = new URLSearchParams(filled);
  return `#/${name}${filled.length ? `?${asked}` : ""}`;
}

function go(name, values) {
  location.hash = address(name, values);
}

function link(name, values, ...children) {
  return make("a", { class: "link", href: address(name, values) }, ...children);
}

function kindOf(name) {
  return page.shape.contract.nodes.find(node => node.name === name);
}

function countOf(table) {
  const count = page.shape.counts[table];
  return count === undefined ? "" : count.toLocaleString("en");
}

function problem(error) {
  return make("p", { class: "problem", role: "alert" }, clean(error.message ?? error, 1200));
}

// What an error of a tool says, with the names that it suggests.
function refusal(result) {
  const { error } = result.structuredContent ?? {};
  if (!error) return problem(errorText(result));
  const names = error.suggestions ?? [];
  return make(
    "div",
    { class: "refusal", role: "alert" },
    make("p", {}, make("strong", {}, `${clean(error.code)}: `), said(error.message, 1200)),
    error.hint ? make("p", {}, said(error.hint, 1200)) : null,
    names.length ? make("p", {}, "Nearest: ", said(names.join(", "), 400)) : null,
  );
}

// Fills an element with what a task returns, unless the page has gone elsewhere meanwhile.
async function fill(element, task) {
  const { signal } = page.waiting;
  element.setAttribute("aria-busy", "true");
  let parts;
  try {
    parts = await task();
  } catch (error) {
    parts = signal.aborted ? null : [problem(error)];
  }
  if (signal.aborted) return;
  element.removeAttribute("aria-busy");
  element.replaceChildren(...parts.flat().filter(Boolean));
  page.view?.resize();
}

function shellWord(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function callLine(call) {
  const data = call.result?.structuredContent ?? {};
  const state = !call.result
    ? "asked"
    : call.result.isError
      ? "failed"
      : data.row_count === 0
        ? "empty"
        : "ok";
  const words = {
    asked: "running",
    failed: data.error?.code ?? "failed",
    empty: "no rows",
    ok: "",
  };
  const outcome = data.row_count ? plural(data.row_count, "row") : words[state];
  const sent = JSON.stringify(call.values);
  const text = (call.result?.content ?? []).map(part => part.text ?? "").join("\n");
  return make(
    "details",
    { class: "call" },
    make(
      "summary",
      {},
      make("span", { class: `state ${state}`, "aria-hidden": "true" }, STATES[state][0]),
      make("strong", {}, clean(call.tool)),
      make("span", { class: "sent" }, said(sent, 160)),
      make("span", { class: "badge" }, clean(outcome, 40), ` ${call.time} ms`),
    ),
    make("h3", {}, "As a command"),
    statement(`moviegraph call ${call.tool} ${shellWord(sent)}`),
    make("h3", {}, "What a model sees"),
    statement(text),
  );
}

function callsPlace() {
  const lines = page.calls.toReversed().slice(0, MOST_CALLS).map(callLine);
  const none = quiet(
    "No call yet. Whatever this page shows, it asks of the tools that models use.",
  );
  const parts = lines.length ? lines : [none];
  return make("section", {}, make("h1", {}, "Calls of this visit"), parts);
}

function countCalls() {
  page.tabs.calls.lastChild.textContent = ` ${page.calls.length || ""}`;
}

function readPlace() {
  const [path, asked] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...parts] = path.split("/").map(part => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return {
    name: Object.hasOwn(PLACES, name) || name === "calls" ? name : "search",
    parts,
    asked: new URLSearchParams(asked),
  };
}

// Ends what the page still waits for.
function renew() {
  page.waiting.abort();
  page.waiting = new AbortController();
}

function open() {
  renew();
  page.view = null;
  const { name, parts, asked } = readPlace();
  if (name !== "record") page.trail = [];
  for (const [tab, element] of Object.entries(page.tabs))
    element.ariaCurrent = tab === name ? "page" : null;
  const element = name === "calls" ? callsPlace() : PLACES[name](asked, parts);
  page.main.replaceChildren(element);
  page.view?.resize();
  scrollTo(0, 0);
}

function frame() {
  const { contract, tools } = page.shape;
  const served = name => !NEEDS[name] || NEEDS[name].some(tool => Object.hasOwn(tools, tool));
  for (const name of Object.keys(NAMES).filter(served))
    page.tabs[name] = make(
      "a",
      { href: address(name) },
      NAMES[name],
      make("span", { class: "badge" }),
    );
  const home = make("a", { class: "home", href: "#/search" }, said(contract.title, 80));
  document.title = clean(`${contract.title}: explore`);
  document.body.classList.add("explore");
  document
    .getElementById("root")
    .replaceWith(
      make("header", {}, home, make("nav", { "aria-label": "Parts" }, Object.values(page.tabs))),
      page.main,
    );
}

// A slash leads to the search from wherever nothing is being written.
function shortcut(event) {
  const writing = event.target.closest?.("input, textarea, select");
  if (event.key !== "/" || writing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  if (readPlace().name !== "search") {
    history.pushState(null, "", address("search"));
    open();
  }
  page.main.querySelector("input[type=search]")?.focus();
}

async function begin() {
  try {
    page.shape = await readShape();
  } catch (error) {
    document.getElementById("root").replaceChildren(problem(error));
    return;
  }
  frame();
  new ResizeObserver(() => requestAnimationFrame(() => page.view?.resize())).observe(document.body);
  addEventListener("hashchange", open);
  addEventListener("keydown", shortcut);
  open();
  if (!location.hash && matchMedia("(pointer: fine)").matches)
    page.main.querySelector("input[type=search]")?.focus();
}

begin();
