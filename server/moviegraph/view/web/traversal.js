// What graph_traverse found: the picture, the same as a table, and why each record is there.

const AT_FIRST = 12;
const MOST_DRAWN = 40;
const MOST_LISTED = 200;

function tabs(panels, names) {
  const buttons = names.map((name, at) =>
    make("button", { type: "button", class: "tab", "aria-pressed": String(at === 0), onclick: () => show(at) }, name),
  );
  const show = chosen => {
    panels.forEach((panel, at) => (panel.hidden = at !== chosen));
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(at === chosen)));
  };
  show(0);
  return make("div", { class: "tabs", role: "group", "aria-label": "How to show it" }, buttons);
}

function recordsTable(shape, records, choose) {
  const head = ["Rank", "Name", "Kind", "Score", "Hops", "Why: the ways that lead there"];
  const line = record =>
    make(
      "tr",
      {},
      make("td", { class: "number" }, clean(record.rank)),
      make("th", { scope: "row" }, make("button", { type: "button", class: "plain", onclick: () => choose(record.key) }, said(record.name))),
      make("td", {}, glyph(shape.kinds.indexOf(record.kind)), " ", record.kind),
      make("td", { class: "number" }, clean(record.score)),
      make("td", { class: "number" }, clean(record.hops)),
      make("td", {}, waysList(shape, record.ways)),
    );
  return make(
    "table",
    {},
    make("caption", { class: "unseen" }, "The records found, best first"),
    make("thead", {}, make("tr", {}, head.map(name => make("th", { scope: "col" }, name)))),
    make("tbody", {}, records.map(line)),
  );
}

function traversalView(context, data) {
  const { shape } = context;
  const records = readRecords(data, MOST_LISTED);
  const startKind = context.arguments?.start_kind ?? shape.kinds[0];
  const details = make("section", { class: "details", "aria-label": "Details" });
  const pane = make("div", { class: "pane", role: "group", "aria-label": "Picture of the ways: arrow keys move, Enter shows details" });
  const key = make("div");
  const under = make("div", { class: "under" });
  const state = { drawn: AT_FIRST, width: 0, graph: null, chosen: null, light: null };
  const choose = node => {
    state.chosen = node.key;
    state.light(node);
    details.replaceChildren(...nodeDetails(context, node).flat().filter(Boolean));
    announce(`${toldOf(node)}. Details are below.`);
  };
  const redraw = focused => {
    const shown = records.slice(0, state.drawn);
    state.graph = readGraph(shape, shown, startKind);
    const open = pane.contains(document.activeElement) ? state.chosen : null;
    state.light = drawPicture(pane, shape, state.graph, choose);
    key.replaceChildren(legend(shape, state.graph, tablesOf(state.graph)));
    under.replaceChildren(...undrawn(records, data, state, redraw).filter(Boolean));
    const chosen = state.graph.nodes.get(state.chosen) ?? state.graph.nodes.get(records[0].key);
    state.chosen = chosen.key;
    state.light(chosen);
    details.replaceChildren(...nodeDetails(context, chosen).flat().filter(Boolean));
    if (open || focused) (focused ? state.graph.nodes.get(records[AT_FIRST].key) : chosen).button.focus();
  };
  if (!records.length) return { element: nothing(data), resize() {} };
  const byKey = wanted => {
    const at = records.findIndex(record => record.key === wanted);
    if (at >= state.drawn) state.drawn = Math.min(MOST_DRAWN, at + 1);
    if (at < MOST_DRAWN) {
      redraw();
      choose(state.graph.nodes.get(wanted));
    } else details.replaceChildren(...nodeDetails(context, { ...records[at], record: records[at], passing: [] }).filter(Boolean));
  };
  const picture = make("div", {}, key, pane, under);
  const table = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of the records" }, recordsTable(shape, records, byKey));
  const more = data.rows.length > MOST_LISTED ? make("p", { class: "quiet" }, `The first ${MOST_LISTED} of ${plural(data.rows.length, "row")} are shown.`) : null;
  const element = make(
    "div",
    { class: "view" },
    make("div", { class: "bar" }, make("p", { class: "lead" }, summary(data, records)), tabs([picture, table], ["Picture", "Table"])),
    make("div", { class: "split" }, make("div", { class: "stage" }, picture, table, more), details),
    notesList(data.notes),
  );
  const resize = () => {
    if (pane.clientWidth && pane.clientWidth !== state.width) {
      state.width = pane.clientWidth;
      redraw();
    }
  };
  return { element, resize };
}

function summary(data, records) {
  const cut = data.truncated ? `, cut by ${data.truncated}` : "";
  return clean(`${plural(records.length, "record")} reached${cut}`);
}

function undrawn(records, data, state, redraw) {
  const left = Math.min(records.length, MOST_DRAWN) - state.drawn;
  const hidden = records.length - Math.max(state.drawn, MOST_DRAWN);
  const said = state.graph.undrawn + Math.max(0, hidden);
  return [
    left > 0
      ? make("button", { type: "button", class: "action", onclick: () => { state.drawn = MOST_DRAWN; redraw(true); } }, `Draw ${left} more`)
      : null,
    left <= 0 && said > 0 ? make("p", { class: "quiet" }, "Not all is drawn; the table lists it.") : null,
  ];
}

function nothing(data) {
  return make("div", { class: "view" }, make("p", { class: "lead" }, "Nothing was found."), notesList(data.notes));
}
