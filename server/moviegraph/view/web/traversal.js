// What graph_traverse found: the picture, the same as a table, and why each record is there.

const AT_FIRST = 12;
const MOST_DRAWN = 40;
const MOST_LISTED = 200;
const PICTURE = "Picture of the paths: arrow keys move, Enter shows details";

function tabs(panels, names) {
  const show = chosen => {
    panels.forEach((panel, at) => (panel.hidden = at !== chosen));
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(at === chosen)));
  };
  const buttons = names.map((name, at) => pressed("tab", () => show(at), name));
  show(0);
  return make("div", { class: "tabs", role: "group", "aria-label": "How to show it" }, buttons);
}

function recordsTable(shape, records, choose) {
  const heads = ["Rank", "Name", "Kind", "Score", "Hops", "Paths that lead there"];
  const number = value => make("td", { class: "number" }, clean(value));
  const line = record =>
    make(
      "tr",
      {},
      number(record.rank),
      make("th", { scope: "row" }, plain("plain", () => choose(record), said(record.name))),
      make("td", {}, glyph(shape.kinds.indexOf(record.kind)), " ", record.kind),
      number(record.score),
      number(record.hops),
      make("td", {}, waysOf(shape, record)),
    );
  const head = heads.map(name => make("th", { scope: "col" }, name));
  return headed("Records found, best first", head, records.map(line));
}

// The picture of some of the records; the further ones are drawn when they are asked for.
class Stage {
  constructor(context, records, details) {
    this.context = context;
    this.records = records;
    this.details = details;
    this.drawn = AT_FIRST;
    this.width = 0;
    this.chosen = records[0].key;
    this.key = make("div");
    this.pane = make("div", { class: "pane", role: "group", "aria-label": PICTURE });
    this.under = make("div");
    this.element = make("div", {}, this.key, this.pane, this.under);
  }

  tell(node) {
    this.details.replaceChildren(...nodeDetails(this.context, node).flat().filter(Boolean));
  }

  choose(node) {
    this.chosen = node.key;
    this.light(node);
    this.tell(node);
    announce(`${toldOf(node)}. Details follow.`);
  }

  redraw() {
    const { shape } = this.context;
    const focused = this.pane.contains(document.activeElement);
    const shown = this.records.slice(0, this.drawn);
    this.graph = readGraph(shown);
    this.light = drawPicture(this.pane, shape, this.graph, node => this.choose(node)).light;
    const kinds = [...this.graph.nodes.values()].map(node => node.kind);
    this.key.replaceChildren(legend(shape, kinds, tablesOf(this.graph)));
    this.under.replaceChildren(...this.rest());
    const chosen = this.graph.nodes.get(this.chosen) ?? this.graph.nodes.get(this.records[0].key);
    this.chosen = chosen.key;
    this.light(chosen);
    this.tell(chosen);
    if (focused) chosen.button.focus();
  }

  rest() {
    const left = Math.min(this.records.length, MOST_DRAWN) - this.drawn;
    const more = () => {
      const first = this.records[this.drawn].key;
      this.drawn = MOST_DRAWN;
      this.redraw();
      this.graph.nodes.get(first).button.focus();
    };
    if (left > 0) return [plain("action", more, `Draw ${left} more`)];
    const hidden = this.graph.undrawn || this.records.length > MOST_DRAWN;
    return hidden ? [quiet("The picture is not complete; the table lists all records.")] : [];
  }

  // Shows a record that was chosen in the table, whether or not it is drawn.
  reveal(record) {
    const node = this.graph.nodes.get(record.key);
    if (node) this.choose(node);
    else this.tell({ ...record, record, passing: [] });
  }

  resize() {
    if (!this.pane.clientWidth || this.pane.clientWidth === this.width) return;
    this.width = this.pane.clientWidth;
    this.redraw();
  }
}

function traversalView(context, data, paths) {
  const records = readRecords(data, paths, MOST_LISTED);
  if (!records.length) return nothing(data);
  const details = make("section", { class: "details", "aria-label": "Details" });
  const stage = new Stage(context, records, details);
  const rows = recordsTable(context.shape, records, record => stage.reveal(record));
  const table = scrolling("Table of the records", rows);
  const more = data.rows.length - MOST_LISTED;
  const lead = make("p", { class: "lead" }, summary(data, records));
  const element = make(
    "div",
    { class: "view" },
    make("div", { class: "bar" }, lead, tabs([stage.element, table], ["Picture", "Table"])),
    make(
      "div",
      { class: "split" },
      make("div", {}, stage.element, table, more > 0 ? quiet(`${plural(more, "row")} more`) : null),
      details,
    ),
    notesList(data.notes),
  );
  return { element, resize: () => stage.resize() };
}

function summary(data, records) {
  const count = plural(records.length, "record");
  const more = data.truncated ? `First ${count}, truncated by ${data.truncated}` : null;
  return clean(more ?? `${count} reached`);
}

function nothing(data) {
  const lead = make("p", { class: "lead" }, "No records found.");
  return { element: make("div", { class: "view" }, lead, notesList(data.notes)), resize() {} };
}
