// The picture of a traversal: nodes as buttons over the edges, moved through by arrow keys.

const UNKNOWN = "unknown kind";
const DASHES = ["none", "7 4", "2 4", "10 4 2 4", "14 5", "5 3 2 3 2 3"];

function tablesOf(graph) {
  return [...new Set(graph.edges.map(edge => edge.table))].sort();
}

function dash(tables, table) {
  return DASHES[tables.indexOf(table) % DASHES.length];
}

function drawnEdge(line, arrow, dashes) {
  return [
    draw("path", { d: line, class: "edge", "stroke-dasharray": dashes }),
    draw("path", { d: arrow, class: "arrow" }),
  ];
}

function edgeName(text, [x, y, anchor]) {
  const attributes = { class: "edge-name", x, y, "text-anchor": anchor };
  return draw("text", attributes, clean(text, 60));
}

function legend(shape, kinds, tables) {
  const item = (sample, text) => make("li", {}, sample, " ", said(text));
  const frame = { class: "sample", viewBox: "0 0 34 10", "aria-hidden": "true" };
  const edge = table => drawnEdge("M0 5H27", "M34 5l-7 -4v8z", dash(tables, table));
  return make(
    "ul",
    { class: "legend", "aria-label": "Kinds of nodes and edges" },
    [...new Set(kinds)].map(kind => item(glyph(shape.kinds.indexOf(kind)), kind ?? UNKNOWN)),
    tables.map(table => item(draw("svg", frame, edge(table)), table)),
  );
}

function toldOf(node) {
  if (node.told) return clean(node.told, 400);
  const place = node.layer === 0 && !node.record ? "start" : plural(node.layer, "hop") + " away";
  const { record } = node;
  const ways = record
    ? `rank ${record.rank}, score ${record.score}`
    : `on ${plural(node.passing.length, "path")}`;
  return clean(`${clean(node.name)}, ${node.kind ?? UNKNOWN}, ${place}, ${ways}`, 400);
}

function nodeButton(shape, node, placed, choose) {
  const role = node.role ?? (node.record ? "found" : node.layer ? "passed" : "start");
  const badge = node.record?.score ?? node.badge;
  const button = pressed(
    `node ${role}`,
    () => choose(node),
    glyph(shape.kinds.indexOf(node.kind)),
    make("span", { class: "name" }, said(node.name)),
    badge === undefined ? null : make("span", { class: "badge" }, clean(badge, 8)),
  );
  button.title = clean(node.name, 400);
  button.setAttribute("aria-label", toldOf(node));
  const [left, top] = [`${node.x}px`, `${node.y}px`];
  const [width, height] = [`${node.wide}px`, `${placed.size.height}px`];
  Object.assign(button.style, { left, top, width, height });
  return button;
}

// Returns where an arrow key leads: along the column, or to the nearest node of the next one.
function stepFrom(columns, node, key) {
  const column = columns[node.layer];
  const at = column.indexOf(node);
  const beside = way => {
    for (let to = node.layer + way; to >= 0 && to < columns.length; to += way)
      if (columns[to].length)
        return columns[to].reduce((best, each) =>
          Math.abs(each.y - node.y) < Math.abs(best.y - node.y) ? each : best,
        );
    return null;
  };
  if (key === "ArrowDown") return column[at + 1];
  if (key === "ArrowUp") return column[at - 1];
  if (key === "ArrowRight") return beside(1);
  if (key === "ArrowLeft") return beside(-1);
  if (key === "Home") return column[0];
  return key === "End" ? column.at(-1) : null;
}

// Draws into a pane that scrolls; returns what lights up the ways through a node.
function drawPicture(pane, shape, graph, choose) {
  const tables = tablesOf(graph);
  const placed = place(graph, Math.max(240, pane.clientWidth - 24));
  const order = placed.columns.flat();
  const { width, height } = placed;
  const lines = draw("svg", { class: "lines", "aria-hidden": "true", width, height });
  for (const edge of graph.edges) {
    const { line, arrow, name } = route(edge, graph, placed.size, placed.above);
    const named = graph.named && !placed.narrow;
    const dashes = named ? "none" : dash(tables, edge.table);
    edge.drawn = draw("g", {}, drawnEdge(line, arrow, dashes));
    if (named) edge.drawn.append(edgeName(edge.table, name));
    lines.append(edge.drawn);
  }
  const under = placed.size.height + 12;
  for (const { loops, x, y } of order)
    if (loops) lines.append(edgeName(`↻ ${loops}`, [x + 6, y + under, "start"]));
  for (const node of order) node.button = nodeButton(shape, node, placed, choose);
  const buttons = order.map(node => node.button);
  rove(buttons, (at, key) => stepFrom(placed.columns, order[at], key)?.button);
  const canvas = make("div", { class: `canvas ${placed.narrow ? "narrow" : ""}` }, lines, buttons);
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  pane.replaceChildren(canvas);
  return { light: chosen => light(graph, chosen), narrow: placed.narrow };
}

function light(graph, chosen) {
  const lit = new Set(chosen.passing.flatMap(({ keys }) => keys));
  const hops = new Set();
  for (const { keys, way } of chosen.passing)
    keys.slice(1).forEach((key, at) => hops.add(`${keys[at]}>${way.hops[at].table}>${key}`));
  for (const node of graph.nodes.values()) {
    node.button.setAttribute("aria-pressed", String(node === chosen));
    node.button.classList.toggle("lit", lit.has(node.key));
  }
  for (const { near, far, table, drawn } of graph.edges) {
    const on = hops.has(`${near}>${table}>${far}`) || hops.has(`${far}>${table}>${near}`);
    drawn.setAttribute("class", on ? "lit" : "");
    if (on) drawn.parentNode.append(drawn);
  }
}
