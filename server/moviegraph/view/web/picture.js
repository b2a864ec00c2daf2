// The picture of a traversal: nodes as buttons over the edges, moved through by arrow keys.

const DASHES = ["none", "7 4", "2 4", "10 4 2 4", "14 5", "5 3 2 3 2 3"];

function tablesOf(graph) {
  return [...new Set(graph.edges.map(edge => edge.table))].sort();
}

function dash(tables, table) {
  return DASHES[tables.indexOf(table) % DASHES.length];
}

function legend(shape, graph, tables) {
  const kinds = [...new Set([...graph.nodes.values()].map(node => node.kind))];
  const item = (sample, text) => make("li", {}, sample, " ", said(text));
  const line = table =>
    draw(
      "svg",
      { class: "sample", viewBox: "0 0 34 10", "aria-hidden": "true" },
      draw("path", { d: "M0 5H27", class: "edge", "stroke-dasharray": dash(tables, table) }),
      draw("path", { d: "M34 5l-7 -4v8z", class: "arrow" }),
    );
  return make(
    "ul",
    { class: "legend", "aria-label": "Kinds of nodes and edges" },
    kinds.map(kind => item(glyph(shape.kinds.indexOf(kind)), kind ?? "kind not known")),
    tables.map(table => item(line(table), table)),
  );
}

function toldOf(node) {
  const place = node.layer === 0 && !node.record ? "start" : plural(node.layer, "hop") + " away";
  const ways = node.record ? "" : `, on ${plural(node.passing.length, "way")}`;
  const score = node.record ? `, rank ${node.record.rank}, score ${node.record.score}` : "";
  return clean(`${clean(node.name)}, ${node.kind ?? "kind not known"}, ${place}${score}${ways}`, 400);
}

function nodeButton(shape, node, placed, choose) {
  const style = `left:${node.x}px;top:${node.y}px;width:${node.wide}px;height:${placed.size.height}px`;
  const button = make(
    "button",
    {
      type: "button",
      class: `node ${node.record ? "found" : node.layer ? "passed" : "start"}`,
      "aria-label": toldOf(node),
      "aria-pressed": "false",
      title: clean(node.name, 400),
      onclick: () => choose(node),
    },
    glyph(shape.kinds.indexOf(node.kind)),
    make("span", { class: "name" }, said(node.name)),
    node.record ? make("span", { class: "badge" }, clean(node.record.score, 8)) : null,
  );
  button.style.cssText = style;
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
  const lines = draw("svg", { class: "lines", "aria-hidden": "true", width: placed.width, height: placed.height });
  for (const edge of graph.edges) {
    const { line, arrow } = route(edge, graph, placed.size, placed.above);
    edge.drawn = draw(
      "g",
      {},
      draw("path", { d: line, class: "edge", "stroke-dasharray": dash(tables, edge.table) }),
      draw("path", { d: arrow, class: "arrow" }),
    );
    lines.append(edge.drawn);
  }
  for (const node of order) node.button = nodeButton(shape, node, placed, choose);
  const buttons = order.map(node => node.button);
  rove(buttons, (at, key) => stepFrom(placed.columns, order[at], key)?.button);
  const canvas = make("div", { class: `canvas ${placed.narrow ? "narrow" : ""}` }, lines, buttons);
  canvas.style.cssText = `width:${placed.width}px;height:${placed.height}px`;
  pane.replaceChildren(canvas);
  return chosen => light(graph, chosen);
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
  const on = edge =>
    hops.has(`${edge.near}>${edge.table}>${edge.far}`) || hops.has(`${edge.far}>${edge.table}>${edge.near}`);
  for (const edge of graph.edges) {
    edge.drawn.setAttribute("class", on(edge) ? "lit" : "");
    if (on(edge)) edge.drawn.parentNode.append(edge.drawn);
  }
}
