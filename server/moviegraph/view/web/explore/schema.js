// The schema as a picture: the kinds of records, how many there are, and the edges between them.

// Returns how many edges lie between each kind and the one with the most connections.
function layersOf(contract) {
  const near = new Map(contract.nodes.map(node => [node.name, new Set()]));
  for (const edge of contract.edges)
    for (const pair of edge.pairs) {
      near.get(pair.from_table)?.add(pair.to_table);
      near.get(pair.to_table)?.add(pair.from_table);
    }
  const layers = new Map();
  const most = [...near.keys()].sort((one, other) => near.get(other).size - near.get(one).size);
  for (const start of most) {
    if (layers.has(start)) continue;
    layers.set(start, 0);
    const queue = [start];
    for (const kind of queue)
      for (const next of near.get(kind))
        if (!layers.has(next)) {
          layers.set(next, layers.get(kind) + 1);
          queue.push(next);
        }
  }
  return layers;
}

function schemaGraph() {
  const { contract } = page.shape;
  const layers = layersOf(contract);
  const node = ({ name }) => {
    const count = countOf(name);
    const told = `${name}, ${count || "unknown number of"} records`;
    return {
      key: name,
      kind: name,
      name,
      layer: layers.get(name),
      role: "found",
      passing: [],
      told,
      badge: count,
    };
  };
  const nodes = new Map(
    contract.nodes
      .map(node)
      .sort((one, other) => one.layer - other.layer)
      .map(each => [each.key, each]),
  );
  const between = new Map();
  for (const edge of contract.edges)
    for (const { from_table: from, to_table: to } of edge.pairs) {
      const start = nodes.get(from);
      if (from === to) {
        start.loops = [start.loops, edge.name].filter(Boolean).join(", ");
        continue;
      }
      const key = JSON.stringify([from, to]);
      between.set(key, [...(between.get(key) ?? []), edge.name]);
    }
  const edges = [...between].map(([key, tables]) => {
    const [from, to] = JSON.parse(key);
    const [near, far] = layers.get(from) <= layers.get(to) ? [from, to] : [to, from];
    const shift = near !== from && between.has(JSON.stringify([to, from])) ? 8 : 0;
    const table = tables.join(", ");
    const passed = { keys: [near, far], way: { hops: [{ table }] } };
    nodes.get(near).passing.push(passed);
    nodes.get(far).passing.push(passed);
    return { near, far, from, to, table, shift };
  });
  const longest = Math.max(...edges.map(edge => edge.table.length), 0);
  return { nodes, edges, named: true, gap: 60 + Math.min(60, longest) * 6.5 };
}

function showSchema(element, choose, chosen) {
  const pane = make("div", {
    class: "pane",
    role: "group",
    "aria-label": "Schema: arrow keys move, Enter shows a kind",
  });
  const key = make("div");
  element.append(key, pane);
  const build = () => {
    const graph = schemaGraph();
    return { graph, center: graph.nodes.get(chosen) };
  };
  page.view = drawn(pane, key, build, node => choose(node.key));
}

function kindDetails(kind) {
  const { contract } = page.shape;
  const line = column =>
    make(
      "li",
      {},
      make("strong", {}, said(column.name)),
      make("span", { class: "badge" }, " ", clean(column.type)),
      make("br"),
      said(column.description, 400),
    );
  const own = contract.edges.filter(edge =>
    edge.pairs.some(pair => [pair.from_table, pair.to_table].includes(kind.name)),
  );
  const edge = each =>
    make(
      "li",
      {},
      make("strong", {}, said(each.name)),
      make("span", { class: "badge" }, ` ${countOf(each.name)}`),
      make("br"),
      said(each.meaning, 300),
    );
  const columns = kind.columns.filter(column => column.name !== kind.vector);
  const shown = columns.map(column => column.name).join(", ");
  const sql = `SELECT TOP 20 ${shown}\nFROM ${kind.name}\nORDER BY ${kind.key}`;
  return [
    make("h2", {}, glyph(page.shape.kinds.indexOf(kind.name)), " ", said(kind.name)),
    make(
      "p",
      {},
      said(kind.description, 600),
      make("span", { class: "quiet" }, ` ${countOf(kind.name)} records`),
    ),
    make(
      "p",
      { class: "links" },
      link("search", { kind: kind.name }, "Search"),
      page.tabs.sql ? link("sql", { sql }, "First rows") : null,
    ),
    make("h3", {}, "Columns"),
    make("ul", { class: "meanings" }, columns.map(line)),
    own.length ? make("h3", {}, "Edges") : null,
    make("ul", { class: "meanings" }, own.map(edge)),
  ].filter(Boolean);
}

function schemaPlace(asked) {
  const kind = kindOf(asked.get("kind")) ?? kindOf(page.shape.kinds[0]);
  const stage = make("div", { class: "schema-pane" });
  const details = make("aside", { class: "details", "aria-label": "Details" }, kindDetails(kind));
  const choose = name => {
    page.walked = true;
    go("schema", { kind: name });
  };
  showSchema(stage, choose, kind.name);
  return make(
    "section",
    {},
    make("h1", {}, "Schema"),
    make("div", { class: "split" }, stage, details),
  );
}
